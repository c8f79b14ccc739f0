"""Read date, authors and lead from the text near the headline, or else anywhere on the page."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice, pairwise
from operator import itemgetter
from urllib.parse import urlsplit

from lxml.html import HtmlElement

from newscorpus.data import Evidence
from newscorpus.page.fields.dates import WORDS, Dated, Setting, find_dates, parse_date
from newscorpus.page.fields.markup import MAX_CHARACTERS, opening, plain
from newscorpus.page.fields.nearby import Line, following, lines_of, long_ones, marks_of, preceding, short_text
from newscorpus.page.fields.people import (
    AGENCY_NAMES,
    REVIEW,
    SOURCE,
    is_agency,
    is_personal_name,
    names_in,
    squeezed,
    without_prefix,
)
from newscorpus.page.fields.visible import ASIDE, AUTHOR_LINK, FOREIGN, PUBLISHED, UPDATE, is_elsewhere, stands_aside
from newscorpus.tokens import fold

DATE_MARK = re.compile(
    r"dat(?:e|um|a)(?!base)|time|fecha|pub(?:li|date|-)|stamp|posted|created|byline|meta(?!l)|dateline|cas\b|čas|vreme|vrijeme|дата"
)
"""Names of elements with a date."""
DATE_ICON = re.compile(f"{DATE_MARK.pattern}|calendar|clock")
"""Names of icons before a date."""
DATE_WORDS = re.compile("|".join(WORDS["labels"].split()), re.IGNORECASE)
"""Words beside a date that mark it as the document's."""
BEFORE_DATE = re.compile(rf"(?<!\S)(?:{'|'.join(WORDS['before'].split())})\s*$", re.IGNORECASE)
DATE_LABEL = re.compile(
    rf"(?<!\w)(?:[^\W\d_]+ (?-i:(?=[a-zà-ž])))?\w*(?:{'|'.join((*WORDS['labels'].split(), *WORDS['updates'].split()))})"
    r"\w*(?: [^\W\d_]+)?\s*:\s*$",
    re.IGNORECASE,
)
"""A label right before a date: "Objavljeno:", "Zadnja izmjena:", "Data utworzenia:"."""
AUTHOR_MARK = re.compile(
    r"author|byline|autor(?!i[sz])|auteur|verfasser|writer|avtor|reporter|journalist|redakteur|signature|p-name|\bvcard\b|\bfn\b"
)
ROLE_MARK = re.compile(r"title|role|position|\bjob")
"""Names of elements with an author's office or description."""
HAS_DIGIT = re.compile(r"\d")
MARKED = re.compile("author|byline|autor|avtor|vcard")
"""Classes of most author elements."""
POST_AUTHORS = re.compile(r"(?:post|article|entry)[-_]*authors?(?=$|[\s_-])")
"""Classes of boxes that introduce the authors of an article, anywhere on the page."""
NAME_TAGS = ("a", "b", "strong", "h2", "h3", "h4", "h5", "h6", "dt", "cite")
MAX_MARKED = 20
LEAD_MARK = re.compile(
    r"perex|\blead\b|\blede\b|lead[-_]|[-_]lead|standfirst|\bintro|vorspann|chapo|anons|sapo\b|\bdek\b|\bdeck\b|excerpt|abstract"
    r"|article[-_]?(?:summary|teaser|description|subtitle)|alternativeheadline"
)
MAX_REST = 40
"""Longest text, in characters, beside a date that counts as the document's without further signs."""
LOOK_AFTER, LOOK_BEFORE = 50, 20
"""Elements examined after and before the headline; with twice as many, more dates are wrong (2026-11)."""
INSIDE, FAR_INSIDE = 12, 60
"""Elements of a line searched for names of authors, and the limit where the first ones have no text."""
LOOK_EVERYWHERE = 3_000
"""Elements examined where no source has given a value; 95 of 100 pages of our sets have fewer than 1,900."""
LEAD_TAGS = frozenset({"p", "div", "h2", "h3", "strong", "span", "section", "header"})
OPENING = 60
"""A paragraph that begins with this many characters of the description is the lead."""
LEAD_CHARACTERS = range(40, 1_200)
CACHED = 4_096
"""Number of cached names of elements; pages of a site share some hundreds."""
names_author, names_lead = lru_cache(CACHED)(AUTHOR_MARK.search), lru_cache(CACHED)(LEAD_MARK.search)


def near(headline: HtmlElement) -> tuple[list[HtmlElement], list[HtmlElement]]:
    """Return the elements before and after the headline, nearest first, that may hold bylines."""
    return preceding(headline, LOOK_BEFORE)[::-1][:LOOK_BEFORE], list(islice(following(headline), LOOK_AFTER))


