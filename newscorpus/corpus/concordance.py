"""Search an indexed corpus: documents, words in their context, and counts by portal and month."""

import csv
import io
import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from dataclasses import astuple, dataclass
from itertools import chain
from pathlib import Path
from typing import Literal

from newscorpus.corpus.duplicates.find import DuplicateKind
from newscorpus.corpus.left_out import DUPLICATE_LINES, DuplicateLine
from newscorpus.corpus.search import open_index, unpacked
from newscorpus.data import Record
from newscorpus.tokens import collapse, folded_words

CONTEXT_CHARACTERS = 60
"""On each side of what was found: a line of a screen holds both."""

REACH = 4 * CONTEXT_CHARACTERS
"""What is read on each side, marks and white space included."""

BEGIN, END = "\x02", "\x03"
"""Set around what was found; no text of a corpus holds control characters."""
FOUND = re.compile(f"{BEGIN}([^{END}]*){END}")
UNMARKED = re.compile(f"[{BEGIN}{END}]")

TERM = re.compile(r'(-?)("[^"]*"?|[^\s"]+)(\*?)')

Side = Literal["", "left", "right"]
"""By what lines of a concordance are sorted; "": as the documents lie in the corpus, by day of publication."""


class QueryError(ValueError):
    """A search cannot be read; the message is one line."""


@dataclass(frozen=True, slots=True)
class Query:
    """What is searched for; "" and 0 ask for nothing."""

    words: str = ""  # all of them; "in quotes" one after the other; -without; begin*
    source: str = ""  # name of the portal
    since: str = ""  # first day of publication, ISO 8601
    until: str = ""  # last day
    language: str = ""
    flag: str = ""
    least: float = 0.0  # lowest confidence
    below: float = 0.0  # what the confidence stays below
    least_group: int = 0  # documents, at least, in the group of near-duplicates that each leads
    group: str = ""  # id of the document that leads the group

    @property
    def matched(self) -> str:
        """The words as FTS5 reads them; "" where none is asked for.

        Raises:
            QueryError: all words are unwanted ones.
        """
        terms = [(minus, _term(text, star)) for minus, text, star in TERM.findall(self.words)]
        wanted = [term for minus, term in terms if term and not minus]
        unwanted = [term for minus, term in terms if term and minus]
        if unwanted and not wanted:
            raise QueryError(f"{self.words!r} names only words that are not wanted; name one that is")
        return "".join([" AND ".join(wanted), *(f" NOT {term}" for term in unwanted)])


def _term(text: str, star: str) -> str:
    """A word or a phrase as FTS5 reads it; "" for one without letters and digits."""
    plain = text.strip('"').rstrip("*")
    is_begin = star or text.rstrip('"').endswith("*")
    return f'"{plain}"{"*" if is_begin else ""}' if any(map(str.isalnum, plain)) else ""


@dataclass(frozen=True, slots=True)
class ContextLine:
    """A line of a concordance: what was found, between what stands before and behind it."""

    source: str
    day: str
    id: str  # of the document
    left: str
    found: str
    right: str


@dataclass(frozen=True, slots=True)
class Counts:
    """How many documents were found, by month of publication and portal."""

    portals: tuple[str, ...]  # those with the most documents first
    months: Mapping[str, Mapping[str, int]]  # by month, by portal, the latest first; "" holds those without a date


