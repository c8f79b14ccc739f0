"""Parse feeds (RSS 0.9 to 2.0, RSS 1.0, Atom) and sitemaps (indexes, address lists, Google's news fields)."""

import re
from collections.abc import Iterable, Iterator
from html import unescape
from itertools import islice

from lxml import etree

from newscorpus.data import Evidence, Page, Rejected
from newscorpus.discover.listing import Listing, ListingEntry
from newscorpus.discover.markup import ListingError, local_name, read_root, read_text
from newscorpus.portal.addresses import FetchKind
from newscorpus.tokens import collapse, hash_headline
from newscorpus.urls import web_address

MAX_ENTRIES = 200_000
"""Most entries that are taken of one list; they need some 50 MB. The protocol of sitemaps.org allows 50,000, and
sites that have one sitemap alone go beyond it."""

MAX_CHARACTERS = 10_000
"""Of an address or a value; an address longer than 2,000 is never asked for, and titles have some 100."""

MAX_CLAIMS = 20
"""Most values taken of one entry: some eight fields, and tags."""

MAX_SHOWN = 80
"""Characters of a document that a message shows."""

LINE = re.compile(r"[^\s\ufeff][^\r\n]*")

FEED_ROOTS = frozenset({"rss", "rdf", "feed"})
FEED_ENTRIES = frozenset({"item", "entry"})

FEED_LINKS = frozenset({"link", "origlink"})
FEED_IDS = frozenset({"guid", "id"})
RELATION = re.compile(r"^http://www\.iana\.org/assignments/relation/")
"""How RFC 4287 lets the relations of links be written in full."""

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
"""In the scheme of a category that is a section, not a tag."""

FEED_TEASERS = frozenset({"title", "description", "summary"})
MARKUP = re.compile(r"<[^>]*>")

NEWS_FIELDS = {"title": "title", "publication_date": "published", "keywords": "tags"}
"""Element of <news:news>, without namespace -> field of a document."""

PUBLICATION_FIELDS = {"name": "site_name", "language": "language"}
"""Element of <news:publication> -> field of a document."""


def read_list(form: str, page: Page) -> Listing | Rejected:
    """Read a feed or a sitemap, or say why `page` is none; robots.txt files name feeds as sitemaps, too.

    Args:
        form: which of the two it is asked for as: "feed" or "sitemap".
        page: the document; relative addresses are resolved against its address.
    """
    try:
        return parse_list(page).newest_first()
    except ListingError as error:
        return Rejected("discovery", f"broken_{form}", str(error), page.url)


def read_any(page: Page) -> Listing | None:
    """Read a feed or a sitemap; None where `page` is neither."""
    found = read_list(FetchKind.MAYBE_LIST, page)
    return found if isinstance(found, Listing) else None


def parse_list(page: Page) -> Listing:
    """Parse a feed, a sitemap or a sitemap index; plain text with one address a line is a sitemap, too.

    Raises:
        ListingError: none of these, or longer than lists are.
    """
    text = read_text(page)
    root = read_root(text, page.url)
    if root is not None:
        return _feed(root) if local_name(root) in FEED_ROOTS else _sitemap(root)
    lines = () if text.lstrip().startswith("<") else (found[0].strip() for found in LINE.finditer(text))
    listing = _listing(ListingEntry(line) if _address("", line) else None for line in lines)
    if not listing.entries:
        raise ListingError(f"neither a feed nor a sitemap nor addresses; it begins: {collapse(text[:MAX_SHOWN])}")
    return listing


def _feed(root: etree._Element) -> Listing:
    shared = _channel_language(root)
    elements = (element for element in root.iter("{*}*") if local_name(element) in FEED_ENTRIES)
    return _listing(_feed_entry(element, shared) for element in elements)


