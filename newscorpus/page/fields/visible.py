"""Read visible headlines, time elements and site names."""

import re
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain, islice, takewhile
from urllib.parse import urlsplit

from lxml.html import HtmlElement

from newscorpus.data import Evidence
from newscorpus.page.fields.dates import WORDS, Setting, parse_date
from newscorpus.page.fields.markup import MAX_OF_A_KIND, Markup, enough, holds_many, join, opening, pieces, plain
from newscorpus.page.fields.nearby import CODE, MAX_MARK, marks_of
from newscorpus.page.fields.people import squeezed
from newscorpus.portal.addresses import find_archive, is_front
from newscorpus.urls import document_id

MAX_HEADLINE = 300
"""Longest headline, in characters; the longest gold title has 186."""
UPDATE = re.compile("|".join(WORDS["updates"].split()), re.IGNORECASE)
"""Words, in text or in names of elements, that distinguish an update from the first publication."""
PUBLISHED = re.compile(r"(?<!un)published|\bpubdate|datepublished|dt-published")
"""Names of elements with the date of publication, which override other names."""
APART = (
    r"\bcomment(?!a)|comments|koment|\bkommentar|related|recommend|side-?bar|copyright|widget|calendar|archiv|reply"
    r"|(?<!post[-_])(?<!entry[-_])(?<!article[-_])footer"
)
TEASING = (
    r"teaser|recent|popular|latest|most-?read|trending|newsticker|promo|weather|\bnext|\bprev(?!iew)|navi|menu|forum"
)
OTHERS = re.compile(r"side-?bar|widget|\bmenu|navi(?!gation-post)|cloud|calendar|archiv")
"""Names of page parts with links to the whole site."""
CARDS = re.compile(
    r"comment(?!a)|reply|related|recommend|read-?next|teaser|recent|popular|latest|most-?read|trending"
    r"|embed|tweet|instagram-|fb-post"
)
"""Names of page parts with other documents or social media posts."""
_is_card = lru_cache(4_096)(CARDS.search)  # pages of a site share some hundreds of names
QUOTES = frozenset({"article", "blockquote"})
"""Elements that hold another document unless they contain the headline."""
ENTRY = re.compile(r"(?:^|\s)(?:hentry|h-entry|wp-block-post)(?=\s|$)")
AUTHOR_LINK = re.compile(
    r"/(?:authors?|userprofile|autor\w*|auteurs?|avtor\w*|contributors?|profiles?|people|person|reporters?|journalists?|redaktion|redakce"
    r"|korrespondenten|kolumnist\w*|columnists?|verfasser|firma|szerzok?|by|byline)/"
)
"""Addresses of pages about authors."""
TERM_LINK = re.compile(r"/(?:categor|kategor|rubri|tag)[^/]*/")
"""Addresses of sections and tags."""
MAX_HOME_LINKS = 50
"""Number of links and images searched for the front page's and the logo, from the start of the page."""
MAX_SITE_NAME = 60
"""Longest name of a site, in characters."""
MIN_PARAGRAPHS = 5
"""Paragraphs of an `<article>` beside the headline that is the document's: teasers have fewer."""
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
"""Elements before a date that are no label of it."""
MAX_HEADINGS = 5
"""Headings examined in an element."""
FOREIGN = re.compile(APART)
ASIDE = re.compile(f"{APART}|{TEASING}")
"""Names of page parts whose dates and authors are not the document's; beside the headline only `APART` applies, since a
seeming teaser is often the article's own header."""
GLUED = re.compile(r"(?<=[^\W_])\0(?![a-zà-öø-ÿа-яα-ω])|(?<=[.!?:])\0(?=\w)")
"""Boundaries of a heading's pieces (marked by a null) that the layout separates without a space."""
KICKER_END = " :|/–—-•·"
"""Marks between a kicker and the headline."""
CALLED_TITLE = re.compile(r"title|headline", re.IGNORECASE)
"""Names of elements that serve as headings."""
OWN_TITLE = re.compile(r"\b(?:article|entry|post|story)[-_]*(?:[a-z]+[-_]+)?(?:title|headline)\b", re.IGNORECASE)
"""Names of the headline's element, for pages that declare no title but their site's; a "blog-title" names the site."""
MIN_SQUEEZED = 8
"""Minimum number of letters and digits of a heading that is matched with the page's title."""
LOGO_WORD = re.compile(r"\s*\blogo\b\s*", re.IGNORECASE)
LOGO = re.compile(r"logo|site-?(?:title|name)|brand(?<!text-brand)(?<!bg-brand)|masthead")  # literals first: faster
MAX_TIMES, MAX_CANDIDATES = 60, 6
"""Time elements that are ranked, in document order, and number of the best that are read."""
ZONE_LEVELS = 6
"""Ancestors whose names identify the page part of an element."""


