"""Compare two corpora document by document, and two texts of a document."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, replace
from difflib import SequenceMatcher, unified_diff
from enum import StrEnum
from pathlib import Path
from typing import Literal

from newscorpus.config import BuildConfig
from newscorpus.corpus.duplicates.collection import Collection
from newscorpus.corpus.duplicates.store import Store, layout_of
from newscorpus.data import Record
from newscorpus.layout import INDEX, INTAKE
from newscorpus.page.records import encode
from newscorpus.page.rows import Row
from newscorpus.store.intake import RowPlace, read_intake, read_row
from newscorpus.tokens import words

DIFF_LINES = 40
"""Most lines of a document's diff that are shown: a screen."""
WORD = re.compile(r"\S+\s*")
"""A word with the white space after it; leading white space of a text is ignored."""


class ChangeKind(StrEnum):
    """How a document changed."""

    SAME = "same"
    TEXT = "text"
    FIELDS = "fields"
    GAINED = "gained"
    LOST = "lost"
    NOT_READ = "not_read"


@dataclass(frozen=True, slots=True)
class StoredRow:
    """The latest row of a document, without its text."""

    fetched: str
    place: RowPlace
    revision: str
    digest: bytes  # of the record
    source: str


@dataclass(frozen=True, slots=True)
class Change:
    """A document before and after; None if it did not exist."""

    id: str
    source: str
    kind: ChangeKind
    before: RowPlace | None
    after: RowPlace | None


@dataclass(frozen=True, slots=True)
class PortalChanges:
    """Numbers of changed documents of a portal."""

    source: str
    same: int = 0  # unchanged
    text: int = 0  # the text differs
    fields: int = 0  # only other keys differ
    gained: int = 0  # new documents
    lost: int = 0  # documents that no longer exist
    not_read: int = 0  # documents that no longer exist because the archive does not hold their page
    words_added: int = 0  # words added to texts, including gained documents
    words_removed: int = 0  # words removed from texts, including lost documents


def find_changes(before: Path, after: Path, read: Set[tuple[str, str]]) -> Iterator[Change]:
    """Compare every document of two corpora by its latest text, sorted by source and id.

    `after` was extracted from an archive; `read` has source and fetch time of every page of it.

    Raises:
        CorpusError: an intake is missing or damaged.
    """
    old, new = _latest(before), _latest(after)
    sources = {name: (old.get(name) or new[name]).source for name in old.keys() | new.keys()}
    for name in sorted(sources, key=lambda one: (sources[one], one)):
        was, now = old.get(name), new.get(name)
        if was is None or now is None:
            is_read = was is None or (was.source, was.fetched) in read
            kind = ChangeKind.GAINED if was is None else ChangeKind.LOST if is_read else ChangeKind.NOT_READ
        elif was.revision != now.revision:
            kind = ChangeKind.TEXT
        else:
            kind = ChangeKind.SAME if was.digest == now.digest else ChangeKind.FIELDS
        yield Change(name, sources[name], kind, was.place if was else None, now.place if now else None)


def count_changes(changes: Iterable[Change]) -> list[PortalChanges]:
    """Count changes, and the words they add and remove, by portal."""
    counts: dict[str, PortalChanges] = {}
    for change in changes:
        so_far = counts.get(change.source, PortalChanges(change.source))
        added = removed = 0  # words, whatever their order
        if change.kind not in {ChangeKind.SAME, ChangeKind.FIELDS, ChangeKind.NOT_READ}:
            before, after = (Counter(words(record.text)) if record else Counter() for record in _records(change))
            added, removed = (after - before).total(), (before - after).total()
        counts[change.source] = replace(
            so_far,
            words_added=so_far.words_added + added,
            words_removed=so_far.words_removed + removed,
            **{change.kind.value: getattr(so_far, change.kind.value) + 1},
        )
    return [counts[source] for source in sorted(counts)]


def difference(change: Change, max_lines: int = DIFF_LINES) -> list[str]:
    """Return the unified diff of a document's texts by paragraph, cut at `max_lines`."""
    records = _records(change)
    url = next(record.url for record in records if record)
    before, after = (record.text.split("\n") if record else [] for record in records)
    lines = list(unified_diff(before, after, f"{url} before", f"{url} after", n=1, lineterm=""))
    left = len(lines) - max_lines
    return lines if left <= 0 else [*lines[:max_lines], f"... {left} more lines"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A sequence of words, with the white space after them, of two compared texts."""

    kind: Literal["same", "gone", "new"]  # in both texts, only in the first, only in the second
    text: str


def marked_difference(before: str, after: str) -> Iterator[Piece]:
    """Compare two texts by paragraph, and differing paragraphs by word."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    for kind, *places in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        first, second = "".join(old[slice(*places[:2])]), "".join(new[slice(*places[2:])])
        if kind == "equal":
            yield Piece("same", first)
            continue
        gone, added = WORD.findall(first), WORD.findall(second)
        for same, a, b, c, d in SequenceMatcher(None, gone, added).get_opcodes():
            pieces = [Piece("gone", "".join(gone[a:b])), Piece("new", "".join(added[c:d]))]
            if same == "equal":
                pieces = [Piece("same", pieces[0].text)]
            yield from (piece for piece in pieces if piece.text)


def texts_of(corpus: Path, document: str) -> list[Record]:
    """Return all texts of a document in the intake, in order of fetch; none without an index.

    Raises:
        CorpusError: a row or the index is damaged, or the index was made with different parameters.
    """
    store = Store.existing(corpus / INDEX, layout_of(BuildConfig()))
    if store is None:
        return []
    found = [at for at, name in enumerate(store.ids) if name == document and not store.documents["withdrawn"][at]]
    return sorted((Collection([store]).record(at) for at in found), key=lambda one: one.fetched)


def _latest(corpus: Path) -> dict[str, StoredRow]:
    """Map each document's id to the row fetched last; of the rows of one fetch, the last re-extraction counts."""
    newest: dict[tuple[str, str], tuple[int, bool, StoredRow | None]] = {}
    for place, row in read_intake(corpus / INTAKE, BuildConfig().signature):
        name = (row.document, row.fetch[1])
        stored = None
        if isinstance(row, Row):
            record, hashed = row.record, hashlib.blake2b(encode(row.record), digest_size=16).digest()
            stored = StoredRow(record.fetched, place, record.revision, hashed, record.source)
        if name not in newest or newest[name][:2] <= (row.reextraction, stored is not None):
            newest[name] = (row.reextraction, stored is not None, stored)
    return {name: stored for (name, _), (_, _, stored) in sorted(newest.items()) if stored}


def _records(change: Change) -> tuple[Record | None, Record | None]:
    before, after = change.before, change.after
    return read_row(before).record if before else None, read_row(after).record if after else None
