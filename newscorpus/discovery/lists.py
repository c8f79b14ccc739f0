"""Parse feeds (RSS 0.9 to 2.0, RSS 1.0, Atom) and sitemaps (indexes, address lists, Google's news fields)."""

from collections.abc import Iterable, Iterator
from html import unescape
from urllib.parse import urljoin, urlsplit

from lxml import etree

from newscorpus.data import Evidence, Rejected
from newscorpus.discovery.addresses import FetchKind
from newscorpus.discovery.listing import (
    MAX_ENTRIES,
    Listing,
    ListingEntry,
    ListingError,
    inflate,
    local_name,
    read_xml,
    text_of,
    text_of_child,
)
from newscorpus.tokens import collapse

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


def read_list(form: str, body: bytes, url: str) -> Listing | Rejected:
    """Parse the feed or the sitemap at `url`, or say why it is none.

    Args:
        form: which of the two it should be: "feed" or "sitemap".
        body: the document, bytes as they came.
        url: its address, against which a feed's relative addresses are resolved.
    """
    parse = parse_feed if form == FetchKind.FEED else parse_sitemap
    try:
        return parse(body, url)
    except ListingError as error:
        return Rejected("discovery", f"broken_{form}", str(error), url)


def read_any(body: bytes, url: str) -> Listing | None:
    """Parse the feed or sitemap at `url`, whichever its content shows it to be; None where it is neither."""
    for parse in (parse_feed, parse_sitemap):
        try:
            return parse(body, url)
        except ListingError:
            continue
    return None


def parse_feed(body: bytes, url: str) -> Listing:
    """Parse a feed; arguments as in `read_list`.

    Raises:
        ListingError: no feed.
    """
    root = read_xml(body)
    if local_name(root) not in FEED_ROOTS:
        raise ListingError(f"not a feed: its root is <{local_name(root)}>")
    shared = _channel_language(root)
    elements = (element for element in root.iter("{*}*") if local_name(element) in FEED_ENTRIES)
    return _listing(_feed_entry(element, url, shared) for element in elements)


def parse_sitemap(body: bytes, url: str) -> Listing:
    """Parse a sitemap or a sitemap index, packed or not; plain text with one address a line is a sitemap too.

    Raises:
        ListingError: no sitemap, or longer than the protocol allows.
    """
    body = inflate(body)
    if not body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        lines = (line.strip() for line in body.decode("utf-8-sig", "replace").split("\n"))
        listing = _listing(ListingEntry(line) if _is_web_address(line) else None for line in lines if line)
        if not listing.entries:
            raise ListingError(f"not a sitemap: neither XML nor addresses: {url}")
        return listing
    root = read_xml(body)
    match local_name(root):
        case "sitemapindex":
            children = _listing(_sitemap_entry(child) for child in root if local_name(child) == "sitemap")
            return Listing(children=children.entries, broken=children.broken)
        case "urlset":
            return _listing(_sitemap_entry(child) for child in root if local_name(child) == "url")
        case other:
            raise ListingError(f"not a sitemap: its root is <{other}>")


def _listing(found: Iterable[ListingEntry | None]) -> Listing:
    """The listing of what was found: None for an entry without a usable address, which is counted."""
    every = list(found)
    entries = tuple(entry for entry in every if entry is not None)
    return Listing(entries[:MAX_ENTRIES], broken=len(every) - len(entries))


def _is_web_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname)


def _feed_entry(element: etree._Element, base: str, shared: tuple[Evidence, ...]) -> ListingEntry | None:
    url = _feed_address(element, base)
    if not url:
        return None
    own = tuple(dict.fromkeys(_feed_evidence(element)))
    inherited = tuple(claim for claim in shared if claim.field not in {mine.field for mine in own})
    modified = next((claim.value for claim in own if claim.field == "modified"), "")
    return ListingEntry(url, own + inherited, modified)


def _feed_address(element: etree._Element, base: str) -> str:
    """The address of an entry's document: its link, else a guid that is an address; "" where there is neither."""
    links = [child for child in element if local_name(child) == "link"]
    guids = [child for child in element if local_name(child) == "guid" and child.get("isPermaLink") != "false"]
    atom = [link.get("href", "") for link in links if link.get("rel", "alternate") == "alternate"]
    for candidate in filter(None, map(str.strip, (*atom, *map(text_of, links), *map(text_of, guids)))):
        try:
            url = urljoin(base, candidate)
        except ValueError:
            continue
        if _is_web_address(url):
            return url
    return ""


def _feed_evidence(element: etree._Element) -> Iterator[Evidence]:
    for child in element:
        name = local_name(child)
        if name == "author":
            yield from _feed_claim("authors", _author(child))
        elif name in FEED_FIELDS:
            yield from _feed_claim(FEED_FIELDS[name], text_of(child) or child.get("term", ""))


def _author(element: etree._Element) -> str:
    """The name in Atom's <author><name>, or in RSS's `mail@example.org (Name)`; never the mail address."""
    names = [text_of(child) for child in element if local_name(child) == "name"]
    text = names[0] if names else text_of(element)
    if "@" in text:
        return text.partition("(")[2].rpartition(")")[0].strip()
    return text


def _feed_claim(field: str, value: str) -> Iterator[Evidence]:
    if value:
        yield Evidence(field, collapse(unescape(value)), "feed")  # RSS does not say whether a title is HTML; many are


def _channel_language(root: etree._Element) -> tuple[Evidence, ...]:
    """The language of the whole feed: RSS's <language>, Atom's xml:lang."""
    stated = root.get("{http://www.w3.org/XML/1998/namespace}lang", "")
    for channel in root if local_name(root) != "feed" else ():
        stated = stated or text_of_child(channel, "language")
    return tuple(_feed_claim("language", stated))


def _sitemap_entry(element: etree._Element) -> ListingEntry | None:
    url = text_of_child(element, "loc")
    if not _is_web_address(url):
        return None
    evidence = (claim for child in element if local_name(child) == "news" for claim in _news_evidence(child))
    return ListingEntry(url, tuple(evidence), text_of_child(element, "lastmod"))


def _news_evidence(news: etree._Element) -> Iterator[Evidence]:
    for child in news:
        name, text = local_name(child), text_of(child)
        if name == "publication":
            fields = ((PUBLICATION_FIELDS.get(local_name(inner)), text_of(inner)) for inner in child)
            yield from (Evidence(field, value, "sitemap") for field, value in fields if field and value)
        elif name == "keywords":
            yield from (Evidence("tags", tag.strip(), "sitemap") for tag in text.split(",") if tag.strip())
        elif name in NEWS_FIELDS and text:
            yield Evidence(NEWS_FIELDS[name], text, "sitemap")
