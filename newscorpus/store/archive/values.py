"""Values written to an archive and read from it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from newscorpus.data import Page
from newscorpus.errors import CorpusError

Headers = tuple[tuple[str, str], ...]

PERSONAL = frozenset({"authorization", "cookie", "proxy-authorization", "set-cookie"})
"""Headers about the visitor; they are not stored."""

Rules = Mapping[str, tuple[str, ...]]
"""The section `[template]` of a portal file."""


class ArchiveError(CorpusError):
    """An archive cannot be read; the message is one line that names the file."""


@dataclass(frozen=True, slots=True)
class ByteRange:
    """Place of the records of a response."""

    file: str  # name or path of the file
    offset: int  # of the first byte
    length: int  # bytes


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its response as transferred."""

    url: str  # requested
    date: str  # end of the response; ISO 8601, UTC, ending in "Z"
    status: int  # of HTTP
    headers: Headers  # of the response, in order
    body: bytes  # of the response, content encoding left in place
    method: str = "GET"
    request_headers: Headers = ()  # in order
    request_body: bytes = b""  # usually empty
    protocol: str = "HTTP/1.1"
    ip: str = ""  # address of the server; "" if unknown


@dataclass(frozen=True, slots=True)
class Origin:
    """The portal and discovery of a page passed to the extractor."""

    source: str = ""  # name of the portal
    languages: tuple[str, ...] = ()  # declared for the portal; empty: any
    template: Rules | None = None  # of the portal at the time; None without one
    via: str = ""  # address of the page, feed or sitemap that linked to it
    depth: int = 0  # links from a start page
    redirects: tuple[str, ...] = ()  # addresses redirected to it


@dataclass(frozen=True, slots=True)
class Capture:
    """An archived page."""

    page: Page
    following: tuple[Page, ...] = ()  # further pages of the same article
    origin: Origin | None = None  # None in foreign archives, and for pages not passed to the extractor
    place: ByteRange | None = None  # None before it is written


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A page in the metadata record."""

    url: str
    fetched: str  # time of the fetch
    evidence: tuple[tuple[str, str, str], ...] = ()  # of discovery
    # None if headers and body are those of the response; else the body is in a record of type "resource".
    headers: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class PageMetadata:
    """Content of the metadata record in JSON."""

    pages: tuple[StoredPage, ...]
    origin: Origin = field(default_factory=Origin)


METADATA_TYPE = "application/vnd.newscorpus.page+json"
"""Content type of the metadata record of a page."""

OWN_URN = "urn:newscorpus:"
"""Prefix of the address of records for newscorpus only, so that no other program shows them in place of the page."""

SOFTWARE = "newscorpus/"
"""Prefix of the field `software` in the first record of our archives."""
