"""Share what the published block systems do: features of neighbours, and verdicts by thresholds."""

from collections.abc import Sequence

import numpy as np

from newscorpus.arrays import Floats, Matrix
from newscorpus.config import Revision
from newscorpus.data import Block, Label, LabelledBlock


def with_neighbours(own: Matrix) -> Matrix:
    """`own` (blocks, features) as (blocks, 3 features): the block's, the previous one's, the next one's.

    A missing neighbour is all zeros.
    """
    none = np.zeros_like(own[:1])
    return np.hstack((own, np.vstack((none, own))[: len(own)], np.vstack((own[1:], none))[: len(own)]))


def neighbour_names(own: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the columns of `with_neighbours`."""
    return (*own, *(f"{name}@-1" for name in own), *(f"{name}@+1" for name in own))


def label_by_thresholds(
    scores: Floats, blocks: Sequence[Block], revision: Revision, good_above: float, almost_above: float = np.inf
) -> tuple[LabelledBlock, ...]:
    """`blocks` with the verdicts that one or two thresholds make of the score of each; `revision` may give others."""
    good_above = good_above if revision.upper is None else revision.upper
    almost_above = almost_above if revision.lower is None else revision.lower

    def verdict(score: float) -> Label:
        return Label.GOOD if score > good_above else Label.ALMOST if score > almost_above else Label.BAD

    return tuple(
        LabelledBlock(block, score, verdict(score)) for block, score in zip(blocks, scores.tolist(), strict=True)
    )
