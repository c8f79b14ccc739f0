"""Read the short texts of a page in document order, each with the names of its element."""

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from lxml.html import HtmlElement

from newscorpus.page.fields.markup import holds_many, opening
from newscorpus.tokens import collapse

SHORT = 160
"""Longest text, in characters, taken for a line about the document rather than a part of it."""
UNSEEN = frozenset("head script style noscript template svg form select button iframe h1".split())
CODE = ("script", "style")
MAX_PIECES = 60
"""Maximum number of text nodes of a line, empty ones included."""
MARKS = ("class", "id", "itemprop", "rel")
TERMS = re.compile(r"(?:^|\s)(?:category|status|tag)-\S+")
"""Classes of a post for sections, tags and status: `tag-weather` does not make it a weather box, nor `status-publish` a
date."""
MAX_MARK = 1_000
"""Characters examined of a class or id; longer lists of classes only style the element."""
OPENING = 45
"""Characters at the beginning of a paragraph that are searched for a dateline."""
AROUND = 2
"""Ancestors of a line's element whose names count as its own."""
INSIDE = 10
"""Elements inside a line whose names count as its own."""


@dataclass(frozen=True)
class Line:
    """A separate short text; without slots, so that its names can be cached."""

    text: str  # white space collapsed
    # The outermost element of the text; the parent if the text stands beside elements.
    element: HtmlElement

    @cached_property
    def marks(self) -> str:
        """Return the names of the element, its descendants and ancestors, lower case; without icons."""
        inside = (each for each in self._inside if not _is_icon(each))
        around = (*inside, *islice(self.element.iterancestors(), AROUND))
        return " ".join(filter(None, map(marks_of, around)))

    @cached_property
    def icons(self) -> str:
        """Return the names of the line's icons, lower case."""
        return " ".join(marks_of(each) for each in self._inside if _is_icon(each))

    @property
    def _inside(self) -> Iterator[HtmlElement]:
        return islice(self.element.iter("*"), INSIDE)


def _is_icon(element: HtmlElement) -> bool:
    """Tell whether an element is empty: a calendar icon before a date is no calendar."""
    return not len(element) and not (element.text or "").strip()


def following(element: HtmlElement) -> Iterator[HtmlElement]:
    """Yield the elements after `element` in document order, its own content left out."""
    here: HtmlElement | None = element
    while here is not None and here.tag != "body":
        for sibling in here.itersiblings():
            yield from sibling.iter("*")
        here = here.getparent()


def preceding(element: HtmlElement, limit: int) -> list[HtmlElement]:
    """Return the last elements before `element` in document order, about `limit` at most, without ancestors."""
    found: list[HtmlElement] = []
    here: HtmlElement | None = element
    while here is not None and here.tag != "body" and len(found) < limit:
        for sibling in here.itersiblings(preceding=True):
            if len(found) < limit:
                found = [*islice(sibling.iter("*"), limit), *found]
        here = here.getparent()
    return found


def lines_of(elements: Iterable[HtmlElement], long: Container[HtmlElement]) -> Iterator[Line]:
    """Yield the short texts of `elements`, in order; elements inside an earlier line are skipped.

    Elements in `long` are known to be no lines and are not read.
    """
    taken: set[HtmlElement] = set()
    for element in elements:
        parent = element.getparent()
        # ASP.NET puts the whole page into a form
        is_whole_page = element.tag == "form" and next(element.iter("h1", "article"), None) is not None
        if (element.tag in UNSEEN and not is_whole_page) or parent in taken:
            taken.add(element)
            continue
        if text := "" if element in long else short_text(element):
            taken.add(element)
            yield Line(text, element)
        elif element.tag == "p" and (dateline := collapse(opening(element, 2 * OPENING, INSIDE))[:OPENING]):
            yield Line(dateline, element)
        elif text := _short(element.text):
            yield Line(text, element)
        if text := _short(element.tail):
            yield Line(text, element if parent is None else parent)


def _short(text: str | None) -> str:
    line = collapse(text[: 2 * SHORT]) if text else ""
    return line if len(line) <= SHORT else ""


def marks_of(element: HtmlElement) -> str:
    """Return an element's names: class, id, microdata etc., in lower case; without the terms of a post."""
    marks = " ".join([value[:MAX_MARK] for name in MARKS if (value := element.get(name))]).lower()
    return TERMS.sub(" ", marks) if "hentry" in marks else marks


def short_text(element: HtmlElement) -> str:
    """Return the text of an element if it is short; else ""."""
    if not len(element):
        text = element.text
        return collapse(text) if text and len(text.strip()) <= SHORT else ""
    if holds_many(element):  # first: elements without text would all be walked
        return ""
    found = list(islice(element.itertext(), MAX_PIECES + 1))
    is_short = len(found) <= MAX_PIECES and 0 < sum(map(len, map(str.strip, found))) <= SHORT
    if not is_short or next(element.iter(*CODE), None) is not None:
        return ""
    return collapse(" ".join(found))


def long_ones(elements: Sequence[HtmlElement]) -> set[HtmlElement]:
    """Return those `elements`, given in document order, whose texts are too long for a line.

    Each text is measured once. Some may be missing if the descendants of the last ones are not among `elements`.
    """
    long: set[HtmlElement] = set()
    lengths: dict[HtmlElement | None, int] = {}
    for element in reversed(elements):
        length = lengths.get(element, 0)
        if length <= SHORT and (text := element.text):
            length += len(text.strip())
        if length > SHORT:
            long.add(element)
        parent = element.getparent()
        beside = lengths.get(parent, 0)
        if beside <= SHORT:
            tail = element.tail
            lengths[parent] = beside + length + (len(tail.strip()) if tail else 0)
    return long
