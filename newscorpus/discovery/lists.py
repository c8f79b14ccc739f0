"""Parse feeds (RSS 0.9 to 2.0, RSS 1.0, Atom) and sitemaps (indexes, address lists, Google's news fields)."""

import io
import re
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from html import unescape
from itertools import islice

from lxml import etree

from newscorpus.crawl.archive.content import GZIP_MAGIC, gunzip
from newscorpus.data import Evidence, Rejected
from newscorpus.discovery.addresses import FetchKind
from newscorpus.discovery.listing import Listing, ListingEntry
from newscorpus.tokens import collapse
from newscorpus.urls import web_address

MAX_BYTES = 52_428_800
"""Longest uncompressed sitemap (sitemaps.org protocol: 50 MB); feeds stay far below."""

MAX_ENTRIES = 200_000
"""Most entries that are taken of one list; they need some 50 MB. The protocol of sitemaps.org allows 50,000, and
sites that have one sitemap alone go beyond it."""

MAX_MARKS = 4_000_000
"""Most tags of a list, start and end, and most references: 80 of each entry. A tag takes some 200 bytes of memory."""

MAX_CHARACTERS = 10_000
"""Of an address or a value; an address longer than 2,000 is never asked for, and titles have some 100."""

MAX_CLAIMS = 20
"""Most values taken of one entry: some eight fields, and tags."""

BARE_AMPERSAND = re.compile(
    rb"<!\[CDATA\[.*?(?:\]\]>|\Z)|&(?!#\d+;|#x[0-9a-f]+;|(?:amp|apos|gt|lt|quot);)", re.DOTALL | re.IGNORECASE
)
"""An "&" that begins no reference known to XML. CDATA sections, in which "&" is allowed, match as a whole."""

LINE = re.compile(rb"\S[^\n]*")

FEED_ROOTS = frozenset({"rss", "rdf", "feed"})
FEED_ENTRIES = frozenset({"item", "entry"})

FEED_FIELDS = {
    "title": "title",
    "pubdate": "published",
    "published": "published",
    "issued": "published",
    "date": "published",
    "updated": "modified",
    "modified": "modified",
    "creator": "authors",
    "category": "tags",
    "language": "language",
}
"""Element of an entry (RSS, Atom 0.3 and 1.0, Dublin Core), without namespace -> field of a document."""

NEWS_FIELDS = {"title": "title", "publication_date": "published", "keywords": "tags"}
"""Element of <news:news>, without namespace -> field of a document."""

PUBLICATION_FIELDS = {"name": "site_name", "language": "language"}
"""Element of <news:publication> -> field of a document."""


class ListingError(ValueError):
    """A document is not the feed or sitemap it should be; the message says why."""


def read_list(form: str, body: bytes, url: str) -> Listing | Rejected:
    """Parse the feed or the sitemap at `url`, or say why it is none.

    Args:
        form: which of the two it should be: "feed" or "sitemap".
        body: the document, bytes as they came.
        url: its address, against which relative ones are resolved.
    """
    parse = parse_feed if form == FetchKind.FEED else parse_sitemap
    try:
        return parse(body, url).newest_first()
    except ListingError as error:
        return Rejected("discovery", f"broken_{form}", str(error), url)


def read_any(body: bytes, url: str) -> Listing | None:
    """Parse the feed or sitemap at `url`, whichever its content shows it to be; None where it is neither."""
    found = (read_list(form, body, url) for form in (FetchKind.FEED, FetchKind.SITEMAP))
    return next((listing for listing in found if isinstance(listing, Listing)), None)


def parse_feed(body: bytes, url: str) -> Listing:
    """Parse a feed; arguments as in `read_list`.

    Raises:
        ListingError: no feed.
    """
    root = read_xml(body)
    if _local_name(root) not in FEED_ROOTS:
        raise ListingError(f"not a feed: its root is <{_local_name(root)}>")
    shared = _channel_language(root)
    elements = (element for element in root.iter("{*}*") if _local_name(element) in FEED_ENTRIES)
    return _listing(_feed_entry(element, url, shared) for element in elements)


def parse_sitemap(body: bytes, url: str) -> Listing:
    """Parse a sitemap or a sitemap index, packed or not; plain text with one address a line is a sitemap too.

    Raises:
        ListingError: no sitemap, or longer than the protocol allows.
    """
    body = inflate(body)
    if not body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        lines = (found[0].decode("utf-8-sig", "replace").strip() for found in LINE.finditer(body))
        listing = _listing(ListingEntry(line) if _address("", line) else None for line in lines)
        if not listing.entries:
            raise ListingError(f"not a sitemap: neither XML nor addresses: {url}")
        return listing
    root = read_xml(body)
    match _local_name(root):
        case "sitemapindex":
            found = _listing(_sitemap_entry(child, url) for child in root if _local_name(child) == "sitemap")
            return replace(found, entries=(), children=found.entries)
        case "urlset":
            return _listing(_sitemap_entry(child, url) for child in root if _local_name(child) == "url")
        case other:
            raise ListingError(f"not a sitemap: its root is <{other}>")


def _listing(found: Iterator[ListingEntry | None]) -> Listing:
    """The listing of what was found: None for an entry without a usable address, which is counted."""
    every = list(islice(found, MAX_ENTRIES))
    entries = tuple(entry for entry in every if entry is not None)
    return Listing(entries, broken=len(every) - len(entries), beyond=sum(1 for _ in found))


def _address(base: str, text: str) -> str:
    """The address that an entry names, absolute; "" for what is none of the web, or may be cut."""
    return web_address(base, text) if 0 < len(text) < MAX_CHARACTERS else ""


