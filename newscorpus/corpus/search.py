"""Index a published corpus for search: one SQLite file beside the folder of the corpus, made on demand.

FTS5 holds which words stand where. The records lie compressed in the same file, and FTS5 reads their text from there
when it marks what was found ("external content"). Letters count with their marks, in either case.
"""

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path

import zstandard

from newscorpus.corpus.left_out import read_duplicates
from newscorpus.corpus.published import Published, open_corpus
from newscorpus.data import Record
from newscorpus.files import exclusive
from newscorpus.layout import DUPLICATES
from newscorpus.lines import encode_line
from newscorpus.page.records import decode, encode

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
    if _is_of(connection, published):
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
        _add(connection, serial, cell, record)
        flags = (("flag", flag) for flag in _flags(record))
        choices.update([("source", record.source), ("language", record.language), *flags])
    lines = read_duplicates(duplicates) if duplicates.is_file() else ()
    rows = ((one.cluster, encode_line(one)) for one in lines)
    connection.executemany("INSERT INTO left_out VALUES (?, ?)", rows)
    connection.executemany("INSERT INTO choices VALUES (?, ?)", (one for one, _ in choices.most_common()))
    connection.executemany("INSERT INTO cells VALUES (?, ?, ?)", ((cell, *names) for names, cell in cells.items()))
    connection.execute("INSERT INTO made VALUES (?)", (published.manifest.generation,))
    connection.executescript(f"{LOOKED_UP} PRAGMA user_version = {VERSION};")  # it commits what was added


def _add(connection: sqlite3.Connection, serial: int, cell: int, record: Record) -> None:
    row = (record.id, day_of(record), record.language, record.confidence, record.cluster_size)
    values = (serial, cell, *row, f",{','.join(_flags(record))},")
    packed = zstandard.ZstdCompressor(RECORD_LEVEL).compress(encode(record))
    connection.execute("INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
    connection.execute("INSERT INTO records VALUES (?, ?)", (serial, packed))
    connection.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (serial, searched_text(record)))


def _flags(record: Record) -> list[str]:
    """The remarks on a record, without what stands behind a colon."""
    return [flag.partition(":")[0] for flag in record.flags]


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


def _is_of(connection: sqlite3.Connection, published: Published) -> bool:
    try:
        made = connection.execute("SELECT user_version, generation FROM pragma_user_version, made").fetchone()
        return bool(made == (VERSION, published.manifest.generation))
    except sqlite3.DatabaseError:  # whatever lies there is replaced
        return False
