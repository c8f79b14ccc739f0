"""Tell a list of other pages from an article, however much text of theirs it shows: by what its headings link to."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final
from urllib.parse import SplitResult, urlsplit

from lxml.html import HtmlElement

from newscorpus.tokens import collapse, count_words
from newscorpus.urls import document_id, site_key, web_address

LEAST_SHARE = 0.6
"""Share of the words of the main text under headings that link elsewhere, from which on a page is a list."""
LEAST_LINKED = 0.7
"""Share of the characters of a heading that its links hold, where it is the headline of another page."""
LEAST_ALONE = 4
"""Fewest words of a headline in a box of its own that makes a list of a page; fewer are a section's name."""
LEAST_UNBOXED = 3
"""Fewest other pages where their headlines have no boxes: above an article, one or two may stand that are not its."""
LEAST_OWN = 4
"""Fewest words of a headline that the title of the page repeats, so that it is the page's own: a list's are fewer."""
MOST_LINES = 400
"""Lines of the main text that are looked for; a list shows in its first ones."""

_RANKS: Final = {"h1": 1, "h2": 2, "h3": 3, "h4": 4}
_TITLE = re.compile(r"(?:^|\s)(?:entry-title|post-title|post__title|p-name)(?:\s|$)")
_BOX = re.compile(r"(?:^|\s)(?:hentry|h-entry|post)(?:\s|$)")
_BOX_ITEM = re.compile(r"(?:^|\s)(?:blogPosts?|itemListElement)(?:\s|$)")
_ITEM_TITLE = frozenset({"headline"})
_UNREAD = frozenset({"script", "style", "noscript", "template", "head", "svg"})
_INLINE = frozenset("a abbr b bdi bdo cite code em font i kbd mark q s small span strong sub sup time u".split())
_SINGLE_BODY = re.compile(r"(?:^|\s)(?:single|single-post|post-template|postid-\d+|post-template-default)(?:\s|$)")
_SINGLE_REST = re.compile(r"/wp/v2/(?:posts|pages)/\d+")
_ARTICLE_TYPE = frozenset({"article", "news", "newsarticle", "blogposting"})

_Section = tuple[int, str, HtmlElement | None]
"""The rank of a heading, the document that it links to ("": none but its own), and its box where it stands in one."""


def find_listing(tree: HtmlElement, url: str, paragraphs: Sequence[str]) -> str:
    """Say why the page is a list of others, whose text `paragraphs` are; "" where nothing says so.

    A page that says of itself that it is one article is none.
    """
    if says_single(tree):
        return ""
    own = _Own(tree, url)
    texts = _texts_by_target(tree, own)
    if not any(texts):
        return ""
    shown = texts.pop("", "")
    counts: dict[str, int] = defaultdict(int)
    for line in paragraphs[:MOST_LINES]:
        text = collapse(line)
        target = "" if text in shown else next((one for one, theirs in texts.items() if text in theirs), None)
        if target is not None:
            counts[target] += count_words(text)
    words = sum(counts.values())
    elsewhere = words - counts.pop("", 0)
    if not words or elsewhere < LEAST_SHARE * words:
        return ""
    boxed = sum(count for target, count in counts.items() if own.headline_words[target] >= LEAST_ALONE)
    if boxed < LEAST_SHARE * words and (len(counts) < LEAST_UNBOXED or own.headline_boxes):
        return ""
    pages = "another page" if len(counts) == 1 else f"{len(counts)} other pages"
    return f"{elsewhere} of {words} words stand under headings that link to {pages}"


def says_single(tree: HtmlElement) -> bool:
    """Whether the markup around the text says that the page is one article: no part of a teaser can say that."""
    body = tree.find("body")
    if body is not None and _SINGLE_BODY.search(body.get("class") or ""):
        return True
    for meta in tree.iter("meta"):
        name, content = (meta.get("property") or meta.get("name") or "").lower(), meta.get("content") or ""
        if name == "article:published_time" or (name == "og:type" and content.strip().lower() in _ARTICLE_TYPE):
            return True
    return any(_SINGLE_REST.search(link.get("href") or "") for link in tree.iter("link"))


