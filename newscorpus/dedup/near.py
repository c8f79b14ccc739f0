"""Near-duplicates of a document: candidates that share a band, verified one by one."""

from collections.abc import Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from newscorpus.config import DuplicateConfig
from newscorpus.dedup.bands import Buckets
from newscorpus.dedup.collection import Collection
from newscorpus.dedup.signature import estimate
from newscorpus.dedup.verify import Verifier


class Candidates(Protocol):
    """Finds what may be alike."""

    def candidates(self, item: int) -> NDArray[np.int64]:
        """The items that may be alike to one, sorted, without it."""


def bucketed(collection: Collection, positions: NDArray[np.int64], config: DuplicateConfig) -> Candidates:
    """Candidates among the documents at some positions, by the bands of their signatures, held in memory."""
    return Buckets([collection.band(number, positions) for number in range(config.bands)])


class NearDuplicates:
    """Finds the near-duplicates of documents.

    Args:
        collection: all documents.
        positions: those that are compared; an item is an index into them.
        candidates: finds what may be alike among them.
        verifier: decides near the threshold.
        config: threshold and margin.
    """

    def __init__(
        self,
        collection: Collection,
        positions: NDArray[np.int64],
        candidates: Candidates,
        verifier: Verifier,
        config: DuplicateConfig,
    ) -> None:
        self._collection = collection
        self._positions = positions
        self._candidates = candidates
        self._verifier = verifier
        self._config = config

    def alike(self, item: int, settled: NDArray[np.bool_]) -> Iterator[tuple[int, float]]:
        """The items at least as similar to this one as the threshold, with their Jaccard similarity.

        Args:
            item: index into the positions.
            settled: which items are not looked at.
        """
        found = self._candidates.candidates(item)
        found = found[~settled[found]]
        if not len(found):
            return
        signatures = self._collection.signatures(self._positions[np.concatenate([[item], found])])
        threshold, margin = self._config.threshold, self._config.margin
        for other, estimated in zip(found.tolist(), estimate(signatures[0], signatures[1:]).tolist(), strict=True):
            similarity = estimated
            if abs(estimated - threshold) < margin:
                similarity = self._verifier.jaccard(int(self._positions[item]), int(self._positions[other]))
            if similarity >= threshold:
                yield other, similarity
