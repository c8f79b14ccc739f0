"""Short texts of a page, each with what its element is called, in the order in which the page shows them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from lxml.html import HtmlElement

from newscorpus.text import collapse

SHORT = 160
"""Longest text, in characters, that is taken as a line about the document rather than a piece of it."""
UNSEEN = frozenset(
    {"head", "script", "style", "noscript", "template", "svg", "form", "select", "button", "iframe", "h1"}
)
CODE = ("script", "style")
MAX_PIECES = 60
"""Most runs of text of a line, empty ones among them."""
MARKS = ("class", "id", "itemprop", "rel")
OPENING = 45
"""Characters at the beginning of a paragraph in which its dateline stands."""
AROUND = 2
"""Ancestors of a line's element whose names count as its own."""
INSIDE = 10
"""Elements inside a line whose names count as its own."""


@dataclass(frozen=True, slots=True)
class Line:
    """A short text of its own.

    Attributes:
        text: white space collapsed.
        element: the outermost element that holds the text; where the text stands beside elements, what is around it.
    """

    text: str
    element: HtmlElement

    @property
    def marks(self) -> str:
        """What the element, those inside and those around it are called, lower case."""
        around = (*islice(self.element.iter("*"), INSIDE), *islice(self.element.iterancestors(), AROUND))
        return " ".join(filter(None, map(marks_of, around)))


def following(element: HtmlElement) -> Iterator[HtmlElement]:
    """The elements after `element` in document order, its own content left out."""
    here: HtmlElement | None = element
    while here is not None and here.tag != "body":
        for sibling in here.itersiblings():
            yield from sibling.iter("*")
        here = here.getparent()


def preceding(element: HtmlElement, limit: int) -> list[HtmlElement]:
    """The last elements before `element` in document order, at most about `limit`, ancestors left out."""
    found: list[HtmlElement] = []
    here: HtmlElement | None = element
    while here is not None and here.tag != "body" and len(found) < limit:
        for sibling in here.itersiblings(preceding=True):
            if len(found) < limit:
                found = [*islice(sibling.iter("*"), limit), *found]
        here = here.getparent()
    return found


def lines_of(elements: Iterable[HtmlElement]) -> Iterator[Line]:
    """The short texts of `elements`, which come in document order; what is inside a line is no further line."""
    taken: set[HtmlElement] = set()
    for element in elements:
        parent = element.getparent()
        if element.tag in UNSEEN or parent in taken:
            taken.add(element)
            continue
        text = short_text(element)
        if text:
            taken.add(element)
            yield Line(text, element)
        elif element.tag == "p" and (opening := collapse((element.text_content())[: 2 * OPENING])[:OPENING]):
            yield Line(opening, element)
        elif element.text and (text := collapse(element.text[: 2 * SHORT])) and len(text) <= SHORT:
            yield Line(text, element)
        if element.tail and (text := collapse(element.tail[: 2 * SHORT])) and len(text) <= SHORT:
            yield Line(text, element if parent is None else parent)


def marks_of(element: HtmlElement) -> str:
    """What an element is called: class, id, microdata and the like, in lower case."""
    return " ".join([value for name in MARKS if (value := element.get(name))]).lower()


def short_text(element: HtmlElement) -> str:
    """Text of an element if it is short; "" otherwise."""
    pieces: list[str] = []
    length = 0
    for piece in element.itertext():
        pieces.append(piece)
        length += len(piece.strip())
        if length > SHORT or len(pieces) > MAX_PIECES:
            return ""
    if not length or (len(element) and next(element.iter(*CODE), None) is not None):
        return ""
    return collapse(" ".join(pieces))
