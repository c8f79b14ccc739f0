"""Find near-duplicates: documents whose signatures agree in a whole band are candidates, verified one by one."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from newscorpus.config import DuplicateConfig
from newscorpus.dedup.collection import Collection
from newscorpus.dedup.signature import estimate
from newscorpus.dedup.verify import Verifier
from newscorpus.dedup.words import HALF, RUN_BASE, mixed

SIGNATURES_AT_ONCE = 65_536
"""Signatures in memory at once while their bands are read: 32 MB."""


def band_keys(signatures: NDArray[np.uint32], bands: int, rows: int) -> NDArray[np.uint32]:
    """A hash of each band of each signature (Leskovec, Rajaraman and Ullman, Mining of Massive Datasets, 3.4).

    Args:
        signatures: shape (documents, permutations); `bands * rows` permutations are used.
        bands: number of bands.
        rows: values in a band.

    Returns:
        Shape (documents, bands).
    """
    values = signatures[:, : bands * rows].reshape(len(signatures), bands, rows).astype(np.uint64)
    keys = np.zeros(values.shape[:2], np.uint64)
    for row in range(rows):
        keys = keys * RUN_BASE + values[:, :, row]
    return (mixed(keys) >> HALF).astype(np.uint32)


class Buckets:
    """Which items share a key with which, for items with one key in each of several bands.

    Only buckets of two and more are kept, so that the memory depends on the number of candidates.

    Args:
        bands: for each band the keys of all items, shape (items,).
    """

    def __init__(self, bands: "list[NDArray[np.uint32]]") -> None:
        found = [_shared(keys) for keys in bands]
        counts = [len(sizes) for _, sizes in found]
        sizes = np.concatenate([sizes for _, sizes in found]) if counts else np.empty(0, np.int64)
        self._members = np.concatenate([items for items, _ in found]) if counts else np.empty(0, np.int64)
        self._ends = np.cumsum(sizes)
        bucket_of = np.repeat(np.arange(len(sizes)), sizes)
        order = np.argsort(self._members, kind="stable")
        self._buckets = bucket_of[order]
        n_items = len(bands[0]) if bands else 0
        self._first = np.searchsorted(self._members[order], np.arange(n_items + 1))

    def candidates(self, item: int) -> NDArray[np.int64]:
        """The other items that share a key with this one, sorted."""
        buckets = self._buckets[self._first[item] : self._first[item + 1]]
        if not len(buckets):
            return np.empty(0, np.int64)
        parts = [self._members[self._ends[bucket - 1] if bucket else 0 : self._ends[bucket]] for bucket in buckets]
        together = np.unique(np.concatenate(parts))
        others: NDArray[np.int64] = together[together != item]
        return others


def _shared(keys: NDArray[np.uint32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The items whose key others have too, bucket by bucket, and the sizes of the buckets."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])) if len(keys) else order
    sizes = np.diff(starts, append=len(keys))
    return order[np.repeat(sizes > 1, sizes)], sizes[sizes > 1]


class NearDuplicates:
    """Finds the near-duplicates of documents.

    Args:
        collection: all documents.
        positions: those that are compared; an item is an index into them.
        verifier: decides near the threshold.
        config: bands, threshold and margin.
    """

    def __init__(
        self, collection: Collection, positions: NDArray[np.int64], verifier: Verifier, config: DuplicateConfig
    ) -> None:
        self._collection = collection
        self._positions = positions
        parts = [
            band_keys(collection.signatures(positions[start : start + SIGNATURES_AT_ONCE]), config.bands, config.rows)
            for start in range(0, len(positions), SIGNATURES_AT_ONCE)
        ]
        self._buckets = Buckets(list(np.concatenate(parts).T) if parts else [])
        self._verifier = verifier
        self._config = config

    def alike(self, item: int, settled: NDArray[np.bool_]) -> Iterator[tuple[int, float]]:
        """The items not settled that are as similar to this one as the threshold, with their Jaccard similarity."""
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
