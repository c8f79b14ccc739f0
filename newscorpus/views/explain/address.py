"""Explain the outcome of an address in a corpus, and print explanations of addresses and pages."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import msgspec

from newscorpus.corpus.duplicates.verify import DuplicateKind
from newscorpus.corpus.left_out import DUPLICATE_LINES, DuplicateLine
from newscorpus.corpus.published import is_published, open_corpus
from newscorpus.data import Record, Rejected
from newscorpus.errors import CorpusError
from newscorpus.layout import DUPLICATES, INTAKE, LEDGER, LOW_CONFIDENCE, REJECTED, check_corpus, inside
from newscorpus.lines import complete_lines
from newscorpus.page.rows import Row, decode_line, decode_row, unpacked
from newscorpus.store.intake import REJECTIONS, segments
from newscorpus.store.ledger.addresses import UrlEntry, find
from newscorpus.store.ledger.portals import iso
from newscorpus.store.ledger.values import UrlState
from newscorpus.store.removals import removals_of
from newscorpus.tokens import printable
from newscorpus.urls import document_id

LABEL_WIDTH = 12
MOST_SHOWN = 10
"""Maximum duplicates listed of a document."""

MOST_CHARACTERS = 100
"""Maximum length of a block or a value that is printed."""


class Fate(StrEnum):
    """Outcome of an address, and what it means."""

    NEVER_MET = "never_met", "unknown: no page, feed or sitemap named it, or it lies outside portals and period"
    MET = "met", "met on a page that is still being read"
    QUEUED = "queued", "queued: it is asked for when the crawl goes on"
    UNDER_WAY = "under_way", "being asked for now, or again when the crawl goes on"
    READ = "read", "read for the addresses that it names"
    NO_RESPONSE = "no_response", "nothing came back"
    REJECTED = "rejected", "rejected"
    DOUBTFUL = "doubtful", "in the intake; not in the corpus: left out by the build"
    DUPLICATE = "duplicate", "in the intake; not in the corpus, since it repeats another document"
    SUPERSEDED = "superseded", "in the intake; not in the corpus, where another text of the same document stands"
    NOT_BUILT = "not_built", "in the intake; not in the corpus yet, which `newscorpus build` writes"
    PUBLISHED = "published", "in the corpus"

    meaning: str

    def __new__(cls, value: str, meaning: str) -> Self:
        """Make an outcome that equals its value."""
        made = str.__new__(cls, value)
        made._value_, made.meaning = value, meaning
        return made


@dataclass(frozen=True, slots=True)
class Explanation:
    """All that a corpus holds on an address."""

    url: str  # as the user gave it
    fate: Fate
    entry: UrlEntry | None = None  # None if no ledger knows the address
    rejected: Rejected | None = None  # why there is no document, or why its text is not published
    row: Record | None = None  # the document with its newest text
    left_out: DuplicateLine | None = None  # why the document is left out as a duplicate
    # The document, the one kept instead of it, or its earlier text where a revisit was rejected.
    published: Record | None = None
    stands_for: tuple[DuplicateLine, ...] = ()  # documents and earlier texts left out in favour of this one


FATES = {
    UrlState.RESERVED: Fate.MET,
    UrlState.QUEUED: Fate.QUEUED,
    UrlState.WAITING: Fate.QUEUED,
    UrlState.LEASED: Fate.UNDER_WAY,
    UrlState.DONE: Fate.READ,
    UrlState.FAILED: Fate.NO_RESPONSE,
}
"""Fates of addresses that have neither a row nor a rejection."""


def explain(corpus: Path, url: str) -> Explanation:
    """Explain the outcome of the document at `url`.

    With a ledger one row is looked up; without one, and for pages of WARC files, intake and rejections are searched.
    The list of duplicates and the shards are always searched, since a published corpus may have nothing else.

    Raises:
        CorpusError: there is no corpus, or a file of it is damaged.
        LedgerError: the ledger cannot be read.
    """
    if removal := removals_of(check_corpus(corpus)).of(document_id(url)):
        detail = f"on {removal.removed}: {removal.reason}"
        return Explanation(url, Fate.REJECTED, rejected=Rejected("rights", "taken_out", detail, url))
    entry = find(corpus, url) if (corpus / LEDGER).is_file() else None
    outcome = _outcome_of(corpus, entry) if entry else _search(corpus, document_id(url))
    explanation = Explanation(url, FATES[entry.state] if entry else Fate.NEVER_MET, entry)
    if isinstance(outcome, Rejected):
        earlier = _published(corpus, document_id(entry.url)) if entry and entry.attempts > 1 else None
        return replace(explanation, fate=Fate.REJECTED, rejected=outcome, published=earlier)
    if outcome is None:
        published = None if entry else _published(corpus, document_id(url))
        return (
            replace(explanation, fate=Fate.PUBLISHED, row=published, published=published) if published else explanation
        )
    lines = list(_decoded([corpus / DUPLICATES], outcome.id.encode(), DUPLICATE_LINES.decode))
    left_out = next((line for line in lines if (line.id, line.revision) == (outcome.id, outcome.revision)), None)
    published = _published(corpus, (left_out.cluster if left_out else "") or outcome.id)
    doubtful = None
    if left_out:
        fate = Fate.SUPERSEDED if left_out.kind is DuplicateKind.REVISION else Fate.DUPLICATE
    elif published and published.revision == outcome.revision:
        fate = Fate.PUBLISHED
    elif doubtful := _find_rejection(corpus / LOW_CONFIDENCE, outcome.id):
        fate = Fate.DOUBTFUL
    else:
        fate = Fate.PUBLISHED if published else Fate.NOT_BUILT
    stands_for = tuple(line for line in lines if line.duplicate_of == outcome.id and line != left_out)
    return replace(
        explanation,
        fate=fate,
        rejected=doubtful,
        row=outcome,
        left_out=left_out,
        published=published,
        stands_for=stands_for,
    )


def _outcome_of(corpus: Path, entry: UrlEntry) -> Record | Rejected | None:
    """Read the row or the rejection that the ledger names."""
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
    """Search all rows for the newest of a document, then the rejections."""
    found = _decoded(segments(corpus / INTAKE), document.encode(), decode_line, unpacked)
    lines = [line for line in found if line.document == document]
    if lines:
        newest = max(lines, key=lambda line: (line.fetch[1], line.reextraction, isinstance(line, Row)))
        return newest.record if isinstance(newest, Row) else newest.rejected
    return _find_rejection(corpus / REJECTED, document)


def _find_rejection(path: Path, document: str) -> Rejected | None:
    rejections = _decoded([path], b"", REJECTIONS.decode)
    return next((rejected for rejected in rejections if document_id(rejected.url) == document), None)


def _published(corpus: Path, document: str) -> Record | None:
    if not is_published(corpus):
        return None
    return next((record for record in open_corpus(corpus).records() if record.id == document), None)


def _decoded(
    paths: list[Path], part: bytes, decode: Callable[[bytes], Any], unpack: Callable[[bytes], bytes] = bytes
) -> Iterator[Any]:
    """Decode the lines that contain `part`, of the files that exist."""
    for path in paths:
        for offset, line in complete_lines(path) if path.is_file() else ():
            try:
                if part in unpack(line):
                    yield decode(line)
            except (msgspec.DecodeError, CorpusError) as error:
                raise CorpusError(f"{path}, at offset {offset}: {error}") from error


if TYPE_CHECKING:  # takes a second to load
    from newscorpus.views.explain.page import PageView


def explanation_lines(explanation: Explanation) -> list[str]:
    """Describe the data of a corpus on an address, one line per fact."""
    facts = [("fate", explanation.fate.meaning)]
    published = explanation.published
    if rejected := explanation.rejected:
        facts.append(("why", f"{rejected.stage}/{rejected.reason}  {rejected.detail}".rstrip()))
        facts.append(("text", rejected.excerpt))
        if published:
            facts.append(("but", f"an earlier text stands in the corpus, fetched {published.fetched}"))
    if left_out := explanation.left_out:
        facts.append(("why", f"{_relation(left_out)} of {left_out.duplicate_of}"))
        facts.append(("instead", f"{published.id}, {published.url}" if published else ""))
    if entry := explanation.entry:
        facts.append(("asked as", entry.url if entry.url != explanation.url else ""))
        facts.append(("portal", ", ".join(filter(None, (entry.portal, entry.kind)))))
        facts += zip(("found on", *[""] * len(entry.trail)), entry.trail, strict=False)
        facts += [(item.source, f"{item.field}: {_cut(item.value)}") for item in entry.evidence]
        facts.append(("next visit", iso(entry.next_visit) if entry.next_visit else ""))
        facts.append(("attempts", str(entry.attempts) if entry.attempts > 1 else ""))
        answer = f"{entry.fetched}, status {entry.status}, {entry.n_bytes} bytes" if entry.fetched else ""
        facts.append(("fetched", answer))
        facts.append(("redirected", entry.redirected_to and f"to {entry.redirected_to}"))
        facts.append(("archived", "{}, offset {}".format(*entry.archived) if entry.archived[0] else ""))
    if row := explanation.row:
        facts.append(("document", f"{row.id}, {row.url}"))
        facts.append(("title", row.title))
        facts.append(("text", f"{row.n_words} words, {row.language}, by {row.extractor}"))
        facts.append(("revision", row.revision))
        facts.append(("flags", ", ".join(row.flags)))
    repeats = explanation.stands_for
    facts += [("stands for", f"{line.url}, {_relation(line)}") for line in repeats[:MOST_SHOWN]]
    facts.append(("", f"and {len(repeats) - MOST_SHOWN} more" if len(repeats) > MOST_SHOWN else ""))
    return [printable(explanation.url), *_lines(facts)]


def page_lines(view: "PageView") -> list[str]:
    """Describe the result of an extractor: fields with their candidates, then blocks."""
    facts = [("extractor", view.extractor), ("outcome", view.outcome)]
    for field in view.fields:
        if field.values or field.others:
            sources = ", ".join(filter(None, (field.source, *field.agree)))
            value = _cut("; ".join(field.values)) or "nothing"
            facts.append((field.field, f"{value}  ({sources})" if sources else value))
            facts += [("", f"not {_cut(item.value)}  ({item.source})") for item in field.others]
    lines = _lines(facts)
    if view.blocks:
        lines += ["", f"{'label':<12}{'score':>6}  text [rules that changed the label]"]
    for block in view.blocks:
        given = "" if block.given is None else f"; score was {block.given:.3f}"
        rules = f"  [{', '.join(block.reasons)}{given}]" if block.reasons else ""
        lines.append(f"{block.label:<12}{block.score:6.3f}  {_cut(block.text)}{rules}")
    return lines


def _lines(facts: list[tuple[str, str]]) -> list[str]:
    """Format non-empty facts, aligned after their labels."""
    return [f"  {label:<{LABEL_WIDTH}}{printable(text)}" for label, text in facts if text]


def _relation(line: DuplicateLine) -> str:
    if line.kind is DuplicateKind.REVISION:
        return f"revision {line.revision}"
    return f"{line.kind} duplicate, similarity {line.similarity:.2f}"


def _cut(text: str) -> str:
    text = printable(text)  # a page must not steer the terminal
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…"
