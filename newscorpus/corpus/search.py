"""Index a published corpus, and search it: documents, words in context, and counts by portal and month.

The index is one SQLite file beside the folder of the corpus, made on demand. FTS5 holds the inverted index. The records
are stored compressed in the same file, and FTS5 reads their text from there to mark matches ("external content").
Search ignores case, but not diacritics.
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
from newscorpus.errors import CorpusError
from newscorpus.files import exclusive
from newscorpus.layout import DUPLICATES
from newscorpus.lines import encode_line
from newscorpus.page.records import decode, encode
from newscorpus.tokens import collapse, folded_words

VERSION = 1
"""Version of the tables."""

RECORD_LEVEL = 1
"""The fastest level of zstd: a record is decompressed only when shown."""

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
"""Pass records on, and show progress."""

CONTEXT_CHARACTERS = 60
"""Context on each side of a match: both fit on a line of a screen."""

REACH = 4 * CONTEXT_CHARACTERS
"""Text read on each side, marks and white space included."""

BEGIN, END = "\x02", "\x03"
"""Marks around a match; texts of a corpus hold no control characters."""

FOUND = re.compile(f"{BEGIN}([^{END}]*){END}")
UNMARKED = re.compile(f"[{BEGIN}{END}]")
TERM = re.compile(r'(-?)("[^"]*"?|[^\s"]+)(\*?)')
Side = Literal["", "left", "right"]
"""Context by which lines of a concordance are sorted; "" for the order of the corpus, by day of publication."""


def index_path(corpus: Path) -> Path:
    """Return the path of a corpus's index: beside its folder, because nothing is written into it."""
    folder = corpus.resolve()
    return folder.with_name(f"{folder.name}.search.sqlite")


def temporary_index(corpus: Path) -> Path:
    """Return the path of an index that is being made, or whose making was killed."""
    return index_path(corpus).with_suffix(".tmp")


def open_index(corpus: Path) -> sqlite3.Connection | None:
    """Open the index of a corpus read-only; None if it is missing or outdated.

    Raises:
        CorpusError: there is no published corpus.
    """
    path, published = index_path(corpus), open_corpus(corpus)
    if not path.is_file():
        return None
    # The file is only ever replaced as a whole, so no lock is needed.
    connection = _with_texts(sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True))
    try:
        made = connection.execute("SELECT user_version, generation FROM pragma_user_version, made").fetchone()
    except sqlite3.DatabaseError:  # not an index: it will be replaced
        made = None
    if made == (VERSION, published.manifest.generation):
        return connection
    connection.close()
    return None


def make_index(corpus: Path, watch: Watch = iter) -> Path:
    """Index the published corpus; a killed call leaves the previous index.

    Raises:
        CorpusError: there is no published corpus, it is damaged, or another process is indexing it.
        OSError: the disk is full, or the folder above the corpus cannot be written.
    """
    path, published = index_path(corpus), open_corpus(corpus)
    temporary = temporary_index(corpus)
    with exclusive(path.with_suffix(".lock"), "search index"):
        temporary.unlink(missing_ok=True)
        try:
            with closing(_with_texts(sqlite3.connect(temporary, isolation_level=None))) as connection:
                _fill(connection, published, corpus / DUPLICATES, watch)
            if open_corpus(corpus).manifest.generation != published.manifest.generation:
                raise CorpusError(f"{corpus}: published anew while it was indexed; search again")
            temporary.replace(path)
        except sqlite3.OperationalError as error:  # such as a full disk
            raise OSError(f"{temporary}: {error}") from error
        finally:
            temporary.unlink(missing_ok=True)
    return path


