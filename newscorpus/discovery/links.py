"""The further pages of an article that is spread over several.

The content of a page in a few bytes: equal for pages that show a reader the same.

Links that a page carries.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urldefrag, urlencode, urljoin, urlsplit, urlunsplit

from lxml.html import HtmlElement

from newscorpus.data import Page, Rejected
from newscorpus.discovery.addresses import DOCUMENT, is_version
from newscorpus.extraction.decode import decode
from newscorpus.extraction.parse import parse
from newscorpus.tokens import collapse
from newscorpus.urls import document_id

MAX_PARTS = 20
"""Most pages of one article, the first included."""

PARAMETERS = ("page", "p", "strana", "str", "stranica", "strona", "seite", "pg", "paged", "part")
STEPS = ("", "page/", "strana/", "stranica/", "strona/", "seite/", "page-", "strana-")
MARKS = ("-", "_", ",", "-page-", "-strana-", ",strana-")


@dataclass(frozen=True, slots=True)
class Turn:
    """A link that may turn to the next page.

    Attributes:
        url: absolute address.
        text: of the link, white space trimmed.
        says_next: the link says `rel=next`.
    """

    url: str
    text: str = ""
    says_next: bool = False


def next_part(first: str, number: int, turns: Iterable[Turn]) -> str:
    """The address of page `number` of the article that begins at `first`; "" where no link leads there.

    A link counts if its address is that of the article with the number added in a usual way, and if it says "next" or
    shows the number: so a second story of the same name is not taken for a second page.
    """
    shown = [turn.url for turn in turns if turn.says_next or turn.text == str(number)]
    spellings = {document_id(url) for url in _spellings(first, number)} if shown else set()
    return next((url for url in shown if document_id(url) in spellings), "")


def _spellings(first: str, number: int) -> Iterator[str]:
    parts = urlsplit(first)
    for name in PARAMETERS:
        added = urlencode({name: number})
        yield urlunsplit(parts._replace(query=f"{parts.query}&{added}" if parts.query else added))
    path = parts.path.rstrip("/")
    for step in STEPS:
        for end in ("", "/"):
            yield urlunsplit(parts._replace(path=f"{path}/{step}{number}{end}"))
    found = DOCUMENT.search(path)
    stem, ending = (path[: found.start()], found[0]) if found else (path, "")
    for mark in MARKS:
        yield urlunsplit(parts._replace(path=f"{stem}{mark}{number}{ending}"))


TEXTS = frozenset({"h1", "h2", "h3", "p"})
OUTSIDE = frozenset({"a", "aside", "footer", "header", "nav", "script", "style", "template"})
MIN_CHARACTERS = 40
"""Shorter content says too little: a page without paragraphs is not the same as the next one without."""


def content_signature(root: HtmlElement) -> str:
    """16 hex digits for headings and paragraphs, links and digits left out; "" where there is hardly any of them."""
    text = re.sub(r"\d+", "0", collapse(" ".join(_texts(root))))
    if len(text) < MIN_CHARACTERS:
        return ""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _texts(root: HtmlElement) -> Iterator[str]:
    """Pieces of text in headings and paragraphs, always in the same order."""
    left = [(root, False)]
    while left:
        element, inside = left.pop()
        if not isinstance(element.tag, str) or element.tag in OUTSIDE:
            continue
        inside = inside or element.tag in TEXTS
        if inside:
            yield from filter(None, (element.text, *(child.tail for child in element)))
        left.extend((child, inside) for child in element)


NO_PAGES = frozenset(
    "7z aac apk avi bmp css csv doc docx eps epub exe flac gif gz ico ics iso jpeg jpg js json m3u8 m4a m4v "
    "mkv mobi mov mp3 mp4 mpeg mpg odp ods odt ogg pdf png ppt pptx ps psd rar rtf svg swf tar tgz tif tiff "
    "torrent ttf vcf wav webm webmanifest webp wma wmv woff woff2 xls xlsx xml zip".split()
)
"""File name endings that are never pages."""

LIST_TYPES = frozenset({"application/rss+xml", "application/atom+xml", "application/rdf+xml"})
LIST_LIKE = re.compile(r"(?:^|[/._-])(?:rss\d?|feeds?|atom|rdf|sitemap)(?:[/._-]|$)", re.IGNORECASE)
"""Where the path of a feed or a sitemap gives itself away."""
NO_ARTICLES = re.compile(r"/comments?/|/komentar", re.IGNORECASE)
"""In the address of a feed: it is about comments."""

MAX_LISTS = 30
"""Most feeds and sitemaps tried because one page points to them."""

MAX_TURN_CHARACTERS = 3
"""Longest text of a link taken for a page's number."""

