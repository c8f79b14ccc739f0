"""Parse feeds (RSS 0.9 to 2.0, RSS 1.0, Atom) and sitemaps (indexes, address lists, Google's news fields).

Errors of the markup cost no more than the entry with the error.
"""

import codecs
import io
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from html import unescape
from itertools import islice
from urllib.parse import urlsplit

from lxml import etree

from newscorpus.config import Limits
from newscorpus.content_encoding import GZIP_MAGIC, MAX_ENCODINGS, gunzip
from newscorpus.data import Evidence, Page, Rejected
from newscorpus.discover.entries import MAX_BYTES, Listing, ListingEntry, read_day
from newscorpus.page.parsing.decode import decode
from newscorpus.portal.addresses import FetchKind
from newscorpus.tokens import collapse, hash_headline
from newscorpus.urls import web_address

MAX_ENTRIES = 200_000
"""Maximum entries of one list; they need some 50 MB. The protocol of sitemaps.org allows 50,000, and sites with a
single sitemap exceed it."""

MAX_CHARACTERS = 10_000
"""Maximum length of an address or a value; addresses over 2,000 are never fetched, and titles have some 100."""

MAX_CLAIMS = 20
"""Maximum values of one entry: some eight fields, and tags."""

MAX_SHOWN = 80
"""Maximum characters of a document in a message."""

LINE = re.compile(r"[^\s\ufeff][^\r\n]*")

FEED_ROOTS = frozenset({"rss", "rdf", "feed"})
FEED_ENTRIES = frozenset({"item", "entry"})

FEED_LINKS = frozenset({"link", "origlink"})
FEED_IDS = frozenset({"guid", "id"})
FEED_FIELDS = {
    "title": "title",
    "pubdate": "published",
    "published": "published",
    "issued": "published",
    "date": "published",
    "updated": "modified",
    "modified": "modified",
    "creator": "authors",
    "language": "language",
}
"""Element of an entry (RSS, Atom 0.3 and 1.0, Dublin Core), without namespace -> field of a document."""

SECTION_SCHEME = re.compile(r"(?:^|/)(?:categor|kategor|rubri|section)[^/]*(?:/|$)", re.IGNORECASE)
"""Matches the scheme of a category that is a section, not a tag."""

FEED_TEASERS = frozenset({"title", "description", "summary"})
MARKUP = re.compile(r"<[^>]*>")

NEWS_FIELDS = {"title": "title", "publication_date": "published", "keywords": "tags"}
"""Element of <news:news>, without namespace -> field of a document."""

PUBLICATION_FIELDS = {"name": "site_name", "language": "language"}
"""Element of <news:publication> -> field of a document."""

MAX_MARKS = 4_000_000
"""Maximum start and end tags of a list, and maximum references: 80 per entry. A tag takes some 200 bytes of memory."""

ROOT = re.compile(r"<(?:[\w.-]+:)?(?:rss|rdf|feed|urlset|sitemapindex)(?=[\s/>])|(?P<page><html\b)", re.IGNORECASE)
"""Start of a list, after a declaration, or after warnings and comments from a broken script of the site."""

REPAIRED = re.compile(
    rb"<!\[CDATA\[.*?(?:\]\]>|\Z)"
    rb"|&(?!#(?!0*5[5-7]\d{3};)\d+;|#x(?!0*d[89a-f][0-9a-f]{2};)[0-9a-f]+;|(?:amp|apos|gt|lt|quot);)"
    rb"|</?(?:br|hr|img)(?=[\s/>])[^<>]*>",
    re.DOTALL | re.IGNORECASE,
)
"""An "&" that begins no reference known to XML, or one to half a character (a surrogate), which lxml cannot read; tags
of HTML that nothing closes. CDATA sections, in which all that is allowed, match as a whole."""


COMMENT = re.compile(r"(?:comment|kommentar|koment|reply|respond)", re.IGNORECASE)
"""Beginning of the fragment of a reader's comment in the address of its article, as in a feed of comments."""

WIDE = {b"<\0?\0": codecs.BOM_UTF16_LE, b"\0<\0?": codecs.BOM_UTF16_BE}
"""Start of XML in UTF-16 without a byte order mark -> that mark."""


MIN_DATED, MOST_ON_A_DAY = 5, 0.5
"""Least number of entries of a sitemap, and the largest share of one day, for their changes to be dates (a choice)."""


class ListingError(ValueError):
    """A document is no valid feed or sitemap; the message says why."""


def read_list(form: str, page: Page) -> Listing | Rejected:
    """Read a feed or a sitemap, or reject `page`; both forms are accepted, since robots.txt lists feeds as sitemaps.

    The expected `form` ("feed" or "sitemap") names the reason of the rejection.
    """
    try:
        return parse_list(page).newest_first()
    except ListingError as error:
        return Rejected("discovery", f"broken_{form}", str(error), page.url)


def read_any(page: Page) -> Listing | None:
    """Read a feed or a sitemap; None if `page` is neither."""
    found = read_list(FetchKind.MAYBE_LIST, page)
    return found if isinstance(found, Listing) else None


