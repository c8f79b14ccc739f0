"""Classify blocks: features to the probability of being main text, by boosted trees in two passes; then labels.

The first pass sees each block's features. The second sees, beside them, the context that the first pass makes: a block
among good blocks is likely good, one whose siblings are boilerplate is likely boilerplate.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from newscorpus.arrays import Flags, Floats, Integers, Matrix
from newscorpus.artifacts import Artifact, ArtifactError
from newscorpus.data import Block, Label, LabelledBlock
from newscorpus.page.text.features import FEATURES, PageFeatures

FIRST, SECOND = "first.onnx", "second.onnx"

RULED_OUT = 0.1
"""What the first pass gives less, the second leaves alone: F1 over 1,377 unseen pages is that of 0.02 (2026-11)."""

REACH = (1, 2, 3, 4)
WINDOWS = (2, 5, 12)
FAR = 60
"""Blocks; a good block further off counts as this far."""

GOOD, ALMOST = 0.5, RULED_OUT
"""A block more probable than the first is taken for good, than the second for almost good. Of 1,043 blocks between the
two one in eight is main text, of those below one in 340 (240 pages of six development sets, 2026-11)."""

CONTEXT: Final[tuple[str, ...]] = (
    "probability",
    *(f"probability@{sign}{reach}" for reach in REACH for sign in "-+"),
    *(f"mean_probability_within_{window}" for window in WINDOWS),
    "good_words_before_share", "good_words_after_share", "good_words_share", "best_before", "best_after", "since_good",
    "until_good", "good_blocks", "good_words", "mean_probability", "parent_probability", "parent_word_probability",
    "path_probability", "path_word_probability",
)  # fmt: skip
"""The columns of `measure_context`, in order."""

COLUMNS = (*FEATURES, *CONTEXT)
"""What the second pass sees; the first sees the columns of `FEATURES`."""


def probability_of(margin: Floats) -> Floats:
    """The probability whose odds have these logarithms."""
    return np.asarray(1 / (1 + np.exp(-margin)))


class Trees:
    """The trees of one file of a model, which see `width` columns.

    Raises:
        ArtifactError: the model has no such file, or its trees see another number of columns.
    """

    def __init__(self, artifact: Artifact, file: str, width: int) -> None:
        self._session = artifact.session(file)
        if (found := self._session.get_inputs()[0].shape[1]) != width:
            name = artifact.metadata.name
            raise ArtifactError(f"model {name!r}: {file} was trained on {found} columns, not on {width}")

    def probability(self, rows: Matrix) -> Floats:
        """The probability of each row, shape (rows,); `rows` has the shape (rows, width)."""
        return probability_of(self.margin(rows))

    def margin(self, rows: Matrix) -> Floats:
        """The logarithm of the odds of that probability."""
        return np.asarray(self._session.run(None, {"features": rows})[0], np.float64)[:, 0]


class Classifier:
    """The trained classifier of main text.

    Raises:
        ArtifactError: the model lacks a pass, or was made for another number of columns.
    """

    def __init__(self, artifact: Artifact) -> None:
        self._first = Trees(artifact, FIRST, len(FEATURES))
        self._second = Trees(artifact, SECOND, len(COLUMNS))

    def __call__(self, features: PageFeatures) -> Floats:
        """Per block the probability of being main text."""
        probability = self._first.probability(features.matrix)
        left = probability > RULED_OUT
        if left.any():
            probability[left] = self._second.probability(add_context(features, probability, left))
        return probability


def label_by(
    probability: Floats,
    features: PageFeatures,
    blocks: Sequence[Block],
    good_above: float = GOOD,
    almost_above: float = ALMOST,
) -> tuple[LabelledBlock, ...]:
    """`blocks` labelled by the `probability` of each: good above one threshold, almost good above the other.

    Where no block is that probable, those are good that maximise the expected F1 of the page: a text of doubtful blocks
    with a low confidence serves better than none.
    """
    good = probability > good_above
    if not good.any():
        good = best_expected_f1(probability, features.words)
    others = [Label.ALMOST if score > almost_above else Label.BAD for score in probability.tolist()]
    return tuple(
        LabelledBlock(block, score, Label.GOOD if is_good else other)
        for block, score, is_good, other in zip(blocks, probability.tolist(), good.tolist(), others, strict=True)
    )


def best_expected_f1(probability: Floats, words: NDArray[np.float32]) -> Flags:
    """The most probable blocks, so many that the expected F1 over words is highest (Ye et al. 2012, ICML)."""
    order = np.argsort(-probability, kind="stable")
    expected = (probability * words)[order]
    f1 = 2 * np.cumsum(expected) / (np.cumsum(words[order]) + max(expected.sum(), 1e-9))
    good = np.zeros(len(probability), bool)
    good[order[: int(np.argmax(f1)) + 1]] = True
    return good


def add_context(features: PageFeatures, probability: Floats, rows: Flags | slice = slice(None)) -> Matrix:
    """The columns of the second pass: the features, and the context that the first pass's probabilities make.

    `rows` chooses blocks; the context is that of all.
    """
    context = measure_context(probability, features.words.astype(float), features.parents, features.paths)
    return np.hstack((features.matrix[rows], context[rows]))


def measure_context(probability: Floats, words: Floats, parents: Integers, paths: Integers) -> Matrix:
    """The context of every block, float32, shape (blocks, len(CONTEXT)).

    `probability` is that of the first pass; `parents` and `paths` number the parent and the path of each block.
    """
    good = probability > GOOD
    good_words = probability * words
    total = max(good_words.sum(), 1e-6)
    before = (np.cumsum(good_words) - good_words) / total
    share = good_words / total
    columns: list[Floats | float] = [
        probability,
        *_neighbours(probability),
        *_windows(probability),
        before,  # the share of the page's expected good words that stands before the block
        1 - before - share,
        share,
        _best_before(probability),
        _best_before(probability[::-1])[::-1],
        _since(good),
        _since(good[::-1])[::-1],
        float(good.sum()),
        float((probability * words).sum()),
        float(probability.mean()),
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


def _best_before(values: Floats) -> Floats:
    """The highest value of the blocks before each."""
    best = np.zeros(len(values))
    np.maximum.accumulate(values[:-1], out=best[1:])
    return best


def _since(flags: Flags) -> Floats:
    """How many blocks ago the last flag stands before each block, at most `FAR`."""
    index = np.arange(len(flags))
    last = np.full(len(flags), -FAR)
    np.maximum.accumulate(np.where(flags, index, -FAR)[:-1], out=last[1:])
    return np.asarray(np.minimum(index - last, FAR), np.float64)


def _groups(groups: Integers, probability: Floats, words: Floats) -> tuple[Floats, Floats]:
    """The mean over the blocks of the same group, unweighted and weighted by words."""
    total_words = np.maximum(np.bincount(groups, weights=words), 1e-9)
    mean = np.bincount(groups, weights=probability) / np.maximum(np.bincount(groups), 1e-9)
    mean_by_words = np.bincount(groups, weights=probability * words) / total_words
    return mean[groups], mean_by_words[groups]