def _feed_entry(element: etree._Element, base: str, shared: tuple[Evidence, ...]) -> ListingEntry | None:
    url = _feed_address(element, base)
    if not url:
        return None
    own = tuple(islice(dict.fromkeys(_feed_evidence(element)), MAX_CLAIMS))
    inherited = tuple(claim for claim in shared if claim.field not in {mine.field for mine in own})
    modified = next((claim.value for claim in own if claim.field == "modified"), "")
    return ListingEntry(url, own + inherited, modified)


def _feed_address(element: etree._Element, base: str) -> str:
    """The address of an entry's document: its link, else a guid that is an address; "" where there is neither."""
    links = [child for child in element if _local_name(child) == "link"]
    guids = [child for child in element if _local_name(child) == "guid" and child.get("isPermaLink") != "false"]
    atom = [link.get("href", "") for link in links if link.get("rel", "alternate") == "alternate"]
    named = (*atom, *map(_text_of, links), *map(_text_of, guids))
    return next(filter(None, (_address(base, text) for text in named)), "")


def _feed_evidence(element: etree._Element) -> Iterator[Evidence]:
    for child in element:
        name = _local_name(child)
        if name == "author":
            yield from _feed_claim("authors", _author(child))
        elif name in FEED_FIELDS:
            yield from _feed_claim(FEED_FIELDS[name], _text_of(child) or child.get("term", ""))


def _author(element: etree._Element) -> str:
    """The name in Atom's <author><name>, or in RSS's `mail@example.org (Name)`; never the mail address."""
    names = [_text_of(child) for child in element if _local_name(child) == "name"]
    text = names[0] if names else _text_of(element)
    if "@" in text:
        return text.partition("(")[2].rpartition(")")[0].strip()
    return text


def _feed_claim(field: str, value: str) -> Iterator[Evidence]:
    if value:
        yield Evidence(field, collapse(unescape(value)), "feed")  # RSS does not say whether a title is HTML; many are


def _channel_language(root: etree._Element) -> tuple[Evidence, ...]:
    """The language of the whole feed: RSS's <language>, Atom's xml:lang."""
    stated = root.get("{http://www.w3.org/XML/1998/namespace}lang", "")
    for channel in root if _local_name(root) != "feed" else ():
        stated = stated or _text_of_child(channel, "language")
    return tuple(_feed_claim("language", stated))


def _sitemap_entry(element: etree._Element, base: str) -> ListingEntry | None:
    url = _address(base, _text_of_child(element, "loc"))
    if not url:
        return None
    evidence = (claim for child in element if _local_name(child) == "news" for claim in _news_evidence(child))
    return ListingEntry(url, tuple(islice(evidence, MAX_CLAIMS)), _text_of_child(element, "lastmod"))


def _news_evidence(news: etree._Element) -> Iterator[Evidence]:
    for child in news:
        name, text = _local_name(child), _text_of(child)
        if name == "publication":
            fields = ((PUBLICATION_FIELDS.get(_local_name(inner)), _text_of(inner)) for inner in child)
            yield from (Evidence(field, value, "sitemap") for field, value in fields if field and value)
        elif name == "keywords":
            yield from (Evidence("tags", tag.strip(), "sitemap") for tag in text.split(",") if tag.strip())
        elif name in NEWS_FIELDS and text:
            yield Evidence(NEWS_FIELDS[name], text, "sitemap")


def inflate(body: bytes, max_bytes: int = MAX_BYTES) -> bytes:
    """Unpack `body` if it is gzip; of a damaged file, what comes before the damage.

    Raises:
        ListingError: longer than `max_bytes` when unpacked.
    """
    if not body.startswith(GZIP_MAGIC):
        return body
    parts: list[bytes] = []
    with suppress(zlib.error):
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
    if (marks := max(body.count(b"<"), body.count(b"&"))) > MAX_MARKS:
        raise ListingError(f"{marks} tags or references, more than {MAX_MARKS}")
    parser = etree.XMLParser(
        recover=True,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(_with_references(body.strip()), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise ListingError(f"not XML: {error}") from error
    if root is None:
        raise ListingError("not XML: empty")
    return root


def _with_references(body: bytes) -> bytes:
    """`body` with `&amp;` for each bare "&".

    Where the parser recovers from one of these, or from an unknown entity, it loses all later ones, `&amp;` too.
    """
    repaired, kept = io.BytesIO(), 0
    for found in BARE_AMPERSAND.finditer(body):
        if found.end() - found.start() == 1:
            repaired.write(body[kept : found.end()] + b"amp;")
            kept = found.end()
    repaired.write(body[kept:])
    return repaired.getvalue()


def _local_name(element: etree._Element) -> str:
    """Name of an element without its namespace, in lower case; "" for comments and the like."""
    # The stubs do not know that a comment's tag is a function.
    return etree.QName(element).localname.lower() if isinstance(element.tag, str) else ""  # type: ignore[redundant-expr]


def _text_of(element: etree._Element) -> str:
    """The text below an element up to `MAX_CHARACTERS`, white space collapsed."""
    if not len(element):
        return collapse((element.text or "")[:MAX_CHARACTERS])
    pieces = (str(piece)[:MAX_CHARACTERS] for piece in islice(element.itertext(), MAX_CHARACTERS))
    return collapse("".join(pieces)[:MAX_CHARACTERS])


def _text_of_child(element: etree._Element, name: str) -> str:
    """The text of the first child of that name, without namespace; "" where there is none."""
    return next((_text_of(child) for child in element if _local_name(child) == name), "")
