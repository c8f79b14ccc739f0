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
    """Where the records of one response lie.

    Attributes:
        file: name or path of the file.
        offset: of the first byte.
        length: in bytes.
    """

    file: str
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its answer, as they went over the wire.

    Attributes:
        url: that was asked.
        date: when the answer had come; ISO 8601, UTC, ending in "Z".
        status: of HTTP.
        headers: of the answer, in order.
        body: of the answer, content encoding left in place.
        method: of the request.
        request_headers: in order.
        request_body: "" for nearly all.
        protocol: that was spoken.
        ip: address of the server; "" where unknown.
    """

    url: str
    date: str
    status: int
    headers: Headers
    body: bytes
    method: str = "GET"
    request_headers: Headers = ()
    request_body: bytes = b""
    protocol: str = "HTTP/1.1"
    ip: str = ""


@dataclass(frozen=True, slots=True)
class Origin:
    """How a page came to be handed on.

    Attributes:
        source: name of the portal.
        languages: that the portal is declared to write; empty: any.
        template: the portal's own rules at the time; None where it had none.
        via: the address of the page, feed or sitemap that named it.
        depth: links followed to get there.
        redirects: addresses that led to it.
    """

    source: str = ""
    languages: tuple[str, ...] = ()
    template: Rules | None = None
    via: str = ""
    depth: int = 0
    redirects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Capture:
    """A page as it was handed on.

    Attributes:
        page: the page.
        following: the further pages of an article that is spread over several.
        origin: how it came; None in archives of others, which do not record it.
        place: where it lies; None before it is written.
    """

    page: Page
    following: tuple[Page, ...] = ()
    origin: Origin | None = None
    place: ByteRange | None = None


@dataclass(frozen=True, slots=True)
class StoredPage:
    """What the metadata record says of one page.

    Attributes:
        url: its address.
        fetched: time of the fetch.
        evidence: what discovery knew.
        headers: None where headers and body are those of the response; else its own, and the body is a record of its
            own, of the type "resource".
    """

    url: str
    fetched: str
    evidence: tuple[tuple[str, str, str], ...] = ()
    headers: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Note:
    """Content of the metadata record, as JSON."""

    pages: tuple[StoredPage, ...]
    origin: Origin = field(default_factory=Origin)


NOTE_TYPE = "application/vnd.newscorpus.page+json"
"""Content type of the metadata record of a page."""

SOFTWARE = "newscorpus/"
"""How the field `software` begins in the first record of our archives."""
