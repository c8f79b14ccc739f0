"""Find duplicate documents, and choose which document of each group survives.

In this order:

1. Revisions: of all texts of a document one survives, of those from its own page or, without any, from the page with
   the lowest id.
2. Containers: a document that consists of two or more others of its portal is removed, such as a list of whole posts.
   This comes before the documents are compared with each other, so that a container never represents another document.
3. Exact and near-duplicates, in the order of the policy; listing pages come last.
4. Excerpts: a document that a longer one contains is removed, longest first.

Groups of near-duplicates are stars, not chains: documents are visited in the order of the policy, and each one that is
not settled yet survives and settles all that are similar to it. So each near-duplicate was compared with its survivor,
and no two survivors are similar. The survivor of a group may itself be an excerpt of a longer document, which then
represents the group. Documents of a reference come before all others and are never removed. The outcome does not depend
on the order of the input.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from operator import attrgetter
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from newscorpus.config import DuplicateConfig, Survivor
from newscorpus.corpus.duplicates.collection import Collection
from newscorpus.corpus.duplicates.excerpts import find_excerpts, find_holders
from newscorpus.corpus.duplicates.verify import Duplicate, DuplicateKind, Verifier
from newscorpus.page.quality.masking import MASKED
from newscorpus.page.signature import HALF, RUN_BASE, estimate, hash_parts, mixed, read_words

T = TypeVar("T")

by_position = attrgetter("position")

SIGNATURES_AT_ONCE = 65_536
"""Signatures in memory at once while their bands are hashed: 32 MB."""


class Watch(Protocol):
    """Pass items on and show progress; `what` labels the items."""

    def __call__(self, items: Iterable[T], what: str, /) -> Iterable[T]:
        """Return the items unchanged."""


def unwatched(items: Iterable[T], _: str) -> Iterable[T]:
    """Pass items on without showing progress."""
    return items


def find_duplicates(
    collection: Collection, verifier: Verifier, config: DuplicateConfig, watch: Watch = unwatched
) -> list[Duplicate]:
    """Return the documents to remove, in the order of the collection."""
    holders = find_holding(collection, verifier, config)
    containers = [one for one in holders if one.similarity > config.list_share]
    repeats = find_repeats(collection, verifier, config, [one.position for one in containers], watch)
    gone = [*repeats, *containers]
    if not config.excerpts:
        return sorted(gone, key=by_position)
    order = in_order(collection, [one.position for one in gone], config)
    excerpts = find_excerpts(collection, order, verifier, config, {one.position for one in holders})
    return sorted([*gone, *excerpts], key=by_position)


def find_holding(collection: Collection, verifier: Verifier, config: DuplicateConfig) -> list[Duplicate]:
    """Find the documents that contain several others of their portal; none if excerpts are disabled.

    Those with a `similarity` above `list_share` are to be removed. The others stay, such as an article that quotes
    other articles in full.
    """
    if not config.excerpts:
        return []
    superseded = [position for same in _states(collection, config.revision) for position in same[1:].tolist()]
    return list(find_holders(collection, in_order(collection, superseded, config), verifier, config))


def find_repeats(
    collection: Collection,
    verifier: Verifier,
    config: DuplicateConfig,
    containers: Sequence[int] = (),
    watch: Watch = unwatched,
) -> list[Duplicate]:
    """Find revisions, and exact and near-duplicates among all documents but containers, in the order of the collection.

    The verdict on a document depends only on documents linked to it, directly or through others: documents with the
    same id, the same words, or a common band of the signature.
    """
    found: list[Duplicate] = []
    for same in _states(collection, config.revision):
        signatures = collection.signatures(same)
        for position, share in zip(same[1:].tolist(), estimate(signatures[0], signatures[1:]), strict=True):
            found.append(Duplicate(position, int(same[0]), DuplicateKind.REVISION, float(share)))
    order = in_order(collection, [*(one.position for one in found), *containers], config)
    _, firsts, inverse = np.unique(collection.documents["content"][order], return_index=True, return_inverse=True)
    first = firsts[inverse]  # for each index into `order`, that of the first document with the same words
    texts, text_of = np.unique(first, return_inverse=True)
    near = find_near(collection, order[texts], verifier, config, watch(range(len(texts)), "texts compared"))
    for index, position in enumerate(order.tolist()):
        if position < collection.n_references:
            continue
        if match := near.get(int(text_of[index])):
            found.append(Duplicate(position, int(order[texts[match[0]]]), DuplicateKind.NEAR, match[1]))
        elif first[index] != index:
            found.append(Duplicate(position, int(order[first[index]]), DuplicateKind.EXACT, 1.0))
    return sorted(found, key=by_position)


def in_order(collection: Collection, gone: Sequence[int], config: DuplicateConfig) -> NDArray[np.int64]:
    """Return the positions of the current documents except `gone`, in the order of the policy."""
    stays = collection.current.copy()
    stays[list(gone)] = False
    order = _order(collection, config.survivor, "published")
    return order[stays[order]]


def staying(collection: Collection, duplicates: Sequence[Duplicate]) -> NDArray[np.int64]:
    """Return the positions of the surviving documents, without references."""
    stays = collection.current.copy()
    stays[: collection.n_references] = False
    stays[[duplicate.position for duplicate in duplicates]] = False
    return np.flatnonzero(stays)


def survivors(duplicates: Sequence[Duplicate]) -> Mapping[int, int]:
    """Map the position of each removed document to that of the survivor that represents it."""
    of = {duplicate.position: duplicate.of for duplicate in duplicates}
    last = {}
    for position, other in of.items():
        while other in of:
            other = of[other]  # noqa: PLW2901 -- at most four steps: container, revision, near-duplicate, excerpt
        last[position] = other
    return last


def _order(collection: Collection, policy: Survivor, date: str) -> NDArray[np.int64]:
    """Sort all positions by a policy, references first; ties by the length of the address, the id, then the digest."""
    documents = collection.documents
    when = documents[date]
    unknown = np.isnan(when)
    is_own = np.arange(len(documents)) >= collection.n_references
    # A site may show an article under the addresses of other languages or of its comments, too
    ties = (documents["digest"], collection.id_ranks, documents["url_length"])
    first = (documents["is_list"], is_own)
    if policy is Survivor.LONGEST:
        return np.lexsort((*ties, -documents["n_words"].astype(np.int64), *first))
    direction = 1 if policy is Survivor.FIRST else -1
    return np.lexsort((*ties, np.where(unknown, 0, direction * when), unknown, *first))


def _states(collection: Collection, policy: Survivor) -> Iterator[NDArray[np.int64]]:
    """Yield the texts of each document that has several, the one that the policy chooses first."""
    order = _order(collection, policy, "fetched")
    order = order[(order >= collection.n_references) & collection.current[order]]
    order = order[np.argsort(collection.documents["page"][order], kind="stable")]
    names = collection.documents["space"][order].astype(np.int64) * len(collection) + collection.id_ranks[order]
    by_name = np.argsort(names, kind="stable")
    starts = np.flatnonzero(np.diff(names[by_name], prepend=-1))
    sizes = np.diff(starts, append=len(names))
    for start, size in zip(starts[sizes > 1], sizes[sizes > 1], strict=True):
        yield order[by_name[start : start + size]]


def band_keys(signatures: NDArray[np.uint32], bands: int, rows: int) -> NDArray[np.uint64]:
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
    return mixed(keys)


class Buckets:
    """Buckets of items with the same key; `bands` holds for each band the keys of all items, shape (items,).

    Only buckets of two or more items are stored, so memory depends on the number of candidates.
    """

    def __init__(self, bands: "list[NDArray[np.uint64]]") -> None:
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


def sharing(keys: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
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


def find_boilerplate(
    collection: Collection, staying: NDArray[np.int64], config: DuplicateConfig
) -> Mapping[str, frozenset[int]]:
    """Find, for each source, the hashes of paragraphs that occur in many of its documents.

    Only the documents at the positions `staying` count, and each counts a paragraph once.
    """
    if not config.boilerplate_documents:
        return {}
    sources = collection.documents["source"][staying]
    paragraphs, owners = collection.values("paragraphs", staying)
    found = {}
    for number in np.unique(sources):
        here = sources[owners] == number
        least = max(config.boilerplate_documents, config.boilerplate_share * np.count_nonzero(sources == number))
        each_once = np.unique(np.rec.fromarrays([paragraphs[here], owners[here]]))
        hashes, counts = np.unique(each_once["f0"], return_counts=True)
        if recurring := frozenset(hashes[counts >= least].tolist()):
            found[collection.sources[number]] = recurring
    return found


def cut_boilerplate(text: str, boilerplate: AbstractSet[int], config: DuplicateConfig) -> tuple[str, int]:
    """Remove boilerplate paragraphs from a text of one paragraph a line; a text of nothing else is unchanged.

    Paragraphs with masked data stay: only the mask may have made them equal.

    Returns:
        The text, and the number of paragraphs removed.
    """
    lines = text.split("\n")
    words, ends = read_words(text)
    sizes = np.diff(ends, prepend=0)
    hashes = np.full(len(lines), -1)
    hashes[sizes > 0] = hash_parts(words, ends[sizes > 0]) >> HALF
    hashes[sizes < config.boilerplate_words] = -1
    keyed = zip(lines, hashes.tolist(), strict=True)
    stay = [line for line, key in keyed if key not in boilerplate or MASKED.search(line)]
    return ("\n".join(stay), len(lines) - len(stay)) if any(map(str.strip, stay)) else (text, 0)
