"""Tell listing pages from articles by the links of their headings, even where the listing shows full texts."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from enum import Enum, auto
from functools import cached_property, lru_cache
from itertools import chain, islice, pairwise, takewhile
from typing import Final
from urllib.parse import urlsplit

from lxml import etree
from lxml.html import HtmlElement

from newscorpus.portal.addresses import is_front
from newscorpus.tokens import collapse, count_words
from newscorpus.urls import document_id, site_key, web_address

LEAST_SHARE = 0.6
"""A page is a list if this share of its main text, in words, stands under headings that link elsewhere."""
LEAST_LINKED = 0.7
"""A heading is another page's headline if its links hold this share of its characters."""
LEAST_ALONE = 4
"""Minimum number of words of a boxed headline that indicates a list; shorter ones name sections."""
LEAST_UNBOXED = 3
"""Minimum number of other pages whose headlines have no boxes: one or two foreign ones may precede an article."""
LEAST_CARDS = 2
"""Minimum number of other pages where all boxes are recognised only by similar siblings (a choice)."""
LEAST_OWN = 4
"""Minimum number of words of a page's own headline, which its title repeats: a list's has fewer."""
LEAST_LINKS = 2
"""Minimum number of other pages in a list of links."""
BESIDE_SHARE = 2
"""A text is a remark on a list if the headlines of at least `LEAST_UNBOXED` other pages have this many times its words
(a choice)."""
MOST_LINE_WORDS = 40
"""Maximum number of words of a line that may be another page's headline, with a day or section beside it."""
LEAST_DATES, MOST_DATE_WORDS = 3, 5
"""A text is a list of dates if half of its lines, at least the first number, have a year and at most the second number
of words; of 4,669 texts of 9 sets one is, a table of years (2026-11)."""
MOST_BEFORE = 15
"""Maximum number of words before the headline of a card: day, section, author."""
MOST_BESIDE = 10
"""Maximum number of inline elements examined on either side of a link."""
MOST_LINES = 400
"""Maximum number of lines of the main text examined; the first ones reveal a list."""
MOST_LINKS = 1_000
"""Maximum number of links examined as headlines; the first ones reveal a list."""

LINK_RANK = 4
"""Rank of a headline that is a plain link."""
_RANKS: Final = {"h1": 1, "h2": 2, "h3": 3, "h4": 4}
_TITLE = re.compile(r"(?:^|\s)(?:entry-title|post-title|post__title|p-name)(?:\s|$)")
_BOX = re.compile(r"(?:^|\s)(?:hentry|h-entry|post)(?:\s|$)")
_BOX_ITEM = re.compile(r"(?:^|\s)(?:blogPosts?|itemListElement)(?:\s|$)")
_BOX_TAGS = ("article", "div", "section", "li")
_UNREAD = frozenset({"script", "style", "noscript", "template", "head", "svg"})
_INLINE = frozenset("a abbr b bdi bdo cite code em font i kbd mark q s small span strong sub sup time u".split())
_SINGLE_BODY = re.compile(r"(?:^|\s)(?:single|single-post|post-template|postid-\d+|post-template-default)(?:\s|$)")
_LIST_BODY = re.compile(
    r"(?:^|\s)(archive|category|tag|author|date|search|search-results|paged|(?:tag|author|category)-template"
    r"|post-type-archive)(?:\s|$)"
)
"""Of 4,063 pages with articles, of 8 sets, one has such a body: it lists teaching materials (2026-11)."""
_YEAR = re.compile(r"(?:19|20)(?<!\d..)\d\d(?!\d)")  # a lookbehind first would cost the fast search
_REST = re.compile(r"/wp/v2/([a-z_-]+)/\d+")
_ATTACHMENT_BODY = re.compile(r"(?:^|\s)(attachmentid-\d+)(?:\s|$)")
_PAGE_BODY = re.compile(r"(?:^|\s)(page-id-\d+|page-template)(?:\s|$)")
"""Of the same pages 30 have one, guides without an end; three declare neither an article nor a day (2026-11)."""
_OTHER_REST = frozenset({"categories", "tags", "users", "media"})
_ARTICLE_TYPE = frozenset({"article", "news", "newsarticle", "blogposting"})

_Described = Mapping[str, list[HtmlElement]]
"""The elements `base`, `link` and `meta` of a page, by tag."""
_Section = tuple[int, str, HtmlElement | None]
"""The rank of a heading, the document that it links to ("": none or its own page), and its box, if any."""