def _fill(connection: sqlite3.Connection, published: Published, duplicates: Path, watch: Watch) -> None:
    connection.execute("PRAGMA journal_mode = OFF")  # an unfinished file is never opened
    connection.execute("PRAGMA synchronous = OFF")
    connection.executescript(f"{TABLES} BEGIN;")
    choices: Counter[tuple[str, str]] = Counter()
    cells: dict[tuple[str, str], int] = {}
    for serial, record in enumerate(watch(published.records()), 1):
        day = record.published[:10]
        cell = cells.setdefault((record.source, day[:7]), len(cells))
        flags = [flag.partition(":")[0] for flag in record.flags]  # without counts
        row = (record.id, day, record.language, record.confidence, record.cluster_size)
        values = (serial, cell, *row, f",{','.join(flags)},")
        packed = zstandard.ZstdCompressor(RECORD_LEVEL).compress(encode(record))
        connection.execute("INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
        connection.execute("INSERT INTO records VALUES (?, ?)", (serial, packed))
        connection.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (serial, _searched_text(record)))
        named = (("flag", flag) for flag in flags)
        choices.update([("source", record.source), ("language", record.language), *named])
    lines = read_duplicates(duplicates) if duplicates.is_file() else ()
    rows = ((one.cluster, encode_line(one)) for one in lines)
    connection.executemany("INSERT INTO left_out VALUES (?, ?)", rows)
    connection.executemany("INSERT INTO choices VALUES (?, ?)", (one for one, _ in choices.most_common()))
    connection.executemany("INSERT INTO cells VALUES (?, ?, ?)", ((cell, *names) for names, cell in cells.items()))
    connection.execute("INSERT INTO made VALUES (?)", (published.manifest.generation,))
    connection.executescript(f"{LOOKED_UP} PRAGMA user_version = {VERSION};")  # this commits


def _searched_text(record: Record) -> str:
    return f"{record.title}\n{record.text}"


def _unpacked(packed: bytes) -> Record:
    return decode(zstandard.ZstdDecompressor().decompress(packed))


