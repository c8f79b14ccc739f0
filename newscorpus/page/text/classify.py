"""Classify blocks by boosted trees in two passes: from features to probabilities of main text, then to labels.

The first pass sees each block's features. The second also sees the context given by the first pass: a block among good
blocks is likely good, one among boilerplate is likely boilerplate.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from newscorpus.arrays import Flags, Floats, Integers, Matrix
from newscorpus.artifacts import Artifact
from newscorpus.data import Block, Label, LabelledBlock
from newscorpus.model_folders import ArtifactError
from newscorpus.page.text.features import FEATURES, PageFeatures

FIRST, SECOND = "first.onnx", "second.onnx"

RULED_OUT = 0.1
"""The second pass skips blocks below this probability: F1 over 1,377 unseen pages is that of 0.02 (2026-11)."""

REACH = (1, 2, 3, 4)
WINDOWS = (2, 5, 12)
FAR = 60
"""Maximum distance to a good block, in blocks."""

GOOD, ALMOST = 0.5, RULED_OUT
"""Thresholds for good and almost good blocks. Of 1,043 blocks between the two one in eight is main text, of those below
one in 340 (240 pages of six development sets, 2026-11)."""

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
"""Input columns of the second pass; the first has those of `FEATURES`."""


def probability_of(margin: Floats) -> Floats:
    """Convert log-odds to probabilities."""
    return np.asarray(1 / (1 + np.exp(-margin)))


class Trees:
    """The trees in one file of a model, with `width` input columns.

    Raises:
        ArtifactError: the model has no such file, or its trees expect another number of columns.
    """

    def __init__(self, artifact: Artifact, file: str, width: int) -> None:
        self._session = artifact.session(file)
        if (found := self._session.get_inputs()[0].shape[1]) != width:
            name = artifact.metadata.name
            raise ArtifactError(f"model {name!r}: {file} was trained on {found} columns, not on {width}")

    def probability(self, rows: Matrix) -> Floats:
        """Return the probability of each row, shape (rows,); `rows` has the shape (rows, width)."""
        return probability_of(self.margin(rows))

    def margin(self, rows: Matrix) -> Floats:
        """Return the log-odds of that probability."""
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
        """Return per block the probability of main text."""
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
    """Label `blocks` by `probability`: good above one threshold, almost good above the other.

    If no block exceeds the first, the good ones are those that maximise the expected F1 of the page: a doubtful text
    with low confidence is better than none.
    """
    good = probability > good_above
    if not good.any():
        good = best_expected_f1(probability, features.words)
    labels = np.where(good, 0, np.where(probability > almost_above, 1, 2)).tolist()
    of_place = (Label.GOOD, Label.ALMOST, Label.BAD)
    rows = zip(blocks, probability.tolist(), map(of_place.__getitem__, labels), strict=True)
    return tuple(LabelledBlock(*row) for row in rows)


def best_expected_f1(probability: Floats, words: NDArray[np.float32]) -> Flags:
    """Choose the most probable blocks, as many as maximise the expected F1 over words (Ye et al. 2012, ICML)."""
    order = np.argsort(-probability, kind="stable")
    expected = (probability * words)[order]
    f1 = 2 * np.cumsum(expected) / (np.cumsum(words[order]) + max(expected.sum(), 1e-9))
    good = np.zeros(len(probability), bool)
    good[order[: int(np.argmax(f1)) + 1]] = True
    return good


def add_context(features: PageFeatures, probability: Floats, rows: Flags | slice = slice(None)) -> Matrix:
    """Return the input of the second pass: the features, and the context from the first pass's probabilities.

    `rows` selects blocks; the context covers all.
    """
    context = measure_context(probability, features.words.astype(float), features.parents, features.paths)
    return np.hstack((features.matrix[rows], context[rows]))


def measure_context(probability: Floats, words: Floats, parents: Integers, paths: Integers) -> Matrix:
    """Return the context of every block, float32, shape (blocks, len(CONTEXT)).

    `probability` is that of the first pass; `parents` and `paths` give each block the numbers of its parent and path.
    """
    good = probability > GOOD
    good_words = probability * words
    total = max(good_words.sum(), 1e-6)
    before = (np.cumsum(good_words) - good_words) / total
    share = good_words / total
    n, far = len(probability), REACH[-1]
    padded = np.full(n + 2 * far, -1.0)  # -1 where there is no neighbour
    padded[far : far + n] = probability
    sums = np.concatenate(([0], np.cumsum(probability)))
    index = np.arange(n)
    windows = [(np.maximum(index - reach, 0), np.minimum(index + reach + 1, n)) for reach in WINDOWS]
    columns: list[Floats | float] = [
        probability,
        *(padded[far + side * reach :][:n] for reach in REACH for side in (-1, 1)),
        *((sums[high] - sums[low]) / (high - low) for low, high in windows),
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


def _best_before(values: Floats) -> Floats:
    """Return the highest value before each block."""
    best = np.zeros(len(values))
    np.maximum.accumulate(values[:-1], out=best[1:])
    return best


def _since(flags: Flags) -> Floats:
    """Return the distance from each block back to the last flag, at most `FAR`."""
    index = np.arange(len(flags))
    last = np.full(len(flags), -FAR)
    np.maximum.accumulate(np.where(flags, index, -FAR)[:-1], out=last[1:])
    return np.asarray(np.minimum(index - last, FAR), np.float64)


def _groups(groups: Integers, probability: Floats, words: Floats) -> tuple[Floats, Floats]:
    """Return the mean over each block's group, unweighted and weighted by words."""
    total_words = np.maximum(np.bincount(groups, weights=words), 1e-9)
    mean = np.bincount(groups, weights=probability) / np.maximum(np.bincount(groups), 1e-9)
    mean_by_words = np.bincount(groups, weights=probability * words) / total_words
    return mean[groups], mean_by_words[groups]