def read_near(
    before: Sequence[HtmlElement],
    after: Sequence[HtmlElement],
    around: Collection[HtmlElement],
    setting: Setting,
    *,
    with_dates: bool,
) -> Iterator[Evidence]:
    """Yield evidence of authors and dates, these only `with_dates`, from the lines around the headline.

    Elements named for dates come first, by their distance from the headline. Other dates above it are ignored, since
    pages show the current time there, and so are those after the first paragraph. Lines of other documents, outside the
    elements `around` the headline, are left out.
    """
    long = long_ones(after)
    lines = tuple(lines_of(after, long))
    if with_dates:
        named, others = _dated_lines(lines, setting)
        text = next((place for place, each in enumerate(after) if each.tag == "p" and each in long), len(after))
        later = frozenset(after[text + 1 :])
        others = [line for line in others if line.element not in later]
        above, _ = _dated_lines(lines_of(before, long_ones(before[::-1])), setting)
        distances = {element: place for side in (after, before) for place, element in enumerate(side)}
        for line in (*sorted((*named, *above), key=lambda line: distances.get(line.element, 0)), *others):
            if is_elsewhere(line.element, around):
                continue
            end = 0
            for date in find_dates(line.text, setting):
                is_short = len(line.text) - (date.end - date.start) <= MAX_REST
                labels = (words.search(line.text, end, date.start) for words in (DATE_WORDS, UPDATE))
                if is_short or _is_marked_as_date(line) or any(labels):
                    yield _evidence(line, date, end)
                end = date.end
            is_relative = not end and setting.fetched and _is_marked_as_date(line)
            if is_relative and (value := parse_date(line.text, setting)):
                yield Evidence("modified" if UPDATE.search(line.text) else "published", value, "text")
    yield from _authors(lines, around, setting)


def read_everywhere(
    tree: HtmlElement, around: Collection[HtmlElement], setting: Setting, *, with_authors: bool
) -> Iterator[Evidence]:
    """Yield the dates of the whole page, most promising first, and `with_authors` the first author."""
    body = tree.find("body")
    elements = list(islice(body.iter("*"), LOOK_EVERYWHERE)) if body is not None else []
    lines = tuple(lines_of(elements, long_ones(elements)))
    dated: list[tuple[int, Line, Dated]] = []
    for line in lines:
        date = next(find_dates(line.text, setting), None) if HAS_DIGIT.search(line.text) else None
        if date is None or (around and is_elsewhere(line.element, around)):
            continue
        promise = (
            3 * _is_marked_as_date(line)
            + 2 * bool(DATE_WORDS.search(line.text))
            + 2 * (len(line.text) - (date.end - date.start) <= MAX_REST)
            - 4 * (bool(ASIDE.search(line.marks)) or stands_aside(line.element))
        )
        dated.append((promise, line, date))
    for _, line, date in sorted(dated, key=itemgetter(0), reverse=True):
        yield _evidence(line, date, 0)
    if with_authors:
        yield from islice(_authors(lines, around, setting), 1)


def read_marked(tree: HtmlElement, around: Collection[HtmlElement], setting: Setting) -> Iterator[Evidence]:
    """Yield the authors named by the first author element anywhere on the page, or introduced in a box."""
    marked = (
        each
        for each in tree.iter("*")
        if each.tag == "address"
        or each.get("rel") == "author"
        or ((classes := each.get("class")) and MARKED.search(classes))
    )
    own = [each for each in islice(marked, MAX_MARKED) if not around or not is_elsewhere(each, around)]
    lines = [Line(text, element) for element in own if (text := short_text(element))]
    if named := next(_authors(lines, (), setting), None):
        yield named
        return
    for box in own:
        if POST_AUTHORS.search(marks_of(box)):  # it introduces each person by a picture or a few words
            texts = (short_text(each) for each in islice(box.iter(*NAME_TAGS), INSIDE))
            names = dict.fromkeys(name for text in texts for name in names_in(text) if is_personal_name(name))
            yield Evidence("authors", ", ".join(names), "text")
            return


def read_lead(after: Iterable[HtmlElement], description: str) -> Iterator[Evidence]:
    """Yield the first element after the headline that is named for a lead or begins like the page's description."""
    wanted = squeezed(description[:OPENING])
    for element in after:
        if element.tag not in LEAD_TAGS:
            continue
        may_begin = wanted and element.tag in {"p", "h2", "h3"}
        begins = may_begin and squeezed(opening(element, 2 * OPENING)).startswith(wanted)
        if begins or names_lead(marks_of(element)):
            text = plain(opening(element, 2 * MAX_CHARACTERS))
            if len(text) in LEAD_CHARACTERS:
                yield Evidence("lead", text, "text")
                return