def read_times(
    markup: Markup, distances: Mapping[HtmlElement, int], around: Collection[HtmlElement], setting: Setting
) -> Iterator[Evidence]:
    """Yield evidence of the time elements, most promising first; `distances` from the headline are in elements.

    Those of other documents, outside the elements `around` the headline or in a link to another page, are left out. If
    this excludes all and the headline is in no `<article>`, the headline may be in a page header apart from the text:
    all but those of teasers count.
    """

    def rank(element: HtmlElement) -> tuple[bool, bool, bool, int]:
        declared = element.get("pubdate") is not None or "publi" in marks_of(element)
        beside = element in distances
        aside = stands_aside(element, FOREIGN if beside else ASIDE)
        return aside, not beside, not declared, distances.get(element, 0)

    times = [
        element
        for element in markup.times[:MAX_TIMES]
        if not _leads_elsewhere(next(chain(element.iter("a"), islice(element.iterancestors("a"), 1)), None), markup)
        and not any(map(_heads_site, takewhile(lambda holder: holder not in around, element.iterancestors())))
    ]
    own = [element for element in times if not (around and is_elsewhere(element, around))]
    if not own and not any(element.tag == "article" for element in around):
        own = [element for element in times if not _is_in_teaser(element, markup)]
    for element in sorted(own, key=rank)[:MAX_CANDIDATES]:
        field = "modified" if is_update(element) else "published"
        machine = element.get("datetime") or element.get("content") or element.get("title")
        declared = parse_date(plain(machine, 100), setting)
        year = int(declared[:4] or 0) or setting.year
        shown = parse_date(plain(opening(element, 200), 100), replace(setting, year=year))
        for value in (shown, declared) if shown[:10] != declared[:10] else (declared,):
            if value:
                yield Evidence(field, value, "time-tag")


def heading_text(element: HtmlElement) -> str:
    """Return the text of a heading; its pieces are separated by spaces unless they join inside a word."""
    if not len(element):
        return plain(element.text, MAX_HEADLINE)
    runs = enough(pieces(element, lambda each: each.tag in CODE), 2 * MAX_HEADLINE)
    joined = "\0".join(run[: 2 * MAX_HEADLINE] for run in runs)
    return plain(GLUED.sub(" ", joined).replace("\0", ""), MAX_HEADLINE)


def without_kicker(heading: HtmlElement, titles: Iterable[str]) -> str:
    """Return the text of a heading without a kicker: a first or last element whose removal leaves one of `titles`."""
    text, known = heading_text(heading), set(map(squeezed, titles))
    inside = (each for each in heading.iterdescendants() if (each.tail or "").strip() or each.getnext() is not None)
    before = (text.removeprefix(heading_text(each)) for each in islice(inside, 1))
    after = (text.removesuffix(heading_text(each)) for each in heading[-1:])
    rests = (rest.strip(KICKER_END) for rest in chain(before, after) if rest != text)
    return next((rest for rest in rests if squeezed(rest) in known), text)


