"""Index a published corpus, and search it: documents, words in their context, and counts by portal and month.

The index is one SQLite file beside the folder of the corpus, made on demand. FTS5 holds which words stand where. The
records lie compressed in the same file, and FTS5 reads their text from there when it marks what was found ("external
content"). Letters count with their marks, in either case.
"""

import csv
import io
import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from dataclasses import astuple, dataclass
from itertools import chain
from pathlib import Path
from typing import Literal

import zstandard

from newscorpus.corpus.duplicates.find import DuplicateKind
from newscorpus.corpus.left_out import DUPLICATE_LINES, DuplicateLine, read_duplicates
from newscorpus.corpus.published import Published, open_corpus
from newscorpus.data import Record
from newscorpus.files import exclusive
from newscorpus.layout import DUPLICATES
from newscorpus.lines import encode_line
from newscorpus.page.records import decode, encode
from newscorpus.tokens import collapse, folded_words

VERSION = 1
"""Of the tables."""

RECORD_LEVEL = 1
"""The fastest level of zstd: a record is read when it is shown."""

TABLES = """
CREATE TABLE made (generation TEXT NOT NULL);
CREATE TABLE cells (cell INTEGER PRIMARY KEY, source TEXT NOT NULL, month TEXT NOT NULL);
CREATE TABLE documents (
  serial INTEGER PRIMARY KEY,
  cell INTEGER NOT NULL,  -- portal and month: a number is counted three times as fast as texts
  id TEXT NOT NULL,
  day TEXT NOT NULL,  -- of publication; '' where it is not known
  language TEXT NOT NULL,
  confidence REAL NOT NULL,
  cluster_size INTEGER NOT NULL,
  flags TEXT NOT NULL  -- a comma before and behind each
);
CREATE TABLE records (serial INTEGER PRIMARY KEY, record BLOB NOT NULL);
CREATE TABLE left_out (cluster TEXT NOT NULL, line BLOB NOT NULL);
CREATE TABLE choices (kind TEXT NOT NULL, name TEXT NOT NULL);
CREATE VIEW contents AS SELECT serial, searched_text(record) AS text FROM records;
CREATE VIRTUAL TABLE words USING fts5(
  text, content = 'contents', content_rowid = 'serial', tokenize = 'unicode61 remove_diacritics 0', prefix = '2 3 4'
);
"""
LOOKED_UP = """
CREATE INDEX ids ON documents (id);
CREATE INDEX clusters ON left_out (cluster);
"""

Watch = Callable[[Iterable[Record]], Iterable[Record]]
"""Passes records on, and shows progress."""

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


def index_path(corpus: Path) -> Path:
    """Where the index of a corpus lies: beside its folder, since nothing is written into it."""
    folder = corpus.resolve()
    return folder.with_name(f"{folder.name}.search.sqlite")


def open_index(corpus: Path) -> sqlite3.Connection | None:
    """Open the index of a corpus to read; None where there is none of what is published now.

    Raises:
        CorpusError: there is no published corpus.
    """
    path, published = index_path(corpus), open_corpus(corpus)
    if not path.is_file():
        return None
    # The file is replaced as a whole and never changed, so nobody needs a lock.
    connection = _with_texts(sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True))
    try:
        made = connection.execute("SELECT user_version, generation FROM pragma_user_version, made").fetchone()
    except sqlite3.DatabaseError:  # whatever lies there is replaced
        made = None
    if made == (VERSION, published.manifest.generation):
        return connection
    connection.close()
    return None


def make_index(corpus: Path, watch: Watch = iter) -> Path:
    """Index what is published; one that dies leaves the index that was there before.

    Raises:
        CorpusError: there is no published corpus, it is damaged, or another process indexes it now.
        OSError: the disk is full, or the folder above the corpus cannot be written.
    """
    path, published = index_path(corpus), open_corpus(corpus)
    temporary = path.with_suffix(".tmp")
    with exclusive(path.with_suffix(".lock"), "search index"):
        temporary.unlink(missing_ok=True)
        try:
            with closing(_with_texts(sqlite3.connect(temporary, isolation_level=None))) as connection:
                _fill(connection, published, corpus / DUPLICATES, watch)
            temporary.replace(path)
        except sqlite3.OperationalError as error:  # such as a full disk
            raise OSError(f"{temporary}: {error}") from error
        finally:
            temporary.unlink(missing_ok=True)
    return path


