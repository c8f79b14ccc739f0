"""What can be told of an address in a corpus.

What became of an address in a corpus: where it came from, when it was fetched, and why it is in or out.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec

from newscorpus.corpus import intake
from newscorpus.corpus.intake import REJECTIONS, Row
from newscorpus.corpus.lines import complete_lines
from newscorpus.corpus.published import open_corpus, published_folder
from newscorpus.crawl.archive.read import read_capture
from newscorpus.crawl.archive.values import Capture
from newscorpus.crawl.ledger.rows import UrlState
from newscorpus.crawl.ledger.status import UrlEntry, find
from newscorpus.data import Evidence, Record, Rejected
from newscorpus.dedup.duplicates import DuplicateKind
from newscorpus.errors import CorpusError
from newscorpus.layout import DUPLICATES, INTAKE, LEDGER, MANIFEST, REJECTED
from newscorpus.publish.left_out import DUPLICATE_LINES, DuplicateLine
from newscorpus.urls import document_id


class Fate(StrEnum):
    """What became of an address."""

    NEVER_MET = "never_met"
    MET = "met"
    QUEUED = "queued"
    UNDER_WAY = "under_way"
    READ = "read"
    NO_RESPONSE = "no_response"
    REJECTED = "rejected"
    DUPLICATE = "duplicate"
    SUPERSEDED = "superseded"
    NOT_BUILT = "not_built"
    PUBLISHED = "published"


@dataclass(frozen=True, slots=True)
class Found:
    """How the crawl came upon an address; times are ISO 8601, "" for none.

    Attributes:
        url: the address that was asked for.
        portal: name of the portal.
        kind: what it was taken for: "article", "section", "feed", "sitemap" ...
        trail: the page that named it, the one that named that, and so on back to a start.
        evidence: what feeds and sitemaps said of it.
        attempts: how often it was asked for.
        next_visit: when a revisit is due.
    """

    url: str
    portal: str
    kind: str
    trail: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    attempts: int
    next_visit: str


@dataclass(frozen=True, slots=True)
class Answered:
    """The last answer of an address.

    Attributes:
        fetched: ISO 8601.
        status: of HTTP.
        n_bytes: of the body, decoded.
        redirected_to: address that answered in the end; "" for the one that was asked.
        archive_file: where its page lies in the archive; "" where it gave none.
        archive_offset: of its records in that file.
    """

    fetched: str
    status: int
    n_bytes: int
    redirected_to: str
    archive_file: str
    archive_offset: int


@dataclass(frozen=True, slots=True)
class Explanation:
    """All that a corpus tells of an address.

    Attributes:
        url: as it was asked about.
        fate: what became of it.
        found: None where no ledger knows it.
        answered: None where nothing came back.
        rejected: why it is no document.
        row: the document as it came, the text that was kept last.
        left_out: what the document repeats, where it was left out.
        published: what stands in the corpus: the document, the one that stands for it, or an earlier text of what was
            rejected when it was asked for again.
        stands_for: the documents that were left out for it, and its own earlier texts.
    """

    url: str
    fate: Fate
    found: Found | None = None
    answered: Answered | None = None
    rejected: Rejected | None = None
    row: Record | None = None
    left_out: DuplicateLine | None = None
    published: Record | None = None
    stands_for: tuple[DuplicateLine, ...] = ()


OF_STATE = {
    UrlState.RESERVED: Fate.MET,
    UrlState.QUEUED: Fate.QUEUED,
    UrlState.LEASED: Fate.UNDER_WAY,
    UrlState.DONE: Fate.READ,
    UrlState.FAILED: Fate.NO_RESPONSE,
}
"""Of addresses that ended neither as a row nor as a rejection."""


def explain(corpus: Path, url: str) -> Explanation:
    """What `corpus` tells of the document at `url`.

    With a ledger one row is looked up; without one, and for pages of WARC files, intake and rejections are searched.
    The lines of the duplicates and the shards are always searched: of a corpus that was given away, these alone tell.

    Raises:
        CorpusError: there is no corpus, or a file of it is damaged.
        LedgerError: the ledger cannot be read.
    """
    if not corpus.is_dir():
        raise CorpusError(f"{corpus}: no such folder")
    entry = find(corpus, url) if (corpus / LEDGER).is_file() else None
    ended = _line(corpus, entry) if entry else _search(corpus, document_id(url))
    said = Explanation(url, OF_STATE[entry.state] if entry else Fate.NEVER_MET)
    if entry:
        said = replace(said, found=_found(entry), answered=_answered(entry))
    if isinstance(ended, Rejected):
        earlier = _published(corpus, document_id(entry.url)) if entry and entry.attempts > 1 else None
        return replace(said, fate=Fate.REJECTED, rejected=ended, published=earlier)
    if ended:
        return _with_document(said, corpus, ended)
    published = None if entry else _published(corpus, document_id(url))
    return replace(said, fate=Fate.PUBLISHED, row=published, published=published) if published else said


def archived_page(corpus: Path, explanation: Explanation) -> Capture | Rejected | None:
    """The page from the archive; None where it lies in none.

    Raises:
        ArchiveError: the file cannot be read.
    """
    answered = explanation.answered
    if answered is None or not answered.archive_file:
        return None
    return read_capture(corpus / answered.archive_file, answered.archive_offset)


def _found(entry: UrlEntry) -> Found:
    return Found(
        entry.url,
        entry.portal,
        entry.kind,
        entry.trail,
        _evidence(entry.request),
        entry.attempts,
        _time(entry.next_visit),
    )


def _answered(entry: UrlEntry) -> Answered | None:
    if not entry.fetched:
        return None
    return Answered(entry.fetched, entry.status, entry.n_bytes, entry.redirected_to, *entry.archived)


def _evidence(request: bytes) -> tuple[Evidence, ...]:
    """What the spider of the portals keeps with a request; other spiders keep other things."""
    stored: dict[str, Any] = json.loads(request) if request else {}
    try:
        return msgspec.convert(stored.get("cb_kwargs", {}).get("evidence", ()), tuple[Evidence, ...])
    except msgspec.ValidationError:
        return ()


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds") if seconds else ""


def _line(corpus: Path, entry: UrlEntry) -> Record | Rejected | None:
    """The row or the rejection that the ledger says an address became."""
    file, offset = entry.line
    if not file:
        return Rejected(entry.stage, entry.reason, entry.detail, entry.url) if entry.stage else None
    try:
        _, line = next(complete_lines(corpus / file, offset), (0, b""))
        return REJECTIONS.decode(line) if entry.stage else intake.decode_row(line).record
    except (OSError, msgspec.DecodeError, CorpusError) as error:
        raise CorpusError(f"{corpus / file}, at offset {offset}: {error}") from error


def _search(corpus: Path, document: str) -> Record | Rejected | None:
    """The latest row of a document, or else its rejection, among all."""
    found = _decoded(_segments(corpus), document.encode(), intake.decode_line)
    lines = [line for line in found if line.document == document]
    if lines:
        newest = max(lines, key=lambda line: (line.fetch[1], line.reextraction, isinstance(line, Row)))
        return newest.record if isinstance(newest, Row) else newest.rejected
    for rejected in _decoded([corpus / REJECTED], b"", REJECTIONS.decode):
        if isinstance(rejected, Rejected) and document_id(rejected.url) == document:
            return rejected
    return None


def _segments(corpus: Path) -> list[Path]:
    return intake.segments(corpus / INTAKE) if (corpus / INTAKE).is_dir() else []


def _with_document(said: Explanation, corpus: Path, row: Record) -> Explanation:
    lines = list(_decoded([corpus / DUPLICATES], row.id.encode(), DUPLICATE_LINES.decode))
    left_out = next((line for line in lines if (line.id, line.revision) == (row.id, row.revision)), None)
    stands_for = tuple(line for line in lines if line.duplicate_of == row.id and line != left_out)
    published = _published(corpus, (left_out.cluster if left_out else "") or row.id)
    said = replace(said, row=row, left_out=left_out, published=published, stands_for=stands_for)
    if left_out:
        return replace(said, fate=Fate.SUPERSEDED if left_out.kind is DuplicateKind.REVISION else Fate.DUPLICATE)
    return replace(said, fate=Fate.PUBLISHED if published else Fate.NOT_BUILT)


def _published(corpus: Path, document: str) -> Record | None:
    if not (published_folder(corpus) / MANIFEST).is_file():
        return None
    return next((record for record in open_corpus(corpus).records() if record.id == document), None)


def _decoded(paths: list[Path], part: bytes, decode: Callable[[bytes], Any]) -> Iterator[Any]:
    """The lines that hold `part`; files that are not there hold none."""
    for path in paths:
        for offset, line in complete_lines(path) if path.is_file() else ():
            if part in line and not line.startswith(b'{"schema"'):
                try:
                    yield decode(line)
                except (msgspec.DecodeError, CorpusError) as error:
                    raise CorpusError(f"{path}, at offset {offset}: {error}") from error
