"""Find excerpts: documents that stand in a longer one word for word, as when a portal shortens an agency's text.

Candidates share rare sampled runs of words (Manber 1994; Broder 1997); their texts decide.
"""

import itertools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from newscorpus.config import DuplicateConfig
from newscorpus.dedup.collection import Collection
from newscorpus.dedup.verify import Verifier

LIKELY = 0.5
"""Share of `containment` that the few sampled runs must bear out before texts are read: half, since of five runs that
are shared with probability 0.8 fewer than two are found in 0.7 % of the cases."""


def find_excerpts(
    collection: Collection, staying: NDArray[np.int64], verifier: Verifier, config: DuplicateConfig
) -> Iterator[tuple[int, int, float]]:
    """Excerpts among documents that stay: position, position of the longer one, which stays, and share contained.

    The longest document comes first, so that a document is settled before its excerpts, and every excerpt has a
    document that stays. `staying` has positions in the order in which a longer document is preferred.
    """
    gone: set[int] = set()
    parts, wholes, shares = _candidates(collection, staying, config)
    lengths = collection.documents["n_words"][staying]
    bounds = [*np.flatnonzero(np.diff(parts, prepend=-1)).tolist(), len(parts)]
    groups = [slice(start, end) for start, end in itertools.pairwise(bounds)]
    for group in sorted(groups, key=lambda group: (-int(lengths[parts[group.start]]), int(parts[group.start]))):
        part = int(staying[parts[group.start]])
        order = np.lexsort((wholes[group], -shares[group]))
        for whole in staying[wholes[group][order]].tolist():
            if whole not in gone and (share := verifier.containment(part, whole)) >= config.containment:
                gone.add(part)
                yield part, whole, share
                break


def _candidates(
    collection: Collection, staying: NDArray[np.int64], config: DuplicateConfig
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Pairs of a shorter and a longer document that are likely to be an excerpt and its source.

    Gives indices into `staying`, sorted by the shorter, and the share of its sampled runs that the longer one has.
    """
    runs, owners = collection.values("runs", staying)
    n_documents = np.uint64(len(staying) or 1)
    pairs, shared = np.unique(_pairs(runs, owners, n_documents, config.excerpt_documents), return_counts=True)
    one, other = pairs // n_documents, pairs % n_documents
    lengths = collection.documents["n_words"][staying]
    # Of equally long ones the later in order counts as the shorter; `one` is the earlier.
    first_is_longer = lengths[one] >= lengths[other]
    part = np.where(first_is_longer, other, one).astype(np.int64)
    whole = np.where(first_is_longer, one, other).astype(np.int64)
    share = shared / np.maximum(collection.documents["n_runs"][staying][part], 1)
    likely = (share >= LIKELY * config.containment) & (staying[part] >= collection.n_references)
    order = np.lexsort((whole[likely], part[likely]))
    return part[likely][order], whole[likely][order], share[likely][order]


def _pairs(
    runs: NDArray[np.uint32], owners: NDArray[np.int64], n_documents: np.uint64, most: int
) -> NDArray[np.uint64]:
    """Every pair of documents once for each run that both have, as `first * n_documents + second`.

    Runs that more than `most` documents share do not count. `owners` names the document of each run.
    """
    order = np.lexsort((owners, runs))
    ordered, documents = runs[order], owners[order].astype(np.uint64)
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])) if len(runs) else order
    sizes = np.diff(starts, append=len(runs))
    found = [np.empty(0, np.uint64)]
    for size in range(2, most + 1):
        members = documents[starts[sizes == size][:, None] + np.arange(size)]
        first, second = np.triu_indices(size, 1)
        found.append((members[:, first] * n_documents + members[:, second]).ravel())
    return np.concatenate(found)
