"""Explain what became of an address in a corpus: where it came from, when it was fetched, why it is in or out.

Explanations, of pages too, are printed as lines for a person.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from newscorpus.corpus.duplicates.find import DuplicateKind
from newscorpus.corpus.left_out import DUPLICATE_LINES, DuplicateLine
from newscorpus.corpus.published import open_corpus, published_folder
from newscorpus.data import Evidence, Record, Rejected
from newscorpus.errors import CorpusError
from newscorpus.layout import DUPLICATES, INTAKE, LEDGER, LOW_CONFIDENCE, MANIFEST, REJECTED, check_corpus, inside
from newscorpus.lines import complete_lines
from newscorpus.page.rows import Row, decode_line, decode_row
from newscorpus.store import intake
from newscorpus.store.intake import REJECTIONS
from newscorpus.store.ledger.addresses import UrlEntry, find
from newscorpus.store.ledger.portals import iso
from newscorpus.store.ledger.rows import UrlState, evidence_of
from newscorpus.store.removals import removals_of
from newscorpus.tokens import printable
from newscorpus.urls import document_id

LABEL_WIDTH = 12
MOST_SHOWN = 10
"""Documents that one stands for."""

MOST_CHARACTERS = 100
"""Of a block or a value."""


class Fate(StrEnum):
    """Outcome of an address."""

    NEVER_MET = "never_met"
    MET = "met"
    QUEUED = "queued"
    UNDER_WAY = "under_way"
    READ = "read"
    NO_RESPONSE = "no_response"
    REJECTED = "rejected"
    DOUBTFUL = "doubtful"
    DUPLICATE = "duplicate"
    SUPERSEDED = "superseded"
    NOT_BUILT = "not_built"
    PUBLISHED = "published"


@dataclass(frozen=True, slots=True)
class Found:
    """Discovery of an address by the crawl."""

    url: str  # that was asked for
    portal: str
    kind: str  # what it was taken for: "article", "section", "feed", "sitemap" ...
    trail: tuple[str, ...]  # the page that named it, the one that named that, and so on back to a start
    evidence: tuple[Evidence, ...]  # what feeds and sitemaps said of it
    attempts: int
    next_visit: str  # when a revisit is due, ISO 8601; "" for never


@dataclass(frozen=True, slots=True)
class Answered:
    """The last answer of an address."""

    fetched: str  # ISO 8601
    status: int  # of HTTP
    n_bytes: int  # of the body, decoded
    redirected_to: str  # address that answered in the end; "" for the one that was asked
    archive_file: str  # where its page lies in the archive; "" where it gave none
    archive_offset: int  # of its records in that file


@dataclass(frozen=True, slots=True)
class Explanation:
    """All that a corpus holds on an address."""

    url: str  # as it was asked about
    fate: Fate
    found: Found | None = None  # None where no ledger knows the address
    answered: Answered | None = None  # None where nothing came back
    rejected: Rejected | None = None  # why it is no document, or why its text is not published
    row: Record | None = None  # the document as it came, the text that was kept last
    left_out: DuplicateLine | None = None  # what the document repeats, where it was left out
    # The document, the one that stands for it, or an earlier text of what was rejected when it was asked for again.
    published: Record | None = None
    stands_for: tuple[DuplicateLine, ...] = ()  # documents left out for it, and its own earlier texts


FATES = {
    UrlState.RESERVED: Fate.MET,
    UrlState.QUEUED: Fate.QUEUED,
    UrlState.WAITING: Fate.QUEUED,
    UrlState.LEASED: Fate.UNDER_WAY,
    UrlState.DONE: Fate.READ,
    UrlState.FAILED: Fate.NO_RESPONSE,
}
"""Of addresses that ended neither as a row nor as a rejection."""


def explain(corpus: Path, url: str) -> Explanation:
    """Explain what became of the document at `url`.

    With a ledger one row is looked up; without one, and for pages of WARC files, intake and rejections are searched.
    The lines of the duplicates and the shards are always searched: a corpus that was given away has nothing else.

    Raises:
        CorpusError: there is no corpus, or a file of it is damaged.
        LedgerError: the ledger cannot be read.
    """
    if removal := removals_of(check_corpus(corpus)).of(document_id(url)):
        detail = f"on {removal.removed}: {removal.reason}"
        return Explanation(url, Fate.REJECTED, rejected=Rejected("rights", "taken_out", detail, url))
    entry = find(corpus, url) if (corpus / LEDGER).is_file() else None
    outcome = _outcome_of(corpus, entry) if entry else _search(corpus, document_id(url))
    explanation = Explanation(url, Fate.NEVER_MET)
    if entry:
        due = iso(entry.next_visit) if entry.next_visit else ""
        evidence = evidence_of(entry.request)
        found = Found(entry.url, entry.portal, entry.kind, entry.trail, evidence, entry.attempts, due)
        answered = Answered(entry.fetched, entry.status, entry.n_bytes, entry.redirected_to, *entry.archived)
        explanation = Explanation(url, FATES[entry.state], found, answered if entry.fetched else None)
    if isinstance(outcome, Rejected):
        earlier = _published(corpus, document_id(entry.url)) if entry and entry.attempts > 1 else None
        return replace(explanation, fate=Fate.REJECTED, rejected=outcome, published=earlier)
    if outcome:
        return _with_document(explanation, corpus, outcome)
    published = None if entry else _published(corpus, document_id(url))
    if published:
        return replace(explanation, fate=Fate.PUBLISHED, row=published, published=published)
    return explanation


def _outcome_of(corpus: Path, entry: UrlEntry) -> Record | Rejected | None:
    """Read the row or the rejection of an address, by the ledger."""
    file, offset = entry.line
    if not file:
        return Rejected(entry.stage, entry.reason, entry.detail, entry.url) if entry.stage else None
    path = inside(corpus, file)
    try:
        _, line = next(complete_lines(path, offset), (0, b""))
        return REJECTIONS.decode(line) if entry.stage else decode_row(line).record
    except (OSError, msgspec.DecodeError, CorpusError) as error:
        raise CorpusError(f"{path}, at offset {offset}: {error}") from error


def _search(corpus: Path, document: str) -> Record | Rejected | None:
    """Find the newest row of a document, or else its rejection, among all."""
    segments = intake.segments(corpus / INTAKE) if (corpus / INTAKE).is_dir() else []
    found = _decoded(segments, document.encode(), decode_line)
    lines = [line for line in found if line.document == document]
    if lines:
        newest = max(lines, key=lambda line: (line.fetch[1], line.reextraction, isinstance(line, Row)))
        return newest.record if isinstance(newest, Row) else newest.rejected
    return _find_rejection(corpus / REJECTED, document)


def _find_rejection(path: Path, document: str) -> Rejected | None:
    rejections = _decoded([path], b"", REJECTIONS.decode)
    return next((rejected for rejected in rejections if document_id(rejected.url) == document), None)


def _with_document(explanation: Explanation, corpus: Path, row: Record) -> Explanation:
    lines = list(_decoded([corpus / DUPLICATES], row.id.encode(), DUPLICATE_LINES.decode))
    left_out = next((line for line in lines if (line.id, line.revision) == (row.id, row.revision)), None)
    stands_for = tuple(line for line in lines if line.duplicate_of == row.id and line != left_out)
    doubtful = _find_rejection(corpus / LOW_CONFIDENCE, row.id)
    published = _published(corpus, (left_out.cluster if left_out else "") or row.id)
    explanation = replace(explanation, row=row, left_out=left_out, published=published, stands_for=stands_for)
    is_published = published is not None and published.revision == row.revision
    if doubtful and not left_out and not is_published:
        return replace(explanation, fate=Fate.DOUBTFUL, rejected=doubtful)
    if left_out:
        return replace(explanation, fate=Fate.SUPERSEDED if left_out.kind is DuplicateKind.REVISION else Fate.DUPLICATE)
    return replace(explanation, fate=Fate.PUBLISHED if published else Fate.NOT_BUILT)


def _published(corpus: Path, document: str) -> Record | None:
    if not (published_folder(corpus) / MANIFEST).is_file():
        return None
    return next((record for record in open_corpus(corpus).records() if record.id == document), None)


def _decoded(paths: list[Path], part: bytes, decode: Callable[[bytes], Any]) -> Iterator[Any]:
    """Decode the lines that hold `part`; missing files have none."""
    for path in paths:
        for offset, line in complete_lines(path) if path.is_file() else ():
            if part in line and not line.startswith(b'{"schema"'):
                try:
                    yield decode(line)
                except (msgspec.DecodeError, CorpusError) as error:
                    raise CorpusError(f"{path}, at offset {offset}: {error}") from error


if TYPE_CHECKING:  # what reads pages takes a second to load
    from newscorpus.views.explain.page import FieldView, PageView

WORDS = {
    Fate.NEVER_MET: "never met: nothing that was read named it, or it lies outside the portals or the days asked for",
    Fate.MET: "met on a page that is still being read",
    Fate.QUEUED: "queued: it is asked for when the crawl goes on",
    Fate.UNDER_WAY: "being asked for now, or again when the crawl goes on",
    Fate.READ: "read for the addresses that it names",
    Fate.NO_RESPONSE: "nothing came back",
    Fate.REJECTED: "rejected",
    Fate.DOUBTFUL: "in the intake; not in the corpus: left out by the build",
    Fate.DUPLICATE: "in the intake; not in the corpus, since it repeats another document",
    Fate.SUPERSEDED: "in the intake; not in the corpus, where another text of the same document stands",
    Fate.NOT_BUILT: "in the intake; not in the corpus yet, which `newscorpus build` writes",
    Fate.PUBLISHED: "in the corpus",
}


def explanation_lines(explanation: Explanation) -> Iterator[str]:
    """Print what a corpus holds on an address."""
    yield printable(explanation.url)
    yield from _labelled("fate", WORDS[explanation.fate])
    published = explanation.published
    if rejected := explanation.rejected:
        yield from _labelled("why", f"{rejected.stage}/{rejected.reason}  {rejected.detail}".rstrip())
        yield from _labelled("text", rejected.excerpt)
        if published:
            yield from _labelled("but", f"an earlier text stands in the corpus, fetched {published.fetched}")
    if left_out := explanation.left_out:
        yield from _labelled("why", f"{_how(left_out)} of {left_out.duplicate_of}")
        yield from _labelled("instead", f"{published.id}, {published.url}" if published else "")
    if found := explanation.found:
        yield from _found(found, explanation.url)
    if answered := explanation.answered:
        yield from _labelled("fetched", f"{answered.fetched}, status {answered.status}, {answered.n_bytes} bytes")
        yield from _labelled("redirected", answered.redirected_to and f"to {answered.redirected_to}")
        place = f"{answered.archive_file}, offset {answered.archive_offset}"
        yield from _labelled("archived", place if answered.archive_file else "")
    yield from _document(explanation)


def page_lines(view: "PageView") -> Iterator[str]:
    """Print what an extractor makes of a page: fields with their candidates, then blocks."""
    yield from _labelled("extractor", view.extractor)
    yield from _labelled("outcome", view.outcome)
    for field in view.fields:
        yield from _field(field)
    if view.blocks:
        yield from ("", f"{'label':<12}{'score':>6}  text [rules that changed the label]")
    for block in view.blocks:
        given = "" if block.given is None else f"; score was {block.given:.3f}"
        rules = f"  [{', '.join(block.reasons)}{given}]" if block.reasons else ""
        yield f"{block.label:<12}{block.score:6.3f}  {_cut(block.text)}{rules}"


def _labelled(label: str, text: str) -> Iterator[str]:
    if text:
        yield f"  {label:<{LABEL_WIDTH}}{printable(text)}"


def _found(found: Found, url: str) -> Iterator[str]:
    yield from _labelled("asked as", found.url if found.url != url else "")
    yield from _labelled("portal", ", ".join(filter(None, (found.portal, found.kind))))
    for label, address in zip(("found on", *[""] * len(found.trail)), found.trail, strict=False):
        yield from _labelled(label, address)
    for item in found.evidence:
        yield from _labelled(item.source, f"{item.field}: {_cut(item.value)}")
    yield from _labelled("next visit", found.next_visit)
    yield from _labelled("attempts", str(found.attempts) if found.attempts > 1 else "")


def _document(explanation: Explanation) -> Iterator[str]:
    if row := explanation.row:
        yield from _labelled("document", f"{row.id}, {row.url}")
        yield from _labelled("title", row.title)
        yield from _labelled("text", f"{row.n_words} words, {row.language}, by {row.extractor}")
        yield from _labelled("revision", row.revision)
        yield from _labelled("flags", ", ".join(row.flags))
    for line in explanation.stands_for[:MOST_SHOWN]:
        yield from _labelled("stands for", f"{line.url}, {_how(line)}")
    if (left := len(explanation.stands_for) - MOST_SHOWN) > 0:
        yield from _labelled("", f"and {left} more")


def _how(line: DuplicateLine) -> str:
    if line.kind is DuplicateKind.REVISION:
        return f"revision {line.revision}"
    return f"{line.kind} duplicate, similarity {line.similarity:.2f}"


def _field(view: "FieldView") -> Iterator[str]:
    if not view.values and not view.others:
        return
    source = f"  ({', '.join(filter(None, (view.source, *view.agree)))})" if view.source or view.agree else ""
    yield from _labelled(view.field, (_cut("; ".join(view.values)) or "nothing") + source)
    for item in view.others:
        yield from _labelled("", f"not {_cut(item.value)}  ({item.source})")


def _cut(text: str) -> str:
    text = printable(text)  # what a page says must not steer the terminal
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…"