MAX_LINKS = 5_000
"""Most links taken from one page; front pages of big portals carry some 500."""


@dataclass(frozen=True, slots=True)
class PageLinks:
    """Where a page points to.

    Attributes:
        links: absolute addresses without fragment, in document order, each once; http, https and file.
        canonical: the address that the page gives as its own (`rel=canonical`), absolute; "" where it gives none.
        lists: addresses that may be feeds or sitemaps: declared ones first, then links whose address looks like it.
        turns: links that may turn to the next page of an article.
        version: the page says that it is an AMP version of another one.
        signature: of its content; "" where it has hardly any.
    """

    links: tuple[str, ...] = ()
    canonical: str = ""
    lists: tuple[str, ...] = ()
    turns: tuple[Turn, ...] = ()
    version: bool = False
    signature: str = ""


def read_links(page: Page) -> PageLinks:
    """The links of `page`; none of one that cannot be read, which the extractor then rejects."""
    text = decode(page)
    root = text if isinstance(text, Rejected) else parse(text, page.url)
    return PageLinks() if isinstance(root, Rejected) else find_links(root, page.url)


def find_links(root: HtmlElement, url: str) -> PageLinks:
    """Read the links of a parsed page.

    Args:
        root: root of the page; not changed.
        url: the address of the page; relative links are resolved against it or the page's own `<base>`.
    """
    base = _resolve(url, next(_hrefs(root, "base"), "")) or url
    found = (_resolve(base, href) for href in _hrefs(root, "a", "area"))
    links = tuple(dict.fromkeys(filter(_may_be_page, found)))
    canonical = next((_resolve(base, href) for href in _canonicals(root)), "")
    lists = tuple(dict.fromkeys(url for url in _lists(root, base) if not NO_ARTICLES.search(url)))
    return PageLinks(
        links[:MAX_LINKS],
        canonical,
        lists[:MAX_LISTS],
        tuple(_turns(root, base))[:MAX_LINKS],
        is_version(root),
        content_signature(root),
    )


def _hrefs(root: HtmlElement, *tags: str) -> Iterator[str]:
    return (href for element in root.iter(*tags) if (href := element.get("href")))


def _canonicals(root: HtmlElement) -> Iterator[str]:
    for element in root.iter("link"):
        if "canonical" in (element.get("rel") or "").lower().split() and (href := element.get("href")):
            yield href


def _lists(root: HtmlElement, base: str) -> Iterator[str]:
    for element in root.iter("link"):
        relations = (element.get("rel") or "").lower().split()
        declared = "alternate" in relations and (element.get("type") or "").lower().strip() in LIST_TYPES
        if (declared or "sitemap" in relations) and (url := _resolve(base, element.get("href") or "")):
            yield url
    for href in _hrefs(root, "a", "area"):
        url = _resolve(base, href)
        if url and LIST_LIKE.search(urlsplit(url).path):
            yield url


def _turns(root: HtmlElement, base: str) -> Iterator[Turn]:
    for element in root.iter("link", "a"):
        says_next = "next" in (element.get("rel") or "").lower().split()
        text = collapse(element.text_content()) if element.tag == "a" else ""
        if (says_next or (text.isdigit() and len(text) <= MAX_TURN_CHARACTERS)) and element.get("href"):
            yield Turn(_resolve(base, element.get("href") or ""), text, says_next)


def _resolve(base: str, href: str) -> str:
    """`href` made absolute, without fragment; "" where it cannot be."""
    try:
        return urldefrag(urljoin(base, "".join(href.split()))).url
    except ValueError:
        return ""


def _may_be_page(url: str) -> bool:
    """Whether an address may lead to a page; `file:` is let through, so that its refusal is counted."""
    parts = urlsplit(url)
    ending = parts.path.rpartition("/")[2].rpartition(".")[2].lower()
    return parts.scheme == "file" or (parts.scheme in {"http", "https"} and ending not in NO_PAGES)