def find_listing(tree: HtmlElement, url: str, paragraphs: Sequence[str], *, is_declared: bool = False) -> str:
    """Say why a page with the main text `paragraphs` is a list, or about its site; "" if it seems to be neither.

    Markup of a single article excludes both; `is_declared`: the page declares an article or its day. `og:type` is
    weaker evidence: some systems write it on every page.
    """
    described = defaultdict[str, list[HtmlElement]](list)
    for each in tree.iter("base", "link", "meta"):
        described[each.tag].append(each)
    says, stated = _statement(tree, described, is_declared=is_declared)
    if says is _Says.SINGLE or stated:
        return stated
    own = _Own(tree, described, url)
    if says is _Says.NOTHING and (found := _linked_lines(own, paragraphs[:MOST_LINES]) or _dates(paragraphs)):
        return found
    # Beside its own headline, only boxes make a page a list
    shown_headings = (one for one in tree.iter(*_RANKS) if next(one.iterancestors(*_UNREAD), None) is None)
    has_own = any(own.read_heading(one)[0] for one in shown_headings)
    is_alone = has_own and (says is _Says.OG_TYPE or not (own.overlaid or _boxed_headings(own)))
    runs = {} if is_alone else _texts_by_target(own)
    texts = {target: collapse("".join(run)) for target, run in runs.items()}
    shown = texts.pop("", "")
    lines = [collapse(line) for line in paragraphs[:MOST_LINES]] if texts else []
    places = ["" if text in shown else next((one for one, run in texts.items() if text in run), None) for text in lines]
    if not any(places):
        return _remark(own, paragraphs) if texts and says is _Says.NOTHING else ""
    counts: dict[str, int] = defaultdict(int)
    for text, place in zip(lines, places, strict=True):
        if place is not None:
            counts[place] += count_words(text)
    words = sum(counts.values())
    elsewhere = words - counts.pop("", 0)
    if not words or elsewhere < LEAST_SHARE * words:
        return _remark(own, paragraphs) if says is _Says.NOTHING else ""
    doubtful = own.carded if own.headline_boxes else frozenset()
    boxed = sum(n for one, n in counts.items() if own.headline_words[one] >= LEAST_ALONE and one not in doubtful)
    least = LEAST_CARDS if own.carded.issuperset(counts) else LEAST_UNBOXED
    is_boxed = boxed >= LEAST_SHARE * words
    is_directory = own.below.issuperset(counts)
    is_list = is_boxed or ((is_directory or len(counts) >= least) and not own.headline_boxes)
    if says is _Says.OG_TYPE:
        n_boxed = sum(n_words >= LEAST_ALONE for n_words in own.headline_words.values())
        is_list = is_boxed and n_boxed >= LEAST_CARDS and not own.headline_boxes
    if not is_list:
        return ""
    pages = "another page" if len(counts) == 1 else f"{len(counts)} other pages"
    return f"{elsewhere} of {words} words stand under headings that link to {pages}"


class _Says(Enum):
    """What the markup says of the page: a single article, an article by `og:type` alone, or nothing."""

    SINGLE = auto()
    OG_TYPE = auto()
    NOTHING = auto()


def _statement(tree: HtmlElement, described: _Described, *, is_declared: bool) -> tuple[_Says, str]:
    """Return whether the markup declares a single article, and the evidence that the page is something else.

    Only the head and the class of the body are read, not teasers.
    """
    body = tree.find("body")
    names = (body.get("class") or "").lower() if body is not None else ""
    rest = {kind for link in described["link"] for kind in _REST.findall(link.get("href") or "")}
    metas = {
        (meta.get("property") or meta.get("name") or "").lower(): (meta.get("content") or "").strip().lower()
        for meta in described["meta"]
    }
    kind = metas.get("og:type", "")
    is_declared = is_declared and kind != "website"  # some systems declare each page of theirs an article beside that
    found = _ATTACHMENT_BODY.search(names) or (None if _SINGLE_BODY.search(names) else _LIST_BODY.search(names))
    found = found or (_PAGE_BODY.search(names) if not is_declared else None)
    if found:
        return _Says.NOTHING, f"the class of its body is {found[1]!r}"
    if _SINGLE_BODY.search(names) or "posts" in rest:
        return _Says.SINGLE, ""
    if kinds := sorted(rest & (_OTHER_REST if is_declared else _OTHER_REST | {"pages"})):
        return _Says.NOTHING, f"its data is that of one of {kinds[0]}"
    if "article:published_time" in metas:
        return _Says.SINGLE, ""
    return _Says.OG_TYPE if kind in _ARTICLE_TYPE else _Says.NOTHING, ""


