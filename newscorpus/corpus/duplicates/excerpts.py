"""Find excerpts, which a longer document contains word for word, and containers, which hold several documents.

An excerpt is a shorter version of the same article: under the same headline on its portal, or on another portal (agency
texts). A container is a listing of whole posts or a round-up: it is removed, and the documents in it stay. Candidates
share rare sampled word n-grams ("runs": Manber 1994; Broder 1997); their texts decide.
"""

import itertools
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newscorpus.config import DuplicateConfig
from newscorpus.corpus.duplicates.collection import Collection
from newscorpus.corpus.duplicates.verify import Duplicate, DuplicateKind, Verifier
from newscorpus.page.signature import HALF

LIKELY = 0.5
"""Share of `containment` that the sampled runs must reach before texts are read: half, because of five runs that are
shared with probability 0.8, fewer than two are found in 0.7 % of cases."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Pairs of a shorter and a longer document that are likely to be an excerpt and its source."""

    parts: NDArray[np.int64]  # the shorter ones, as indices into the surviving documents, ascending
    wholes: NDArray[np.int64]  # the longer ones
    shares: NDArray[np.float64]  # share of the sampled runs of the shorter one that the longer one has, 0..1


def find_excerpts(
    collection: Collection,
    staying: NDArray[np.int64],
    verifier: Verifier,
    config: DuplicateConfig,
    holders: Container[int] = (),
) -> Iterator[Duplicate]:
    """Find excerpts among the documents at the positions `staying`, which are in the order of the policy.

    `holders` are the documents that contain several others.
    """
    runs, owners = collection.values("runs", staying)
    pairs, shared = shared_runs(runs, owners, len(staying), config)
    candidates = likely(collection, staying, pairs, shared, config)
    return settle(collection, staying, candidates, version_share(collection, verifier, config, holders), config)


def version_share(
    collection: Collection, verifier: Verifier, config: DuplicateConfig, holders: Container[int]
) -> Callable[[int, int], float]:
    """Return a function that gives the share of one text that another contains.

    It gives 0.0 if the other is not a longer version of the same article. A holder of several documents counts as one
    only if the headlines agree.
    """

    def share(part: int, whole: int) -> float:
        contained = verifier.containment(part, whole)
        if contained < config.containment:
            return 0.0
        one, other = collection.documents[[part, whole]]
        is_reprint = one["source"] != other["source"] or not collection.source_of(part)  # or the source is unknown
        if is_reprint and one["n_words"] >= config.excerpt_least_words and whole not in holders:
            return contained
        mine, longer = verifier.headline(part), verifier.headline(whole)
        is_known = mine and longer
        least = config.holder_headline_share if whole in holders else config.headline_share
        is_version = _in_common(mine, longer) >= least if is_known else whole not in holders
        return contained if is_version else 0.0

    return share


def find_holders(
    collection: Collection, staying: NDArray[np.int64], verifier: Verifier, config: DuplicateConfig
) -> Iterator[Duplicate]:
    """Find documents that contain several others of their portal, each with one that is no container itself.

    `staying` holds the positions to consider, in the order of the policy.
    """
    runs, owners = collection.values("runs", staying)
    of_portal = collection.documents["source"][staying][owners].astype(np.uint64) << HALF | runs
    pairs, shared = shared_runs(of_portal, owners, len(staying), config)
    found = likely(collection, staying, pairs, shared, config)
    order = np.lexsort((found.parts, found.wholes))
    parts, wholes = found.parts[order], found.wholes[order]
    bounds = [*np.flatnonzero(np.diff(wholes, prepend=-1)).tolist(), len(wholes)]
    groups = [slice(start, end) for start, end in itertools.pairwise(bounds) if end - start > 1]
    lengths = collection.documents["n_words"][staying]
    gone: set[int] = set()
    for group in sorted(groups, key=lambda group: (int(lengths[wholes[group.start]]), int(wholes[group.start]))):
        whole = int(staying[wholes[group.start]])
        if whole < collection.n_references:
            continue
        shortest_first = parts[group][np.lexsort((parts[group], lengths[parts[group]]))]
        contained = [
            part for part in staying[shortest_first].tolist() if verifier.containment(part, whole) >= config.containment
        ]
        share, opening = _share_of_others(contained, whole, verifier, config)
        if not collection.documents["is_list"][whole] and opening >= config.opening_words:
            share = min(share, config.list_share)
        singles = [part for part in contained if part not in gone]
        if share and singles:
            if share > config.list_share:
                gone.add(whole)
            yield Duplicate(whole, singles[-1], DuplicateKind.CONTAINER, share)


