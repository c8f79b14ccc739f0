"""Read what the page shows its readers: headline and time elements."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from lxml.html import HtmlElement

from newscorpus.data import Evidence
from newscorpus.extraction.fields.dates import Setting, parse_date
from newscorpus.extraction.fields.markup import MAX_OF_A_KIND, Markup, plain
from newscorpus.extraction.fields.nearby import CODE, marks_of
from newscorpus.extraction.fields.people import squeezed
from newscorpus.extraction.fields.pieces import enough, opening, pieces

MAX_HEADLINE = 300
"""Longest headline, in characters; the longest gold title has 186."""
UPDATE = re.compile(
    r"updat|modif|aktual|ažurir|azurir|posodob|обновл|оновл|изменен|измењен|ажурир|актуализ|mise? à jour|màj|ενημ[εέ]ρ"
    r"|τροποπ|aggiorn|actualiz|atualiz|zuletzt|geändert|bearbeitet|stand:|změn|zmen|zmien|izmij|sprem|güncel|bijgewerkt|uppdat|opdat"
    r"|oppdat|revis|edited|last-?mod|수정|更新",
    re.IGNORECASE,
)
"""Words, in text or in names of elements, that distinguish an update from the first publication."""
APART = (
    r"\bcomment|comments|koment|\bkommentar|related|recommend|side-?bar|copyright|widget|calendar|archiv|reply"
    r"|(?<!post[-_])(?<!entry[-_])(?<!article[-_])footer"
)
TEASING = (
    r"teaser|recent|popular|latest|most-?read|trending|newsticker|promo|weather|\bnext|\bprev(?!iew)|navi|menu|forum"
)
FOREIGN = re.compile(APART)
ASIDE = re.compile(f"{APART}|{TEASING}")
"""Names of page parts whose dates and names are not those of the document; beside the headline only the first hold,
since what looks like a teaser there is often the article's own header."""
GLUED = re.compile(r"(?<=[^\W_])\0(?![a-zà-öø-ÿа-яα-ω])|(?<=[.!?:])\0(?=\w)")
"""Where two pieces of a heading meet (marked by a null) without a space that readers see: layout parts them."""
MIN_SQUEEZED = 8
"""Fewest letters and digits of a heading that is recognised by the page's title."""
LOGO = re.compile(r"logo|site-?(?:title|name)|brand|masthead")
MAX_TIMES, MAX_CANDIDATES = 60, 6
"""Time elements that are weighed, in document order, and those of them that are read."""
ZONE_LEVELS = 6
"""Ancestors whose names say in which part of the page an element stands."""


def read_times(markup: Markup, distances: Mapping[HtmlElement, int], setting: Setting) -> Iterator[Evidence]:
    """Evidence of the time elements, the most promising first; `distances` are those from the headline, in elements."""

    def rank(element: HtmlElement) -> tuple[bool, bool, bool, int, bool]:
        declared = element.get("pubdate") is not None or "publi" in marks_of(element)
        beside = element in distances
        aside = stands_aside(element, FOREIGN if beside else ASIDE)
        return aside, not beside, not declared, distances.get(element, 0), element in markup.early_times

    for element in sorted(markup.times[:MAX_TIMES], key=rank)[:MAX_CANDIDATES]:
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
    shown = parse_date(plain(opening(element, 200), 100), setting)
    machine = element.get("datetime") or element.get("content") or element.get("title")
    declared = parse_date(plain(machine, 100), setting)
    return [value for value in ((shown, declared) if shown[:10] != declared[:10] else (declared,)) if value]


def find_headline(tree: HtmlElement, markup: Markup, titles: Sequence[str]) -> HtmlElement | None:
    """The heading that begins like one of `titles`; else the first `<h1>`; None where there is none."""
    wanted = [name for title in titles if len(name := squeezed(title)) >= MIN_SQUEEZED]
    candidates = [each for each in markup.headings if heading_text(each) and not LOGO.search(marks_of(each))]
    for element in (*candidates, *islice(tree.iter("h2", "h3", "h4"), MAX_OF_A_KIND)):
        text = squeezed(heading_text(element))
        if len(text) >= MIN_SQUEEZED and any(title.startswith(text) or text.startswith(title) for title in wanted):
            return element
    return candidates[0] if candidates else None


def stands_aside(element: HtmlElement, names: re.Pattern[str] = ASIDE) -> bool:
    """Whether `element` belongs to comments, teasers, the footer or the like: to a part that bears one of `names`."""
    for ancestor in islice(element.iterancestors(), ZONE_LEVELS):
        if ancestor.tag in {"body", "main"}:
            return False
        if ancestor.tag in {"aside", "footer", "nav"} or names.search(marks_of(ancestor)):
            return True
    return False


def is_update(element: HtmlElement) -> bool:
    """Whether a time element is that of an update, by its names or by the words before it."""
    parent = element.getparent()
    before = element.getprevious()
    words = (before.tail if before is not None else parent.text) or ""
    label = (before.text or "") if before is not None and isinstance(before.tag, str) and not words.strip() else ""
    return bool(UPDATE.search(f"{marks_of(element)} {marks_of(parent)} {words[-40:]} {label[-40:]}"))
