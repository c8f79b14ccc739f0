"""List excluded documents (`duplicates.jsonl`, `low-confidence.jsonl`), and count reprints between sources."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import msgspec
import numpy as np
from numpy.typing import NDArray

from newscorpus.corpus.duplicates.collection import Collection
from newscorpus.corpus.duplicates.find import survivors
from newscorpus.corpus.duplicates.verify import Duplicate, DuplicateKind
from newscorpus.data import GONE, Rejected
from newscorpus.lines import decoded_lines, encode_line
from newscorpus.page.records import excerpt
from newscorpus.store.intake import journal_line

Reprints = tuple[str, str, str, int]
"""Source of the excluded documents, source of the documents they repeat, kind, and number."""


@dataclass(frozen=True, slots=True)
class DuplicateLine:
    """A line of `duplicates.jsonl`."""

    id: str  # of the excluded document
    revision: str
    url: str
    title: str
    duplicate_of: str  # id of the document it repeats; for a revision the same id
    kind: DuplicateKind
    similarity: float  # as in `Duplicate`
    cluster: str = ""  # id of the survivor that represents it
    source: str = ""  # publisher of the excluded document
    duplicate_of_source: str = ""  # publisher of the document it repeats


DUPLICATE_LINES = msgspec.json.Decoder(DuplicateLine)


def read_duplicates(path: Path) -> Iterator[DuplicateLine]:
    """Read `duplicates.jsonl`.

    Raises:
        CorpusError: a line is damaged.
    """
    return decoded_lines(path, DUPLICATE_LINES)


def duplicate_lines(collection: Collection, duplicates: Sequence[Duplicate]) -> Iterator[bytes]:
    """Make the lines of `duplicates.jsonl`, sorted by id."""
    ids, digests = collection.ids, collection.documents["digest"]
    last = survivors(duplicates)
    for one in sorted(duplicates, key=lambda one: (ids[one.position], digests[one.position])):
        document = collection.described(one.position)
        yield encode_line(
            DuplicateLine(
                id=ids[one.position],
                revision=document.revision or "",
                url=document.url or "",
                title=document.title or "",
                duplicate_of=ids[one.of],
                kind=_reported_kind(collection, one),
                similarity=round(one.similarity, 4),
                cluster=ids[last[one.position]],
                source=collection.source_of(one.position),
                duplicate_of_source=collection.source_of(one.of),
            )
        )


def doubtful_documents(documents: NDArray[np.void], least: float | None) -> NDArray[np.bool_]:
    """Flag the documents with a confidence below `least`; if it is None, those with the flag `low_confidence`.

    Texts without a confidence (0) are never doubtful.

    Returns: shape (documents,).
    """
    flags: NDArray[np.bool_] = documents["is_doubtful"]
    return flags if least is None else (documents["confidence"] > 0) & (documents["confidence"] < least)


def low_confidence_lines(
    collection: Collection, least: float | None, gone: Mapping[str, str] = MappingProxyType({})
) -> Iterator[bytes]:
    """Make the lines of `low-confidence.jsonl`, sorted by id, in the format of `rejected.jsonl`.

    `gone` maps the ids of documents that their site deleted, which are listed too, to the day they were first missing.
    """
    ids, digests = collection.ids, collection.documents["digest"]
    for position in sorted(collection.doubtful.tolist(), key=lambda position: (ids[position], digests[position])):
        record = collection.record(position)
        asked = "is published by default" if least is None else f"{least:g}"
        detail = f"{record.confidence:.3f}, less than {asked}; by {record.extractor}"
        reason = "low_confidence"
        if day := gone.get(record.id):
            reason, detail = GONE, f"missing since {day}"
        yield journal_line(Rejected("quality", reason, detail, record.url, excerpt(record.title, record.text)))


def cluster_sizes(duplicates: Sequence[Duplicate]) -> Counter[int]:
    """Count the documents that each survivor represents, by its position, without revisions."""
    last = survivors(duplicates)
    return Counter(last[one.position] for one in duplicates if one.kind is not DuplicateKind.REVISION)


def count_kinds(collection: Collection, duplicates: Sequence[Duplicate]) -> dict[str, int]:
    """Count the excluded documents by kind."""
    counts = Counter(_reported_kind(collection, one) for one in duplicates)
    return {kind.value: counts[kind] for kind in DuplicateKind}


def _reported_kind(collection: Collection, one: Duplicate) -> DuplicateKind:
    """Call a revision with equal text an exact duplicate, except in an intake, where it comes from another visit."""
    contents, is_intake = collection.documents["content"], collection.stores[-1].rows is None
    is_copy = one.kind is DuplicateKind.REVISION and not is_intake and contents[one.position] == contents[one.of]
    return DuplicateKind.EXACT if is_copy else one.kind


def count_reprints(collection: Collection, duplicates: Sequence[Duplicate]) -> tuple[Reprints, ...]:
    """Count repeats by pair of sources and kind, the most frequent first, without revisions."""
    counts = Counter(
        (collection.source_of(one.position), collection.source_of(one.of), one.kind.value)
        for one in duplicates
        if one.kind is not DuplicateKind.REVISION
    )
    return tuple((*pair, count) for pair, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])))