def _share_of_others(
    parts: Sequence[int], whole: int, verifier: Verifier, config: DuplicateConfig
) -> tuple[float, int]:
    """Return the share of a text's words that stand in other documents; 0.0 if it contains fewer than two.

    Also return the number of words before the first of them; 0 if that is too small a share of the text (a heading).
    `parts` are the contained documents, shortest first.
    """
    if len(parts) < 2:
        return 0.0, 0
    runs = verifier.runs_in_order(whole)
    owner = np.zeros(len(runs), np.int64)  # for each run, the number (from 1) of the item that has it
    sizes, headlines = [0], list[frozenset[str]]()
    is_covered = np.zeros(len(runs), bool)
    for part in parts:
        own = np.isin(runs, verifier.runs_in_order(part))
        within = np.bincount(owner[own], minlength=len(sizes))
        holds = sum(2 * count > size for count, size in zip(within[1:], sizes[1:], strict=True))
        headline = verifier.headline(part)
        is_page = len(headline) > 1 and any(_in_common(headline, other) == 1.0 for other in headlines)
        if not holds and not is_page and 2 * within[0] > own.sum():
            sizes.append(int(own.sum()))
            owner[own & (owner == 0)] = len(sizes) - 1
            headlines.append(headline)
        if holds < 2:  # else it is a listing itself, or another version of the text
            is_covered |= own
    if len(headlines) < 2:
        return 0.0, 0
    words = np.convolve(is_covered, np.ones(config.excerpt_words, np.int64)) > 0
    opening = int(words.argmax())
    return float(words.mean()), opening if opening >= config.opening_share * len(words) else 0


def _in_common(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of the words of the shorter headline that the other has; 0.0 if either is empty."""
    return len(one & other) / min(len(one), len(other)) if one and other else 0.0


def shared_runs(
    runs: NDArray[np.uint32] | NDArray[np.uint64], owners: NDArray[np.int64], n_documents: int, config: DuplicateConfig
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Count the runs that documents have in common; runs that too many documents share are ignored.

    Args:
        runs: hashes.
        owners: the document of each run.
        n_documents: in all.
        config: the limit.

    Returns:
        Pairs, as `first * n_documents + second`, and the number of common runs of each.
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
    """Select the pairs (of `shared_runs`, by index into `staying`) that are likely to be an excerpt and its source."""
    first, second = (side.astype(np.int64) for side in np.divmod(pairs, np.uint64(len(staying) or 1)))
    one, other = np.minimum(first, second), np.maximum(first, second)
    lengths = collection.documents["n_words"][staying]
    # Of two equally long documents the later one in order counts as the shorter; `one` is the earlier.
    first_is_longer = lengths[one] >= lengths[other]
    part, whole = np.where(first_is_longer, other, one), np.where(first_is_longer, one, other)
    share = shared / np.maximum(collection.documents["n_runs"][staying][part], 1)
    are_likely = share >= LIKELY * config.containment
    part, whole, share = part[are_likely], whole[are_likely], share[are_likely]
    order = np.lexsort((whole, part))
    return Candidates(part[order], whole[order], share[order])


def settle(
    collection: Collection,
    staying: NDArray[np.int64],
    candidates: Candidates,
    containment: Callable[[int, int], float],
    config: DuplicateConfig,
) -> Iterator[Duplicate]:
    """Choose the excerpts among candidates; `containment` is the function that `version_share` returns.

    Longest first, so that a document is settled before its excerpts and each excerpt has a surviving source.
    """
    gone: set[int] = set()
    parts, wholes, shares = candidates.parts, candidates.wholes, candidates.shares
    lengths = collection.documents["n_words"][staying]
    bounds = [*np.flatnonzero(np.diff(parts, prepend=-1)).tolist(), len(parts)]
    groups = [slice(start, end) for start, end in itertools.pairwise(bounds)]
    for group in sorted(groups, key=lambda group: (-int(lengths[parts[group.start]]), int(parts[group.start]))):
        part = int(staying[parts[group.start]])
        if part < collection.n_references:
            continue
        order = np.lexsort((wholes[group], -shares[group]))
        for whole in staying[wholes[group][order]].tolist():
            if whole not in gone and (share := containment(part, whole)) >= config.containment:
                gone.add(part)
                yield Duplicate(part, whole, DuplicateKind.EXCERPT, share)
                break
