"""Find the duplicates of a batch in tasks of bounded memory, with the same result as on one machine.

The features of each part's documents (ids, words, bands, runs) are stored as entries sorted by hash. A range of hashes
is one slice of each list, and documents with a common feature meet in its range. Documents that may repeat each other
are linked; each group of linked documents is decided by itself, like a whole corpus in `build`. Containers are found
before, portal by portal; excerpts are searched last, among the survivors. Documents are numbered by position across all
parts, in order.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from newscorpus.batch.plan import Plan
from newscorpus.config import BuildConfig, DuplicateConfig
from newscorpus.corpus.duplicates.collection import Collection
from newscorpus.corpus.duplicates.excerpts import Candidates, likely, settle, shared_runs, version_share
from newscorpus.corpus.duplicates.find import (
    SIGNATURES_AT_ONCE,
    Watch,
    band_keys,
    by_position,
    find_duplicates,
    find_holding,
    find_repeats,
    in_order,
    sharing,
)
from newscorpus.corpus.duplicates.index import update_index
from newscorpus.corpus.duplicates.store import COLUMNS, Selection, Store, digest, layout_of
from newscorpus.corpus.duplicates.verify import Duplicate, DuplicateKind, Verifier
from newscorpus.corpus.left_out import doubtful_documents
from newscorpus.files import replacing
from newscorpus.layout import INDEX
from newscorpus.page.signature import HALF, RUN_BASE, estimate, mixed

ENTRY = np.dtype([("key", "<u8"), ("row", "<u4")])
"""Hash of a feature, and the row of its document in the index of its part."""

KEYS = 2**64
IS_BAND = np.uint64(1)
"""Lowest bit of a key, set for bands: whether documents with this key are linked only if their signatures agree."""

LINK = np.dtype([("pair", "<u8"), ("similarity", "<f4")])
"""Two linked documents, `first * n_documents + second`, and their similarity; `EQUAL` for equal id or words."""

EQUAL = 2.0

GROUP_DOCUMENTS = 100_000
"""Most documents that similarity may join: 0.3 GB in one task."""

LINKS, RUNS = "links.npy", "runs.npy"
"""Files of a part's entries: features that link documents (ids, words, bands), and sampled runs of words."""

GB = 1e9
BASE_BYTES = 0.4 * GB
"""Memory of a task besides its data: 0.2 GB of program, and the texts cached by `Verifier`."""

LINK_BYTES, RUN_BYTES, DOCUMENT_BYTES = 130, 1_300, 3_000
"""Peak memory per link entry and per run, measured with 50 documents sharing each run; per compared document,
estimated."""

PAIR_BYTES = 2 * DOCUMENT_BYTES
REPEAT = np.dtype([("position", "<u8"), ("of", "<u8"), ("kind", "S15"), ("similarity", "<f8")])
"""A removed document, like `Duplicate`; the kind is empty for a document that does not count."""

SHARED = np.dtype([("pair", "<u8"), ("runs", "<u4")])
"""Number of runs that two documents have in common; the pair is `first * n_documents + second`."""

EXCERPT = np.dtype([("part", "<u8"), ("whole", "<u8"), ("share", "<f8"), ("contained", "<f8")])
"""An excerpt and its source: share of its sampled runs, and of all its runs, that the source contains."""


def link_entries(store: Store, config: DuplicateConfig) -> NDArray[np.void]:
    """Return an entry for the id, the words and each band of the signature of every document."""
    if not len(store):
        return np.empty(0, ENTRY)
    ids = np.frombuffer(b"".join(digest(name.encode()) for name in store.ids), "<u8")
    contents = np.ascontiguousarray(store.documents["content"]).view("<u8").reshape(len(store), -1)[:, 0]
    number = np.arange(config.bands, dtype=np.uint64) * RUN_BASE
    bands = [
        mixed(band_keys(store.signatures[start : start + SIGNATURES_AT_ONCE], config.bands, config.rows) + number)
        for start in range(0, len(store), SIGNATURES_AT_ONCE)
    ]
    keys = np.column_stack([ids & ~IS_BAND, contents & ~IS_BAND, np.concatenate(bands) | IS_BAND])
    return _entries(keys.ravel(), np.repeat(np.arange(len(store)), keys.shape[1]))


