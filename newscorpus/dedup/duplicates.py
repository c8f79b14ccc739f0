"""Find the documents that repeat others, and choose the one that stays.

First, one of all texts of a document stays (revisions): of its own page, or where that gave none, of the page with the
lowest id. Then one of equal texts stays (exact) and one of similar texts (near), in the order of the policy; last go
the documents that a longer one contains (excerpts), longest first. Groups of near-duplicates are stars, not chains:
documents are taken in the order of the policy, and each one not yet settled stays and settles all that are similar to
it. So every document was compared with the one that stays for it, and no two that stay are similar. What stays for a
group may itself be an excerpt of a longer document, which then stands for all. Documents of a reference come before all
others and never go. The outcome does not depend on the order of the input.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from operator import attrgetter
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from newscorpus.config import DuplicateConfig, Survivor
from newscorpus.dedup.collection import Collection
from newscorpus.dedup.excerpts import find_excerpts
from newscorpus.dedup.near import find_near
from newscorpus.dedup.signature import estimate
from newscorpus.dedup.verify import Verifier

T = TypeVar("T")


class Watch(Protocol):
    """Passes on items, and shows how far it is; `what` says what they are."""

    def __call__(self, items: Iterable[T], what: str, /) -> Iterable[T]:
        """The items as they come."""


def unwatched(items: Iterable[T], _: str) -> Iterable[T]:
    """Show nothing."""
    return items


class DuplicateKind(StrEnum):
    """How a document repeats another: the same text, much the same, a part of it, or another state of one document."""

    EXACT = "exact"
    NEAR = "near"
    EXCERPT = "excerpt"
    REVISION = "revision"


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A document that goes.

    A revision repeats the text chosen for its document, which may in turn be a duplicate; an exact or near-duplicate
    repeats a document that stays or is an excerpt of one.
    """

    position: int  # of the document in the collection
    of: int  # position of what it was compared with
    kind: DuplicateKind  # how it repeats it
    # Jaccard similarity of the shingles, 0..1, of a revision estimated from the signatures; of an excerpt the share
    # that the longer document contains.
    similarity: float


def find_duplicates(
    collection: Collection, verifier: Verifier, config: DuplicateConfig, watch: Watch = unwatched
) -> list[Duplicate]:
    """The documents that go, in the order of the collection; all others stay."""
    repeats = find_repeats(collection, verifier, config, watch)
    if not config.excerpts:
        return repeats
    found = find_excerpts(collection, in_order(collection, repeats, config), verifier, config)
    return join(repeats, found)


def join(repeats: Sequence[Duplicate], excerpts: Iterable[tuple[int, int, float]]) -> list[Duplicate]:
    """All documents that go, in the order of the collection; excerpts as `find_excerpts` gives them."""
    found = (Duplicate(part, whole, DuplicateKind.EXCERPT, share) for part, whole, share in excerpts)
    return sorted([*repeats, *found], key=attrgetter("position"))


def find_repeats(
    collection: Collection, verifier: Verifier, config: DuplicateConfig, watch: Watch = unwatched
) -> list[Duplicate]:
    """The revisions, and the exact and near-duplicates, in the order of the collection.

    What becomes of a document depends on those alone that it is linked with, by one step or several: those that have
    its id or its words, or share a band with it.
    """
    revisions = list(_revisions(collection, config.revision))
    order = in_order(collection, revisions, config)
    return join([*revisions, *_repeats(collection, order, verifier, config, watch)], ())


def in_order(collection: Collection, gone: Sequence[Duplicate], config: DuplicateConfig) -> NDArray[np.int64]:
    """The positions of the documents that count and have not gone, in the order of the policy."""
    stays = collection.current.copy()
    stays[[duplicate.position for duplicate in gone]] = False
    order = _order(collection, config.survivor, "published")
    return order[stays[order]]


def staying(collection: Collection, duplicates: Sequence[Duplicate]) -> NDArray[np.int64]:
    """The positions of the documents of the index itself that stay."""
    stays = collection.current.copy()
    stays[: collection.n_references] = False
    stays[[duplicate.position for duplicate in duplicates]] = False
    return np.flatnonzero(stays)


def survivors(duplicates: Sequence[Duplicate]) -> Mapping[int, int]:
    """For each document that goes the one that stays for it in the end, by position."""
    of = {duplicate.position: duplicate.of for duplicate in duplicates}
    last = {}
    for position, other in of.items():
        while other in of:
            other = of[other]  # noqa: PLW2901 -- at most three steps: revision, near-duplicate, excerpt
        last[position] = other
    return last


def _order(collection: Collection, policy: Survivor, date: str) -> NDArray[np.int64]:
    """The positions in the order of a policy, references first; ties by id, then by all that is stored."""
    documents = collection.documents
    when = documents[date]
    unknown = np.isnan(when)
    is_own = np.arange(len(documents)) >= collection.n_references
    ties = (documents["digest"], collection.id_ranks)
    if policy is Survivor.LONGEST:
        return np.lexsort((*ties, -documents["n_words"].astype(np.int64), is_own))
    direction = 1 if policy is Survivor.FIRST else -1
    return np.lexsort((*ties, np.where(unknown, 0, direction * when), unknown, is_own))


def _revisions(collection: Collection, policy: Survivor) -> Iterator[Duplicate]:
    """Of each document all texts but the one that the policy chooses, of those of one page."""
    order = _order(collection, policy, "fetched")
    order = order[(order >= collection.n_references) & collection.current[order]]
    order = order[np.argsort(collection.documents["page"][order], kind="stable")]
    names = collection.documents["space"][order].astype(np.int64) * len(collection) + collection.id_ranks[order]
    by_name = np.argsort(names, kind="stable")
    starts = np.flatnonzero(np.diff(names[by_name], prepend=-1))
    sizes = np.diff(starts, append=len(names))
    for start, size in zip(starts[sizes > 1], sizes[sizes > 1], strict=True):
        same = order[by_name[start : start + size]]
        signatures = collection.signatures(same)
        for position, similarity in zip(same[1:].tolist(), estimate(signatures[0], signatures[1:]), strict=True):
            yield Duplicate(position, int(same[0]), DuplicateKind.REVISION, float(similarity))


def _repeats(
    collection: Collection, order: NDArray[np.int64], verifier: Verifier, config: DuplicateConfig, watch: Watch
) -> Iterator[Duplicate]:
    """The exact and near-duplicates among documents in the order of the policy."""
    _, firsts, inverse = np.unique(collection.documents["content"][order], return_index=True, return_inverse=True)
    first = firsts[inverse]
    texts, text_of = np.unique(first, return_inverse=True)
    near = find_near(collection, order[texts], verifier, config, watch(range(len(texts)), "texts compared"))
    for index, position in enumerate(order.tolist()):
        text = int(text_of[index])
        if position < collection.n_references:
            continue
        if text in near:
            of, similarity = near[text]
            yield Duplicate(position, int(order[texts[of]]), DuplicateKind.NEAR, similarity)
        elif first[index] != index:
            yield Duplicate(position, int(order[first[index]]), DuplicateKind.EXACT, 1.0)