class _Own:
    """The addresses and the headline of a page, and the words of boxed headlines of others, by what they name."""

    def __init__(self, tree: HtmlElement, url: str) -> None:
        base = next((web_address(url, one.get("href") or "") for one in tree.iter("base") if one.get("href")), "")
        self.base = base or url
        stated = [one.get("href") for one in tree.iter("link") if (one.get("rel") or "").lower() == "canonical"]
        stated += [one.get("content") for one in tree.iter("meta") if one.get("property") == "og:url"]
        addresses = [url, *(web_address(self.base, one) for one in stated if one)]
        self.documents = frozenset(document_id(one) for one in addresses if one)
        self.parts = [urlsplit(one) for one in addresses if one]
        self.site = site_key(url)
        self.title = collapse(tree.findtext("head/title") or "").casefold()
        self.headline_words: dict[str, int] = {}
        self.headline_boxes: list[HtmlElement | None] = []

    def target(self, heading: HtmlElement, box: HtmlElement | None) -> str:
        """The document of the site that a heading is the headline of; "" where it names none but its own page."""
        text = collapse("".join(heading.itertext()))
        n_words = count_words(text)
        around = next((one for one in heading.iterancestors("a") if one.get("href")), None)
        links = [around] if around is not None else [one for one in heading.iter("a") if one.get("href")]
        linked = sum(len(collapse("".join(one.itertext()))) for one in links)
        is_linked = bool(text) and linked >= LEAST_LINKED * len(text)
        if n_words >= LEAST_OWN and (text.casefold() in self.title or (heading.tag == "h1" and not is_linked)):
            self.headline_boxes.append(box)
            return ""
        addresses = [web_address(self.base, one.get("href") or "") for one in links] if is_linked else []
        others = [one for one in addresses if one and site_key(one) == self.site]
        if not others or any(self._is_own(urlsplit(one), one) for one in others):
            return ""
        document = document_id(others[0])
        is_its_own = box is not None and box not in self.headline_boxes and around is None
        boxed = n_words if is_its_own else 0
        self.headline_words[document] = max(boxed, self.headline_words.get(document, 0))
        return document

    def _is_own(self, parts: SplitResult, address: str) -> bool:
        """Whether an address is that of the page, of its first page, or of a front page."""
        path = parts.path.rstrip("/")
        if document_id(address) in self.documents or (not path and not parts.query):
            return True
        return bool(path) and not parts.query and any(f"{one.path}/".startswith(f"{path}/") for one in self.parts)


def _texts_by_target(tree: HtmlElement, own: _Own) -> dict[str, str]:
    """The text of the page by the document that the heading above it, or that of its box, links to; "" for its own."""
    pieces: dict[str, list[str]] = defaultdict(list)
    for target, text in _walk(tree, own):
        pieces[target].append(text)
    return {target: collapse("".join(texts)) for target, texts in pieces.items()}


def _walk(tree: HtmlElement, own: _Own) -> Iterator[tuple[str, str]]:
    """The pieces of text in order, each with the document that its heading or box links to."""
    sections: list[_Section] = []
    boxes: list[HtmlElement] = []
    stack: list[tuple[HtmlElement, bool]] = [(tree, True)]
    while stack:
        element, is_begin = stack.pop()
        if not is_begin:
            if boxes and boxes[-1] is element:
                boxes.pop()
                sections = [one for one in sections if one[2] is not element]
            yield _target(sections), ("" if element.tag in _INLINE else " ") + (element.tail or "")
            continue
        if not isinstance(element.tag, str) or element.tag in _UNREAD:
            yield _target(sections), f" {element.tail or ''}"
            continue
        if _is_box(element):
            boxes.append(element)
        if rank := _rank(element):
            box = boxes[-1] if boxes else None
            held = any(one[2] is box and one[1] for one in sections) if box is not None else False
            if not held:  # in the box of another page its headline says whose all of it is
                sections = [one for one in sections if one[0] < rank or (one[2] is not box and one[2] in boxes)]
                sections.append((rank, own.target(element, box), box))
        yield _target(sections), ("" if element.tag in _INLINE else " ") + (element.text or "")
        stack.append((element, False))
        stack.extend((child, True) for child in reversed(element))


def _target(sections: Sequence[_Section]) -> str:
    return next((target for _, target, _ in reversed(sections) if target), "")


def _rank(element: HtmlElement) -> int:
    """The rank of a heading; 0 for what is none."""
    if rank := _RANKS.get(element.tag):
        return rank
    named = _TITLE.search(element.get("class") or "") or element.get("itemprop") in _ITEM_TITLE
    return 2 if named and element.tag not in ("body", "article", "meta") else 0


def _is_box(element: HtmlElement) -> bool:
    is_named = _BOX.search(element.get("class") or "") or _BOX_ITEM.search(element.get("itemprop") or "")
    return element.tag == "article" or (element.tag in ("div", "section", "li") and bool(is_named))
