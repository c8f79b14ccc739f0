"""Define the values that go into the ledger and come out of it."""

import json
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Self

import msgspec

from newscorpus.data import Evidence, Record, Rejected
from newscorpus.urls import document_id

OVER_BUDGET = "over_budget"
"""Count of the addresses that were not taken in because the portal's budget of pages was spent."""


class UrlState(IntEnum):
    """Where an address stands.

    RESERVED: named by a page that is still being read; forgotten at the next start, when that page is read again.
    QUEUED: to be asked for. LEASED: being asked for. WAITING: it failed, and is asked for once more after a while. The
    next start queues both again.
    DONE: it ended as a row, a rejection or a page read for its links.
    FAILED: it could not be fetched, its callback raised an error, or the process that worked on it died.
    """

    RESERVED = 0
    QUEUED = 1
    WAITING = 2
    LEASED = 3
    DONE = 4
    FAILED = 5


@dataclass(frozen=True, slots=True)
class Link:
    """A request to be queued."""

    key: int  # of the request, as `key_of` gives it for a plain one
    url: str
    portal: str  # name of the portal
    kind: str = ""  # "article", "section", "feed", "sitemap" ...; "" where it is not known
    depth: int = 0  # links followed to get there
    found_on: int = 0  # serial of the page that named it; 0: none
    priority: int = 0  # the highest goes first, of equals the one met first
    request: bytes = b""  # whatever rebuilds the request


@dataclass(frozen=True, slots=True)
class Lease:
    """An address to be asked for now, and what its last answer, if there was one, named to compare with."""

    serial: int
    url: str
    portal: str
    priority: int
    request: bytes
    status: int = 0
    etag: str = ""
    last_modified: str = ""
    from_archive: bool = False  # the archive answers, where it holds the answer
    links_only: bool = False  # what became of the address stands: its answer is read again for its links alone
    archive_file: str = ""  # where the last answer lies
    archive_offset: int = 0


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came back from an address."""

    url: str  # the final address, after redirects
    status: int  # of HTTP
    time: str  # ISO 8601 with offset
    n_bytes: int = 0  # length of the body, decoded
    etag: str = ""  # of the header, as the next one; "" where there was none
    last_modified: str = ""
    signature: str = ""  # hash of the body
    archived: tuple[str, int] = ("", 0)  # where it lies in the archive: file and offset
    is_stored: bool = False  # it came from there: nothing was asked


@dataclass(frozen=True, slots=True)
class UrlOutcome:
    """What became of an address."""

    stage: str = ""  # of the rejection; "" where it was not rejected
    reason: str = "read"  # of the rejection; else "kept", "read" (for its links), "redirect_target" or "no_response"
    detail: str = ""  # of the rejection
    revision: str = ""  # of the text that was kept
    n_words: int = 0  # of the text that was kept
    document: str = ""  # address of the document that was kept, which may be that of another page
    line: tuple[str, int] = ("", 0)  # where its row of the intake, or its rejection, begins: file and offset
    published: str = ""  # when an article that was kept was published, as it says

    @classmethod
    def of(cls, ended: Record | Rejected, line: tuple[str, int] = ("", 0)) -> Self:
        """What became of an address whose page is a row, or was rejected."""
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
        """The name under which the ledger counts the addresses that end so."""
        return f"rejected/{self.stage}/{self.reason}" if self.stage else self.reason

    @property
    def state(self) -> UrlState:
        """The state of an address that ends so."""
        has_failed = self.stage in {"fetch", "spider"} or self.reason in {"no_response", "worker_failed"}
        return UrlState.FAILED if has_failed else UrlState.DONE


def key_of(url: str) -> int:
    """The document id of an address as the 64-bit integer, with sign, that SQLite stores."""
    return key_of_id(document_id(url))


def key_of_id(document: str) -> int:
    """The id of a document as that integer."""
    return int.from_bytes(bytes.fromhex(document), "big", signed=True)


def id_of_key(key: int) -> str:
    """The id of a document, of the integer that `key_of_id` makes of it."""
    return key.to_bytes(8, "big", signed=True).hex()


def evidence_of(request: bytes) -> tuple[Evidence, ...]:
    """Read what the spider of the portals keeps with a stored request; other spiders keep other things."""
    stored: dict[str, Any] = json.loads(request) if request else {}
    try:
        return msgspec.convert(stored.get("cb_kwargs", {}).get("evidence", ()), tuple[Evidence, ...])
    except msgspec.ValidationError:
        return ()
