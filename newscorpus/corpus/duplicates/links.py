"""Find what documents of many indexes have in common, range by range of hash, so that no range needs much memory.

Each index lists what its documents have as entries sorted by hash. A range of hashes is then one slice of each list,
and two documents with something in common meet in the range of its hash.
"""

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from newscorpus.config import DuplicateConfig
from newscorpus.corpus.duplicates.near import SIGNATURES_AT_ONCE, band_keys, sharing
from newscorpus.corpus.duplicates.sketch import digest
from newscorpus.corpus.duplicates.store import Store
from newscorpus.page.signature.kernel import HALF
from newscorpus.page.signature.signature import mixed

ENTRY = np.dtype([("key", "<u8"), ("row", "<u4")])
"""Something that a document has, by its hash, and the row of the document in its index."""

KEYS = 2**64


def link_entries(store: Store, config: DuplicateConfig) -> NDArray[np.void]:
    """What links the documents of an index with others: id, words, and each band of the signature."""
    if not len(store):
        return np.empty(0, ENTRY)
    ids = np.frombuffer(b"".join(digest(name.encode()) for name in store.ids), "<u8")
    contents = np.ascontiguousarray(store.documents["content"]).view("<u8").reshape(len(store), -1)[:, 0]
    number = np.arange(1, config.bands + 1, dtype=np.uint64) << HALF
    bands = [
        mixed(band_keys(store.signatures[start : start + SIGNATURES_AT_ONCE], config.bands, config.rows) | number)
        for start in range(0, len(store), SIGNATURES_AT_ONCE)
    ]
    keys = np.column_stack([ids, contents, np.concatenate(bands)])
    return _entries(keys.ravel(), np.repeat(np.arange(len(store)), keys.shape[1]))


def run_entries(store: Store, counts: NDArray[np.bool_]) -> NDArray[np.void]:
    """The sampled runs of the documents of an index that count."""
    runs, owners = store.column("runs"), np.repeat(np.arange(len(store)), store.documents["n_runs"])
    chosen = counts[owners]
    return _entries(runs[chosen].astype(np.uint64) << HALF, owners[chosen])


def _entries(keys: NDArray[np.uint64], rows: NDArray[np.int64]) -> NDArray[np.void]:
    entries = np.empty(len(keys), ENTRY)
    order = np.argsort(keys, kind="stable")
    entries["key"], entries["row"] = keys[order], rows[order]
    return entries


def between(entries: NDArray[np.void], field: str, low: int, high: int) -> NDArray[np.void]:
    """Of an array sorted by a field the slice from `low` to before `high`; of a mapped one hardly anything is read."""
    start, end = (bisect_left(entries, bound, key=lambda entry: int(entry[field])) for bound in (low, high))
    return entries[start:end]


def gather(
    lists: Sequence[NDArray[np.void]], starts: NDArray[np.int64], number: int, of: int
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """The keys in one of several equal ranges, and the positions of their documents.

    Args:
        lists: the entries of each index.
        starts: position of the first document of each.
        number: of the range, from 0.
        of: number of ranges.
    """
    bounds = (KEYS * number // of, KEYS * (number + 1) // of)
    parts = [between(entries, "key", *bounds) for entries in lists]
    keys = np.concatenate([part["key"] for part in parts])
    return keys, np.concatenate([part["row"] + start for part, start in zip(parts, starts, strict=False)])


def links(keys: NDArray[np.uint64], positions: NDArray[np.int64], n_documents: int) -> NDArray[np.uint64]:
    """Each document with the first one that has one of its keys, as `first * n_documents + document`, sorted."""
    items, sizes = sharing(keys)
    firsts = np.repeat(items[np.cumsum(sizes) - sizes], sizes)
    pairs = positions[firsts].astype(np.uint64) * np.uint64(n_documents) + positions[items].astype(np.uint64)
    return np.unique(pairs[positions[firsts] != positions[items]])


def components(pairs: NDArray[np.uint64], n_documents: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The documents that are linked by one step or several: their positions, and the component of each.

    They are sorted by component, the largest first, and by position.
    """
    from scipy.sparse import coo_array  # noqa: PLC0415 -- takes as long to load as all else, and only this needs it
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    sides = np.concatenate(np.divmod(pairs, np.uint64(n_documents or 1)))
    positions, indices = np.unique(sides.astype(np.int64), return_inverse=True)
    first, second = indices[: len(pairs)], indices[len(pairs) :]
    graph = coo_array((np.ones(len(pairs), bool), (first, second)), shape=(len(positions), len(positions)))
    labels = connected_components(graph, directed=False)[1] if len(positions) else positions
    ranks = np.argsort(np.argsort(-np.bincount(labels), kind="stable"), kind="stable")
    found = ranks[labels] if len(positions) else labels
    order = np.lexsort((positions, found))
    return positions[order], found[order]
