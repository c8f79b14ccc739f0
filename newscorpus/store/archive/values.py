"""Define what goes into an archive, and what comes out of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from newscorpus.data import Page

Headers = tuple[tuple[str, str], ...]

PERSONAL = frozenset({"authorization", "cookie", "proxy-authorization", "set-cookie"})
"""Headers that are about the visitor, not about the page; they are not kept."""

Rules = Mapping[str, tuple[str, ...]]
"""The `[template]` of a portal, as it is written."""


class ArchiveError(ValueError):
    """An archive cannot be read; the message is one line that names the file."""


@dataclass(frozen=True, slots=True)
class ByteRange:
    """Where the records of one response lie."""

    file: str  # name or path of the file
    offset: int  # of the first byte
    length: int  # bytes


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its answer, as they went over the wire."""

    url: str  # that was asked
    date: str  # when the answer had come; ISO 8601, UTC, ending in "Z"
    status: int  # of HTTP
    headers: Headers  # of the answer, in order
    body: bytes  # of the answer, content encoding left in place
    method: str = "GET"  # of the request
    request_headers: Headers = ()  # in order
    request_body: bytes = b""  # "" for nearly all
    protocol: str = "HTTP/1.1"  # that was spoken
    ip: str = ""  # address of the server; "" where unknown


@dataclass(frozen=True, slots=True)
class Origin:
    """How a page came to be handed on."""

    source: str = ""  # name of the portal
    languages: tuple[str, ...] = ()  # that the portal is declared to write; empty: any
    template: Rules | None = None  # the portal's own rules at the time; None where it had none
    via: str = ""  # the address of the page, feed or sitemap that named it
    depth: int = 0  # links followed to get there
    redirects: tuple[str, ...] = ()  # addresses that led to it


@dataclass(frozen=True, slots=True)
class Capture:
    """A page as it was handed on."""

    page: Page
    following: tuple[Page, ...] = ()  # the further pages of an article that is spread over several
    # How it came; None in archives of others, which do not record it, and for a page that was not handed on.
    origin: Origin | None = None
    place: ByteRange | None = None  # where it lies; None before it is written


@dataclass(frozen=True, slots=True)
class StoredPage:
    """What the metadata record says of one page."""

    url: str
    fetched: str  # time of the fetch
    evidence: tuple[tuple[str, str, str], ...] = ()  # what discovery knew
    # None where headers and body are those of the response; else its own, and the body is a record of its own, of the
    # type "resource".
    headers: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Note:
    """Content of the metadata record, as JSON."""

    pages: tuple[StoredPage, ...]
    origin: Origin = field(default_factory=Origin)


NOTE_TYPE = "application/vnd.newscorpus.page+json"
"""Content type of the metadata record of a page."""

OWN_URN = "urn:newscorpus:"
"""Begins the address of a record that only we read, so that no other program shows it in place of the page; the address
of the page follows. Archives written before 2026-11-24 have the address of the page itself."""

SOFTWARE = "newscorpus/"
"""How the field `software` begins in the first record of our archives."""