def _sitemap(root: etree._Element) -> Listing:
    """The addresses and the further sitemaps, wherever they stand: some sites mix them."""
    pages = _listing(_sitemap_entry(element) for element in root.iter("{*}*") if local_name(element) == "url")
    maps = _listing(_sitemap_entry(element) for element in root.iter("{*}*") if local_name(element) == "sitemap")
    return Listing(pages.entries, maps.entries, pages.broken + maps.broken, pages.beyond + maps.beyond)


def _listing(found: Iterable[ListingEntry | None]) -> Listing:
    """The listing of what was found: None for an entry without a usable address, which is counted."""
    found = iter(found)
    every = list(islice(found, MAX_ENTRIES))
    entries = tuple(entry for entry in every if entry is not None)
    return Listing(entries, broken=len(every) - len(entries), beyond=sum(1 for _ in found))


def _address(base: str, text: str) -> str:
    """The address that an entry names, absolute; "" for what is none of the web, or may be cut."""
    return web_address(base, text) if 0 < len(text) < MAX_CHARACTERS else ""


def _feed_entry(element: etree._Element, shared: tuple[Evidence, ...]) -> ListingEntry | None:
    url = _feed_address(element)
    if not url:
        return None
    own = tuple(islice(dict.fromkeys(_feed_evidence(element)), MAX_CLAIMS))
    inherited = tuple(claim for claim in shared if claim.field not in {mine.field for mine in own})
    modified = next((claim.value for claim in own if claim.field == "modified"), "")
    teaser = unescape(" ".join(_text_of(child) for child in element if local_name(child) in FEED_TEASERS))
    return ListingEntry(url, own + inherited, modified, hash_headline(MARKUP.sub(" ", teaser)))


def _feed_address(element: etree._Element) -> str:
    """The address of an entry's document: its link, else an id that is an address; "" where there is neither.

    The link of a feed that counts its readers is the counter's; the document's own is the original link.
    """
    links = sorted((child for child in element if local_name(child) in FEED_LINKS), key=local_name, reverse=True)
    ids = [child for child in element if local_name(child) in FEED_IDS and child.get("isPermaLink") != "false"]
    atom = [link for link in links if RELATION.sub("", link.get("rel", "alternate")) == "alternate"]
    named = (*((link, link.get("href", "")) for link in atom), *((child, _text_of(child)) for child in (*links, *ids)))
    return next(filter(None, (_address(child.base or "", text) for child, text in named)), "")


def _feed_evidence(element: etree._Element) -> Iterator[Evidence]:
    for child in element:
        name = local_name(child)
        if name == "author":
            yield from _feed_claim("authors", _author(child))
        elif name == "category":
            yield from _category(child)
        elif name in FEED_FIELDS:
            yield from _feed_claim(FEED_FIELDS[name], _text_of(child) or child.get("term", ""))


def _category(element: etree._Element) -> Iterator[Evidence]:
    """The name of a section or tag; its scheme (Atom) or domain (RSS) may say that it is a section."""
    scheme = element.get("scheme") or element.get("domain") or ""
    field = "section" if SECTION_SCHEME.search(scheme) else "tags"
    yield from _feed_claim(field, _text_of(element) or element.get("label", "") or element.get("term", ""))


def _author(element: etree._Element) -> str:
    """The name in Atom's <author><name>, or in RSS's `mail@example.org (Name)`; never the mail address."""
    names = [_text_of(child) for child in element if local_name(child) == "name"]
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
    """The text below an element up to `MAX_CHARACTERS`, white space collapsed."""
    if not len(element):
        return collapse((element.text or "")[:MAX_CHARACTERS])
    pieces = (str(piece)[:MAX_CHARACTERS] for piece in islice(element.itertext(), MAX_CHARACTERS))
    return collapse("".join(pieces)[:MAX_CHARACTERS])


def _text_of_child(element: etree._Element, name: str) -> str:
    """The text of the first child of that name, without namespace; "" where there is none."""
    return next((_text_of(child) for child in element if local_name(child) == name), "")
