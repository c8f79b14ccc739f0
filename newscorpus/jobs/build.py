"""From the intake to the published corpus: revisions and duplicates go, survivors are written.

What comes out depends on what is in the intake and on the configuration, not on the order of arrival nor on earlier
builds. Only ids, hashes, dates, signatures and their index are held in memory, some 7 kB a document, nearly all of it
the index; texts are read when needed.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from newscorpus.config import BuildConfig
from newscorpus.corpus.errors import CorpusError
from newscorpus.corpus.files import exclusive, replacing
from newscorpus.corpus.intake import Place, Row, read_intake, read_row, torn_segments
from newscorpus.corpus.lines import encode_line
from newscorpus.corpus.publish import publish
from newscorpus.corpus.published import PUBLISHED
from newscorpus.corpus.records import encode
from newscorpus.corpus.tally import Share
from newscorpus.data import Record
from newscorpus.dedup.duplicates import Document, Duplicate, Kind, find_duplicates
from newscorpus.dedup.signature import content_hash

INTAKE = "intake"
DUPLICATES = "duplicates.jsonl"
LOCK = ".build.lock"


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build did.

    Attributes:
        documents: rows in the intake.
        kept: records in the corpus.
        duplicates: rows left out, by kind.
        words: words in the corpus.
        shares: documents and words in the corpus by portal and language.
        torn: segments whose last line was cut off when their writer died; those rows are lost to this build.
    """

    documents: int
    kept: int
    duplicates: Mapping[str, int]
    words: int
    shares: tuple[Share, ...]
    torn: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DuplicateLine:
    """A line of `duplicates.jsonl`.

    Attributes:
        id: of the document left out, or of the one whose other revision was kept.
        duplicate_of: id of the document it repeats; for a revision the same id.
    """

    id: str
    revision: str
    url: str
    title: str
    duplicate_of: str
    kind: Kind
    similarity: float


@dataclass(frozen=True, slots=True)
class Stored:
    """A row of the intake without its text."""

    place: Place
    revision: str
    document: Document


def build(corpus: Path, config: BuildConfig = BuildConfig()) -> BuildReport:
    """Write `corpus/` and `duplicates.jsonl` of the corpus in a folder from its intake.

    Raises:
        CorpusError: there is no intake, it is damaged, its signatures were made with other parameters, another build
            is at work, or the disk is full; what was published before stands.
    """
    try:
        torn = torn_segments(corpus / INTAKE)
        with exclusive(corpus / LOCK):
            report = _build(corpus, config)
    except OSError as error:
        where = error.filename or corpus
        raise CorpusError(f"{where}: {error.strerror}; what was published before stands") from error
    return replace(report, torn=tuple(segment.name for segment in torn))


def _build(corpus: Path, config: BuildConfig) -> BuildReport:
    """Read, decide, write."""
    stored = [_stored(place, row) for place, row in read_intake(corpus / INTAKE, config.signature)]
    duplicates = find_duplicates(
        [one.document for one in stored],
        lambda position: read_row(stored[position].place).record.text,
        config.duplicates,
        config.signature,
    )
    with replacing(corpus / DUPLICATES) as file:
        file.writelines(_duplicate_lines(stored, duplicates))
        manifest = publish(corpus / PUBLISHED, _survivors(stored, duplicates), config)
    return BuildReport(
        documents=len(stored),
        kept=manifest.documents,
        duplicates={kind.value: sum(duplicate.kind is kind for duplicate in duplicates) for kind in Kind},
        words=manifest.words,
        shares=manifest.shares,
    )


def _stored(place: Place, row: Row) -> Stored:
    """What is kept in memory of a row."""
    record = row.record
    document = Document(
        id=record.id,
        content=content_hash(record.text),
        signature=row.signature,
        n_words=record.n_words,
        published=_seconds(record.published),
        fetched=_seconds(record.fetched),
        digest=hashlib.sha256(encode(record)).digest()[:16],
    )
    return Stored(place, record.revision, document)


def _seconds(date: str) -> float | None:
    """Seconds since the epoch of an ISO 8601 date, taken as UTC where it names no offset; None for anything else."""
    try:
        moment = datetime.fromisoformat(date)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _survivors(stored: Sequence[Stored], duplicates: Sequence[Duplicate]) -> Iterator[Record]:
    """The records that stay, by id."""
    gone = {duplicate.position for duplicate in duplicates}
    copies = Counter(duplicate.of for duplicate in duplicates if duplicate.kind is not Kind.REVISION)
    superseded = _superseded(stored, duplicates)
    for position in sorted(set(range(len(stored))) - gone, key=lambda at: stored[at].document.id):
        record = read_row(stored[position].place).record
        yield replace(
            record,
            supersedes=superseded.get(position, record.supersedes),
            cluster=record.id if copies[position] else "",
            cluster_size=copies[position] + 1,
        )


def _superseded(stored: Sequence[Stored], duplicates: Sequence[Duplicate]) -> dict[int, str]:
    """By position of a chosen text the revision fetched last before it."""
    earlier: dict[int, tuple[float, str]] = {}
    for duplicate in duplicates:
        old, chosen = stored[duplicate.position], stored[duplicate.of]
        if duplicate.kind is not Kind.REVISION or old.revision == chosen.revision:
            continue
        candidate = (old.document.fetched or 0, old.revision)
        if candidate[0] <= (chosen.document.fetched or 0):
            earlier[duplicate.of] = max(candidate, earlier.get(duplicate.of, candidate))
    return {position: revision for position, (_, revision) in earlier.items()}


def _duplicate_lines(stored: Sequence[Stored], duplicates: Sequence[Duplicate]) -> Iterator[bytes]:
    """The lines of `duplicates.jsonl`, by id."""
    for duplicate in sorted(duplicates, key=lambda one: _identity(stored[one.position])):
        record = read_row(stored[duplicate.position].place).record
        yield encode_line(
            DuplicateLine(
                id=record.id,
                revision=record.revision,
                url=record.url,
                title=record.title,
                duplicate_of=stored[duplicate.of].document.id,
                kind=duplicate.kind,
                similarity=round(duplicate.similarity, 4),
            )
        )


def _identity(stored: Stored) -> tuple[str, bytes]:
    """Sort key that does not depend on the order of arrival."""
    return stored.document.id, stored.document.digest
