"""Feeds: RSS 0.9 to 2.0, RSS 1.0 (RDF) and Atom, with what they say of each document.

Sitemaps: indexes, lists of addresses, and Google's news fields.

Feeds and sitemaps, read by their form.
"""

from collections.abc import Iterator
from html import unescape
from urllib.parse import urljoin, urlsplit

from lxml import etree

from newscorpus.data import Evidence, Rejected
from newscorpus.discovery.listing import (
    MAX_ENTRIES,
    Entry,
    Form,
    Listing,
    ListingError,
    inflate,
    local_name,
    read_xml,
    text_of,
)
from newscorpus.tokens import collapse

ROOTS = frozenset({"rss", "rdf", "feed"})
ENTRY = frozenset({"item", "entry"})

FIELDS = {
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


def parse_feed(body: bytes, url: str) -> Listing:
    """Read a feed; an entry that names no web address is counted as broken, the others are kept.

    Args:
        body: the document, bytes as they came.
        url: its address, against which relative ones are resolved.

    Raises:
        ListingError: no feed.
    """
    root = read_xml(body)
    if local_name(root) not in ROOTS:
        raise ListingError(f"not a feed: its root is <{local_name(root)}>")
    shared = _channel_language(root)
    found = [_feed_entry(element, url, shared) for element in root.iter("{*}*") if local_name(element) in ENTRY]
    entries = tuple(entry for entry in found if entry is not None)
    return Listing(entries[:MAX_ENTRIES], broken=len(found) - len(entries))


def _feed_entry(element: etree._Element, base: str, shared: tuple[Evidence, ...]) -> Entry | None:
    url = _address(element, base)
    if not url:
        return None
    own = tuple(dict.fromkeys(_evidence(element)))
    inherited = tuple(claim for claim in shared if claim.field not in {mine.field for mine in own})
    modified = next((claim.value for claim in own if claim.field == "modified"), "")
    return Entry(url, own + inherited, modified)


def _address(element: etree._Element, base: str) -> str:
    """Where the document of an entry stands: its link, else a guid that is an address."""
    links = [child for child in element if local_name(child) == "link"]
    guids = [child for child in element if local_name(child) == "guid" and child.get("isPermaLink") != "false"]
    atom = [link.get("href", "") for link in links if link.get("rel", "alternate") == "alternate"]
    for candidate in (*atom, *map(text_of, links), *map(text_of, guids)):
        if url := _resolved(base, candidate.strip()):
            return url
    return ""


def _resolved(base: str, address: str) -> str:
    """The absolute web address, or ""."""
    try:
        url = urljoin(base, address) if address else ""
        parts = urlsplit(url)
    except ValueError:
        return ""
    return url if parts.scheme in {"http", "https"} and parts.hostname else ""


def _evidence(element: etree._Element) -> Iterator[Evidence]:
    for child in element:
        name = local_name(child)
        if name == "author":
            yield from _claims("authors", _author(child))
        elif name in FIELDS:
            yield from _claims(FIELDS[name], text_of(child) or child.get("term", ""))


def _author(element: etree._Element) -> str:
    """Atom's <author><name>, or RSS's `mail@example.org (Name)`, of which only the name is handed on."""
    names = [text_of(child) for child in element if local_name(child) == "name"]
    text = names[0] if names else text_of(element)
    if "@" in text:
        return text.partition("(")[2].rpartition(")")[0].strip()
    return text


def _claims(field: str, value: str) -> Iterator[Evidence]:
    if value:
        yield Evidence(field, collapse(unescape(value)), "feed")  # RSS does not say whether a title is HTML; many are


def _channel_language(root: etree._Element) -> tuple[Evidence, ...]:
    """The language of the whole feed: RSS's <language>, Atom's xml:lang."""
    stated = root.get("{http://www.w3.org/XML/1998/namespace}lang", "")
    for channel in root if local_name(root) != "feed" else ():
        stated = stated or next((text_of(child) for child in channel if local_name(child) == "language"), "")
    return tuple(_claims("language", stated))


NEWS_FIELDS = {"title": "title", "publication_date": "published", "keywords": "tags"}
"""Element of <news:news>, without namespace -> field of a document."""

PUBLICATION_FIELDS = {"name": "site_name", "language": "language"}
"""Element of <news:publication> -> field of a document."""


def parse_sitemap(body: bytes, url: str) -> Listing:
    """Read a sitemap or a sitemap index, packed or not; plain text with one address a line is a sitemap too.

    Args:
        body: the document, bytes as they came.
        url: its address, for the message.

    Raises:
        ListingError: no sitemap, or longer than the protocol allows.
    """
    body = inflate(body)
    if not body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return _plain(body, url)
    root = read_xml(body)
    match local_name(root):
        case "sitemapindex":
            children = _collected(root, "sitemap")
            return Listing(children=children.entries, broken=children.broken)
        case "urlset":
            return _collected(root, "url")
        case other:
            raise ListingError(f"not a sitemap: its root is <{other}>")


def _plain(body: bytes, url: str) -> Listing:
    lines = [line.strip() for line in body.decode("utf-8-sig", "replace").split("\n")]
    entries = tuple(Entry(line) for line in lines if _is_web_address(line))
    if not entries:
        raise ListingError(f"not a sitemap: neither XML nor addresses: {url}")
    return Listing(entries[:MAX_ENTRIES], broken=sum(1 for line in lines if line) - len(entries))


def _collected(root: etree._Element, name: str) -> Listing:
    every = [_sitemap_entry(child) for child in root if local_name(child) == name]
    entries = tuple(entry for entry in every if entry is not None)
    return Listing(entries[:MAX_ENTRIES], broken=len(every) - len(entries))


def _sitemap_entry(element: etree._Element) -> Entry | None:
    url = _location(element)
    if not url:
        return None
    modified = next((text_of(child) for child in element if local_name(child) == "lastmod"), "")
    evidence = (claim for child in element if local_name(child) == "news" for claim in _news(child))
    return Entry(url, tuple(evidence), modified)


def _location(element: etree._Element) -> str:
    """The absolute web address that an element's <loc> holds, or ""."""
    address = next((text_of(child) for child in element if local_name(child) == "loc"), "")
    return address if _is_web_address(address) else ""


def _is_web_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname)


def _news(news: etree._Element) -> Iterator[Evidence]:
    for child in news:
        name, text = local_name(child), text_of(child)
        if name == "publication":
            fields = ((PUBLICATION_FIELDS.get(local_name(inner)), text_of(inner)) for inner in child)
            yield from (Evidence(field, value, "sitemap") for field, value in fields if field and value)
        elif name == "keywords":
            yield from (Evidence("tags", tag.strip(), "sitemap") for tag in text.split(",") if tag.strip())
        elif name in NEWS_FIELDS and text:
            yield Evidence(NEWS_FIELDS[name], text, "sitemap")


PARSERS = {Form.FEED: parse_feed, Form.SITEMAP: parse_sitemap}


def read_list(form: Form, body: bytes, url: str) -> Listing | Rejected:
    """The list in `body`, or why there is none."""
    try:
        return PARSERS[form](body, url)
    except ListingError as error:
        return Rejected("discovery", f"broken_{form}", str(error), url)


def read_any(body: bytes, url: str) -> Listing | None:
    """The feed or sitemap in `body`, told by its content; None where it is neither."""
    for parse in PARSERS.values():
        try:
            return parse(body, url)
        except ListingError:
            continue
    return None