def find_headline(
    tree: HtmlElement, markup: Markup, titles: Sequence[str], sites: Collection[str] = ()
) -> HtmlElement | None:
    """Find a heading, or element named a title, that begins like one of `titles`; else the first `<h1>` or None.

    If all `titles` name the site, by its squeezed names `sites`, its name is no headline; without an `<h1>`, the first
    element named the title of a post is, unless it links to another page.
    """
    is_silent = all(squeezed(title) in sites for title in titles)
    wanted = [name for title in titles if len(name := squeezed(title)) >= MIN_SQUEEZED]
    candidates = [each for each in markup.headings if heading_text(each) and not _is_logo(each, markup)]
    headings = islice(tree.iter("h2", "h3", "h4"), MAX_OF_A_KIND)
    called = (
        each for each in tree.iter("div", "p", "span", "a") if wanted and CALLED_TITLE.search(each.get("class", ""))
    )
    titled = (each for each in islice(called, MAX_OF_A_KIND) if not holds_many(each))
    for element in chain(candidates, headings, titled):
        text = squeezed(heading_text(element))
        if len(text) < MIN_SQUEEZED or (is_silent and text in sites):
            continue
        for title in wanted:
            is_end = title.endswith(text) and 2 * len(text) > len(title)  # after the site's name
            if is_end or title.startswith(text) or text.startswith(title):
                return element
    if candidates or not is_silent:
        return candidates[0] if candidates else None
    elements = tree.iter("h2", "h3", "h4", "div", "p", "span")
    named = islice((each for each in elements if OWN_TITLE.search(each.get("class", ""))), MAX_OF_A_KIND)
    own = (
        each
        for each in named
        if not holds_many(each) and next(chain(each.iter("a"), each.iterancestors("a")), None) is None
    )
    return next((each for each in own if len(squeezed(heading_text(each))) >= MIN_SQUEEZED), None)


def read_logo(tree: HtmlElement, markup: Markup) -> Iterator[Evidence]:
    """Yield the site's name: from a heading or link marked as the logo, or linking to the front page.

    The alternative text of a logo, which may be another firm's, counts if the page's `<title>` begins or ends with it.
    """
    links = (
        link
        for link in islice(tree.iter("a"), MAX_HOME_LINKS)
        if "home" in link.get("rel", "").lower().split()
        or LOGO.search(f"{marks_of(link)} {marks_of(link.getparent())}")
    )
    for element in (*(each for each in markup.headings if _is_logo(each, markup)), *links):
        name = plain(opening(element, 2 * MAX_SITE_NAME))
        if 0 < len(name) <= MAX_SITE_NAME:
            yield Evidence("site_name", name, "heading")
    title = squeezed(plain(markup.title))
    for image in islice(tree.iter("img"), MAX_HOME_LINKS):
        name = LOGO_WORD.sub("", plain(image.get("alt"), MAX_SITE_NAME))
        is_site = (short := squeezed(name)) and short != title and (title.startswith(short) or title.endswith(short))
        if is_site and LOGO.search(f"{marks_of(image)} {image.get('src', '')[:MAX_MARK]}"):
            yield Evidence("site_name", name, "heading")


def _is_logo(heading: HtmlElement, markup: Markup) -> bool:
    """Tell whether a heading is the site's name: it is named so, or links to the front page from another page."""
    link = heading.find(".//a[@href]")
    address = "" if link is None else join(markup.base, link.get("href", ""))
    leads_home = address and "#" not in address and is_front(address) and not is_front(markup.url)
    return bool(leads_home or LOGO.search(marks_of(heading)))


def surroundings(headline: HtmlElement, tree: HtmlElement) -> frozenset[HtmlElement]:
    """Return the ancestors of the headline; if no `<article>` is among them, also the longest on the page."""
    around = frozenset(headline.iterancestors())
    articles = () if any(each.tag == "article" for each in around) else islice(tree.iter("article"), MAX_OF_A_KIND)
    lengths = {each: sum(1 for _ in each.iter("p")) for each in articles}
    longest = max(lengths, key=lengths.__getitem__, default=None)
    if longest is None or lengths[longest] < MIN_PARAGRAPHS:
        return around
    nested = (each for each in longest.iterdescendants("article") if 2 * lengths.get(each, 0) > lengths[longest])
    return around | {longest, *nested}