def _with_texts(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Define the function that the view of the texts calls."""
    connection.create_function("searched_text", 1, lambda packed: _searched_text(_unpacked(packed)), deterministic=True)
    return connection


class QueryError(ValueError):
    """A query is invalid; the message is one line."""


@dataclass(frozen=True, slots=True)
class Query:
    """A search; "" and 0 mean no restriction."""

    words: str = ""  # all must occur; "a phrase"; -excluded; prefix*
    source: str = ""  # name of the portal
    since: str = ""  # first day of publication, ISO 8601
    until: str = ""  # last day
    language: str = ""
    flag: str = ""
    least: float = 0.0  # minimum confidence
    below: float = 0.0  # confidence below this
    least_group: int = 0  # minimum size of the group of near-duplicates that the document represents
    group: str = ""  # id of the document that represents the group

    @property
    def matched(self) -> str:
        """The words in the syntax of FTS5; "" if there are none.

        Raises:
            QueryError: all words are excluded ones.
        """
        wanted: list[str] = []
        unwanted: list[str] = []
        for minus, text, star in TERM.findall(self.words):
            plain = text.strip('"').rstrip("*")
            is_prefix = star or text.rstrip('"').endswith("*")
            if any(map(str.isalnum, plain)):
                (unwanted if minus else wanted).append(f'"{plain}"{"*" if is_prefix else ""}')
        if unwanted and not wanted:
            raise QueryError(f"{self.words!r} names only words that are not wanted; name one that is")
        return "".join([" AND ".join(wanted), *(f" NOT {term}" for term in unwanted)])


@dataclass(frozen=True, slots=True)
class ContextLine:
    """A line of a concordance: a match with its left and right context."""

    source: str
    day: str
    id: str  # of the document
    left: str
    found: str
    right: str


@dataclass(frozen=True, slots=True)
class Counts:
    """Matching documents by month of publication and portal."""

    portals: tuple[str, ...]  # most documents first
    months: Mapping[str, Mapping[str, int]]  # documents by month (latest first; "" if undated) and portal


class SearchIndex:
    """The index of a corpus, open for reading."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def choices(self, kind: str) -> list[str]:
        """Return all values of a kind ("source", "language" or "flag"), the most frequent first."""
        sql = "SELECT name FROM choices WHERE kind = ? AND name != ''"
        return [name for (name,) in self._connection.execute(sql, (kind,))]

    def number(self, query: Query) -> int:
        """Return the number of matching documents."""
        if query.matched and query == Query(query.words):  # the full-text index suffices
            found = self._connection.execute("SELECT count(*) FROM words WHERE words MATCH ?", (query.matched,))
        else:
            found = self._select(query, "count(*)", "")
        number: int = found.fetchone()[0]
        return number

    def count(self, query: Query) -> Counts:
        """Count the matching documents; a million takes some seconds."""
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
        """Read matching documents, in the order of the corpus."""
        found = self._select(query, "documents.serial", "LIMIT ? OFFSET ?", limit, skipped)
        return [self._record(serial) for (serial,) in found.fetchall()]

    def lines(self, query: Query, limit: int = -1) -> Iterator[ContextLine]:
        """Yield the matches in context, of at most `limit` documents; -1 for all."""
        if query.matched:
            marked = f"highlight(words, 0, '{BEGIN}', '{END}')"
            source = "(SELECT source FROM cells WHERE cells.cell = documents.cell)"
            for portal, day, name, text in self._select(query, f"{source}, day, id, {marked}", "LIMIT ?", limit):
                for context in contexts(text):
                    yield ContextLine(portal, day, name, *context)

    def document(self, name: str) -> Record | None:
        """Read a document by its id; None if it is not published."""
        found = self._connection.execute("SELECT serial FROM documents WHERE id = ?", (name,)).fetchone()
        return self._record(*found) if found else None

    def members(self, name: str) -> list[DuplicateLine]:
        """Return the documents that another one represents, without its own revisions."""
        return [line for line in self._left_out(name) if not _is_other_text(line, name)]

    def has_other_texts(self, name: str) -> bool:
        """Check whether other revisions of a document were excluded."""
        return any(_is_other_text(line, name) for line in self._left_out(name))

    def _left_out(self, name: str) -> Iterator[DuplicateLine]:
        found = self._connection.execute("SELECT line FROM left_out WHERE cluster = ?", (name,))
        return (DUPLICATE_LINES.decode(line) for (line,) in found)

    def _record(self, serial: int) -> Record:
        return _unpacked(*self._connection.execute("SELECT record FROM records WHERE serial = ?", (serial,)).fetchone())

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
        # Only constants of ours are formatted in; the query's values are parameters.
        return self._connection.execute(f"SELECT {columns} FROM {tables} WHERE {where} {ending}", given)  # noqa: S608


def _is_other_text(line: DuplicateLine, name: str) -> bool:
    return line.kind is DuplicateKind.REVISION and line.id == name


@contextmanager
def opened_index(corpus: Path) -> Iterator[SearchIndex | None]:
    """Open the index of the published corpus; None if it must be made first; errors as for `open_index`."""
    connection = open_index(corpus)
    with closing(connection) if connection else nullcontext():
        yield SearchIndex(connection) if connection else None


def contexts(marked: str) -> Iterator[tuple[str, str, str]]:
    """Yield the marked matches in a text: left context, match, right context."""
    for match in FOUND.finditer(marked):
        left, right = marked[: match.start()][-REACH:], marked[match.end() :][:REACH]
        plain = (collapse(UNMARKED.sub("", part).replace("\n", " ¶ ")) for part in (left, match[1], right))
        left, found, right = plain
        yield left[-CONTEXT_CHARACTERS:], found, right[:CONTEXT_CHARACTERS]


def in_order(lines: Iterable[ContextLine], side: Side) -> Iterable[ContextLine]:
    """Sort lines by the words after the match, or by those before it, nearest first."""
    if not side:
        return lines
    words = (lambda line: folded_words(line.right)) if side == "right" else lambda line: folded_words(line.left)[::-1]
    return sorted(lines, key=words)


def lines_table(lines: Iterable[ContextLine]) -> Iterator[bytes]:
    """Yield the lines of a concordance as CSV, with a header."""
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    for row in chain([ContextLine.__slots__], map(astuple, lines)):
        writer.writerow(row)
        yield table.getvalue().encode()
        table.seek(0)
        table.truncate()
