"""Read the texts in an element as far as they are needed: what is asked for may be the whole page, and often."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from lxml import etree
from lxml.html import HtmlElement

from newscorpus.page.parsing.segment import BLOCK_TAGS

MAX_INSIDE = 1_000
"""Elements inside another that are looked at; a paragraph of our sets has 411 at most, a heading seldom 10."""

LINES = BLOCK_TAGS | {"br"}
"""Elements at whose ends a line ends."""
LINE_END = "\n"


def holds_many(element: HtmlElement) -> bool:
    """Whether an element holds more elements than are looked at."""
    return next(islice(element.iter(), MAX_INSIDE, None), None) is not None


def opening(element: HtmlElement, characters: int, inside: int = MAX_INSIDE) -> str:
    """The first `characters` of the text of an element."""
    text = element.text or ""
    if len(text) < characters and len(element):  # unlike most elements
        text = "".join(enough(pieces(element, inside=inside), characters))
    return text[:characters]


def enough(found: Iterable[str], characters: int) -> Iterator[str]:
    """The first texts, up to the one that makes them longer than `characters`."""
    length = 0
    for piece in found:
        yield piece
        length += len(piece)
        if length > characters:
            return


def pieces(
    element: HtmlElement, skips: Callable[[HtmlElement], bool] | None = None, inside: int = MAX_INSIDE
) -> Iterator[str]:
    """The runs of text in an element and the first elements inside it, without those that `skips` names.

    Where a line ends, at a `<br>` and around a block-level element, stands a run of its own.
    """
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, each in islice(walk, 2 * inside):
        if each is not element and each.tag in LINES:
            yield LINE_END
        if event == "end":
            if each is not element and each.tail:
                yield each.tail
        elif skips and skips(each):
            walk.skip_subtree()
        elif each.text:
            yield each.text
