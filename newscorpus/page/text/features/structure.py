"""Read the elements around the blocks: positions, names, and the distribution of the text.

Page designers nearly always name boxes in English, sometimes in their own language. The class, id and role of an
element are split into words (`articleBody` and `article-body` into article, body); a word indicates the kinds whose
patterns it contains. Words recur between sites, so their kinds are cached.

The elements are numbered in document order: descendants follow their element without a gap, so sums over them are
differences of two running sums.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from newscorpus.arrays import Floats, Integers
from newscorpus.data import Block, Element
from newscorpus.page.parsing.segment import elements_around
from newscorpus.resources import read_toml

KINDS: Mapping[str, str] = read_toml(__package__, "class_words.toml")
"""Kinds of boxes, and the patterns of their words, separated by white space."""
NAMES = tuple(KINDS)
_ALL_KINDS = (1 << len(NAMES)) - 1

_PATTERNS = tuple(re.compile("|".join(patterns.split())) for patterns in KINDS.values())
_WORD = re.compile(r"[A-Z]?[a-zà-ž]+|[A-Z]+(?![a-z])")


def kinds_of(name: str) -> int:
    """Return the kinds indicated by `name` (classes, id and role of an element, joined by spaces), as bits."""
    kinds = 0
    for word in _WORD.findall(name):
        kinds |= _kinds_of_word(word[:MAX_WORD].lower())
    return kinds


DATA_NAMES = ("article", "content", "comment", "related", "share", "advert", "subscribe", "embed")
"""Kinds searched for in `data-` attributes, `aria-label` and names of custom elements."""
_DATA_BITS = [NAMES.index(name) for name in DATA_NAMES]


@lru_cache(maxsize=20_000)
def kinds_of_data(data: str) -> int:
    """Return the kinds of `DATA_NAMES` indicated by `data` (as `Element.data`), as bits."""
    kinds = kinds_of(data)
    return sum((kinds >> bit & 1) << place for place, bit in enumerate(_DATA_BITS))


@lru_cache(maxsize=50_000)
def _kinds_of_word(word: str) -> int:
    return sum(1 << bit for bit, pattern in enumerate(_PATTERNS) if pattern.search(word))


SEMANTIC_TAGS = (
    "article", "main", "aside", "nav", "header", "footer", "figure", "form", "table", "li", "blockquote", "section",
    "address", "details", "dialog", "select", "dl", "figcaption",
)  # fmt: skip
"""Semantic elements; a block counts as inside if one is above it or its own."""

SEMANTIC_NAMES = (*SEMANTIC_TAGS, "hidden", "article_body", "complementary")
"""Kinds of surroundings, one bit each: the tags, hidden by markup, `itemprop=articleBody`, a non-content role."""

_TAG_BIT = {tag: 1 << bit for bit, tag in enumerate(SEMANTIC_TAGS)}
_HIDDEN, _ARTICLE_BODY, _COMPLEMENTARY = (1 << (len(SEMANTIC_TAGS) + bit) for bit in range(3))
_ASIDE_ROLES = ("complementary", "navigation", "banner", "contentinfo", "search", "dialog", "menu", "alert")
CACHED = 20_000
"""Number of cached names of elements: the pages of a site share most of them."""
MAX_CACHED = 1_000
"""Longest names that are cached, so that the cache takes at most 20 MB."""
MAX_WORD = 100
"""Letters examined of a word in a name."""

_PAGE_TAGS = frozenset({"html", "body"})  # their classes describe the page, not a box


@dataclass(frozen=True, slots=True)
class Structure:
    """The elements above the blocks, in document order; arrays are per element unless they say otherwise."""

    parent: Integers  # index of the parent; the root is its own
    end: Integers  # one past the index of the last element below
    # Number of ancestors. own_kinds, near_kinds, all_kinds: bits of `NAMES` for the element, with its two nearest
    # ancestors, with all ancestors.
    depth: Integers
    own_kinds: Integers
    near_kinds: Integers
    all_kinds: Integers
    data_kinds: Integers  # bits of `DATA_NAMES` for the element and its two nearest ancestors
    surroundings: Integers  # bits of `SEMANTIC_NAMES` for the element and all ancestors
    # Number of the path (tags and classes from the root). block_element, block_parent: per block, the index of its
    # element and of its parent.
    path: Integers
    block_element: Integers
    block_parent: Integers


def read_structure(blocks: Sequence[Block]) -> Structure:
    """Read the structure around `blocks`, given in document order."""
    elements = {element: at for at, element in enumerate(elements_around(blocks))}
    block_element = np.array([elements[block.element] for block in blocks])
    parent = [elements[element.parent] if element.parent else -1 for element in elements]
    sizes = [1] * len(parent)  # of the subtrees
    for at in range(len(parent) - 1, 0, -1):
        sizes[parent[at]] += sizes[at]
    own = [_read(each) for each in elements]
    inherited, path = [0], [-1]  # those above the root
    paths: dict[tuple[int, str, str], int] = {}
    for element, at, bits in zip(elements, parent, own, strict=True):
        inherited.append(bits | inherited[at + 1])
        path.append(paths.setdefault((path[at + 1], element.tag, element.classes), len(paths)))
    parents, own_bits, all_bits = np.maximum(parent, 0), np.array(own), np.array(inherited[1:])
    own_kinds = own_bits & _ALL_KINDS
    data = np.array([kinds_of_data(each.data) if each.data else 0 for each in elements])
    is_whole = np.array([block.whole for block in blocks], bool)
    return Structure(
        parent=parents,
        end=np.arange(len(elements)) + sizes,
        depth=np.array([element.depth for element in elements]),
        own_kinds=own_kinds,
        near_kinds=own_kinds | own_kinds[parents] | own_kinds[parents[parents]],
        all_kinds=all_bits & _ALL_KINDS,
        data_kinds=data | data[parents] | data[parents[parents]],
        surroundings=all_bits >> len(NAMES),
        path=np.array(path[1:]),
        block_element=block_element,
        block_parent=np.where(is_whole, parents[block_element], block_element),
    )


def sum_below(structure: Structure, *amounts: Floats) -> Floats:
    """Sum `amounts` (each per block, in whole numbers) over all blocks below each element.

    Returns: shape (amounts, elements).
    """
    n = len(structure.parent)
    sums = np.zeros((len(amounts), n + 1))
    for row, values in zip(sums, amounts, strict=True):
        np.cumsum(np.bincount(structure.block_element, weights=values, minlength=n), out=row[1:])
    below: Floats = sums[:, structure.end] - sums[:, :-1]
    return below


def common_depth(structure: Structure, element: int) -> Integers:
    """Return per element the depth of its lowest common ancestor with `element`."""
    chain = [element]
    while parent := int(structure.parent[chain[-1]]):
        chain.append(parent)
    common = np.zeros(len(structure.parent), np.int64)
    for at in reversed(chain):
        common[at : structure.end[at]] = structure.depth[at]
    return common


def main_container(structure: Structure, below: Floats, share: float) -> int:
    """Return the deepest element with at least `share` of the root's amount; `below` as from `sum_below`."""
    holds = np.flatnonzero(below >= share * below[0])
    return int(holds[np.argmax(structure.depth[holds])])


def _read(element: Element) -> int:
    """Return the kinds of an element: bits of `NAMES` and, above these, of `SEMANTIC_NAMES`."""
    is_long = len(element.classes) + len(element.id) + len(element.role) > MAX_CACHED
    read = _read_names.__wrapped__ if is_long else _read_names
    return read(element.tag, element.classes, element.id, element.role, element.hidden)


@lru_cache(CACHED)
def _read_names(tag: str, classes: str, identifier: str, role: str, hidden: bool) -> int:
    bits = _TAG_BIT.get(tag, 0) | (_HIDDEN if hidden else 0)
    bits |= _ARTICLE_BODY if "articleBody" in role else 0
    bits |= _COMPLEMENTARY if role.startswith(_ASIDE_ROLES) else 0
    kinds = 0 if tag in _PAGE_TAGS else kinds_of(f"{classes} {identifier} {role}")
    return kinds | bits << len(NAMES)
