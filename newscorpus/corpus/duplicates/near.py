"""Find near-duplicates: documents whose signatures agree in a whole band are candidates, verified one by one."""

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from newscorpus.config import DuplicateConfig
from newscorpus.corpus.duplicates.collection import Collection
from newscorpus.corpus.duplicates.verify import Verifier
from newscorpus.page.signature import HALF, RUN_BASE, estimate, mixed

SIGNATURES_AT_ONCE = 65_536
"""Signatures in memory at once while their bands are read: 32 MB."""


def band_keys(signatures: NDArray[np.uint32], bands: int, rows: int) -> NDArray[np.uint32]:
    """A hash of each band of each signature (Leskovec, Rajaraman and Ullman, Mining of Massive Datasets, 3.4).

    Of the signatures, shape (documents, permutations), `bands * rows` columns count; gives shape (documents, bands).
    """
    values = signatures[:, : bands * rows].reshape(len(signatures), bands, rows).astype(np.uint64)
    keys = np.zeros(values.shape[:2], np.uint64)
    for row in range(rows):
        keys = keys * RUN_BASE + values[:, :, row]
    return (mixed(keys) >> HALF).astype(np.uint32)


class Buckets:
    """Which items share a key with which; `bands` has for each band the keys of all items, shape (items,).

    Only buckets of two and more are kept, so that the memory depends on the number of candidates.
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
        """The other items that share a key with this one, sorted."""
        buckets = self._buckets[self._first[item] : self._first[item + 1]]
        if not len(buckets):
            return np.empty(0, np.int64)
        parts = [self._members[self._ends[bucket - 1] if bucket else 0 : self._ends[bucket]] for bucket in buckets]
        together = np.unique(np.concatenate(parts))
        others: NDArray[np.int64] = together[together != item]
        return others


def sharing(keys: NDArray[np.uint32] | NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The items whose key others have too, bucket by bucket, and the sizes of the buckets."""
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
    """Find the near-duplicates among different texts, each with the text that stays for it and their similarity.

    An item is an index into `positions`, references first; `items` has them all, in the order of the policy: an earlier
    one stays. Signatures say which texts are worth comparing, and the texts whether they are near-duplicates.
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
        compared = np.concatenate([[item], candidates[~settled[candidates]]])
        similar = {other: (item, share) for other, share in _similar(collection, positions, compared, verifier, config)}
        settled[list(similar)] = True
        near |= similar
    return near


def _similar(
    collection: Collection,
    positions: NDArray[np.int64],
    compared: NDArray[np.int64],
    verifier: Verifier,
    config: DuplicateConfig,
) -> Iterator[tuple[int, float]]:
    """Of some items those as similar to the first as the threshold, with the Jaccard similarity."""
    if len(compared) < 2:
        return
    signatures = collection.signatures(positions[compared])
    estimated = estimate(signatures[0], signatures[1:])
    first = int(positions[compared[0]])
    for other in compared[1:][estimated > config.threshold - config.margin].tolist():
        similarity = verifier.jaccard(first, int(positions[other]))
        if similarity >= config.threshold:
            yield other, similarity