def _entries(keys: NDArray[np.uint64], rows: NDArray[np.int64]) -> NDArray[np.void]:
    entries = np.empty(len(keys), ENTRY)
    order = np.argsort(keys, kind="stable")
    entries["key"], entries["row"] = keys[order], rows[order]
    return entries


def between(entries: NDArray[np.void], field: str, low: int, high: int) -> NDArray[np.void]:
    """Slice an array sorted by a field: values from `low` up to but excluding `high`, by binary search."""
    start, end = (bisect_left(entries, bound, key=lambda entry: int(entry[field])) for bound in (low, high))
    return entries[start:end]


def gather(
    lists: Sequence[NDArray[np.void]], starts: NDArray[np.int64], number: int, of: int
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the keys in one of several equal ranges, and the positions of their documents.

    Args:
        lists: the entries of each part.
        starts: position of the first document of each part.
        number: of the range, from 0.
        of: number of ranges.
    """
    bounds = (KEYS * number // of, KEYS * (number + 1) // of)
    parts = [between(entries, "key", *bounds) for entries in lists]
    keys = np.concatenate([part["key"] for part in parts])
    return keys, np.concatenate([part["row"] + start for part, start in zip(parts, starts, strict=False)])


def links(
    keys: NDArray[np.uint64],
    positions: NDArray[np.int64],
    n_documents: int,
    signatures: Callable[[NDArray[np.int64]], NDArray[np.uint32]],
    least: float,
) -> NDArray[np.void]:
    """Link the documents at `positions` that have the same id or words, or a band and more than `least` in common.

    The links, as `LINK`, connect what links between all such pairs would connect. `signatures` loads those at some
    positions.
    """
    items, sizes = sharing(keys)
    starts = np.cumsum(sizes) - sizes
    one, other = positions[np.repeat(items[starts], sizes)], positions[items]
    similarities = np.full(len(items), EQUAL)
    compared = np.flatnonzero(((keys[items] & IS_BAND) != 0) & (one != other))
    for start in range(0, len(compared), SIGNATURES_AT_ONCE):
        here = compared[start : start + SIGNATURES_AT_ONCE]
        similarities[here] = estimate(signatures(one[here]), signatures(other[here]))
    for bucket in np.unique(np.repeat(np.arange(len(sizes)), sizes)[similarities <= least]):
        members = slice(starts[bucket], starts[bucket] + sizes[bucket])
        nearest, similarities[members] = _connect(signatures(other[members]), least)
        one[members] = other[members][nearest]
    linked = one != other
    found = np.empty(np.count_nonzero(linked), LINK)
    found["pair"] = (np.minimum(one, other) * n_documents + np.maximum(one, other))[linked]
    found["similarity"] = similarities[linked]
    return found


def _connect(signatures: NDArray[np.uint32], least: float) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Connect similar signatures to trees: for each one its parent, itself at the root, and the similarity to it."""
    parents, similarities = np.arange(len(signatures)), np.full(len(signatures), EQUAL)
    rest, found = parents.copy(), list[int]()
    while len(rest):
        if not found:
            found, rest = [int(rest[0])], rest[1:]
        parent = found.pop()
        estimated = estimate(signatures[parent], signatures[rest])
        near = estimated > least
        parents[rest[near]], similarities[rest[near]] = parent, estimated[near]
        found += rest[near].tolist()
        rest = rest[~near]
    return parents, similarities


def bounded_groups(
    found: NDArray[np.void], n_documents: int, levels: Sequence[float], most: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Group linked documents; a group of more than `most` keeps only its links of the next of the ascending levels.

    Returns:
        Positions and group numbers, sorted by group.
    """
    done, first = [np.empty((0, 2), np.int64)], 0
    for least in levels:
        found = found[found["similarity"] >= least]
        positions, groups = components(np.unique(found["pair"]), n_documents)
        fits = (np.bincount(groups) <= most)[groups] | (least == levels[-1])
        done.append(np.column_stack([positions[fits], groups[fits] + first]))
        first += len(positions)
        found = found[np.isin(found["pair"] // np.uint64(n_documents or 1), positions[~fits].astype(np.uint64))]
    positions, groups = np.concatenate(done).T
    return positions, groups


def components(pairs: NDArray[np.uint64], n_documents: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find the connected components of linked documents.

    Returns:
        Positions and component numbers, sorted by component, the largest first, then by position.
    """
    from scipy.sparse import coo_array  # noqa: PLC0415 -- slow to import, and needed only here
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


def index_part(folder: Path, config: BuildConfig) -> None:
    """Index the intake of a part, and write its entries."""
    store = update_index(folder, config)
    counts = ~(doubtful_documents(store.documents, config.least_confidence) | store.documents["withdrawn"])
    _save(folder / LINKS, link_entries(store, config.duplicates))
    runs, owners = store.column("runs"), np.repeat(np.arange(len(store)), store.documents["n_runs"])
    chosen = counts[owners]
    _save(folder / RUNS, _entries(runs[chosen].astype(np.uint64) << HALF, owners[chosen]))


class Parts(Collection):
    """The documents of all parts."""

    def __init__(self, plan: Plan) -> None:
        stores = [Store.open(folder / INDEX, layout_of(plan.build)) for folder in plan.parts]
        for store in stores:  # not in every task: `publish` verifies the columns
            store.checked |= COLUMNS.keys()
        super().__init__(stores)
        self._least_confidence = plan.build.least_confidence

    def select(self, positions: NDArray[np.int64]) -> Collection:
        """Return a collection of the documents at some positions, in ascending order."""
        bounds = np.searchsorted(positions, self.starts)
        own = [
            Selection(store, positions[first:end] - start)
            for store, start, first, end in zip(self.stores, self.starts, bounds, bounds[1:], strict=False)
            if end > first
        ]
        documents = np.concatenate([store.documents for store in own])
        return Collection(own, doubtful=doubtful_documents(documents, self._least_confidence))

    def portals(self) -> dict[str, NDArray[np.int64]]:
        """Return the positions of each portal's documents."""
        found: dict[str, list[NDArray[np.int64]]] = defaultdict(list)
        for store, start in zip(self.stores, self.starts, strict=False):
            for number, name in enumerate(store.state.sources):
                found[name].append(np.flatnonzero(store.column("documents")["source"] == number) + start)
        return {name: np.concatenate(positions) for name, positions in sorted(found.items())}


class DuplicateTask:
    """The stages of one task that find duplicates; each stage reads the results of earlier stages of all tasks."""

    def __init__(self, plan: Plan, number: int) -> None:
        self._plan = plan
        self._number = number
        self._config = plan.build.duplicates

    @cached_property
    def _parts(self) -> Parts:
        return Parts(self._plan)

    def link(self) -> None:
        """Link documents with the same id, words or band, one range of hashes at a time."""
        entries = self._entries(LINKS)
        signatures, least = self._parts.signatures, self._config.threshold - self._config.margin
        for number, of in self._ranges(sum(map(len, entries)), LINK_BYTES):
            keys, positions = gather(entries, self._parts.starts, number, of)
            _save(self._made("link", number), links(keys, positions, len(self._parts), signatures, least))

    def group(self) -> None:
        """Divide the groups of linked documents among the tasks."""
        found = np.concatenate([np.empty(0, LINK), *made(self._plan, "link")])
        levels = [0.0, *np.linspace(self._config.threshold, 1.0, 4), EQUAL]
        positions, groups = bounded_groups(found, len(self._parts), levels, GROUP_DOCUMENTS)
        tasks = len(self._plan.shares)
        for number in range(tasks):  # groups are sorted by size, so each task gets about the same
            here = groups % tasks == number
            _save(self._made("group", number), np.column_stack([positions[here], groups[here]]))

    def lists(self) -> None:
        """Find the documents that contain several others, in this task's portals, one at a time."""
        found = [np.empty(0, REPEAT)]
        for positions in list(self._parts.portals().values())[self._number :: len(self._plan.shares)]:
            if len(positions):
                collection = self._parts.select(positions)
                found.append(
                    _repeats(find_holding(collection, Verifier(collection, self._plan.build), self._config), positions)
                )
        _save(self._made("lists", self._number), np.concatenate(found))

    def repeats(self) -> None:
        """Find the revisions, exact and near-duplicates of this task's components, as many as fit in memory at once."""
        lists = containers(self._plan)["position"]
        grouped = _load(self._made("group", self._number))
        ends = np.flatnonzero(np.diff(grouped[:, 1], append=-1)) + 1
        room = max(1, int(self._room // DOCUMENT_BYTES))
        found, start = [np.empty(0, REPEAT)], 0
        while start < len(grouped):
            fitting = np.searchsorted(ends, start + room, "right") - 1
            end = int(max(ends[fitting] if fitting >= 0 else 0, ends[np.searchsorted(ends, start, "right")]))
            positions = np.sort(grouped[start:end, 0]).astype(np.int64)
            collection = self._parts.select(positions)
            here = np.flatnonzero(np.isin(positions, lists)).tolist()
            duplicates = find_repeats(collection, Verifier(collection, self._plan.build), self._config, here)
            skipped = np.zeros(np.count_nonzero(~collection.current), REPEAT)
            skipped["position"] = skipped["of"] = positions[~collection.current]
            found += [_repeats(duplicates, positions), skipped]
            start = end
        _save(self._made("repeats", self._number), np.sort(np.concatenate(found), order="position"))

    def runs(self) -> None:
        """Count the sampled runs that the survivors so far have in common, one range of hashes at a time."""
        entries, n_documents = self._entries(RUNS), len(self._parts)
        gone = np.zeros(n_documents, bool)
        for found in (containers(self._plan), *made(self._plan, "repeats")):
            gone[found["position"]] = True
        for number, of in self._ranges(sum(map(len, entries)), RUN_BYTES):
            keys, positions = gather(entries, self._parts.starts, number, of)
            stay = ~gone[positions]
            pairs, counts = shared_runs(keys[stay], positions[stay], n_documents, self._config)
            shared = np.empty(len(pairs), SHARED)
            shared["pair"], shared["runs"] = pairs, counts
            _save(self._made("runs", number), shared)

    def excerpts(self) -> None:
        """Compare the texts of likely excerpts, one range of positions at a time."""
        n_documents, found = len(self._parts), [np.empty(0, EXCERPT)]
        counted = list(made(self._plan, "runs"))
        for number, of in self._ranges(sum(map(len, counted)), PAIR_BYTES):
            bounds = [n_documents * at // of * n_documents for at in (number, number + 1)]
            shared = np.concatenate([between(one, "pair", *bounds) for one in counted])
            if len(shared):
                found.append(self._contained(shared))
        _save(self._made("excerpts", self._number), np.concatenate(found))

    def _contained(self, shared: NDArray[np.void]) -> NDArray[np.void]:
        """Return the pairs with common runs of which one contains the other, as `EXCERPT`."""
        pairs, where = np.unique(shared["pair"], return_inverse=True)
        runs = np.bincount(where, shared["runs"]).astype(np.int64)
        sides = np.divmod(pairs, np.uint64(len(self._parts)))
        positions, indices = np.unique(np.concatenate(sides).astype(np.int64), return_inverse=True)
        collection = self._parts.select(positions)
        order = in_order(collection, (), self._config)
        rank = np.argsort(order).astype(np.uint64)  # each of these documents counts, so `order` has them all
        first, second = rank[indices[: len(pairs)]], rank[indices[len(pairs) :]]
        one = likely(collection, order, first * np.uint64(len(order)) + second, runs, self._config)
        parts, wholes = order[one.parts], order[one.wholes]
        holding = np.concatenate(list(made(self._plan, "lists")))["position"]
        holders = set(np.flatnonzero(np.isin(positions, holding)).tolist())
        share = version_share(collection, Verifier(collection, self._plan.build), self._config, holders)
        contained = [share(*pair) for pair in zip(parts.tolist(), wholes.tolist(), strict=True)]
        found = np.empty(len(parts), EXCERPT)
        found["part"], found["whole"] = positions[parts], positions[wholes]
        found["share"], found["contained"] = one.shares, contained
        return found[found["contained"] >= self._config.containment]

    def _entries(self, name: str) -> list[NDArray[np.void]]:
        return [_load(folder / name) for folder in self._plan.parts]

    @property
    def _room(self) -> float:
        return self._plan.memory_gb * GB - BASE_BYTES

    def _ranges(self, items: int, bytes_each: int) -> Iterator[tuple[int, int]]:
        """Yield the numbers of this task's ranges with the number of all ranges; each range fits in memory."""
        of = max(len(self._plan.shares), int(items * bytes_each / self._room) + 1)
        return ((number, of) for number in range(self._number, of, len(self._plan.shares)))

    def _made(self, stage: str, number: int) -> Path:
        return self._plan.made(stage, number).with_suffix(".npy")


def known_duplicates(plan: Plan) -> Callable[[Collection, Verifier, DuplicateConfig, Watch], list[Duplicate]]:
    """Return a replacement for `find_duplicates` that merges the results of the tasks instead of comparing again."""

    def find(collection: Collection, verifier: Verifier, config: DuplicateConfig, watch: Watch) -> list[Duplicate]:
        if len(collection) != len(Parts(plan)):  # rows were damaged in the meantime
            return find_duplicates(collection, verifier, config, watch)
        gone = [
            Duplicate(position, of, DuplicateKind(kind.decode()), similarity)
            for found in (containers(plan), *made(plan, "repeats"))
            for position, of, kind, similarity in found[found["kind"] != b""].tolist()
        ]
        order = in_order(collection, [one.position for one in gone], config)
        rank = np.empty(len(collection), np.int64)
        rank[order] = np.arange(len(order))
        found = np.concatenate(list(made(plan, "excerpts")))
        found = found[np.lexsort((rank[found["whole"]], rank[found["part"]]))]
        candidates = Candidates(rank[found["part"]], rank[found["whole"]], found["share"])
        contained = dict(zip(found[["part", "whole"]].tolist(), found["contained"].tolist(), strict=True))
        excerpts = settle(collection, order, candidates, lambda part, whole: contained[part, whole], config)
        return sorted([*gone, *excerpts], key=by_position)

    return find


def containers(plan: Plan) -> NDArray[np.void]:
    """Load the containers that the tasks found, as `REPEAT`."""
    holders = np.concatenate(list(made(plan, "lists")))
    found: NDArray[np.void] = holders[holders["similarity"] > plan.build.duplicates.list_share]
    return found


def made(plan: Plan, stage: str) -> Iterator[NDArray[np.void]]:
    """Load the results of a stage's tasks, in the order of their numbers."""
    return map(_load, sorted(plan.made(stage, 0).parent.glob("*.npy")))


def _repeats(duplicates: Sequence[Duplicate], positions: NDArray[np.int64]) -> NDArray[np.void]:
    """Convert duplicates among selected documents to positions in all parts."""
    return np.array(
        [(positions[one.position], positions[one.of], one.kind, one.similarity) for one in duplicates], REPEAT
    )


def _save(path: Path, array: NDArray[np.generic]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        np.save(file, array, allow_pickle=False)


def _load(path: Path) -> NDArray[np.void]:
    loaded: NDArray[np.void] = np.load(path, mmap_mode="r", allow_pickle=False)
    return loaded
