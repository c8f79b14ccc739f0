"""Reproduce Texttractor (Mrózek 2014, Brno University of Technology): a neural network on blocks, and four rules.

26 features of the block and of both neighbours, each in 0..1, are the input of a multi-layer perceptron as in FANN
(Nissen 2003): 78-39-19-9-1, four activations, Rprop. Two thresholds on its output in -1..1 make a block good, almost
good or bad.

Published, judged by eye on 32 pages: with the rules 90 blocks wrongly marked and 21 missed, without them 99 and 113;
0.945 of the good blocks marked. To reproduce: `python -m benchmarks.reproduce DATA --only texttractor`.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from newscorpus import code_points as kinds
from newscorpus.arrays import Floats, Integers, Matrix
from newscorpus.artifacts import Artifact, load_artifact
from newscorpus.config import Revision
from newscorpus.data import Block
from newscorpus.lab.systems.blocks import BlockSystem, keep_good, neighbour_names, with_neighbours
from newscorpus.page.extractor import SystemExtractor
from newscorpus.page.template import TemplateRules
from newscorpus.page.text.features.characters import count_characters
from newscorpus.page.text.features.own import POSITIVE_INLINE
from newscorpus.page.text.features.structure import NAMES as CLASS_NAMES
from newscorpus.page.text.features.structure import read_structure
from newscorpus.tokens import count_words, words

MODEL: Final = "texttractor"
WEIGHTS: Final = "weights.npy"
"""File of the network's weights, as one row."""
THRESHOLDS: Final = ("good_above", "almost_good_above")
"""Parameters of the model: thresholds that the output must exceed."""

COUNTS: Final = (
    "letters words capitalised all_caps sentences links bars images positive_inline mean_word mean_sentence"
).split()
"""Features divided by the page's maximum."""
DENSITIES: Final = (
    "digit_density space_density image_density bar_density link_density all_caps_density "
    "long_word_density short_word_density"
).split()
"""Features left unchanged, but clipped to 1."""
FLAGS: Final = "has_copyright has_angle positive_ancestor is_heading is_paragraph is_item position".split()
"""Binary features, and the index of the block divided by the number of blocks."""

FEATURES: Final = neighbour_names((*COUNTS, *DENSITIES, *FLAGS))
"""The 78 columns: 26 of the block, of the previous one, and of the next one."""

_POSITIVE_KINDS = sum(1 << CLASS_NAMES.index(name) for name in ("article", "content", "main", "lead"))
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")


def make_system(artifact: Artifact, revision: Revision = Revision()) -> BlockSystem:
    """Make the system of a trained network; the score of a block is the network's output."""
    weights = artifact.array(WEIGHTS)
    return BlockSystem(
        artifact.metadata.extractor,
        lambda prepared: prepared.blocks,
        lambda blocks: run(weights, measure(blocks)),
        revision.or_else(Revision(("mrozek",))),
        *map(artifact.parameter, THRESHOLDS),
    )


def load(_name: str, template: TemplateRules | None, model: str, revision: Revision) -> SystemExtractor:
    """Load the system with the shipped model or another."""
    return keep_good(make_system(load_artifact(model or MODEL, FEATURES), revision), template)


def load_unrevised(name: str, template: TemplateRules | None, model: str, revision: Revision) -> SystemExtractor:
    """Load the system without its four rules."""
    return load(name, template, model, revision.or_else(Revision(())))


def measure(blocks: Sequence[Block]) -> Matrix:
    """Return the features of a page's `blocks` (at least one): shape (blocks, 78), columns as in `FEATURES`."""
    characters = count_characters([block.text for block in blocks])
    of_words = characters.words
    amounts = {
        "letters": characters.letters,
        "words": of_words.count,
        "capitalised": of_words.capitalised,
        "all_caps": of_words.all_caps,  # words of two letters or more
        "sentences": characters.sentences,
        "links": [block.inline.count("a") for block in blocks],
        "bars": characters.count(kinds.BAR),
        "images": [block.inline.count("img") for block in blocks],
        "positive_inline": [sum(map(POSITIVE_INLINE.__contains__, block.inline)) for block in blocks],  # cite, code
    }
    whole = {name: np.asarray(values, np.float64) for name, values in amounts.items()}
    mean_word = _divide(of_words.characters, whole["words"])
    counts = {**whole, "mean_word": mean_word, "mean_sentence": _divide(whole["words"], whole["sentences"])}
    structure = read_structure(blocks)
    tags = np.array([block.tag for block in blocks])
    flags = {
        "has_copyright": characters.count(kinds.COPYRIGHT) > 0,
        "has_angle": characters.count(kinds.ANGLE) > 0,
        "positive_ancestor": structure.all_kinds[structure.block_element] & _POSITIVE_KINDS != 0,
        "is_heading": np.isin(tags, _HEADINGS),
        "is_paragraph": tags == "p",
        "is_item": tags == "li",
        "position": np.arange(len(blocks)) / len(blocks),
    }
    length, n_words = characters.length, counts["words"]
    with_lower = np.array([sum(word != word.upper() for word in words(block.text)) for block in blocks])
    columns = {
        **{name: _divide(values, values.max()) for name, values in counts.items()},
        "digit_density": _divide(characters.count(kinds.DIGIT), length),
        "space_density": _divide(characters.spaces, length),
        "image_density": _divide(counts["images"], n_words),
        "bar_density": _divide(counts["bars"], n_words),
        "link_density": _divide(np.array([count_words(block.link_text) for block in blocks]), n_words),
        "all_caps_density": _divide(counts["all_caps"], with_lower),
        "long_word_density": _divide(characters.words.long, n_words),
        "short_word_density": _divide(characters.words.short, n_words),  # up to three characters
        **{name: values.astype(np.float64) for name, values in flags.items()},
    }
    own = np.stack([columns[name] for name in (*COUNTS, *DENSITIES, *FLAGS)], axis=1)
    return with_neighbours(np.minimum(own, 1).astype(np.float32))


