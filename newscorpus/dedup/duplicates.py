"""Which documents repeat others, and which one of them stays.

The groups are stars, not chains: every duplicate was compared with the very document that stays for it, and no two
documents that stay were found alike. Documents are taken in the order of the policy; each one not yet settled stays,
and settles all that are alike to it. The outcome does not depend on the order of the input.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from newscorpus.config import DuplicateConfig, SignatureParameters, Survivor
from newscorpus.dedup.index import Index, TextOf
from newscorpus.dedup.signature import estimate, stack


@dataclass(frozen=True, slots=True)
class Document:
    """What must be known of a stored text to decide on it.

    Attributes:
        id: of the document; equal for all its revisions.
        content: hash of the normalised text; equal for exact duplicates.
        signature: as `signature.sign` made it.
        n_words: words of the text.
        published: seconds since the epoch, or None where unknown; the unknown come last.
        fetched: likewise.
        digest: of everything stored, so that ties never depend on the order of arrival.
    """

    id: str
    content: bytes
    signature: bytes
    n_words: int
    published: float | None
    fetched: float | None
    digest: bytes


class Kind(StrEnum):
    """How a document repeats another: the same text, much the same text, or the same document at another time."""

    EXACT = "exact"
    NEAR = "near"
    REVISION = "revision"


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A document that goes.

    Attributes:
        position: of the document in the input.
        of: position of what it repeats. A revision repeats the text chosen for its document, which may in turn be a
            duplicate; the other kinds repeat a document that stays.
        kind: how it repeats it.
        similarity: Jaccard similarity of the shingles, 0..1; estimated from the signatures where that was enough.
    """

    position: int
    of: int
    kind: Kind
    similarity: float


def find_duplicates(
    documents: Sequence[Document], text_of: TextOf, config: DuplicateConfig, parameters: SignatureParameters
) -> list[Duplicate]:
    """The documents that go, in the order of the input; all others stay."""
    by_fetch = sorted(
        range(len(documents)), key=lambda at: _rank(documents[at], config.revision, documents[at].fetched)
    )
    revisions = list(_revisions(documents, by_fetch, parameters))
    chosen = set(by_fetch) - {revision.position for revision in revisions}
    order = sorted(chosen, key=lambda at: _rank(documents[at], config.survivor, documents[at].published))
    matrix = stack([document.signature for document in documents], parameters.permutations)
    copies = _group(order, documents, lambda document: document.content)
    index = Index(matrix, (same[0] for same in copies), text_of, config, parameters)
    return sorted([*revisions, *_repeats(copies, index)], key=lambda duplicate: duplicate.position)


def _rank(document: Document, policy: Survivor, when: float | None) -> tuple[float, float, str, bytes]:
    """Sort key that puts the document that stays first."""
    if policy is Survivor.LONGEST:
        return 0, -document.n_words, document.id, document.digest
    direction = 1 if policy is Survivor.FIRST else -1
    return when is None, direction * (when or 0), document.id, document.digest


def _group(order: Iterable[int], documents: Sequence[Document], key: Callable[[Document], Hashable]) -> list[list[int]]:
    """The positions in groups of equal `key`, groups and members in the given order."""
    groups: dict[Hashable, list[int]] = {}
    for position in order:
        groups.setdefault(key(documents[position]), []).append(position)
    return list(groups.values())


def _revisions(
    documents: Sequence[Document], order: Iterable[int], parameters: SignatureParameters
) -> Iterator[Duplicate]:
    """Of each document all stored texts but the first in `order`."""
    for first, *others in _group(order, documents, lambda document: document.id):
        signatures = stack([documents[at].signature for at in (first, *others)], parameters.permutations)
        for position, similarity in zip(others, estimate(signatures[0], signatures[1:]), strict=True):
            yield Duplicate(position, first, Kind.REVISION, similarity)


def _repeats(copies: Iterable[Sequence[int]], index: Index) -> Iterator[Duplicate]:
    """The exact and near-duplicates, from groups of exact copies in the order of the policy."""
    group_of = {same[0]: same for same in copies}
    settled: set[int] = set()
    for first, same in group_of.items():
        if first in settled:
            continue
        settled.add(first)
        yield from (Duplicate(position, first, Kind.EXACT, 1.0) for position in same[1:])
        for other, similarity in list(index.alike(first, settled)):
            settled.add(other)
            yield from (Duplicate(position, first, Kind.NEAR, similarity) for position in group_of[other])
