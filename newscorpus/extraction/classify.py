"""Classify: features of blocks to the probability of each being main text, by boosted trees in two passes; and labels.

The first pass sees each block's features; the second sees, beside them, what the first said of the blocks around it.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from newscorpus.artifacts import Artifact
from newscorpus.data import Block, Label, LabelledBlock
from newscorpus.extraction.context import CONTEXT, measure_context
from newscorpus.extraction.features import FEATURES, Matrix, PageFeatures
from newscorpus.extraction.trees import Trees

FIRST = "first.onnx"
SECOND = "second.onnx"

RULED_OUT = 0.1
"""What the first pass gives less, the second leaves alone: F1 over 1,377 unseen pages is that of 0.02 (2026-11)."""

COLUMNS = (*FEATURES, *CONTEXT)
"""What the second pass sees; the first sees the columns of `FEATURES`."""

Floats = NDArray[np.float64]


class Classifier:
    """The trained classifier of main text.

    Args:
        artifact: the model.

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
            probability[left] = self._second.probability(add_context(features, probability)[left])
        return probability


def label_by(probability: Floats, features: PageFeatures, blocks: Sequence[Block]) -> tuple[LabelledBlock, ...]:
    """`blocks` labelled by the `probability` of each: good above 0.5.

    Where no block is that probable, those are good that maximise the expected F1 of the page: a text of doubtful blocks
    with a low confidence serves better than none.
    """
    good = probability > 0.5
    if not good.any():
        good = best_expected_f1(probability, features.words)
    return tuple(
        LabelledBlock(block, score, Label.GOOD if is_good else Label.BAD)
        for block, score, is_good in zip(blocks, probability.tolist(), good.tolist(), strict=True)
    )


def add_context(features: PageFeatures, probability: Floats) -> Matrix:
    """The columns of the second pass: the features, and the context that the first pass's probabilities make."""
    context = measure_context(probability, features.words.astype(float), features.parents, features.paths)
    return np.hstack((features.matrix, context))


def best_expected_f1(probability: Floats, words: NDArray[np.float32]) -> NDArray[np.bool_]:
    """The most probable blocks, so many that the expected F1 over words is highest (Ye et al. 2012, ICML)."""
    order = np.argsort(-probability, kind="stable")
    expected = (probability * words)[order]
    f1 = 2 * np.cumsum(expected) / (np.cumsum(words[order]) + max(expected.sum(), 1e-9))
    good = np.zeros(len(probability), bool)
    good[order[: int(np.argmax(f1)) + 1]] = True
    return good