def _divide(values: Floats | Integers, by: Floats | Integers) -> Floats:
    """Return the quotient; 1 where the denominator is zero."""
    return np.divide(values, by, out=np.ones(len(values)), where=np.broadcast_to(by != 0, len(values)))


LAYERS = (78, 39, 19, 9, 1)
"""Inputs, neurons of each layer, and the output (Mrózek 2014)."""

_LEVELS = np.array([-0.99, -0.9, -0.5, 0.5, 0.9, 0.99])
_PLACES = np.arctanh(_LEVELS)

GREATER, SMALLER, FIRST_STEP, LARGEST_STEP = 1.2, 0.5, 0.1, 50.0
"""Factors, first and largest step of iRprop- in FANN."""
FIRST_WEIGHT = 0.1
"""Largest initial weight in FANN."""
MOST_ERROR = 0.9999999


class Activation(NamedTuple):
    """The activation of a layer: function of the weighted sums times `steepness`, and its slope by sum and value."""

    steepness: float
    value: Callable[[Floats], Floats]
    slope: Callable[[Floats, Floats], Floats | float]


GAUSSIAN = Activation(0.75, lambda sums: 2 * np.exp(-(sums**2)) - 1, lambda sums, values: -2 * sums * (values + 1))
ACTIVATIONS = (
    # tanh as straight lines between six points, and -1 and 1 beyond
    Activation(
        0.65,
        lambda sums: np.interp(sums, _PLACES, _LEVELS, left=-1, right=1),
        lambda _, values: 1 - np.clip(values, -0.98, 0.98) ** 2,
    ),
    GAUSSIAN,
    GAUSSIAN,
    Activation(0.8, lambda sums: np.clip(sums, -1, 1), lambda _sums, _values: 1.0),
)
"""Activations of the layers; FANN uses the slope of the linear piece's middle everywhere."""

Weights = Sequence[Floats]
"""Weights of each layer, shape (inputs + 1, neurons); the last row is the bias."""


def unpack(flat: Floats | Matrix) -> Weights:
    """Split the row of all weights into layers."""
    shapes = [(before + 1, after) for before, after in pairwise(LAYERS)]
    ends = np.cumsum([rows * columns for rows, columns in shapes])
    parts = np.split(np.asarray(flat, np.float64), ends[:-1])
    return [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]


def run(flat: Floats | Matrix, rows: Matrix) -> Floats:
    """Return the network's output for each of `rows` (rows, 78), in -1..1."""
    return _run(unpack(flat), rows)[-1][1][:, 0]


def _run(weights: Weights, rows: Matrix) -> list[tuple[Floats, Floats]]:
    """Return sums and values of the input and of each layer."""
    values = rows.astype(np.float64)
    passed = [(values, values)]
    for layer, activation in zip(weights, ACTIVATIONS, strict=True):
        sums = activation.steepness * (passed[-1][1] @ layer[:-1] + layer[-1])
        passed.append((sums, activation.value(sums)))
    return passed


def train(rows: Matrix, targets: Floats, epochs: int, seed: int) -> Floats:
    """Train random weights by Rprop and return them as one row; `targets` are 1 and -1."""
    size = sum((before + 1) * after for before, after in pairwise(LAYERS))
    flat = np.random.default_rng(seed).uniform(-FIRST_WEIGHT, FIRST_WEIGHT, size)
    steps, before = np.full(size, FIRST_STEP), np.zeros(size)
    for _ in range(epochs):
        slopes = error_slopes(unpack(flat), rows, targets)
        turned = slopes * before < 0
        steps = np.minimum(steps * np.where(turned, SMALLER, GREATER), LARGEST_STEP)
        before = np.where(turned, 0, slopes)
        flat = flat + np.sign(before) * steps
    return flat


def error_slopes(weights: Weights, rows: Matrix, targets: Floats) -> Floats:
    """Return the negative gradient of FANN's default error, by back-propagation."""
    passed = _run(weights, rows)
    wrong = np.clip((targets[:, None] - passed[-1][1]) / 2, -MOST_ERROR, MOST_ERROR)
    error = 2 * np.arctanh(wrong)
    found: list[Floats] = []
    for at in reversed(range(len(weights))):
        delta = error * ACTIVATIONS[at].steepness * ACTIVATIONS[at].slope(*passed[at + 1])
        found += [delta.sum(axis=0), (passed[at][1].T @ delta).ravel()]
        error = delta @ weights[at][:-1].T
    return np.concatenate(found[::-1])
