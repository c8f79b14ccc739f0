"""Put the features of the neighbours beside those of each block."""

from collections.abc import Sequence

import numpy as np

from newscorpus.arrays import Matrix


def with_neighbours(own: Matrix) -> Matrix:
    """`own` (blocks, features) as (blocks, 3 features): the block's, the previous one's, the next one's.

    A missing neighbour is all zeros.
    """
    none = np.zeros_like(own[:1])
    return np.hstack((own, np.vstack((none, own))[: len(own)], np.vstack((own[1:], none))[: len(own)]))


def neighbour_names(own: Sequence[str]) -> tuple[str, ...]:
    """The names of the columns of `with_neighbours`."""
    return (*own, *(f"{name}@-1" for name in own), *(f"{name}@+1" for name in own))