def stands_aside(element: HtmlElement, names: re.Pattern[str] = ASIDE) -> bool:
    """Tell whether `element` is in comments, teasers, the footer or another part with one of `names`."""
    for ancestor in islice(element.iterancestors(), ZONE_LEVELS):
        if ancestor.tag in {"body", "main"}:
            return False
        is_footer = ancestor.tag == "footer" and next(ancestor.iterancestors("article"), None) is None
        if is_footer or ancestor.tag in {"aside", "nav"} or names.search(marks_of(ancestor)):
            return True
    return False


def is_elsewhere(element: HtmlElement, around: Container[HtmlElement]) -> bool:
    """Tell whether `element` belongs to another document (comment, teaser, embedded post) or to the site's header.

    `around` are the ancestors of the headline; those that also contain the element are the document's.
    """
    for holder in (element, *element.iterancestors()):
        if holder in around:
            return False
        if holder.tag in QUOTES or ENTRY.search(holder.get("class", "")) or _is_card(marks_of(holder)):
            return True
        if _heads_site(holder):
            return True
        headings = islice(holder.iter("h2", "h3", "h4"), MAX_HEADINGS)
        if sum(_links_elsewhere(heading, element) for heading in headings) == 1:  # several are in a list of cards
            return True
    return False


def _heads_site(holder: HtmlElement) -> bool:
    """Tell whether an element above the headlines has the menu or a link to the front page; it may show the day."""
    if (holder.tag != "header" and holder.get("role") != "banner") or holder.xpath("boolean(preceding::h1)"):
        return False
    links = (urlsplit(link.get("href", "")) for link in islice(holder.iter("a"), MAX_HOME_LINKS))
    return holder.find(".//nav") is not None or any(link.path == "/" and not link.query for link in links)


def _links_elsewhere(heading: HtmlElement, element: HtmlElement) -> bool:
    """Tell whether a heading that does not contain `element` links to another document."""
    parent = heading.getparent()
    link = parent if parent is not None and parent.tag == "a" else heading.find(".//a")
    address = "" if link is None else link.get("href", "")
    if not address or "#" in address or AUTHOR_LINK.search(address) or TERM_LINK.search(address):
        return False
    return heading is not element and heading not in element.iterancestors()


def _is_in_teaser(element: HtmlElement, markup: Markup) -> bool:
    """Tell whether a time element is in an entry whose headings all link to other pages."""
    holders = (each for each in element.iterancestors() if each.tag in QUOTES or ENTRY.search(each.get("class", "")))
    holder = next(holders, None)
    headings = [] if holder is None else [*islice(holder.iter("h2", "h3", "h4"), MAX_HEADINGS)]
    return bool(headings) and all(_leads_elsewhere(heading.find(".//a"), markup) for heading in headings)


def _leads_elsewhere(link: HtmlElement | None, markup: Markup) -> bool:
    """Tell whether a link leads to another page than an archive, such as that of a day."""
    address = "" if link is None else join(markup.base, link.get("href", ""))
    if not address or find_archive(address) or is_front(address):
        return False
    return document_id(address) not in map(document_id, (markup.url, *markup.links.get("canonical", ())))


def is_update(element: HtmlElement) -> bool:
    """Tell whether a time element is that of an update, by its names or the words before it."""
    parent = element.getparent()
    before = element.getprevious()
    words = (before.tail if before is not None else parent.text) or ""
    is_label = before is not None and isinstance(before.tag, str) and before.tag not in HEADINGS and not words.strip()
    label = (before.text or "") if is_label else ""
    marks = marks_of(element)
    if PUBLISHED.search(marks):  # "entry-date published updated" marks the single date of an unchanged post
        return False
    return bool(UPDATE.search(f"{marks} {marks_of(parent)} {words[-40:]} {label[-40:]}"))