class SearchIndex:
    """The index of a corpus, open to read."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def choices(self, kind: str) -> list[str]:
        """All of one kind, "source", "language" or "flag", the most frequent first."""
        sql = "SELECT name FROM choices WHERE kind = ? AND name != ''"
        return [name for (name,) in self._connection.execute(sql, (kind,))]

    def number(self, query: Query) -> int:
        """How many documents are found."""
        if query.matched and query == Query(query.words):  # the index of words knows by itself
            found = self._connection.execute("SELECT count(*) FROM words WHERE words MATCH ?", (query.matched,))
        else:
            found = self._select(query, "count(*)", "")
        number: int = found.fetchone()[0]
        return number

    def count(self, query: Query) -> Counts:
        """Count the documents that are found; a million takes some seconds."""
        named = {cell: names for cell, *names in self._connection.execute("SELECT cell, source, month FROM cells")}
        rows = [(*named[cell], n) for cell, n in self._select(query, "cell, count(*)", "GROUP BY cell")]
        by_portal: Counter[str] = Counter()
        months: defaultdict[str, dict[str, int]] = defaultdict(dict)
        for portal, month, n in rows:
            by_portal[portal] += n
            months[month][portal] = n
        portals = tuple(name for name, _ in sorted(by_portal.items(), key=lambda item: (-item[1], item[0])))
        return Counts(portals, dict(sorted(months.items(), reverse=True)))

    def documents(self, query: Query, limit: int, skipped: int = 0) -> list[Record]:
        """Read some of the documents that are found, in the order of the corpus."""
        found = self._select(query, "documents.serial", "LIMIT ? OFFSET ?", limit, skipped)
        return [self._record(serial) for (serial,) in found.fetchall()]

    def lines(self, query: Query, limit: int = -1) -> Iterator[ContextLine]:
        """Show what was found in its context, of so many documents, or of all for -1."""
        if query.matched:
            marked = f"highlight(words, 0, '{BEGIN}', '{END}')"
            source = "(SELECT source FROM cells WHERE cells.cell = documents.cell)"
            for portal, day, name, text in self._select(query, f"{source}, day, id, {marked}", "LIMIT ?", limit):
                for context in contexts(text):
                    yield ContextLine(portal, day, name, *context)

    def document(self, name: str) -> Record | None:
        """Read a document by its id; None where it is not published."""
        found = self._connection.execute("SELECT serial FROM documents WHERE id = ?", (name,)).fetchone()
        return self._record(*found) if found else None

    def members(self, name: str) -> list[DuplicateLine]:
        """The documents that were left out for another one: the group of near-duplicates that it leads."""
        return [line for line in self._left_out(name) if not _is_other_text(line, name)]

    def has_other_texts(self, name: str) -> bool:
        """Whether texts that a document had at other times were left out."""
        return any(_is_other_text(line, name) for line in self._left_out(name))

    def _left_out(self, name: str) -> Iterator[DuplicateLine]:
        found = self._connection.execute("SELECT line FROM left_out WHERE cluster = ?", (name,))
        return (DUPLICATE_LINES.decode(line) for (line,) in found)

    def _record(self, serial: int) -> Record:
        return unpacked(*self._connection.execute("SELECT record FROM records WHERE serial = ?", (serial,)).fetchone())

    def _select(self, query: Query, columns: str, ending: str, *values: int) -> sqlite3.Cursor:
        matched = query.matched
        asked = {sql: value for sql, value in _conditions(query).items() if value}
        tables = "words CROSS JOIN documents ON documents.serial = words.rowid" if matched else "documents"
        given = [*([matched] if matched else []), *asked.values(), *values]
        where = " AND ".join([*(["words MATCH ?"] if matched else []), *asked]) or "TRUE"
        # Our own words alone; what is asked for goes in as values.
        return self._connection.execute(f"SELECT {columns} FROM {tables} WHERE {where} {ending}", given)  # noqa: S608


def _is_other_text(line: DuplicateLine, name: str) -> bool:
    return line.kind is DuplicateKind.REVISION and line.id == name


def _conditions(query: Query) -> Mapping[str, str | float]:
    """What is asked of documents: each condition in SQL, and its value; nothing where that is empty."""
    return {
        "cell IN (SELECT cell FROM cells WHERE source = ?)": query.source,
        "day >= ?": query.since,
        "day != '' AND day <= ?": query.until,
        "language = ?": query.language,
        "instr(flags, ',' || ? || ',')": query.flag,
        "confidence >= ?": query.least,
        "confidence < ?": query.below,
        "cluster_size >= ?": query.least_group,
        "id = ?": query.group,
    }


@contextmanager
def opened_index(corpus: Path) -> Iterator[SearchIndex | None]:
    """Open the index of what is published; None where it must be made first; errors as for `open_index`."""
    connection = open_index(corpus)
    with closing(connection) if connection else nullcontext():
        yield SearchIndex(connection) if connection else None


def contexts(marked: str) -> Iterator[tuple[str, str, str]]:
    """What was found in a text, each with what stands before and behind it."""
    for match in FOUND.finditer(marked):
        left, right = marked[: match.start()][-REACH:], marked[match.end() :][:REACH]
        plain = (collapse(UNMARKED.sub("", part).replace("\n", " ¶ ")) for part in (left, match[1], right))
        left, found, right = plain
        yield left[-CONTEXT_CHARACTERS:], found, right[:CONTEXT_CHARACTERS]


def in_order(lines: Iterable[ContextLine], side: Side) -> Iterable[ContextLine]:
    """Sort lines by the words behind what was found, or by those before it from the nearest on."""
    return sorted(lines, key=lambda line: _sorted_by(line, side)) if side else lines


def _sorted_by(line: ContextLine, side: Side) -> list[str]:
    return folded_words(line.right) if side == "right" else folded_words(line.left)[::-1]


def lines_table(lines: Iterable[ContextLine]) -> Iterator[bytes]:
    """The lines of a concordance as CSV, with the names of the columns first."""
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    for row in chain([ContextLine.__slots__], map(astuple, lines)):
        writer.writerow(row)
        yield table.getvalue().encode()
        table.seek(0)
        table.truncate()
