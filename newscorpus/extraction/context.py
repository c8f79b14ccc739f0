"""Context: what the first classification of a page's blocks says about each of them.

A block among good blocks is likely good; one whose siblings are boilerplate is likely boilerplate. The second
classification sees these columns beside the features.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Matrix = NDArray[np.float32]

REACH = (1, 2, 3, 4)
WINDOWS = (2, 5, 12)
FAR = 60
"""Blocks; a good block further off counts as this far."""

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
    n = len(probability)
    index = np.arange(n)
    columns = [probability]
    for reach in REACH:
        columns += [_moved(probability, reach), _moved(probability, -reach)]
    sums = np.concatenate(([0.0], np.cumsum(probability)))
    for window in WINDOWS:
        low, high = np.maximum(index - window, 0), np.minimum(index + window + 1, n)
        columns.append((sums[high] - sums[low]) / (high - low))
    good_words = probability * words
    total = max(good_words.sum(), 1e-6)
    before = (np.cumsum(good_words) - good_words) / total
    share = good_words / total
    columns += [before, 1 - before - share, share]
    columns += [_best_before(probability), _best_before(probability[::-1])[::-1]]
    good = probability > 0.5
    columns += [_since(good), _since(good[::-1])[::-1]]
    columns += [np.full(n, value) for value in (float(good.sum()), good_words.sum(), probability.mean())]
    for groups in (parents, paths):
        columns += [_mean(groups, probability, np.ones(n)), _mean(groups, probability, words)]
    return np.column_stack(columns).astype(np.float32)


def _moved(values: Floats, by: int) -> Floats:
    moved = np.full(len(values), -1.0)
    if abs(by) < len(values):
        if by > 0:
            moved[by:] = values[:-by]
        else:
            moved[:by] = values[-by:]
    return moved


def _best_before(values: Floats) -> Floats:
    return np.maximum.accumulate(np.concatenate(([0.0], values[:-1])))


def _since(flags: NDArray[np.bool_]) -> Floats:
    index = np.arange(len(flags))
    last = np.maximum.accumulate(np.where(flags, index, -FAR))
    return np.minimum(index - np.concatenate(([-FAR], last[:-1])), FAR).astype(float)


def _mean(groups: NDArray[np.int64], values: Floats, weights: Floats) -> Floats:
    totals = np.bincount(groups, weights=weights)
    mean: Floats = (np.bincount(groups, weights=values * weights) / np.maximum(totals, 1e-9))[groups]
    return mean
