"""Near-duplicates of a document: candidates that share a band, verified one by one."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from newscorpus.config import DuplicateConfig
from newscorpus.dedup.bands import Buckets, band_keys
from newscorpus.dedup.collection import Collection
from newscorpus.dedup.signature import estimate
from newscorpus.dedup.verify import Verifier

SIGNATURES_AT_ONCE = 65_536
"""Signatures in memory at once while their bands are read: 32 MB."""


def _buckets(collection: Collection, positions: NDArray[np.int64], config: DuplicateConfig) -> Buckets:
    """Candidates among the documents at some positions."""
    parts = [
        band_keys(collection.signatures(positions[start : start + SIGNATURES_AT_ONCE]), config.bands, config.rows)
        for start in range(0, len(positions), SIGNATURES_AT_ONCE)
    ]
    return Buckets(list(np.concatenate(parts).T) if parts else [])


class NearDuplicates:
    """Finds the near-duplicates of documents.

    Args:
        collection: all documents.
        positions: those that are compared; an item is an index into them.
        verifier: decides near the threshold.
        config: bands, threshold and margin.
    """

    def __init__(
        self,
        collection: Collection,
        positions: NDArray[np.int64],
        verifier: Verifier,
        config: DuplicateConfig,
    ) -> None:
        self._collection = collection
        self._positions = positions
        self._buckets = _buckets(collection, positions, config)
        self._verifier = verifier
        self._config = config

    def alike(self, item: int, settled: NDArray[np.bool_]) -> Iterator[tuple[int, float]]:
        """The items at least as similar to this one as the threshold, with their Jaccard similarity.

        Args:
            item: index into the positions.
            settled: which items are not looked at.
        """
        found = self._buckets.candidates(item)
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
