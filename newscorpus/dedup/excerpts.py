"""Find excerpts: documents that stand in a longer one word for word, as when a portal shortens an agency's text.

Candidates share rare sampled runs of words (Manber 1994; Broder 1997); their texts decide.
"""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newscorpus.config import DuplicateConfig
from newscorpus.dedup.collection import Collection
from newscorpus.dedup.verify import Verifier

LIKELY = 0.5
"""Share of `containment` that the few sampled runs must bear out before texts are read: half, since of five runs that
are shared with probability 0.8 fewer than two are found in 0.7 % of the cases."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Pairs of a shorter and a longer document that are likely to be an excerpt and its source."""

    parts: NDArray[np.int64]  # the shorter ones, as indices into the documents that stay, ascending
    wholes: NDArray[np.int64]  # the longer ones
    shares: NDArray[np.float64]  # of the sampled runs of the shorter one those that the longer one has, 0..1


def find_excerpts(
    collection: Collection, staying: NDArray[np.int64], verifier: Verifier, config: DuplicateConfig
) -> Iterator[tuple[int, int, float]]:
    """Excerpts among documents that stay: position, position of the longer one, which stays, and share contained.

    `staying` has positions in the order in which a longer document is preferred.
    """
    runs, owners = collection.values("runs", staying)
    pairs, shared = shared_runs(runs, owners, len(staying), config)
    candidates = likely(collection, staying, pairs, shared, config)
    return settle(collection, staying, candidates, verifier.containment, config)


def shared_runs(
    runs: NDArray[np.uint32] | NDArray[np.uint64], owners: NDArray[np.int64], n_documents: int, config: DuplicateConfig
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """The pairs of documents that have runs in common, as `first * n_documents + second`, and how many of these.

    Runs that too many documents share do not count. `owners` names the document of each run.
    """
    order = np.lexsort((owners, runs))
    ordered, documents = runs[order], owners[order].astype(np.uint64)
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])) if len(runs) else order
    sizes = np.diff(starts, append=len(runs))
    found = [np.empty(0, np.uint64)]
    for size in range(2, config.excerpt_documents + 1):
        members = documents[starts[sizes == size][:, None] + np.arange(size)]
        first, second = np.triu_indices(size, 1)
        found.append((members[:, first] * np.uint64(n_documents) + members[:, second]).ravel())
    return np.unique(np.concatenate(found), return_counts=True)


def likely(
    collection: Collection,
    staying: NDArray[np.int64],
    pairs: NDArray[np.uint64],
    shared: NDArray[np.int64],
    config: DuplicateConfig,
) -> Candidates:
    """Of pairs of `shared_runs`, by indices into `staying`, those that are likely to be an excerpt and its source."""
    first, second = (side.astype(np.int64) for side in np.divmod(pairs, np.uint64(len(staying) or 1)))
    one, other = np.minimum(first, second), np.maximum(first, second)
    lengths = collection.documents["n_words"][staying]
    # Of equally long ones the later in order counts as the shorter; `one` is the earlier.
    first_is_longer = lengths[one] >= lengths[other]
    part, whole = np.where(first_is_longer, other, one), np.where(first_is_longer, one, other)
    share = shared / np.maximum(collection.documents["n_runs"][staying][part], 1)
    are_likely = (share >= LIKELY * config.containment) & (staying[part] >= collection.n_references)
    part, whole, share = part[are_likely], whole[are_likely], share[are_likely]
    order = np.lexsort((whole, part))
    return Candidates(part[order], whole[order], share[order])


def settle(
    collection: Collection,
    staying: NDArray[np.int64],
    candidates: Candidates,
    containment: Callable[[int, int], float],
    config: DuplicateConfig,
) -> Iterator[tuple[int, int, float]]:
    """Choose the excerpts among candidates; `containment` gives the share of a text that another contains.

    The longest document comes first, so that a document is settled before its excerpts, and every excerpt has a
    document that stays.
    """
    gone: set[int] = set()
    parts, wholes, shares = candidates.parts, candidates.wholes, candidates.shares
    lengths = collection.documents["n_words"][staying]
    bounds = [*np.flatnonzero(np.diff(parts, prepend=-1)).tolist(), len(parts)]
    groups = [slice(start, end) for start, end in itertools.pairwise(bounds)]
    for group in sorted(groups, key=lambda group: (-int(lengths[parts[group.start]]), int(parts[group.start]))):
        part = int(staying[parts[group.start]])
        order = np.lexsort((wholes[group], -shares[group]))
        for whole in staying[wholes[group][order]].tolist():
            if whole not in gone and (share := containment(part, whole)) >= config.containment:
                gone.add(part)
                yield part, whole, share
                break