def parse_list(page: Page) -> Listing:
    """Parse a feed, a sitemap or a sitemap index; plain text with one address per line is a sitemap, too.

    Raises:
        ListingError: the page is none of these, or is too long.
    """
    text = read_text(page)
    root = read_root(text, page.url)
    if root is not None:
        if local_name(root) in FEED_ROOTS:
            shared = _channel_language(root)
            elements = (element for element in root.iter("{*}*") if local_name(element) in FEED_ENTRIES)
            return _listing(_feed_entry(element, shared) for element in elements)
        # Some sites mix addresses and sitemaps in one file.
        pages, maps = (
            _listing(_sitemap_entry(element) for element in root.iter("{*}*") if local_name(element) == name)
            for name in ("url", "sitemap")
        )
        entries = _with_own_changes(pages.entries)
        return Listing(entries, maps.entries, pages.broken + maps.broken, pages.beyond + maps.beyond)
    lines = () if text.lstrip().startswith("<") else (found[0].strip() for found in LINE.finditer(text))
    listing = _listing(ListingEntry(line) if _address("", line) else None for line in lines)
    if not listing.entries:
        raise ListingError(f"neither a feed nor a sitemap nor addresses; it begins: {collapse(text[:MAX_SHOWN])}")
    return listing


def _listing(found: Iterable[ListingEntry | None]) -> Listing:
    """Make a listing of entries; None stands for an entry without a usable address, which is counted."""
    found = iter(found)
    every = list(islice(found, MAX_ENTRIES))
    entries = tuple(entry for entry in every if entry is not None)
    return Listing(entries, broken=len(every) - len(entries), beyond=sum(1 for _ in found))


def _with_own_changes(entries: tuple[ListingEntry, ...]) -> tuple[ListingEntry, ...]:
    """Mark the entries of a sitemap whose last changes are their own, not those of the whole site or its generator."""
    days = Counter(read_day(entry.modified) for entry in entries)
    if len(entries) < MIN_DATED or max(days.values()) > MOST_ON_A_DAY * len(entries):
        return entries
    return tuple(replace(entry, has_own_change=bool(entry.modified)) for entry in entries)


def _address(base: str, text: str) -> str:
    """Return the absolute address of an entry; "" if it is no web address, or may be truncated."""
    return web_address(base, text) if 0 < len(text) < MAX_CHARACTERS else ""


def _feed_entry(element: etree._Element, shared: tuple[Evidence, ...]) -> ListingEntry | None:
    url = _feed_address(element)
    if not url:
        return None
    if COMMENT.match(urlsplit(url).fragment):  # its author, title and date are not those of the article
        return ListingEntry(url)
    own = tuple(islice(dict.fromkeys(_feed_evidence(element)), MAX_CLAIMS))
    inherited = tuple(claim for claim in shared if claim.field not in {mine.field for mine in own})
    modified = next((claim.value for claim in own if claim.field == "modified"), "")
    teaser = unescape(" ".join(_text_of(child) for child in element if local_name(child) in FEED_TEASERS))
    return ListingEntry(url, own + inherited, modified, hash_headline(MARKUP.sub(" ", teaser)))


def _feed_address(element: etree._Element) -> str:
    """Return the address of an entry's document: its link, else an id that is an address; "" without either.

    If the link goes through a click counter, the original link is the document's.
    """
    links = sorted((child for child in element if local_name(child) in FEED_LINKS), key=local_name, reverse=True)
    ids = [child for child in element if local_name(child) in FEED_IDS and child.get("isPermaLink") != "false"]
    atom = [link for link in links if link.get("rel", "alternate") == "alternate"]
    named = (*((link, link.get("href", "")) for link in atom), *((child, _text_of(child)) for child in (*links, *ids)))
    return next(filter(None, (_address(child.base or "", text) for child, text in named)), "")


def _feed_evidence(element: etree._Element) -> Iterator[Evidence]:
    for child in element:
        name = local_name(child)
        if name == "author":
            yield from _feed_claim("authors", _author(child))
        elif name == "category":  # a section by its scheme (Atom) or domain (RSS), otherwise a tag
            scheme = child.get("scheme") or child.get("domain") or ""
            field = "section" if SECTION_SCHEME.search(scheme) else "tags"
            yield from _feed_claim(field, _text_of(child) or child.get("label", "") or child.get("term", ""))
        elif name in FEED_FIELDS:
            yield from _feed_claim(FEED_FIELDS[name], _text_of(child) or child.get("term", ""))


def _author(element: etree._Element) -> str:
    """Return the name in Atom's <author><name>, or in RSS's `mail@example.org (Name)`; never the mail address."""
    names = [_text_of(child) for child in element if local_name(child) == "name"]
    text = names[0] if names else _text_of(element)
    if "@" in text:
        return text.partition("(")[2].rpartition(")")[0].strip()
    return text


def _feed_claim(field: str, value: str) -> Iterator[Evidence]:
    if value:
        yield Evidence(field, collapse(unescape(value)), "feed")  # RSS does not say whether a title is HTML; many are


