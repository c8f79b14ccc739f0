"""Measure how much text of what kind every element of a tree holds, in one walk."""

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from lxml import etree
from lxml.html import HtmlElement

from newscorpus.page.parsing.segment import BLOCK_TAGS, INVISIBLE_TAGS
from newscorpus.tokens import collapse, count_words

SENTENCE_END = re.compile(r"[.!?…。！？]+(?=[\s\"'”’»)\]]|\Z)|[。！？]")


class Amounts(NamedTuple):
    """Counts over the visible text in an element, that of its descendants included; white space collapsed.

    Attributes:
        depth: number of elements around it.
        blocks: block-level elements in it.
    """

    depth: int = 0
    blocks: int = 0
    characters: int = 0
    words: int = 0
    sentences: int = 0
    letters: int = 0
    digits: int = 0
    punctuation: int = 0
    spaces: int = 0


Counts = tuple[int, ...]
"""The attributes of `Amounts` but for the first, in their order."""

NOTHING: Counts = (0,) * (len(Amounts._fields) - 1)
BLOCK: Counts = (1, *NOTHING[1:])


def measure_amounts(tree: HtmlElement, depth: int = 0) -> dict[HtmlElement, Amounts]:
    """The amounts of each element whose text is visible; `tree` has `depth` ancestors. A tag parts words."""
    found: dict[HtmlElement, Amounts] = {}
    walk = etree.iterwalk(tree, events=("start", "end"))
    for event, element in walk:
        if event == "end":
            depth -= 1
            if element.tag not in INVISIBLE_TAGS:
                found[element] = Amounts(depth, *_inside(element, found))
            continue
        depth += 1
        if element.tag in INVISIBLE_TAGS:
            walk.skip_subtree()
    return found


def measure_some(
    elements: Iterable[HtmlElement], is_wanted: Callable[[HtmlElement], bool]
) -> dict[HtmlElement, Amounts]:
    """The amounts of those of `elements`, visible ones in document order, that are wanted, and of all in them.

    This is cheaper than to measure a whole tree.
    """
    found: dict[HtmlElement, Amounts] = {}
    for element in elements:
        if element not in found and is_wanted(element):
            found |= measure_amounts(element, sum(1 for _ in element.iterancestors()))
    return found


def _inside(element: HtmlElement, found: dict[HtmlElement, Amounts]) -> Counts:
    parts = [_count(element.text)]
    for child in element:
        if child in found:
            parts.append(found[child][1:])
        if child.tag in BLOCK_TAGS:
            parts.append(BLOCK)
        parts.append(_count(child.tail))
    held = [part for part in parts if part is not NOTHING]  # most elements hold one text, or none
    return tuple(map(sum, zip(*held, strict=True))) or NOTHING


def _count(text: str | None) -> Counts:
    run = collapse(text) if text else ""
    if not run:
        return NOTHING
    letters, digits, spaces = sum(map(str.isalpha, run)), sum(map(str.isdigit, run)), run.count(" ")
    punctuation = len(run) - letters - digits - spaces
    return 0, len(run), count_words(run), len(SENTENCE_END.findall(run)), letters, digits, punctuation, spaces
