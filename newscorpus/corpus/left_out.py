"""List the documents left out: the lines of `duplicates.jsonl` and `low-confidence.jsonl`, and who reprints whom."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import msgspec
import numpy as np
from numpy.typing import NDArray

from newscorpus.corpus.duplicates.collection import Collection
from newscorpus.corpus.duplicates.find import Duplicate, DuplicateKind, survivors
from newscorpus.corpus.duplicates.index import describe, record_of
from newscorpus.data import GONE, Rejected
from newscorpus.lines import decoded_lines, encode_line
from newscorpus.page.records import excerpt
from newscorpus.store.intake import journal_line

Reprints = tuple[str, str, str, int]
"""Source of documents left out, source of what they repeat, kind, and their number."""


@dataclass(frozen=True, slots=True)
class DuplicateLine:
    """A line of `duplicates.jsonl`."""

    id: str  # of the document left out, or of the one whose other revision was kept
    revision: str
    url: str
    title: str
    duplicate_of: str  # id of the document it repeats; for a revision the same id
    kind: DuplicateKind
    similarity: float  # Jaccard similarity of the shingles; of an excerpt the share that the longer document contains
    cluster: str = ""  # id of the document that stays for it in the corpus
    source: str = ""  # who published the document
    duplicate_of_source: str = ""  # who published what it repeats


DUPLICATE_LINES = msgspec.json.Decoder(DuplicateLine)


def read_duplicates(path: Path) -> Iterator[DuplicateLine]:
    """Read a file of documents left out, `duplicates.jsonl`.

    Raises:
        CorpusError: a line is damaged.
    """
    return decoded_lines(path, DUPLICATE_LINES)


def duplicate_lines(collection: Collection, duplicates: Sequence[Duplicate]) -> Iterator[bytes]:
    """The lines of `duplicates.jsonl`, by id."""
    ids, digests = collection.ids, collection.documents["digest"]
    last = survivors(duplicates)
    for one in sorted(duplicates, key=lambda one: (ids[one.position], digests[one.position])):
        document = describe(collection, one.position)
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
    """Which documents of indexes have a confidence below `least`, or the flag where it is None; shape (documents,).

    Texts of which no confidence is stated (0) are never among them.
    """
    flags: NDArray[np.bool_] = documents["is_doubtful"]
    return flags if least is None else (documents["confidence"] > 0) & (documents["confidence"] < least)


def low_confidence_lines(
    collection: Collection, least: float | None, gone: Mapping[str, str] = MappingProxyType({})
) -> Iterator[bytes]:
    """The lines of `low-confidence.jsonl`, by id: rejections, as those of `rejected.jsonl`.

    `gone` has the deleted documents that are left out, too, with the day on which they were first missing.
    """
    ids, digests = collection.ids, collection.documents["digest"]
    for position in sorted(collection.doubtful.tolist(), key=lambda position: (ids[position], digests[position])):
        record = record_of(collection, position)
        asked = "is published by default" if least is None else f"{least:g}"
        detail = f"{record.confidence:.3f}, less than {asked}; by {record.extractor}"
        reason = "low_confidence"
        if day := gone.get(record.id):
            reason, detail = GONE, f"missing since {day}"
        yield journal_line(Rejected("quality", reason, detail, record.url, excerpt(record.title, record.text)))


def cluster_sizes(duplicates: Sequence[Duplicate]) -> Counter[int]:
    """By position of a document that stays how many others it stands for, revisions not counted."""
    last = survivors(duplicates)
    return Counter(last[one.position] for one in duplicates if one.kind is not DuplicateKind.REVISION)


def count_kinds(collection: Collection, duplicates: Sequence[Duplicate]) -> dict[str, int]:
    """How many documents are left out, by kind."""
    counts = Counter(_reported_kind(collection, one) for one in duplicates)
    return {kind.value: counts[kind] for kind in DuplicateKind}


def _reported_kind(collection: Collection, one: Duplicate) -> DuplicateKind:
    """Call equal texts of one document exact duplicates, but for those of several visits, which an intake holds."""
    contents, is_intake = collection.documents["content"], collection.stores[-1].rows is None
    is_copy = one.kind is DuplicateKind.REVISION and not is_intake and contents[one.position] == contents[one.of]
    return DuplicateKind.EXACT if is_copy else one.kind


def count_reprints(collection: Collection, duplicates: Sequence[Duplicate]) -> tuple[Reprints, ...]:
    """Who repeats whom, how and how often, the most frequent first; revisions are not counted."""
    counts = Counter(
        (collection.source_of(one.position), collection.source_of(one.of), one.kind.value)
        for one in duplicates
        if one.kind is not DuplicateKind.REVISION
    )
    return tuple((*pair, count) for pair, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def reprints_table(reprints: Iterable[Reprints]) -> bytes:
    """Who reprints whom as CSV."""
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(["source", "repeats", "kind", "documents"])
    writer.writerows(reprints)
    return table.getvalue().encode()