def _fill(connection: sqlite3.Connection, published: Published, duplicates: Path, watch: Watch) -> None:
    connection.execute("PRAGMA journal_mode = OFF")  # a file that is not finished is never read
    connection.execute("PRAGMA synchronous = OFF")
    connection.executescript(f"{TABLES} BEGIN;")
    choices: Counter[tuple[str, str]] = Counter()
    cells: dict[tuple[str, str], int] = {}
    for serial, record in enumerate(watch(published.records()), 1):
        cell = cells.setdefault((record.source, day_of(record)[:7]), len(cells))
        flags = [flag.partition(":")[0] for flag in record.flags]  # without what stands behind a colon
        row = (record.id, day_of(record), record.language, record.confidence, record.cluster_size)
        values = (serial, cell, *row, f",{','.join(flags)},")
        packed = zstandard.ZstdCompressor(RECORD_LEVEL).compress(encode(record))
        connection.execute("INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
        connection.execute("INSERT INTO records VALUES (?, ?)", (serial, packed))
        connection.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (serial, searched_text(record)))
        named = (("flag", flag) for flag in flags)
        choices.update([("source", record.source), ("language", record.language), *named])
    lines = read_duplicates(duplicates) if duplicates.is_file() else ()
    rows = ((one.cluster, encode_line(one)) for one in lines)
    connection.executemany("INSERT INTO left_out VALUES (?, ?)", rows)
    connection.executemany("INSERT INTO choices VALUES (?, ?)", (one for one, _ in choices.most_common()))
    connection.executemany("INSERT INTO cells VALUES (?, ?, ?)", ((cell, *names) for names, cell in cells.items()))
    connection.execute("INSERT INTO made VALUES (?)", (published.manifest.generation,))
    connection.executescript(f"{LOOKED_UP} PRAGMA user_version = {VERSION};")  # it commits what was added


def day_of(record: Record) -> str:
    """The day of publication, as the page has it; "" where it has none."""
    return record.published[:10]


def searched_text(record: Record) -> str:
    """What is searched of a record: its headline and its text, a paragraph a line."""
    return f"{record.title}\n{record.text}"


def unpacked(packed: bytes) -> Record:
    """The record that lies in the index."""
    return decode(zstandard.ZstdDecompressor().decompress(packed))


def _with_texts(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Teach a connection the function that the view of the texts calls."""
    connection.create_function("searched_text", 1, lambda packed: searched_text(unpacked(packed)), deterministic=True)
    return connection


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
        conditions: Mapping[str, str | float] = {
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
        asked = {sql: value for sql, value in conditions.items() if value}
        tables = "words CROSS JOIN documents ON documents.serial = words.rowid" if matched else "documents"
        given = [*([matched] if matched else []), *asked.values(), *values]
        where = " AND ".join([*(["words MATCH ?"] if matched else []), *asked]) or "TRUE"
        # Our own words alone; what is asked for goes in as values.
        return self._connection.execute(f"SELECT {columns} FROM {tables} WHERE {where} {ending}", given)  # noqa: S608


def _is_other_text(line: DuplicateLine, name: str) -> bool:
    return line.kind is DuplicateKind.REVISION and line.id == name


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
    if not side:
        return lines
    words = (lambda line: folded_words(line.right)) if side == "right" else lambda line: folded_words(line.left)[::-1]
    return sorted(lines, key=words)


def lines_table(lines: Iterable[ContextLine]) -> Iterator[bytes]:
    """The lines of a concordance as CSV, with the names of the columns first."""
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    for row in chain([ContextLine.__slots__], map(astuple, lines)):
        writer.writerow(row)
        yield table.getvalue().encode()
        table.seek(0)
        table.truncate()
