"""Find near-duplicates: documents whose signatures agree in a whole band are candidates, verified one by one."""

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from newscorpus.config import DuplicateConfig
from newscorpus.corpus.duplicates.collection import Collection
from newscorpus.corpus.duplicates.verify import Verifier
from newscorpus.page.signature import HALF, RUN_BASE, estimate, mixed

SIGNATURES_AT_ONCE = 65_536
"""Signatures in memory at once while their bands are hashed: 32 MB."""


def band_keys(signatures: NDArray[np.uint32], bands: int, rows: int) -> NDArray[np.uint32]:
    """Hash each band of each signature (Leskovec, Rajaraman and Ullman, Mining of Massive Datasets, 3.4).

    Args:
        signatures: shape (documents, permutations); the first `bands * rows` columns are used.
        bands: number of bands.
        rows: values per band.

    Returns:
        Shape (documents, bands).
    """
    values = signatures[:, : bands * rows].reshape(len(signatures), bands, rows).astype(np.uint64)
    keys = np.zeros(values.shape[:2], np.uint64)
    for row in range(rows):
        keys = keys * RUN_BASE + values[:, :, row]
    return (mixed(keys) >> HALF).astype(np.uint32)


class Buckets:
    """Buckets of items with the same key; `bands` holds for each band the keys of all items, shape (items,).

    Only buckets of two or more items are stored, so memory depends on the number of candidates.
    """

    def __init__(self, bands: "list[NDArray[np.uint32]]") -> None:
        found = [sharing(keys) for keys in bands]
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
        """Return the other items that share a key with this one, sorted."""
        buckets = self._buckets[self._first[item] : self._first[item + 1]]
        if not len(buckets):
            return np.empty(0, np.int64)
        parts = [self._members[self._ends[bucket - 1] if bucket else 0 : self._ends[bucket]] for bucket in buckets]
        together = np.unique(np.concatenate(parts))
        others: NDArray[np.int64] = together[together != item]
        return others


def sharing(keys: NDArray[np.uint32] | NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the items that share their key, bucket by bucket, and the sizes of the buckets."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])) if len(keys) else order
    sizes = np.diff(starts, append=len(keys))
    return order[np.repeat(sizes > 1, sizes)], sizes[sizes > 1]


def find_near(
    collection: Collection,
    positions: NDArray[np.int64],
    verifier: Verifier,
    config: DuplicateConfig,
    items: Iterable[int],
) -> Mapping[int, tuple[int, float]]:
    """Find the near-duplicates among different texts: signatures select the pairs, the texts themselves decide.

    Args:
        collection: holds the texts.
        positions: of the texts, references first, in the order of the policy: of two the earlier one survives.
        verifier: compares texts.
        config: bands and threshold.
        items: `range(len(positions))`, which shows progress when iterated.

    Returns:
        For each near-duplicate its survivor and their Jaccard similarity, both as indices into `positions`.
    """
    parts = [
        band_keys(collection.signatures(positions[start : start + SIGNATURES_AT_ONCE]), config.bands, config.rows)
        for start in range(0, len(positions), SIGNATURES_AT_ONCE)
    ]
    buckets = Buckets(list(np.concatenate(parts).T) if parts else [])
    is_reference = positions < collection.n_references
    settled = is_reference.copy()
    near: dict[int, tuple[int, float]] = {}
    for item in items:
        if settled[item] and not is_reference[item]:
            continue
        settled[item] = True
        candidates = buckets.candidates(item)
        candidates = candidates[~settled[candidates]]
        if not len(candidates):
            continue
        signatures = collection.signatures(positions[[item, *candidates]])
        estimated = estimate(signatures[0], signatures[1:])
        for other in candidates[estimated > config.threshold - config.margin].tolist():
            similarity = verifier.jaccard(int(positions[item]), int(positions[other]))
            if similarity >= config.threshold:
                settled[other] = True
                near[other] = (item, similarity)
    return near
