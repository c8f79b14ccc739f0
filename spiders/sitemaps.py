"""Sitemaps: indexes, lists of addresses, and Google's news fields."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from lxml import etree

from newscorpus.data import Evidence

from .listing import MAX_ENTRIES, Entry, Listing, ListingError, inflate, local_name, read_xml, text_of

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
    every = [_entry(child) for child in root if local_name(child) == name]
    entries = tuple(entry for entry in every if entry is not None)
    return Listing(entries[:MAX_ENTRIES], broken=len(every) - len(entries))


def _entry(element: etree._Element) -> Entry | None:
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