class _Own:
    """Addresses and headlines of the page itself, and the words of others' boxed headlines by document."""

    def __init__(self, tree: HtmlElement, described: _Described, url: str) -> None:
        base = next((web_address(url, one.get("href") or "") for one in described["base"] if one.get("href")), "")
        self.tree, self.base = tree, base or url
        stated = [one.get("href") for one in described["link"] if (one.get("rel") or "").lower() == "canonical"]
        stated += [one.get("content") for one in described["meta"] if one.get("property") == "og:url"]
        addresses = [url, *(web_address(self.base, one) for one in stated if one)]
        self.documents = frozenset(document_id(one) for one in addresses if one)
        self.parts = [urlsplit(one) for one in addresses if one]
        self.site = site_key(url)
        self.title = collapse(tree.findtext("head/title") or "").casefold()
        self.headline_words: dict[str, int] = {}
        self.headline_boxes: list[HtmlElement | None] = []
        self.carded: set[str] = set()
        self.below: set[str] = set()  # documents whose addresses begin with the page's

    @cached_property
    def link_titles(self) -> Sequence[tuple[HtmlElement, str]]:
        """Return the links that may be headlines of other pages, each with its text."""
        return [(link, text) for link, text in self.links if LEAST_ALONE <= count_words(text) <= MOST_LINE_WORDS]

    @cached_property
    def links(self) -> Sequence[tuple[HtmlElement, str]]:
        """Return the first links of the page, each with its text."""
        links = islice((link for link in self.tree.iter("a") if link.get("href")), MOST_LINKS)
        return [(link, collapse("".join(link.itertext()) if len(link) else link.text or "")) for link in links]

    @cached_property
    def boxes(self) -> Sequence[HtmlElement]:
        """Return the boxes of articles on the page."""
        return list(filter(_is_box, self.tree.iter(*_BOX_TAGS)))

    @cached_property
    def overlaid(self) -> Mapping[HtmlElement, HtmlElement]:
        """Map headings without a link, in similar boxes, to the link of their box, such as "read more".

        All links of such a box lead to a single other page.
        """
        alike: dict[tuple[HtmlElement | None, str], dict[HtmlElement, HtmlElement]] = defaultdict(dict)
        for box in self.boxes if len(self.boxes) >= LEAST_UNBOXED else ():
            headings = [one for one in box.iter(*_RANKS) if next(one.iter("a"), None) is None]
            links = [link for link in box.iter("a") if link.get("href")]
            documents = {self.document(link) for link in links} if len(headings) == 1 else set[str]()
            if len(documents) == 1 and "" not in documents:
                alike[box.getparent(), box.tag][headings[0]] = links[0]
        runs = (run for run in alike.values() if len(run) >= LEAST_UNBOXED)
        return {heading: link for run in runs for heading, link in run.items()}

    def read_heading(self, heading: HtmlElement) -> tuple[bool, int, list[str], bool]:
        """Return whether a heading is the page's own, its words, the addresses it links to, and if a link is around."""
        text = collapse("".join(heading.itertext()))
        n_words = count_words(text)
        around = next((one for one in heading.iterancestors("a") if one.get("href")), None)
        links = [around] if around is not None else [one for one in heading.iter("a") if one.get("href")]
        linked = sum(len(collapse("".join(one.itertext()))) for one in links)
        beside = self.overlaid.get(heading)
        links = links if beside is None else [beside]
        is_linked = bool(text) and (beside is not None or linked >= LEAST_LINKED * len(text))
        addresses = [web_address(self.base, one.get("href") or "") for one in links] if is_linked else []
        is_site = any(map(is_front, filter(None, addresses)))  # its name, in place of a headline
        is_named = text.casefold() in self.title and not is_site
        is_own = n_words >= LEAST_OWN and (is_named or (heading.tag == "h1" and not is_linked))
        return is_own, n_words, addresses, around is not None

    def target(self, heading: HtmlElement, box: HtmlElement | None) -> str:
        """Return the document of the site whose headline this is; "" for the page's own and for none."""
        is_own, n_words, addresses, is_inside_link = self.read_heading(heading)
        if is_own:
            self.headline_boxes.append(box)
            return ""
        document = self.other(addresses)
        if not document:
            return ""
        if heading.tag == "a":
            self.carded.add(document)
        paths = [f"{one.path.rstrip('/')}/" for one in self.parts if one.path.strip("/") and not one.query]
        if any(urlsplit(one).path.startswith(path) for one in addresses for path in paths):
            self.below.add(document)
        is_link = heading.tag == "a" and (box is None or not _is_box(box))
        is_its_own = box is not None and box not in self.headline_boxes and not is_inside_link and not is_link
        boxed = n_words if is_its_own else 0
        self.headline_words[document] = max(boxed, self.headline_words.get(document, 0))
        return document

    def document(self, link: HtmlElement) -> str:
        """Return the document of the site that a link leads to; "" for the page's own."""
        return self.other([web_address(self.base, link.get("href") or "")])

    def other(self, addresses: Sequence[str]) -> str:
        """Return the first document of the site among `addresses`; "" where one of them is the page's own."""
        others = [one for one in addresses if one and site_key(one) == self.site]
        for address in others:
            parts = urlsplit(address)
            path = parts.path.rstrip("/")
            is_first = path and not parts.query and any(f"{one.path}/".startswith(f"{path}/") for one in self.parts)
            if is_first or document_id(address) in self.documents or is_front(address):
                return ""
        return document_id(others[0]) if others else ""


