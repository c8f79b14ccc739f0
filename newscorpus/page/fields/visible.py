"""Read what the page shows its readers: headline and time elements."""

import re
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from urllib.parse import urlsplit

from lxml.html import HtmlElement

from newscorpus.data import Evidence
from newscorpus.page.fields.dates import Setting, parse_date
from newscorpus.page.fields.markup import MAX_OF_A_KIND, Markup, enough, holds_many, join, opening, pieces, plain
from newscorpus.page.fields.nearby import CODE, marks_of
from newscorpus.page.fields.people import squeezed

MAX_HEADLINE = 300
"""Longest headline, in characters; the longest gold title has 186."""
UPDATE = re.compile(
    r"updat|modif|aktual|ažurir|azurir|posodob|обновл|оновл|изменен|измењен|ажурир|актуализ|mise? à jour|màj|ενημ[εέ]ρ"
    r"|τροποπ|aggiorn|actualiz|atualiz|zuletzt|geändert|bearbeitet|stand:|změn|zmen|zmien|izmij|sprem|güncel|bijgewerkt|uppdat|opdat"
    r"|oppdat|revis|edited|last-?mod|수정|更新",
    re.IGNORECASE,
)
"""Words, in text or in names of elements, that distinguish an update from the first publication."""
PUBLISHED = re.compile(r"(?<!un)published|\bpubdate|datepublished|dt-published")
"""In the names of an element that holds the date of publication, whatever else it is called."""
APART = (
    r"\bcomment|comments|koment|\bkommentar|related|recommend|side-?bar|copyright|widget|calendar|archiv|reply"
    r"|(?<!post[-_])(?<!entry[-_])(?<!article[-_])footer"
)
TEASING = (
    r"teaser|recent|popular|latest|most-?read|trending|newsticker|promo|weather|\bnext|\bprev(?!iew)|navi|menu|forum"
)
OTHERS = re.compile(r"side-?bar|widget|\bmenu|navi(?!gation-post)|cloud|calendar|archiv")
"""Names of page parts that lead to all of a site."""
CARDS = re.compile(
    r"comment|reply|related|recommend|read-?next|teaser|recent|popular|latest|most-?read|trending"
    r"|embed|tweet|instagram-|fb-post"
)
"""Names of page parts that show other documents, or posts of social media."""
QUOTES = frozenset({"article", "blockquote"})
"""Elements that hold another document where they do not hold the headline."""
ENTRY = re.compile(r"(?:^|\s)(?:hentry|h-entry|wp-block-post)(?=\s|$)")
AUTHOR_LINK = re.compile(
    r"/(?:authors?|autor\w*|auteurs?|avtor\w*|contributors?|profiles?|people|person|reporters?|journalists?|redaktion|redakce"
    r"|korrespondenten|kolumnist\w*|columnists?|verfasser|firma|by|byline)/"
)
"""Addresses of pages about authors."""
TERM_LINK = re.compile(r"/(?:categor|kategor|rubri|tag)[^/]*/")
"""Addresses of sections and tags."""
MAX_HOME_LINKS = 50
"""First links of a page among which that to the front page stands."""
MAX_SITE_NAME = 60
"""Longest name of a site, in characters."""
MAX_HEADINGS = 5
"""Headings in an element that are looked at."""
FOREIGN = re.compile(APART)
ASIDE = re.compile(f"{APART}|{TEASING}")
"""Names of page parts whose dates and names are not those of the document; beside the headline only the first hold,
since what looks like a teaser there is often the article's own header."""
GLUED = re.compile(r"(?<=[^\W_])\0(?![a-zà-öø-ÿа-яα-ω])|(?<=[.!?:])\0(?=\w)")
"""Where two pieces of a heading meet (marked by a null) without a space that readers see: layout parts them."""
CALLED_TITLE = re.compile(r"title|headline", re.IGNORECASE)
"""Elements that stand for headings where a page has none."""
MIN_SQUEEZED = 8
"""Fewest letters and digits of a heading that is recognised by the page's title."""
LOGO = re.compile(r"logo|site-?(?:title|name)|brand|masthead")
MAX_TIMES, MAX_CANDIDATES = 60, 6
"""Time elements that are weighed, in document order, and those of them that are read."""
ZONE_LEVELS = 6
"""Ancestors whose names say in which part of the page an element stands."""


def read_times(
    markup: Markup, distances: Mapping[HtmlElement, int], around: Collection[HtmlElement], setting: Setting
) -> Iterator[Evidence]:
    """Evidence of the time elements, the most promising first; `distances` are those from the headline, in elements.

    Those of other documents, which stand outside of what is `around` the headline, are left out. If all do and the
    headline is in no `<article>`, it may stand in a page header apart from the text, and all count.
    """

    def rank(element: HtmlElement) -> tuple[bool, bool, bool, int, bool]:
        declared = element.get("pubdate") is not None or "publi" in marks_of(element)
        beside = element in distances
        aside = stands_aside(element, FOREIGN if beside else ASIDE)
        return aside, not beside, not declared, distances.get(element, 0), element in markup.early_times

    times = markup.times[:MAX_TIMES]
    own = [element for element in times if not (around and is_elsewhere(element, around))]
    if not own and not any(element.tag == "article" for element in around):
        own = list(times)
    for element in sorted(own, key=rank)[:MAX_CANDIDATES]:
        field = "modified" if is_update(element) else "published"
        for value in _values_of_time(element, setting):
            yield Evidence(field, value, "time-tag")