def _channel_language(root: etree._Element) -> tuple[Evidence, ...]:
    """Return the language of the whole feed: RSS's <language>, Atom's xml:lang."""
    stated = root.get("{http://www.w3.org/XML/1998/namespace}lang", "")
    for channel in root if local_name(root) != "feed" else ():
        stated = stated or _text_of_child(channel, "language")
    return tuple(_feed_claim("language", stated))


def _sitemap_entry(element: etree._Element) -> ListingEntry | None:
    url = _address(element.base or "", _text_of_child(element, "loc"))
    if not url:
        return None
    evidence = (claim for child in element if local_name(child) == "news" for claim in _news_evidence(child))
    return ListingEntry(url, tuple(islice(evidence, MAX_CLAIMS)), _text_of_child(element, "lastmod"))


def _news_evidence(news: etree._Element) -> Iterator[Evidence]:
    for child in news:
        name, text = local_name(child), _text_of(child)
        if name == "publication":
            fields = ((PUBLICATION_FIELDS.get(local_name(inner)), _text_of(inner)) for inner in child)
            yield from (Evidence(field, value, "sitemap") for field, value in fields if field and value)
        elif name == "keywords":
            yield from (Evidence("tags", tag.strip(), "sitemap") for tag in text.split(",") if tag.strip())
        elif name in NEWS_FIELDS and text:
            yield Evidence(NEWS_FIELDS[name], text, "sitemap")


def _text_of(element: etree._Element) -> str:
    """Return the text of an element up to `MAX_CHARACTERS`, with white space collapsed."""
    if not len(element):
        return collapse((element.text or "")[:MAX_CHARACTERS])
    pieces = (str(piece)[:MAX_CHARACTERS] for piece in islice(element.itertext(), MAX_CHARACTERS))
    return collapse("".join(pieces)[:MAX_CHARACTERS])


def _text_of_child(element: etree._Element, name: str) -> str:
    """Return the text of the first child with that local name; "" if there is none."""
    return next((_text_of(child) for child in element if local_name(child) == name), "")


def read_text(page: Page) -> str:
    """Return the decompressed and decoded text of a list.

    Raises:
        ListingError: there is no text, or it is longer than the protocol allows.
    """
    body = inflate(page.body)
    text = decode(replace(page, body=WIDE.get(body[:4], b"") + body), Limits(max_bytes=MAX_BYTES))
    if isinstance(text, Rejected):
        raise ListingError(" ".join(filter(None, (text.reason.replace("_", " "), text.detail))))
    return text


def inflate(body: bytes, max_bytes: int = MAX_BYTES) -> bytes:
    """Decompress `body`, even if gzipped repeatedly; a damaged file is read up to the damage.

    Raises:
        ListingError: longer than `max_bytes` when decompressed.
    """
    for _ in range(MAX_ENCODINGS):
        if not body.startswith(GZIP_MAGIC):
            break
        parts: list[bytes] = []
        with suppress(zlib.error):
            parts.extend(gunzip(body, max_bytes + 1))
        body = b"".join(parts)
        if len(body) > max_bytes:
            raise ListingError(f"longer than {max_bytes} bytes when unpacked")
    return body


def read_root(text: str, base: str) -> etree._Element | None:
    """Parse the list in `text`; entities are not expanded, and nothing is loaded.

    Returns:
        its root; None if there is no list, or it is inside an HTML page.

    Raises:
        ListingError: it has too many tags.
    """
    found = ROOT.search(text)
    if found is None or found["page"]:
        return None
    if (marks := max(text.count("<"), text.count("&"))) > MAX_MARKS:
        raise ListingError(f"{marks} tags or references, more than {MAX_MARKS}")
    parser = etree.XMLParser(
        encoding="utf-8", recover=True, resolve_entities=False, remove_comments=True, remove_pis=True
    )
    try:
        return etree.fromstring(_repaired(text[found.start() :].encode("utf-8", "replace")), parser, base_url=base)
    except etree.XMLSyntaxError:  # an end in the first tag
        return None


def _repaired(body: bytes) -> bytes:
    """Replace each invalid "&" by `&amp;`, and remove HTML tags that are never closed.

    When the parser recovers from one of these, or from an unknown entity, it loses all later entities, `&amp;` too.
    """
    repaired, kept = io.BytesIO(), 0
    for found in REPAIRED.finditer(body):
        if not found[0].startswith(b"<!"):
            repaired.write(body[kept : found.start()] + (b"&amp;" if found[0] == b"&" else b" "))
            kept = found.end()
    repaired.write(body[kept:])
    return repaired.getvalue()


def local_name(element: etree._Element) -> str:
    """Return an element's name without namespace or prefix, in lower case; "" for entities."""
    # The stubs do not know that the tag of an entity is a function.
    return str(element.tag).rpartition("}")[2].rpartition(":")[2].lower() if isinstance(element.tag, str) else ""  # type: ignore[redundant-expr]