def _boxed_headings(own: _Own) -> bool:
    """Tell whether a box of an article holds a heading with a link."""
    boxes = frozenset(own.boxes)
    return bool(boxes) and any(
        _rank(one) and next(one.iter("a"), None) is not None and not boxes.isdisjoint((one, *one.iterancestors()))
        for one in own.tree.iter()
    )


def _cards(own: _Own) -> Mapping[HtmlElement, HtmlElement]:
    """Map boxes without a heading of their own to the link in them that is another page's headline.

    Such a box begins with headlines of a single page, and is a box of articles or has siblings with the same tag and
    class.
    """
    documents: dict[HtmlElement, set[str]] = defaultdict(set)
    links: dict[HtmlElement, str] = {}
    for link, text in own.link_titles:
        has_heading = any(map(_rank, chain(link.iterancestors(), link.iterdescendants(etree.Element))))
        is_alone = not has_heading and len(text) >= LEAST_LINKED * len(collapse(_text_around(link)))
        if is_alone and (document := own.document(link)):
            links[link] = document
            for element in (link, *link.iterancestors()):
                documents[element].add(document)
    cards: dict[HtmlElement, HtmlElement] = {}
    tried = set[HtmlElement]()
    for link in links:
        box = next((one for one in link.iterancestors() if _is_box(one) and len(documents[one]) == 1), None)
        around = pairwise((link, *link.iterancestors()))
        card = box if box is not None else next((one for one, parent in around if len(documents[parent]) > 1), None)
        if card is None or card is link or card in tried:
            continue
        tried.add(card)
        ancestors, n_words = set(link.iterancestors()), 0  # words of the card before the link
        for one in card.iter(etree.Element):
            if one is link:
                break
            n_words += count_words(one.text or "") + (0 if one in ancestors else count_words(one.tail or ""))
        if n_words > MOST_BEFORE:
            continue
        name = (card.tag, card.get("class") or "")
        alike = (one for one in card.getparent() if one is not card and (one.tag, one.get("class") or "") == name)
        has_heading = any(map(_rank, card.iterdescendants(etree.Element)))
        if (card is box and not has_heading) or any(len(documents.get(one, ())) == 1 for one in alike):
            cards[card] = link
    return cards


def _text_around(link: HtmlElement) -> str:
    """Return the text between the block-level tags around a link."""
    inner = link
    while (parent := inner.getparent()) is not None and parent.tag in _INLINE:
        inner = parent
    before = list(takewhile(lambda one: one.tag in _INLINE, islice(inner.itersiblings(preceding=True), MOST_BESIDE)))
    first = before[-1] if before else inner
    behind = list(takewhile(lambda one: one.tag in _INLINE, islice(inner.itersiblings(), MOST_BESIDE)))
    block = first.getprevious()
    start = block.tail if block is not None else (parent.text if parent is not None else "")
    run = (*reversed(before), inner, *behind)
    return (start or "") + "".join(f"{''.join(one.itertext())} {one.tail or ''}" for one in run)