def heading_text(element: HtmlElement) -> str:
    """Text of a heading; its parts are parted by a space unless one ends and the next goes on inside a word."""
    if not len(element):
        return plain(element.text, MAX_HEADLINE)
    runs = enough(pieces(element, lambda each: each.tag in CODE), 2 * MAX_HEADLINE)
    joined = "\0".join(run[: 2 * MAX_HEADLINE] for run in runs)
    return plain(GLUED.sub(" ", joined).replace("\0", ""), MAX_HEADLINE)


def _values_of_time(element: HtmlElement, setting: Setting) -> list[str]:
    """What a time element shows, if it is another day than the one it declares; then what it declares."""
    machine = element.get("datetime") or element.get("content") or element.get("title")
    declared = parse_date(plain(machine, 100), setting)
    shown = parse_date(plain(opening(element, 200), 100), replace(setting, year=int(declared[:4] or 0) or setting.year))
    return [value for value in ((shown, declared) if shown[:10] != declared[:10] else (declared,)) if value]


def find_headline(tree: HtmlElement, markup: Markup, titles: Sequence[str]) -> HtmlElement | None:
    """The heading, or other element called a title, that begins like one of `titles`; else the first `<h1>` or None."""
    wanted = [name for title in titles if len(name := squeezed(title)) >= MIN_SQUEEZED]
    candidates = [each for each in markup.headings if heading_text(each) and not _is_logo(each, markup)]
    headings = islice(tree.iter("h2", "h3", "h4"), MAX_OF_A_KIND)
    called = (
        each for each in tree.iter("div", "p", "span", "a") if wanted and CALLED_TITLE.search(each.get("class", ""))
    )
    titled = (each for each in islice(called, MAX_OF_A_KIND) if not holds_many(each))
    for element in chain(candidates, headings, titled):
        text = squeezed(heading_text(element))
        if len(text) >= MIN_SQUEEZED and any(_is_part(text, title) for title in wanted):
            return element
    return candidates[0] if candidates else None


def _is_part(heading: str, title: str) -> bool:
    """Whether a title begins like a heading or the other way round, or ends with it after the name of the site."""
    return (
        title.startswith(heading)
        or heading.startswith(title)
        or (title.endswith(heading) and 2 * len(heading) > len(title))
    )


def read_logo(tree: HtmlElement, markup: Markup) -> Iterator[Evidence]:
    """Evidence of the site's name: in a heading that leads to the front page, or a link that is called so."""
    links = (link for link in islice(tree.iter("a"), MAX_HOME_LINKS) if _is_home_link(link))
    for element in (*(each for each in markup.headings if _is_logo(each, markup)), *links):
        name = plain(opening(element, 2 * MAX_SITE_NAME))
        if 0 < len(name) <= MAX_SITE_NAME:
            yield Evidence("site_name", name, "heading")


def _is_home_link(link: HtmlElement) -> bool:
    called = f"{marks_of(link)} {marks_of(link.getparent())}"
    return "home" in link.get("rel", "").lower().split() or bool(LOGO.search(called))


def _is_logo(heading: HtmlElement, markup: Markup) -> bool:
    """Whether a heading is the name of the site: it is called so, or leads to the front page from another page."""
    if LOGO.search(marks_of(heading)):
        return True
    link = heading.find(".//a[@href]")
    if link is None:
        return False
    page, address = urlsplit(markup.url), urlsplit(join(markup.base, link.get("href", "")))
    is_home = not (page.path.strip("/") or page.query)
    return bool(address.netloc) and not (is_home or address.path.strip("/") or address.query or address.fragment)


def stands_aside(element: HtmlElement, names: re.Pattern[str] = ASIDE) -> bool:
    """Whether `element` belongs to comments, teasers, the footer or the like: to a part that bears one of `names`."""
    for ancestor in islice(element.iterancestors(), ZONE_LEVELS):
        if ancestor.tag in {"body", "main"}:
            return False
        is_apart = ancestor.tag in {"aside", "nav"} or (ancestor.tag == "footer" and not _is_of_article(ancestor))
        if is_apart or names.search(marks_of(ancestor)):
            return True
    return False


def _is_of_article(footer: HtmlElement) -> bool:
    return next(footer.iterancestors("article"), None) is not None


def is_elsewhere(element: HtmlElement, around: Container[HtmlElement]) -> bool:
    """Whether `element` belongs to another document: a comment, a teaser, an embedded post, what to read next.

    `around` are the ancestors of the headline; what these share with the element is the document's.
    """
    for holder in (element, *element.iterancestors()):
        if holder in around:
            return False
        if holder.tag in QUOTES or ENTRY.search(holder.get("class", "")) or CARDS.search(marks_of(holder)):
            return True
        headings = islice(holder.iter("h2", "h3", "h4"), MAX_HEADINGS)
        if sum(_leads_on(heading, element) for heading in headings) == 1:  # more are those of a list of cards
            return True
    return False


def _leads_on(heading: HtmlElement, element: HtmlElement) -> bool:
    """Whether a heading that does not hold `element` leads to another document."""
    parent = heading.getparent()
    link = parent if parent is not None and parent.tag == "a" else heading.find(".//a")
    address = "" if link is None else link.get("href", "")
    if not address or "#" in address or AUTHOR_LINK.search(address) or TERM_LINK.search(address):
        return False
    return heading is not element and heading not in element.iterancestors()


def is_update(element: HtmlElement) -> bool:
    """Whether a time element is that of an update, by its names or by the words before it."""
    parent = element.getparent()
    before = element.getprevious()
    words = (before.tail if before is not None else parent.text) or ""
    label = (before.text or "") if before is not None and isinstance(before.tag, str) and not words.strip() else ""
    marks = marks_of(element)
    if PUBLISHED.search(marks):  # "entry-date published updated" is the one date of a post that was never changed
        return False
    return bool(UPDATE.search(f"{marks} {marks_of(parent)} {words[-40:]} {label[-40:]}"))
