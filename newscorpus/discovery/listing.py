"""Describe what a feed or a sitemap lists, and read its XML safely."""

import re
from contextlib import suppress
from dataclasses import dataclass

from lxml import etree

from newscorpus.crawl.archive.content import GZIP_MAGIC, GzipError, gunzip
from newscorpus.data import Evidence
from newscorpus.tokens import collapse

MAX_BYTES = 52_428_800
"""Longest uncompressed sitemap (sitemaps.org protocol: 50 MB); feeds stay far below."""

MAX_ENTRIES = 50_000
"""Most entries of one sitemap (sitemaps.org protocol)."""

MAX_TAGS = 4_000_000
"""Most tags of a list: 80 of each entry, start and end; each takes some 200 bytes of memory."""

BARE_AMPERSAND = re.compile(
    rb"<!\[CDATA\[.*?(?:\]\]>|\Z)|&(?!#\d+;|#x[0-9a-f]+;|(?:amp|apos|gt|lt|quot);)", re.DOTALL | re.IGNORECASE
)
"""An "&" that begins no reference known to XML. CDATA sections, in which "&" is allowed, match as a whole."""


class ListingError(ValueError):
    """A document is not the feed or sitemap it should be; the message says why."""


@dataclass(frozen=True, slots=True)
class ListingEntry:
    """One document that a list names.

    Attributes:
        url: absolute address.
        evidence: what the list says of the document.
        modified: when the list says it changed, as written; "" where it does not say.
    """

    url: str
    evidence: tuple[Evidence, ...] = ()
    modified: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """A feed or sitemap, read.

    Attributes:
        entries: the documents named, in order.
        children: further sitemaps.
        broken: number of entries without a usable address.
    """

    entries: tuple[ListingEntry, ...] = ()
    children: tuple[ListingEntry, ...] = ()
    broken: int = 0


def inflate(body: bytes, max_bytes: int = MAX_BYTES) -> bytes:
    """Unpack `body` if it is gzip; of a damaged file, what comes before the damage.

    Raises:
        ListingError: longer than `max_bytes` when unpacked.
    """
    if not body.startswith(GZIP_MAGIC):
        return body
    parts: list[bytes] = []
    with suppress(GzipError):
        parts.extend(gunzip(body, max_bytes + 1))
    unpacked = b"".join(parts)
    if len(unpacked) > max_bytes:
        raise ListingError(f"longer than {max_bytes} bytes when unpacked")
    return unpacked


def read_xml(body: bytes) -> etree._Element:
    """Parse XML as far as it can be read; entities are not expanded, and nothing is loaded. Gives the root.

    Raises:
        ListingError: not XML, or with more tags than any list has.
    """
    if (tags := body.count(b"<")) > MAX_TAGS:
        raise ListingError(f"{tags} tags, more than {MAX_TAGS}")
    # Where the parser recovers from one unknown entity or bare "&", it loses all later ones, "&amp;" too.
    body = BARE_AMPERSAND.sub(lambda found: b"&amp;" if found[0] == b"&" else found[0], body.strip())
    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(body, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise ListingError(f"not XML: {error}") from error
    if root is None:
        raise ListingError("not XML: empty")
    return root


def local_name(element: etree._Element) -> str:
    """Name of an element without its namespace, in lower case; "" for comments and the like."""
    # The stubs do not know that a comment's tag is a function.
    return etree.QName(element).localname.lower() if isinstance(element.tag, str) else ""  # type: ignore[redundant-expr]


def text_of(element: etree._Element) -> str:
    """All text below an element, white space collapsed, comments left out."""
    pieces: list[str | None] = []
    for node in element.iter():
        if isinstance(node.tag, str):
            pieces.append(node.text)
        if node is not element:
            pieces.append(node.tail)
    return collapse("".join(filter(None, pieces)))


def text_of_child(element: etree._Element, name: str) -> str:
    """The text of the first child of that name, without namespace; "" where there is none."""
    return next((text_of(child) for child in element if local_name(child) == name), "")