def _linked_lines(own: _Own, lines: Sequence[str]) -> str:
    """Say what share of a text links to other pages, if it is a list of links; else ""."""
    links: dict[str, list[HtmlElement]] = defaultdict(list)
    for link, text in own.links:
        links[text].append(link)
    titles = {text for _, text in own.link_titles}
    words = elsewhere = 0
    found = set[str]()
    for line in map(collapse, lines):
        words += (n_words := count_words(line))
        if n_words > MOST_LINE_WORDS:
            continue
        texts = [text for text in titles if len(text) >= LEAST_LINKED * len(line) and text in line]
        texts += [line] if line in links else []  # an entry of a menu may be short
        documents = {next(filter(None, map(own.document, reversed(links[text]))), "") for text in texts} - {""}
        elsewhere += n_words if documents else 0
        found |= documents
    if len(found) < LEAST_LINKS or elsewhere < LEAST_SHARE * words:
        return ""
    return f"{elsewhere} of {words} words are links to {len(found)} other pages"


def _remark(own: _Own, lines: Sequence[str]) -> str:
    """Say that a page without its own headline is a remark beside boxed headlines of others; else ""."""
    others = [n_words for n_words in own.headline_words.values() if n_words >= LEAST_ALONE]
    words = sum(map(count_words, lines))
    if own.headline_boxes or len(others) < LEAST_UNBOXED or sum(others) < BESIDE_SHARE * words:
        return ""
    return f"{words} words stand beside the headlines of {len(others)} other pages"


def _dates(lines: Sequence[str]) -> str:
    """Say how many lines of a text are dates, if it is a list of dates; else ""."""
    dates = sum(1 for line in lines if _YEAR.search(line) and count_words(line) <= MOST_DATE_WORDS)
    if dates < LEAST_DATES or 2 * dates < len(lines):
        return ""
    return f"{dates} of {len(lines)} lines are hardly more than dates"


def _texts_by_target(own: _Own) -> Mapping[str, list[str]]:
    """Return the pieces of text in order, by the document that their heading or box links to."""
    cards = _cards(own)
    card_links = frozenset(cards.values())
    sections: list[_Section] = []
    boxes: list[HtmlElement] = []
    pieces: dict[str, list[str]] = defaultdict(list)
    run = pieces[""]
    walk = etree.iterwalk(own.tree, events=("start", "end"))
    for event, element in walk:
        tag = element.tag
        if event == "start" and tag in _UNREAD:
            walk.skip_subtree()
            continue
        if event == "start":
            if element in cards or _is_box(element):
                boxes.append(element)
            if rank := LINK_RANK if element in card_links else _rank(element):
                box = boxes[-1] if boxes else None
                held = any(one[2] is box and one[1] for one in sections) if box is not None else False
                if not held:  # a headline of another page owns its whole box
                    sections = [one for one in sections if one[0] < rank or (one[2] is not box and one[2] in boxes)]
                    sections.append((rank, own.target(element, box), box))
                    run = pieces[_target(sections)]
        elif boxes and boxes[-1] is element:
            boxes.pop()
            sections = [one for one in sections if one[2] is not element]
            run = pieces[_target(sections)]
        if tag not in _INLINE:
            run.append(" ")
        if text := element.text if event == "start" else element.tail:
            run.append(text)
    return pieces


def _target(sections: Sequence[_Section]) -> str:
    return next((target for _, target, _ in reversed(sections) if target), "")


def _rank(element: HtmlElement) -> int:
    """Return the rank of a heading; 0 for other elements."""
    if rank := _RANKS.get(element.tag):
        return rank
    classes = element.get("class")
    named = (classes and _TITLE.search(classes)) or element.get("itemprop") == "headline"
    return 2 if named and element.tag not in ("body", "article", "meta") else 0


def _is_box(element: HtmlElement) -> bool:
    if element.tag not in _BOX_TAGS:
        return False
    return element.tag == "article" or _names_box(element.get("class") or "", element.get("itemprop") or "")


@lru_cache(4_096)  # pages of a site share some hundreds
def _names_box(classes: str, item: str) -> bool:
    return bool(_BOX.search(classes) or _BOX_ITEM.search(item))
