"""What a block's place in the tree says: the elements around it, their kinds, and how the page's text is spread over them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newscorpus.data import Block, Element
from newscorpus.extraction.class_words import kinds_of

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

SEMANTIC_TAGS = (
    "article", "main", "aside", "nav", "header", "footer", "figure", "form", "table", "li", "blockquote", "section",
    "address", "details", "dialog", "select", "dl", "figcaption",
)  # fmt: skip
"""Elements that say what they hold; a block counts as inside if one of them is above it or is its own."""

SEMANTIC_NAMES = (*SEMANTIC_TAGS, "hidden", "article_body", "complementary")
"""The kinds of surroundings, a bit each: the tags, hidden by markup, `itemprop=articleBody`, a role that is not content."""

_TAG_BIT = {tag: 1 << bit for bit, tag in enumerate(SEMANTIC_TAGS)}
_HIDDEN, _ARTICLE_BODY, _COMPLEMENTARY = (1 << (len(SEMANTIC_TAGS) + bit) for bit in range(3))
_ASIDE_ROLES = ("complementary", "navigation", "banner", "contentinfo", "search", "dialog", "menu", "alert")
_PAGE_TAGS = frozenset({"html", "body"})  # their classes speak of the page, not of a box on it


@dataclass(frozen=True, slots=True)
class Structure:
    """The elements above the blocks, parents before children; arrays are per element unless they say otherwise.

    Attributes:
        parent: index of the parent; the root is its own.
        depth: number of ancestors.
        own_kinds, near_kinds, all_kinds: bits of `class_words.NAMES` for the element, for it and its two nearest
            ancestors, for it and all.
        surroundings: bits of `SEMANTIC_NAMES` for the element and all ancestors.
        path: a number for each way of tags and classes from the root.
        block_element, block_parent: per block, the index of its element and of its parent.
    """

    parent: Integers
    depth: Integers
    own_kinds: Integers
    near_kinds: Integers
    all_kinds: Integers
    surroundings: Integers
    path: Integers
    block_element: Integers
    block_parent: Integers


def read_structure(blocks: Sequence[Block]) -> Structure:
    """The structure around `blocks`."""
    elements = _Elements()
    block_element = [elements.index(block.element) for block in blocks]
    block_parent = [elements.parent[at] if block.whole else at for block, at in zip(blocks, block_element, strict=True)]
    parent = np.array(elements.parent, np.int64)
    own = np.array(elements.own_kinds, np.int64)
    return Structure(
        parent=parent,
        depth=np.array(elements.depth, np.int64),
        own_kinds=own,
        near_kinds=own | own[parent] | own[parent[parent]],
        all_kinds=np.array(elements.all_kinds, np.int64),
        surroundings=np.array(elements.surroundings, np.int64),
        path=np.array(elements.path, np.int64),
        block_element=np.array(block_element, np.int64),
        block_parent=np.array(block_parent, np.int64),
    )


def sum_below(structure: Structure, amounts: Floats) -> Floats:
    """Per element the sum of `amounts` (per block) over all blocks below it."""
    totals = np.bincount(structure.block_element, weights=amounts, minlength=len(structure.parent)).tolist()
    parent = structure.parent.tolist()
    for index in range(len(totals) - 1, 0, -1):
        totals[parent[index]] += totals[index]
    return np.array(totals)


def common_depth(structure: Structure, element: int) -> Integers:
    """Per element the depth of the nearest ancestor, or itself, that also holds `element`."""
    chain = {0}
    parent = structure.parent.tolist()
    while element not in chain:
        chain.add(element)
        element = parent[element]
    depth = structure.depth.tolist()
    common = [0] * len(parent)
    for index in range(1, len(parent)):
        common[index] = depth[index] if index in chain else common[parent[index]]
    return np.array(common, np.int64)


def main_container(structure: Structure, below: Floats, share: float) -> int:
    """The deepest element that holds at least `share` of what lies below the root; `below` as from `sum_below`."""
    holds = np.flatnonzero(below >= share * below[0])
    return int(holds[np.argmax(structure.depth[holds])]) if len(holds) else 0


class _Elements:
    """Elements seen so far, each read once."""

    def __init__(self) -> None:
        self.indices: dict[int, int] = {}
        self.paths: dict[tuple[int, str, str], int] = {}
        self.parent: list[int] = []
        self.depth: list[int] = []
        self.own_kinds: list[int] = []
        self.all_kinds: list[int] = []
        self.surroundings: list[int] = []
        self.path: list[int] = []

    def index(self, element: Element) -> int:
        known = self.indices.get(id(element))
        if known is not None:
            return known
        above = self.index(element.parent) if element.parent else -1
        at = self.indices[id(element)] = len(self.parent)
        own = self._kinds(element)
        key = (self.path[above] if above >= 0 else -1, element.tag, element.classes)
        self.parent.append(max(above, 0))
        self.depth.append(element.depth)
        self.own_kinds.append(own)
        self.all_kinds.append(own | self.all_kinds[above] if above >= 0 else own)
        self.surroundings.append(_surroundings(element) | (self.surroundings[above] if above >= 0 else 0))
        self.path.append(self.paths.setdefault(key, len(self.paths)))
        return at

    @staticmethod
    def _kinds(element: Element) -> int:
        if element.tag in _PAGE_TAGS or not (element.classes or element.id or element.role):
            return 0
        return kinds_of(f"{element.classes} {element.id} {element.role}")


def _surroundings(element: Element) -> int:
    bits = _TAG_BIT.get(element.tag, 0)
    if element.hidden:
        bits |= _HIDDEN
    if element.role:
        if "articleBody" in element.role:
            bits |= _ARTICLE_BODY
        if element.role.startswith(_ASIDE_ROLES):
            bits |= _COMPLEMENTARY
    return bits
