"""Describe the elements of a tree by hashed features, and score them by linear models (Kazennikov 2013).

Features are binary and have names; numbers are binned. Each name is hashed to one of `COLUMNS` columns, so an element
is a list of columns and a linear model has one weight per column.
"""

import re
import zlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from math import log2
from typing import NamedTuple

import numpy as np
from lxml import etree
from lxml.html import HtmlElement
from numpy.typing import NDArray

from newscorpus.arrays import Floats, Integers
from newscorpus.artifacts import load_artifact
from newscorpus.model_folders import METADATA, ArtifactError
from newscorpus.page.parsing.segment import BLOCK_TAGS, INVISIBLE_TAGS
from newscorpus.tokens import collapse, count_words

COLUMNS = 2**17
"""Feature names may collide: training has some 100,000 names of classes and their parts."""

GROUPS = ("amounts", "structure", "tags", "names")
"""The four groups of features of the paper, in its order."""

MAX_NAME = 100
"""Characters examined of an element's classes and id."""
MAX_PAIRS = 6
"""Names of an element and of its parent that are combined."""
NAME_PARTS = (2, 3, 4)
"""Lengths of the character n-grams of names."""
CACHED = 1_024
"""Number of cached names of each kind, some 2 kB each: the pages of a site share them."""

WEIGHTS = "weights.npy"
"""The file of the weights: shape (columns, outputs), in half precision."""
BIAS, DECIDES = "bias", "decides"
"""The model's parameters: the bias of each output; 1 where a field model also decides on declared fields."""
FEATURES = tuple(f"{group}, hashed to {COLUMNS}" for group in GROUPS)

Hashed = tuple[list[int], list[float]]
"""Columns of hashed feature names, and the value in each."""

SENTENCE_END = re.compile(r"[.!?…。！？]+(?=[\s\"'”’»)\]]|\Z)|[。！？]")

Counts = tuple[int, ...]
"""The attributes of `Amounts` except the first, in order."""


