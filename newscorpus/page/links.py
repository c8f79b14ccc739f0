"""Read from a page what discovery needs: its links, identity, further pages and publication day."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import cast
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from lxml import etree
from lxml.html import HtmlElement

from newscorpus.data import Page, Rejected
from newscorpus.page.extractor import parse_page
from newscorpus.page.fields.markup import plain
from newscorpus.page.fields.visible import MAX_HEADLINE, heading_text
from newscorpus.page.judgement import PageLinks, PartLink
from newscorpus.portal.addresses import (
    PRINT_WORDS,
    drop_versions,
    find_archive,
    is_front,
    is_further,
    is_further_of,
    looks_like_article,
    may_be_page,
)
from newscorpus.portal.portal import target_of
from newscorpus.tokens import collapse, hash_headline
from newscorpus.urls import MAX_ADDRESS, SLUG_WORDS, document_id

MAX_LINKS = 5_000
"""Maximum number of links taken from a page; front pages of big portals have some 500."""

MAX_HREFS = 50_000
"""Maximum number of distinct links examined for them."""

PRINTED = re.compile(rf"/(?:{PRINT_WORDS})(?=[/.?])(?:.*[/=])?([^/=?.]{{3,}})(?:\.\w{{2,5}})?/?$", re.IGNORECASE)
"""Address of a print version, such as `/print/20991` or `/print.php?id=20991`, and the name or number in it."""
ABOUT_PAGE = re.compile(r"(?<!/)/[^/:?#]+:(?:[^/:?#]+/)?([^/?#]{3,})$")
"""Address of a page about another one, such as `/wiki/Talk:The_old_bridge`, and the name of that one."""

STATED = re.compile(r'":\s?"((?:https?:)?\\?/[^"\s<>]{1,500})"')
"""An address in JSON embedded for scripts."""
ADDRESS_KEYS = ("url", "Url", "URL", "href", "Href", "link", "Link", "path", "Path")
"""Endings of the JSON keys whose address is that of a page."""
MAX_STATE_CHARACTERS = 2_000_000
"""Longest part of a script that is searched for addresses; few scripts of news pages are longer."""
DATA_ADDRESSES = etree.XPath(
    "//@*[starts-with(name(), 'data-') and (contains(name(), 'url') or contains(name(), 'href')"
    " or contains(name(), 'link')) and (starts-with(., '/') or starts-with(., 'http'))]",
    smart_strings=False,
)
"""Addresses in attributes that scripts read."""

MAX_LISTS = 30
"""Maximum number of feeds and sitemaps tried because of one page."""

NO_FOLLOWING = re.compile(r"(?:^|[,\s])(?:nofollow|none)(?=[,\s]|$)", re.IGNORECASE)
"""Directives of `<meta name=robots>` that forbid following the links of a page."""

LIST_TYPES = frozenset(
    {"application/atom+xml", "application/rdf+xml", "application/rss+xml", "application/xml", "text/xml"}
)
LIST_LIKE = re.compile(r"(?:^|[/._-])(?:rss\d?|feeds?|atom|rdf|sitemap)(?:[/._-]|$)", re.IGNORECASE)
"""Words in a path that suggest a feed or a sitemap, unless the path reads like a headline."""
LIST_WORDS = ("rss", "feed", "atom", "rdf", "sitemap")

LIST_FILE = re.compile(r"\.(?:atom|gz|php|rdf|rss|txt|xml)$", re.IGNORECASE)
"""File extensions of feeds and sitemaps."""

NO_ARTICLES = re.compile(r"/comments?/|/komentar|=comments-", re.IGNORECASE)
"""Marks the address of a feed of comments."""

NUMBERED = re.compile(r"(?:[^\W\d]{1,12}\s)?(\d{1,3})\.?(?:\s[^\W\d]{1,12})?")
"""Text of a link that shows a page number: "2", "Page 2", "2. strana"."""

MAX_NUMBER_ELEMENTS = 10
"""Maximum number of elements in a link that shows a page number, itself included."""

MAX_LINK_ELEMENTS = 100
"""The text of a link with more elements is not read; a teaser with a picture has some ten. Links may be nested."""

REFRESH = re.compile(r"[\d.\s]*[;,\s]\s*(?:url\s*=\s*)?([\"']?)(.+?)\1\s*", re.IGNORECASE | re.DOTALL)
"""Content of `<meta http-equiv=refresh>`: seconds, and the address that a browser then loads."""

QUERY_ADDRESS = re.compile(r"[?&][^=&]*=([^&]*(?:[/.]|%2F)[^&]*)", re.IGNORECASE)
"""A parameter of an address that may be an address itself."""
HEADLINE = re.compile(r"/(?:19|20)\d\d/|(?:[^\W_]+[-_]){4}")
"""A year, or five words: unlike "send-to-friend", the path of an article."""

PLAIN_HREF = re.compile(r"(?:https?://[a-zA-Z0-9.:-]+)?/(?![/.\\])(?:(?!/\.)[^\s?#;\\])*")
"""An address that is absolute or lacks only the host, as most are; `urljoin` takes 20 times as long."""

SCRIPT = re.compile(r"([a-z]{2,3})-[a-z]{4}(-[a-z]{2})?", re.IGNORECASE)
"""A language in one of its scripts, such as `sr-Cyrl` or `sr-Cyrl-RS`."""
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
TEXTS = frozenset({"h1", "h2", "h3", "p"})
OUTSIDE = frozenset({"a", "aside", "footer", "header", "nav", "script", "style", "template"})
MIN_CHARACTERS = 40
"""Pages with less text are not compared: they may be equal by chance."""


def read_page(page: Page) -> PageLinks:
    """Read `page`, except its day."""
    parsed = parse_page(page)
    return PageLinks() if isinstance(parsed, Rejected) else read_tree(parsed.tree, page.url)


def read_tree(root: HtmlElement, url: str) -> PageLinks:
    """Read the page at `url`, parsed to `root`, except its day.

    Relative links are resolved against the page's `<base>`, or else against `url`.
    """
    base = _base(root, url)
    addresses = {href: _resolve(base, href) for href in islice(dict.fromkeys(_targets(root, base, url)), MAX_HREFS)}
    found = [*addresses.values()]
    canonicals: list[str] = []
    lists: list[str] = []
    scripts = defaultdict[tuple[str, ...], dict[str, str]](dict)
    for element in root.iter("link"):
        relations, href = _relations(element), element.get("href") or ""
        if href:
            is_feed = "alternate" in relations and (element.get("type") or "").lower().strip() in LIST_TYPES
            lists += [_resolve(base, href)] if is_feed or "sitemap" in relations else []
            canonicals += [href] if "canonical" in relations else []
            if "alternate" in relations and (tag := SCRIPT.fullmatch(element.get("hreflang") or "")):
                scripts[tag.groups()].setdefault(tag[0], _resolve(base, href))
    lists += filter(_suggests_list, found)
    # Copies of a page share the last segments of the addresses of articles, at any depth.
    parts = (urlsplit(url) for url in found if looks_like_article(url))
    articles = (f"{each.path.rstrip('/').rpartition('/')[2]}?{each.query}" for each in parts)
    page = next(root.iter("html"), None)
    robots = (each.get("content") or "" for each in root.iter("meta") if (each.get("name") or "").lower() == "robots")
    titles = (plain(root.findtext("head/title"), MAX_HEADLINE), next(map(heading_text, root.iter("h1")), ""))
    names = (collapse(re.sub(r"\d+", "", title)).casefold() for title in titles)
    texts = [*_texts(root)]
    content = _without_numbers(" ".join(text for text, is_content in texts if is_content))
    text = "".join(text for text, _ in texts)
    anchors = [*islice(root.iter("a"), MAX_HREFS)]
    linked = [*map(_text, anchors)]
    headlines: dict[str, str] = {}
    for anchor, shown in zip(anchors, linked, strict=True):
        address = addresses.get(anchor.get("href") or "", "")
        heading = next(anchor.iter(*HEADINGS), None) if len(anchor) else None  # as in a linked teaser
        headline = _text(heading) if heading is not None else ""
        headlines[address] = max(headlines.get(address, ""), headline or shown, key=len)
    pages = filter(may_be_page, drop_versions(found, url))
    links = tuple(dict.fromkeys((*pages, *_articles_besides(root, base))))[:MAX_LINKS]
    return PageLinks(
        links=links,
        headlines=tuple(hash_headline(headlines.get(link, "")) for link in links),
        canonical=_resolve(base, canonicals[0]) if canonicals else "",
        lists=tuple(dict.fromkeys(url for url in lists if url and not NO_ARTICLES.search(url)))[:MAX_LISTS],
        part_links=read_part_links(root, url),
        names=tuple(filter(None, names)),
        forbids_following=any(NO_FOLLOWING.search(content) for content in robots),
        is_amp=page is not None and bool({"amp", "⚡"} & {str(name).lower() for name in page.attrib}),
        first_script=_first_script(url, scripts.values()),
        signature=_hash(content) if len(content) >= MIN_CHARACTERS else "",
        letters=sum(map(str.isalpha, text)),
        shown=_hash(" ".join((_without_numbers(text), *linked, *articles))),
    )


def read_part_links(root: HtmlElement, url: str) -> tuple[PartLink, ...]:
    """Return the links of the page at `url` that may lead to other pages of its article."""
    base, links = _base(root, url), (link for link in root.iter("link", "a") if link.get("href"))
    numbered = ((link.get("href", ""), _number(link), "next" in _relations(link)) for link in links)
    found = (PartLink(_resolve(base, href), number, is_next) for href, number, is_next in numbered if number or is_next)
    return tuple(islice(found, MAX_LINKS))


def read_link_texts(root: HtmlElement, url: str) -> dict[str, str]:
    """Map the pages linked from the page at `url`, parsed to `root`, to the longest text of their links."""
    base = _base(root, url)
    texts: dict[str, str] = {}
    for link in islice(root.iter("a"), MAX_HREFS):
        if may_be_page(address := _resolve(base, link.get("href") or "")):
            texts[address] = max(texts.get(address, ""), _text(link), key=len)
    return texts


def _text(link: HtmlElement) -> str:
    """Return the text of a link; "" where it has more elements than a teaser."""
    if not len(link):
        return collapse(link.text or "")
    if sum(1 for _ in islice(link.iter(), MAX_LINK_ELEMENTS + 1)) > MAX_LINK_ELEMENTS:
        return ""
    return collapse(" ".join(link.itertext(with_tail=False)))


def _articles_besides(root: HtmlElement, base: str) -> Iterator[str]:
    """Yield article-like addresses of the same host in `data-` attributes and JSON.

    Pages with infinite scrolling list the next articles there.
    """
    scripts = (text for script in root.iter("script") if len(text := script.text or "") <= MAX_STATE_CHARACTERS)
    found = (*cast("list[str]", DATA_ADDRESSES(root)), *chain.from_iterable(map(_stated, scripts)))
    host = urlsplit(base).netloc
    for url in (_resolve(base, text) for text in islice(dict.fromkeys(found), MAX_HREFS) if " " not in text):
        if urlsplit(url).netloc == host and may_be_page(url) and looks_like_article(url):
            yield url


def _stated(script: str) -> Iterator[str]:
    for match in STATED.finditer(script):
        if script.endswith(ADDRESS_KEYS, 0, match.start()):
            yield match[1].replace("\\", "")


def _without_numbers(text: str) -> str:
    return re.sub(r"\d+", "0", collapse(text))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _first_script(own: str, versions: Iterable[Mapping[str, str]]) -> str:
    """Return the address of the page at `own` in the first script of its language, by name; "" if it is `own`.

    `versions` are addresses by language tag, for each language and country.
    """
    for addresses in versions:
        first = addresses[min(addresses)]
        if document_id(own) in map(document_id, addresses.values()) and document_id(first) != document_id(own):
            return first
    return ""


def _texts(root: HtmlElement) -> Iterator[tuple[str, bool]]:
    """Yield the texts of a page in a fixed order, and whether each stands in a heading or paragraph."""
    left = [(root, False)]
    while left:
        element, inside = left.pop()
        tag = element.tag
        if not isinstance(tag, str) or tag in OUTSIDE:
            continue
        inside = inside or tag in TEXTS
        if text := element.text:
            yield text, inside
        for child in element[:]:
            if tail := child.tail:
                yield tail, inside
            left.append((child, inside))


def _targets(root: HtmlElement, base: str, own: str) -> Iterator[str]:
    """Yield the targets of links, `rel=next`, frames and refreshes.

    Excluded are short links, those to pages of a single picture, to the print version of the page or a page about it,
    "1" as a further page of the list, `nofollow` links that only add a query to the page's address, and those with its
    address in their query, unless to an article: they reply, share, sort or log in. Pagination is followed.
    """
    article = target_of(own) if looks_like_article(own) else ""
    named = unquote(target_of(own))
    for element in root.iter("a", "area", "frame", "link", "meta"):
        href = element.get("src" if element.tag == "frame" else "href") or ""
        if element.tag == "meta" and (element.get("http-equiv") or "").lower().strip() == "refresh":
            sent = REFRESH.fullmatch((element.get("content") or "")[:MAX_ADDRESS])
            href = sent[2] if sent else ""
        relations = _relations(element)
        is_reply = "nofollow" in relations and _only_adds_query(own, _resolve(base, href))
        if own in (_resolve(base, unquote(value)) for value in QUERY_ADDRESS.findall(href)):
            is_reply = is_reply or not HEADLINE.search(href.partition("?")[0])
        printed = PRINTED.search(href) if article else None
        about = ABOUT_PAGE.search(href) if ":" in href else None
        is_about = about is not None and named.endswith(f"/{unquote(about[1])}") and not find_archive(href)
        is_copy = bool(printed and printed[1] in article) or is_about
        is_first = (element.text or "").strip() == "1" and is_further_of(_resolve(base, href), own)
        is_aside = is_reply or is_copy or is_first or not {"attachment", "shortlink"}.isdisjoint(relations)
        if href and not is_aside and (element.tag != "link" or "next" in relations):
            yield href


def _only_adds_query(own: str, url: str) -> bool:
    """Tell whether `url` is the page `own`, no front page, with more in its query than a page number."""
    parts, others = urlsplit(own), urlsplit(url)
    if parts._replace(query="", fragment="") != others._replace(query="") or is_front(own) or is_further(url):
        return False
    return {*filter(None, parts.query.split("&"))} < {*others.query.split("&")}


def _base(root: HtmlElement, url: str) -> str:
    return _resolve(url, next((href for each in root.iter("base") if (href := each.get("href"))), "")) or url


def _relations(element: HtmlElement) -> list[str]:
    return (element.get("rel") or "").lower().split()


def _number(link: HtmlElement) -> int:
    """Return the page number that is a link's whole text; 0 for other texts, or more than a few elements."""
    if len(link) and sum(1 for _ in islice(link.iter(), MAX_NUMBER_ELEMENTS + 1)) > MAX_NUMBER_ELEMENTS:
        return 0  # links may be nested: their text would be read once per level
    found = NUMBERED.fullmatch(collapse("".join(link.itertext(with_tail=False)) if len(link) else link.text or ""))
    return int(found[1]) if found else 0


def _resolve(base: str, href: str) -> str:
    """Make `href` absolute, without fragment, as browsers do; "" where that fails or it is too long."""
    if len(base) + len(href) > MAX_ADDRESS:
        return ""
    try:
        around = urlsplit(base)
        if around.netloc and PLAIN_HREF.fullmatch(href):
            return f"{around.scheme}://{around.netloc}{href}" if href[0] == "/" else href
        href = re.sub(r"[\t\n\r]", "", href.strip()).replace(" ", "%20")
        end = min((at for at in (href.find("?"), href.find("#")) if at >= 0), default=len(href))
        return urldefrag(urljoin(base, href[:end].replace("\\", "/") + href[end:])).url
    except ValueError:
        return ""


def _suggests_list(url: str) -> bool:
    """Tell whether a path suggests a feed or a sitemap, and is no headline about these."""
    if not any(map(url.lower().__contains__, LIST_WORDS)) or not LIST_LIKE.search(path := urlsplit(url).path):
        return False
    *_, folder, name = f"/{path.strip('/')}".split("/")
    is_headline = not LIST_FILE.search(name) and len(re.split("[-_]+", name)) >= SLUG_WORDS
    return not is_headline or any(map(LIST_LIKE.fullmatch, (folder, name)))
