"""Values written to the ledger and read from it."""

import json
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Self

import msgspec

from newscorpus.data import Evidence, Record, Rejected
from newscorpus.urls import document_id

OVER_BUDGET = "over_budget"
"""Name of the count of addresses refused because the page budget of the portal was spent."""
TOO_DEEP = "rejected/discovery/too_deep"
"""Name of the count of addresses refused as too many links away."""


class UrlState(IntEnum):
    """State of an address.

    RESERVED: named by a page in progress; deleted at the next start, when that page is processed again.
    QUEUED: to be requested. LEASED: being requested. WAITING: failed, to be retried. The next start queues both again.
    DONE: ended as a row, a rejection or a page used for its links only.
    FAILED: not fetched, or its callback raised an error, or its worker died.
    """

    RESERVED = 0
    QUEUED = 1
    WAITING = 2
    LEASED = 3
    DONE = 4
    FAILED = 5


@dataclass(frozen=True, slots=True)
class Link:
    """A request to queue."""

    key: int  # of the request; `key_of(url)` for a plain GET
    url: str
    portal: str  # name of the portal
    kind: str = ""  # "article", "section", "feed", "sitemap" ...; "" if unknown
    depth: int = 0  # links from a start page
    found_on: int = 0  # serial of the page that linked to it; 0: none
    priority: int = 0  # the highest goes first; ties in order of discovery
    request: bytes = b""  # serialized request


@dataclass(frozen=True, slots=True)
class Lease:
    """An address to request now, with the validators of its last response."""

    serial: int
    url: str
    portal: str
    priority: int
    request: bytes
    status: int = 0
    etag: str = ""
    last_modified: str = ""
    from_archive: bool = False  # the response is read from the archive if it is there
    links_only: bool = False  # the response is parsed for links only; the outcome is kept
    archive_file: str = ""  # place of the last response
    archive_offset: int = 0
    fetched: str = ""  # time of the last response, ISO 8601


@dataclass(frozen=True, slots=True)
class Fetched:
    """The response of an address."""

    url: str  # the final address, after redirects
    status: int  # of HTTP
    time: str  # ISO 8601 with offset
    n_bytes: int = 0  # length of the decoded body
    etag: str = ""  # header, like the next one; "" without it
    last_modified: str = ""
    signature: str = ""  # hash of the body
    archived: tuple[str, int] = ("", 0)  # place in the archive: file and offset
    is_stored: bool = False  # it was read from the archive, not requested


@dataclass(frozen=True, slots=True)
class UrlOutcome:
    """The outcome of an address."""

    stage: str = ""  # of the rejection; "" if not rejected
    reason: str = "read"  # of the rejection; else "kept", "read" (for its links), "redirect_target" or "no_response"
    detail: str = ""  # of the rejection
    revision: str = ""  # of the kept text
    n_words: int = 0  # of the kept text
    document: str = ""  # address of the kept document, which may be another page's
    line: tuple[str, int] = ("", 0)  # place of its row or rejection: file and offset
    published: str = ""  # publication time of a kept article

    @classmethod
    def of(cls, ended: Record | Rejected, line: tuple[str, int] = ("", 0)) -> Self:
        """Return the outcome of a page that became a record or was rejected."""
        if isinstance(ended, Rejected):
            return cls(ended.stage, ended.reason, ended.detail, line=line)
        return cls(
            reason="kept",
            revision=ended.revision,
            n_words=ended.n_words,
            published=ended.published,
            document=ended.url,
            line=line,
        )

    @property
    def counter(self) -> str:
        """Name of the count of this outcome."""
        return f"rejected/{self.stage}/{self.reason}" if self.stage else self.reason

    @property
    def state(self) -> UrlState:
        """State of an address with this outcome."""
        has_failed = self.stage in {"fetch", "spider"} or self.reason in {"no_response", "worker_failed"}
        return UrlState.FAILED if has_failed else UrlState.DONE


def key_of(url: str) -> int:
    """Return the document id of an address as the signed 64-bit integer that SQLite stores."""
    return key_of_id(document_id(url))


def key_of_id(document: str) -> int:
    """Return a document id as that integer."""
    return int.from_bytes(bytes.fromhex(document), "big", signed=True)


def id_of_key(key: int) -> str:
    """Return the document id of an integer from `key_of_id`."""
    return key.to_bytes(8, "big", signed=True).hex()


def evidence_of(request: bytes) -> tuple[Evidence, ...]:
    """Read the evidence that the portal spider stores in a request; () for requests of other spiders."""
    stored: dict[str, Any] = json.loads(request) if request else {}
    try:
        return msgspec.convert(stored.get("cb_kwargs", {}).get("evidence", ()), tuple[Evidence, ...])
    except msgspec.ValidationError:
        return ()