class Amounts(NamedTuple):
    """Counts over the visible text of an element and its descendants; white space collapsed.

    Attributes:
        depth: number of ancestors.
        blocks: number of block-level descendants.
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


NOTHING: Counts = (0,) * (len(Amounts._fields) - 1)
BLOCK: Counts = (1, *NOTHING[1:])


def measure_amounts(tree: HtmlElement, depth: int = 0) -> dict[HtmlElement, Amounts]:
    """Measure each element with visible text; `tree` has `depth` ancestors. Tags separate words."""
    found: dict[HtmlElement, Amounts] = {}
    walk = etree.iterwalk(tree, events=("start", "end"))
    for event, element in walk:
        if event == "end":
            depth -= 1
            if element.tag not in INVISIBLE_TAGS:
                parts = [_count(element.text)]
                for child in element:
                    if child in found:
                        parts.append(found[child][1:])
                    if child.tag in BLOCK_TAGS:
                        parts.append(BLOCK)
                    parts.append(_count(child.tail))
                held = [part for part in parts if part is not NOTHING]  # most elements hold one text, or none
                found[element] = Amounts(depth, *(tuple(map(sum, zip(*held, strict=True))) or NOTHING))
            continue
        depth += 1
        if element.tag in INVISIBLE_TAGS:
            walk.skip_subtree()
    return found


def _count(text: str | None) -> Counts:
    run = collapse(text) if text else ""
    if not run:
        return NOTHING
    letters, digits, spaces = sum(map(str.isalpha, run)), sum(map(str.isdigit, run)), run.count(" ")
    punctuation = len(run) - letters - digits - spaces
    return 0, len(run), count_words(run), len(SENTENCE_END.findall(run)), letters, digits, punctuation, spaces


@dataclass(frozen=True, slots=True)
class Nodes:
    """The elements of a page with text, and their features."""

    elements: tuple[HtmlElement, ...]  # in document order
    amounts: tuple[Amounts, ...]  # of the text in each, its descendants' included
    columns: Integers  # of all features present, element by element, each below `COLUMNS`
    values: Floats  # of these features: 1, but the parts of a long name together weigh as much as one feature
    starts: Integers  # index in `columns` of each element's first feature

    def features_of(self, place: int) -> slice:
        """Return the slice of `columns` and `values` for the element at `place`."""
        return slice(self.starts[place], self.starts[place + 1] if place + 1 < len(self.starts) else None)


def describe(tree: HtmlElement, tags: frozenset[str], groups: tuple[str, ...] = GROUPS) -> Nodes:
    """Describe the elements of `tree` with one of `tags` and with text, by the features of `groups`."""
    measured = measure_amounts(tree)
    elements = [element for element in tree.iter(*tags) if element in measured and measured[element].characters]
    return describe_elements(elements, [measured[element] for element in elements], groups)


def describe_elements(
    elements: Sequence[HtmlElement], amounts: Sequence[Amounts], groups: tuple[str, ...] = GROUPS
) -> Nodes:
    """Describe elements, given in document order with their amounts, by the features of `groups`."""
    columns: list[int] = []
    values: list[float] = []
    starts: list[int] = []
    for element, amount in zip(elements, amounts, strict=True):
        starts.append(len(columns))
        for hashed, weights in _features(element, amount, groups):
            columns += hashed
            values += weights
    arrays = np.array(columns, np.int64), np.array(values), np.array(starts, np.int64)
    return Nodes(tuple(elements), tuple(amounts), *arrays)


@dataclass(frozen=True, slots=True)
class LinearModel:
    """A linear model."""

    name: str  # as in articles: "model:NAME@VERSION"
    weights: NDArray[np.floating]  # of any precision, shape (columns, outputs)
    bias: Floats  # one for each output
    decides: bool = False  # of a field model: also where a page declares the field

    def score(self, nodes: Nodes) -> Floats:
        """Return the scores of each node, at least one: shape (nodes, outputs)."""
        weighted = self.weights[nodes.columns].astype(np.float64) * nodes.values[:, None]
        sums: Floats = np.add.reduceat(weighted, nodes.starts)
        return sums + self.bias

    def output(self, column: int) -> "LinearModel":
        """Return the model for this output alone."""
        return LinearModel(self.name, self.weights[:, [column]], self.bias[[column]])


@cache
def load_linear(model: str) -> LinearModel:
    """Load the shipped model of that name, or the model in a folder.

    Raises:
        ArtifactError: the model is missing, damaged or made for other features.
    """
    artifact = load_artifact(model, FEATURES)
    bias = artifact.metadata.parameters.get(BIAS)
    if not isinstance(bias, list):
        raise ArtifactError(f"model {model!r}: {METADATA} does not name {BIAS}")
    decides = bool(artifact.metadata.parameters.get(DECIDES))
    return LinearModel(artifact.metadata.extractor, artifact.array(WEIGHTS), np.array(bias), decides)


def _hash(names: Sequence[str]) -> Hashed:
    columns = [zlib.crc32(name.encode("utf-8", "replace")) % COLUMNS for name in names]
    return columns, [len(columns) ** -0.5 for _ in columns]


@lru_cache(CACHED)
def _single(name: str) -> Hashed:
    return _hash([name])


def _features(element: HtmlElement, amount: Amounts, groups: Collection[str]) -> Iterator[Hashed]:
    parent = element.getparent()
    numbers: dict[str, float] = {}
    if "amounts" in groups:  # how much text there is
        numbers = {
            "characters": amount.characters,
            "words": amount.words,
            "word length": (amount.letters + amount.digits) / max(amount.words, 1),
            "sentences": amount.sentences,
            "sentence length": amount.words / max(amount.sentences, 1),
        }
    if "structure" in groups:  # where the element stands and what stands in it
        numbers |= {
            "children": len(element),
            "path": amount.depth,
            "siblings": 0 if parent is None else len(parent) - 1,
            "blocks": amount.blocks,
        }
    for name, value in numbers.items():  # two bins from each power of two to the next
        yield _single(f"{name} {int(2 * log2(1 + value))}")
    if "tags" in groups:
        yield _single(f"tag {element.tag}")
        yield from (_single(f"class {name}") for name in _classes(element))
    if "names" in groups:  # parts of names, names of element and parent together, and kinds of characters
        own, around = _name(element), "" if parent is None else _name(parent)
        yield from (_parts("own", own), _parts("around", around), _pairs(own, around))
        for kind in ("letters", "digits", "punctuation", "spaces"):
            yield _single(f"{kind} {20 * getattr(amount, kind) // amount.characters}")


def _classes(element: HtmlElement) -> list[str]:
    return (element.get("class") or "")[:MAX_NAME].lower().split()


def _name(element: HtmlElement) -> str:
    """Return the classes of an element, and its id after "#"."""
    identifier = collapse(element.get("id") or "")[:MAX_NAME].lower()
    return " ".join([*_classes(element), *([f"#{identifier}"] if identifier else [])])


@lru_cache(CACHED)
def _parts(whose: str, name: str) -> Hashed:
    parts = {name[at : at + size] for size in NAME_PARTS for at in range(len(name) - size + 1)}
    return _hash([f"{whose} {part}" for part in sorted(parts)])


@lru_cache(CACHED)
def _pairs(own: str, around: str) -> Hashed:
    return _hash([f"{mine} in {theirs}" for mine in own.split()[:MAX_PAIRS] for theirs in around.split()[:MAX_PAIRS]])
