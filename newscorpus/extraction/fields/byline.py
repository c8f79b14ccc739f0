"""Date, authors and lead in the text that readers see near the headline, and failing that anywhere on the page."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from lxml.html import HtmlElement

from newscorpus.data import Evidence
from newscorpus.extraction.fields.clean import plain
from newscorpus.extraction.fields.dates import Dated, Setting, find_dates, parse_date
from newscorpus.extraction.fields.nearby import Line, following, lines_of, marks_of, preceding, short_text
from newscorpus.extraction.fields.people import names_in, squeezed, starts_like_byline
from newscorpus.extraction.fields.visible import ASIDE, UPDATE, stands_aside
from newscorpus.text import collapse

DATE_MARK = re.compile(
    r"dat(?:e|um|a)(?!base)|time|fecha|pub(?:li|date|-)|stamp|posted|created|byline|meta(?!l)|dateline|cas\b|čas|vreme|vrijeme|дата"
)
"""Names of elements that hold a date."""
DATE_WORDS = re.compile(
    r"publi|veröff|erschien|erstellt|created|posted|written|objav|zveřej|zverej|vydán|dodan|opubl|опубл|дата|datum|date|data\b|stand"
    r"|fecha|published|submitted|added|дод|обј|δημοσ|ημερομ|yayın|등록|입력|发布|時間|时间|日期",
    re.IGNORECASE,
)
"""Words beside a date that make it the document's."""
AUTHOR_MARK = re.compile(
    r"author|byline|autor(?!i[sz])|auteur|verfasser|writer|avtor|reporter|journalist|redakteur|signature|p-name"
)
LEAD_MARK = re.compile(
    r"perex|\blead\b|\blede\b|lead[-_]|[-_]lead|standfirst|\bintro|vorspann|chapo|anons|sapo\b|\bdek\b|\bdeck\b|excerpt|abstract"
    r"|article[-_]?(?:summary|teaser|description|subtitle)|alternativeheadline"
)
MAX_REST = 40
"""Longest text, in characters, beside a date for it to be the document's without further signs."""
LOOK_AFTER, LOOK_BEFORE = 120, 40
"""Elements after and before the headline that are looked at; bylines stand within 60 on most pages."""
LOOK_EVERYWHERE = 6_000
"""Elements looked at where no source has given a date; the longest of the real news pages have 10,000."""
LEAD_CHARACTERS = range(40, 1_200)


def read_near(headline: HtmlElement, setting: Setting, description: str) -> Iterator[Evidence]:
    """Evidence of the lines around the headline: those after it first."""
    after = tuple(islice(following(headline), LOOK_AFTER))
    lines = [line for line in lines_of(after) if not ASIDE.search(line.marks)]
    yield from _dates(lines, setting)
    yield from _dates((line for line in lines_of(preceding(headline, LOOK_BEFORE)) if _is_dated(line)), setting)
    yield from _authors(lines)
    if lead := _lead(after, squeezed(description)):
        yield Evidence("lead", lead, "text")


def read_everywhere(tree: HtmlElement, setting: Setting) -> Iterator[Evidence]:
    """Evidence of the dates of the whole page, the most promising first."""
    body = tree.find("body")
    lines = lines_of(islice(body.iter("*"), LOOK_EVERYWHERE)) if body is not None else iter(())
    dated = [(line, next(find_dates(line.text, setting), None)) for line in lines if any(map(str.isdigit, line.text))]
    found = [(_promise(line, date), line, date) for line, date in dated if date]
    for _, line, date in sorted(found, key=lambda item: -item[0]):
        yield _evidence(line, date, 0)


def _dates(lines: Iterable[Line], setting: Setting) -> Iterator[Evidence]:
    for line in lines:
        end = 0
        for date in find_dates(line.text, setting):
            if len(line.text) - (date.end - date.start) <= MAX_REST or _is_dated(line):
                yield _evidence(line, date, end)
            end = date.end
        if not end and DATE_MARK.search(line.marks) and (value := parse_date(line.text, setting)):
            yield Evidence("modified" if UPDATE.search(line.text) else "published", value, "text")


def _evidence(line: Line, date: Dated, after: int) -> Evidence:
    """The date as claim: of an update, if the words before it (from `after`) or the element's name say so."""
    label = line.text[after : date.start]
    updated = UPDATE.search(label) if label.strip(" ,|·-–") else UPDATE.search(line.marks)
    return Evidence("modified" if updated else "published", date.value, "text")


def _is_dated(line: Line) -> bool:
    return bool(DATE_MARK.search(line.marks) or DATE_WORDS.search(line.text))


def _promise(line: Line, date: Dated) -> int:
    """How likely a date is the document's."""
    return (
        3 * bool(DATE_MARK.search(line.marks))
        + 2 * bool(DATE_WORDS.search(line.text))
        + 2 * (len(line.text) - (date.end - date.start) <= MAX_REST)
        - 4 * (bool(ASIDE.search(line.marks)) or stands_aside(line.element))
    )


def _authors(lines: Iterable[Line]) -> Iterator[Evidence]:
    for line in lines:
        for text in _author_texts(line):
            if any(map(_is_full_name, names_in(text))):
                yield Evidence("authors", text, "text")


def _author_texts(line: Line) -> Iterator[str]:
    """Texts of the innermost elements named for an author; else of a line that begins with "By"."""
    marked = [each for each in islice(line.element.iter("*"), 30) if AUTHOR_MARK.search(marks_of(each))]
    holders = {ancestor for each in marked for ancestor in each.iterancestors()}
    texts = [text for each in marked if each not in holders and (text := short_text(each))]
    if texts:
        yield from texts
    elif starts_like_byline(line.text):
        yield line.text


def _is_full_name(name: str) -> bool:
    parts = name.split()
    return 1 < len(parts) <= 4 and all(part[0].isupper() for part in (parts[0], parts[-1]))


def _lead(elements: Iterable[HtmlElement], description: str) -> str:
    """Text of the first element that is named for a lead or begins like the page's description."""
    for element in elements:
        if element.tag not in {"p", "div", "h2", "h3", "strong", "span", "section", "header"}:
            continue
        named = bool(LEAD_MARK.search(marks_of(element)))
        if not named and (not description or element.tag not in {"p", "h2", "h3", "div"}):
            continue
        text = plain(collapse(" ".join(element.itertext())))
        if len(text) in LEAD_CHARACTERS and (named or squeezed(text[:60]) == description[: len(squeezed(text[:60]))]):
            return text
    return ""
