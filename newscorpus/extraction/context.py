"""Context: what the first classification of a page's blocks says about each of them.

A block among good blocks is likely good; one whose siblings are boilerplate is likely boilerplate. The second
classification sees these columns beside the features.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Matrix = NDArray[np.float32]

REACH = (1, 2, 3, 4)
WINDOWS = (2, 5, 12)
FAR = 60
"""Blocks; a good block further off counts as this far."""

GOOD = 0.5
"""A block more probable than this is taken for good."""

CONTEXT: Final[tuple[str, ...]] = (
    "probability",
    *(f"probability@{sign}{reach}" for reach in REACH for sign in "-+"),
    *(f"mean_probability_within_{window}" for window in WINDOWS),
    "good_words_before_share",
    "good_words_after_share",
    "good_words_share",
    "best_before",
    "best_after",
    "since_good",
    "until_good",
    "good_blocks",
    "good_words",
    "mean_probability",
    "parent_probability",
    "parent_word_probability",
    "path_probability",
    "path_word_probability",
)
"""The columns of `measure_context`, in order."""


def measure_context(probability: Floats, words: Floats, parents: NDArray[np.int64], paths: NDArray[np.int64]) -> Matrix:
    """The context of every block, float32, shape (blocks, len(CONTEXT)).

    Args:
        probability: of each block being good, from the first classification.
        words: of each block.
        parents: a number for the parent of each block.
        paths: a number for the path of each block.
    """
    columns: list[Floats | float] = [
        probability,
        *_neighbours(probability),
        *_windows(probability),
        *_good_words(probability * words),
        *_extremes(probability),
        *_page(probability, words),
        *_groups(parents, probability, words),
        *_groups(paths, probability, words),
    ]
    table = np.empty((len(CONTEXT), len(probability)), np.float32)
    for row, column in zip(table, columns, strict=True):
        row[:] = column
    return np.ascontiguousarray(table.T)


def _neighbours(probability: Floats) -> Iterator[Floats]:
    """Of the blocks before and after; -1 where there is none."""
    n = len(probability)
    far = REACH[-1]
    padded = np.full(n + 2 * far, -1.0)
    padded[far : far + n] = probability
    for reach in REACH:
        yield padded[far - reach :][:n]
        yield padded[far + reach :][:n]


def _windows(probability: Floats) -> Iterator[Floats]:
    """The mean over the blocks around, the block itself included."""
    n = len(probability)
    index = np.arange(n)
    sums = np.zeros(n + 1)
    np.cumsum(probability, out=sums[1:])
    for reach in WINDOWS:
        low, high = np.maximum(index - reach, 0), np.minimum(index + reach + 1, n)
        yield (sums[high] - sums[low]) / (high - low)


def _good_words(good_words: Floats) -> tuple[Floats, Floats, Floats]:
    """The share of the page's expected good words that stands before, after and in the block."""
    total = max(good_words.sum(), 1e-6)
    before = (np.cumsum(good_words) - good_words) / total
    share = good_words / total
    return before, 1 - before - share, share


def _extremes(probability: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """The best probability before and after, and how far off the nearest good block is on either side."""
    good = probability > GOOD
    return (
        _best_before(probability),
        _best_before(probability[::-1])[::-1],
        _since(good),
        _since(good[::-1])[::-1],
    )


def _page(probability: Floats, words: Floats) -> tuple[float, float, float]:
    good = probability > GOOD
    return float(good.sum()), float((probability * words).sum()), float(probability.mean())


def _best_before(values: Floats) -> Floats:
    best = np.zeros(len(values))
    np.maximum.accumulate(values[:-1], out=best[1:])
    return best


def _since(flags: NDArray[np.bool_]) -> Floats:
    index = np.arange(len(flags))
    last = np.full(len(flags), -FAR)
    np.maximum.accumulate(np.where(flags, index, -FAR)[:-1], out=last[1:])
    since: Floats = np.minimum(index - last, FAR).astype(np.float64)
    return since


def _groups(groups: NDArray[np.int64], probability: Floats, words: Floats) -> tuple[Floats, Floats]:
    """The mean over the blocks of the same group, each alike and by its words."""
    total_words = np.maximum(np.bincount(groups, weights=words), 1e-9)
    mean: Floats = np.bincount(groups, weights=probability) / np.maximum(np.bincount(groups), 1e-9)
    mean_by_words: Floats = np.bincount(groups, weights=probability * words) / total_words
    return mean[groups], mean_by_words[groups]