def _dated_lines(lines: Iterable[Line], setting: Setting) -> tuple[list[Line], list[Line]]:
    """Return lines named for a date, and the others with a digit; those in comments and the like are dropped.

    The former may lack a digit if they have words such as "yesterday" or "an hour ago".
    """
    parts: tuple[list[Line], list[Line]] = ([], [])
    for line in lines:
        has_digit = HAS_DIGIT.search(line.text)
        is_relative = not has_digit and setting.fetched and _is_marked_as_date(line) and parse_date(line.text, setting)
        if (has_digit or is_relative) and not FOREIGN.search(line.marks):
            parts[not (_is_marked_as_date(line) or DATE_WORDS.search(line.text))].append(line)
    return parts


def _evidence(line: Line, date: Dated, after: int) -> Evidence:
    """Make evidence of a date: of an update, if the words before it (from `after`) or the element's name say so."""
    label = line.text[after : date.start]
    named = UPDATE.search(line.marks) and not PUBLISHED.search(line.marks)
    updated = UPDATE.search(label) if label.strip(" ,|·-–") else named
    return Evidence("modified" if updated else "published", date.value, "text")


def _is_marked_as_date(line: Line) -> bool:
    return bool(DATE_MARK.search(line.marks) or DATE_ICON.search(line.icons))


def _authors(lines: Iterable[Line], around: Collection[HtmlElement], setting: Setting) -> Iterator[Evidence]:
    """Yield the names of each line together; `around` is empty for lines known to be the document's."""
    for line in lines:
        inside = list(islice(line.element.iter("*"), FAR_INSIDE))
        if is_marked := any(map(_names_author, inside[:INSIDE])):
            # Portraits before the names: the first elements have no text.
            texts = _innermost_texts(inside[:INSIDE]) or _innermost_texts(inside)
        elif without_prefix(line.text) != line.text:
            # The name may stand in an element of its own, before the person's role.
            parts = map(short_text, inside[1:INSIDE])
            texts = [line.text, *(part for part in parts if without_prefix(part) != part)]
        else:
            texts = list(filter(is_agency, names_in(line.text))) if SOURCE.match(line.text) else []
        names: dict[str, None] = {}
        for text in texts:
            # Dates become separators, with the label right before them; labels elsewhere would be taken for names.
            people = without_prefix(text)
            is_labelled = DATE_WORDS.search(people) or UPDATE.search(people)
            for date in reversed(list(find_dates(people, setting))):
                before, n_labels = DATE_LABEL.subn("", people[: date.start])
                if n_labels or not is_labelled:
                    people = f"{BEFORE_DATE.sub('', before)} | {people[date.end :]}"
            names |= dict.fromkeys(name for name in names_in(people) if is_personal_name(name) or is_agency(name))
        if is_marked and line.text not in texts:  # an agency stands beside the links to people
            names |= dict.fromkeys(name for name in names_in(line.text) if name in AGENCY_NAMES)
        links_author = around and is_marked and any(each.tag == "a" for each in inside)
        if not names or (not links_author and (ASIDE.search(line.marks) or stands_aside(line.element))):
            continue
        if not around or not is_elsewhere(line.element, around):
            yield Evidence("authors", ", ".join(names), "text")


def _names_author(element: HtmlElement) -> bool:
    is_link = element.tag == "a" and AUTHOR_LINK.search(element.get("href", ""))
    marks = marks_of(element)
    return bool(is_link or (names_author(marks) and not ROLE_MARK.search(marks)))


def _innermost_texts(elements: Iterable[HtmlElement]) -> list[str]:
    """Return short texts of those `elements` that are named for an author and contain no other such element."""
    marked = list(filter(_names_author, elements))
    holders = {holder for each in marked for holder in islice(each.iterancestors(), INSIDE)}
    own = (each for each in marked if each not in holders and not REVIEW.search(_text_before(each)))
    return [text for each in own if (text := _listed_persons(each) or short_text(each) or _name_beside(each))]


def _name_beside(link: HtmlElement) -> str:
    """Return the name beside a link without text, such as a portrait, whose address spells it; "" for none."""
    slug = urlsplit(link.get("href", "")).path.rstrip("/").rpartition("/")[2]
    beside = link.getnext()
    texts = (short_text(each) for each in islice(beside.iter("*"), INSIDE)) if beside is not None and slug else ()
    return next((text for text in texts if squeezed(fold(text)) == squeezed(slug)), "")


def _listed_persons(element: HtmlElement) -> str:
    """Join the names in an element's parts if there is nothing between two of them; "" elsewhere."""
    parts = [*islice(element, INSIDE)]
    persons = [part for part in parts if is_personal_name(short_text(part))] if len(parts) > 1 else []
    is_list = any(one.getnext() is other and not (one.tail or "").strip() for one, other in pairwise(persons))
    return ", ".join(map(short_text, persons)) if is_list else ""


def _text_before(element: HtmlElement) -> str:
    """Return the text before an element in its parent, or that of the element before it."""
    before = element.getprevious()
    if before is None:
        return element.getparent().text or "" if element.getparent() is not None else ""
    return before.tail if before.tail and before.tail.strip() else short_text(before)
