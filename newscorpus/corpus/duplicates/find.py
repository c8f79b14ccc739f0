"""Find the documents that repeat others, and choose the one that stays.

First, one of all texts of a document stays (revisions): of its own page, or where that gave none, of the page with the
lowest id. Then those documents go that consist of two or more others of their portal (containers), such as lists of
whole posts, before they can stand for anything. Then one of equal texts stays (exact) and one of similar texts (near),
in the order of the policy, in which what has the address of a list comes last; in the end go the documents of which
there is a longer version (excerpts), longest first. Groups of near-duplicates are stars, not chains: documents are
taken in the order of the policy, and each one not yet settled stays and settles all that are similar to it. So every
document was compared with the one that stays for it, and no two that stay are similar. What stays for a group may
itself be an excerpt of a longer document, which then stands for all. Documents of a reference come before all others
and never go. The outcome does not depend on the order of the input.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum
from operator import attrgetter
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from newscorpus.config import DuplicateConfig, Survivor
from newscorpus.corpus.duplicates.collection import Collection
from newscorpus.corpus.duplicates.excerpts import find_excerpts, find_holders
from newscorpus.corpus.duplicates.near import find_near
from newscorpus.corpus.duplicates.verify import Verifier
from newscorpus.page.signature import HALF, estimate, hash_runs, word_hashes

T = TypeVar("T")


class Watch(Protocol):
    """Passes on items, and shows how far it is; `what` says what they are."""

    def __call__(self, items: Iterable[T], what: str, /) -> Iterable[T]:
        """The items as they come."""


def unwatched(items: Iterable[T], _: str) -> Iterable[T]:
    """Show nothing."""
    return items


class DuplicateKind(StrEnum):
    """How a document repeats another: same text, similar, a part, another state, or it contains that and others."""

    EXACT = "exact"
    NEAR = "near"
    EXCERPT = "excerpt"
    REVISION = "revision"
    CONTAINER = "contains_others"


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
    # that the longer document contains, of a container the share that consists of other documents.
    similarity: float


def find_duplicates(
    collection: Collection, verifier: Verifier, config: DuplicateConfig, watch: Watch = unwatched
) -> list[Duplicate]:
    """The documents that go, in the order of the collection; all others stay."""
    holders = find_holding(collection, verifier, config)
    containers = [one for one in holders if one.similarity > config.list_share]
    repeats = find_repeats(collection, verifier, config, [one.position for one in containers], watch)
    gone = [*repeats, *containers]
    if not config.excerpts:
        return join(gone, ())
    order = in_order(collection, [one.position for one in gone], config)
    return join(gone, find_excerpts(collection, order, verifier, config, {one.position for one in holders}))


def join(gone: Sequence[Duplicate], excerpts: Iterable[tuple[int, int, float]]) -> list[Duplicate]:
    """All documents that go, in the order of the collection; excerpts as `find_excerpts` gives them."""
    found = (Duplicate(part, whole, DuplicateKind.EXCERPT, share) for part, whole, share in excerpts)
    return sorted([*gone, *found], key=attrgetter("position"))


def find_holding(collection: Collection, verifier: Verifier, config: DuplicateConfig) -> list[Duplicate]:
    """The documents that contain several others of their portal; none where no excerpts are looked for.

    Those with a `similarity` above `list_share` go; the others, such as an article that quotes others in full, stay.
    """
    if not config.excerpts:
        return []
    superseded = [position for same in _states(collection, config.revision) for position in same[1:].tolist()]
    found = find_holders(collection, in_order(collection, superseded, config), verifier, config)
    return [Duplicate(whole, part, DuplicateKind.CONTAINER, share) for whole, part, share in found]


def find_repeats(
    collection: Collection,
    verifier: Verifier,
    config: DuplicateConfig,
    containers: Sequence[int] = (),
    watch: Watch = unwatched,
) -> list[Duplicate]:
    """The revisions, and the exact and near-duplicates among all but containers, in the order of the collection.

    What becomes of a document depends on those alone that it is linked with, by one step or several: those that have
    its id or its words, or share a band with it.
    """
    revisions = list(_revisions(collection, config.revision))
    order = in_order(collection, [*(one.position for one in revisions), *containers], config)
    return join([*revisions, *_repeats(collection, order, verifier, config, watch)], ())


def in_order(collection: Collection, gone: Sequence[int], config: DuplicateConfig) -> NDArray[np.int64]:
    """The positions of the documents that count and have not gone, in the order of the policy."""
    stays = collection.current.copy()
    stays[list(gone)] = False
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
            other = of[other]  # noqa: PLW2901 -- at most four steps: container, revision, near-duplicate, excerpt
        last[position] = other
    return last


def _order(collection: Collection, policy: Survivor, date: str) -> NDArray[np.int64]:
    """The positions in the order of a policy, references first; ties by id, then by all that is stored."""
    documents = collection.documents
    when = documents[date]
    unknown = np.isnan(when)
    is_own = np.arange(len(documents)) >= collection.n_references
    ties = (documents["digest"], collection.id_ranks)
    first = (documents["is_list"], is_own)
    if policy is Survivor.LONGEST:
        return np.lexsort((*ties, -documents["n_words"].astype(np.int64), *first))
    direction = 1 if policy is Survivor.FIRST else -1
    return np.lexsort((*ties, np.where(unknown, 0, direction * when), unknown, *first))


def _states(collection: Collection, policy: Survivor) -> Iterator[NDArray[np.int64]]:
    """The texts of each document that has several: first the one that the policy chooses, of those of one page."""
    order = _order(collection, policy, "fetched")
    order = order[(order >= collection.n_references) & collection.current[order]]
    order = order[np.argsort(collection.documents["page"][order], kind="stable")]
    names = collection.documents["space"][order].astype(np.int64) * len(collection) + collection.id_ranks[order]
    by_name = np.argsort(names, kind="stable")
    starts = np.flatnonzero(np.diff(names[by_name], prepend=-1))
    sizes = np.diff(starts, append=len(names))
    for start, size in zip(starts[sizes > 1], sizes[sizes > 1], strict=True):
        yield order[by_name[start : start + size]]


def _revisions(collection: Collection, policy: Survivor) -> Iterator[Duplicate]:
    """Of each document all texts but the one that the policy chooses."""
    for same in _states(collection, policy):
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


def find_boilerplate(
    collection: Collection, staying: NDArray[np.int64], config: DuplicateConfig
) -> Mapping[str, frozenset[int]]:
    """By source the hashes of the paragraphs that stand in many of its documents.

    Those at the positions `staying` count: each text once.
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
    """A text of one paragraph a line without boilerplate, and the number of paragraphs cut.

    A text that is nothing else stays as it is.
    """
    lines = text.split("\n")
    stay = [line for line in lines if not _is_boilerplate(line, boilerplate, config)]
    return ("\n".join(stay), len(lines) - len(stay)) if any(map(str.strip, stay)) else (text, 0)


def _is_boilerplate(line: str, boilerplate: AbstractSet[int], config: DuplicateConfig) -> bool:
    words = word_hashes(line)
    return len(words) >= config.boilerplate_words and int(hash_runs(words, len(words))[0] >> HALF) in boilerplate
