"""Index a published corpus for searches: one SQLite file beside its folder, made on demand.

FTS5 holds the inverted index. The records are stored compressed in the same file, and FTS5 reads their text from there
to mark matches ("external content").
"""

import sqlite3
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import numpy as np
import zstandard
from numpy.typing import NDArray

from newscorpus.corpus.left_out import read_duplicates
from newscorpus.corpus.published import Published, Watch, corpus_of, open_corpus
from newscorpus.corpus.query import TOKENIZER
from newscorpus.data import Record
from newscorpus.errors import CorpusError
from newscorpus.files import exclusive
from newscorpus.layout import DUPLICATES
from newscorpus.lines import encode_line
from newscorpus.page.records import decode, encode

VERSION = 3
"""Version of the tables."""

RECORD_LEVEL = 1
"""The fastest level of zstd: a record is decompressed only when shown."""

TABLES = """
CREATE TABLE made (
  generation TEXT NOT NULL,
  cells BLOB NOT NULL,  -- of each document, as `Numbers`
  n_words BLOB NOT NULL  -- that are indexed, of each document
);
CREATE TABLE cells (cell INTEGER PRIMARY KEY, source TEXT NOT NULL, month TEXT NOT NULL);
CREATE TABLE documents (
  serial INTEGER PRIMARY KEY,
  cell INTEGER NOT NULL,  -- portal and month: a number is counted three times as fast as texts
  id TEXT NOT NULL,
  url TEXT NOT NULL,
  day TEXT NOT NULL,  -- of publication; '' where it is not known
  language TEXT NOT NULL,
  confidence REAL NOT NULL,
  cluster_size INTEGER NOT NULL,
  flags TEXT NOT NULL,  -- a comma before and behind each
  section TEXT NOT NULL,
  authors TEXT NOT NULL  -- a line feed before and behind each
);
CREATE TABLE records (serial INTEGER PRIMARY KEY, record BLOB NOT NULL);
CREATE TABLE left_out (cluster TEXT NOT NULL, line BLOB NOT NULL);
CREATE TABLE choices (kind TEXT NOT NULL, name TEXT NOT NULL);
CREATE VIEW contents AS SELECT serial, searched_text(record) AS text FROM records;
CREATE VIRTUAL TABLE words USING fts5(
  text, content = 'contents', content_rowid = 'serial', tokenize = 'TOKENIZER', prefix = '2 3 4'
);
CREATE VIRTUAL TABLE occurrences USING fts5vocab(words, instance);
CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, row);
""".replace("TOKENIZER", TOKENIZER)
LOOKED_UP = """
CREATE TABLE forms (term TEXT PRIMARY KEY, hits INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO forms SELECT term, cnt FROM vocabulary;  -- which is counted whenever it is read
CREATE INDEX ids ON documents (id);
CREATE INDEX clusters ON left_out (cluster);
"""

Numbers = NDArray[np.int64]


def index_path(corpus: Path) -> Path:
    """Return the path of a corpus's index: beside its folder, because nothing is written into it."""
    folder = corpus_of(corpus.resolve())
    return folder.with_name(f"{folder.name}.search.sqlite")


def temporary_index(corpus: Path) -> Path:
    """Return the path of an index that is being made, or whose making was killed."""
    return index_path(corpus).with_suffix(".tmp")


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
            with closing(with_texts(sqlite3.connect(temporary, isolation_level=None))) as connection:
                _fill(connection, published, corpus / DUPLICATES, watch)
            if open_corpus(corpus).manifest.generation != published.manifest.generation:
                raise CorpusError(f"{corpus}: published anew while it was indexed; search again")
            temporary.replace(path)
        except sqlite3.OperationalError as error:  # such as a full disk
            raise OSError(f"{path}: {error}") from error
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
        row = (record.language, record.confidence, record.cluster_size, f",{','.join(flags)},", record.section)
        values = (serial, cell, record.id, record.url, day, *row, "\n".join(["", *record.authors, ""]))
        packed = zstandard.ZstdCompressor(RECORD_LEVEL).compress(encode(record))
        connection.execute("INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
        connection.execute("INSERT INTO records VALUES (?, ?)", (serial, packed))
        connection.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (serial, _searched_text(record)))
        named = [*(("flag", flag) for flag in flags), *(("author", author) for author in record.authors)]
        own = (("source", record.source), ("language", record.language), ("section", record.section))
        choices.update([*own, *named])
    lines = read_duplicates(duplicates) if duplicates.is_file() else ()
    rows = ((one.cluster, encode_line(one)) for one in lines)
    connection.executemany("INSERT INTO left_out VALUES (?, ?)", rows)
    connection.executemany("INSERT INTO choices VALUES (?, ?)", (one for one, _ in choices.most_common()))
    connection.executemany("INSERT INTO cells VALUES (?, ?, ?)", ((cell, *names) for names, cell in cells.items()))
    cell_of = numbers(connection.execute("SELECT cell FROM documents ORDER BY serial"))
    sizes = connection.execute("SELECT sz FROM words_docsize ORDER BY id")
    n_words = numbers((_first_varint(size),) for (size,) in sizes)
    made = (published.manifest.generation, cell_of.tobytes(), n_words.tobytes())
    connection.execute("INSERT INTO made VALUES (?, ?, ?)", made)
    connection.executescript(f"{LOOKED_UP} PRAGMA user_version = {VERSION};")  # this commits


def _first_varint(packed: bytes) -> int:
    """Decode a number of SQLite: seven bits a byte, the highest first."""
    number = 0
    for byte in packed:
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            break
    return number


def _searched_text(record: Record) -> str:
    return f"{record.title}\n{record.text}"


def unpacked(packed: bytes) -> Record:
    """Decode a stored record."""
    return decode(zstandard.ZstdDecompressor().decompress(packed))


def with_texts(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Define the function that the view of the texts calls."""
    connection.create_function("searched_text", 1, lambda packed: _searched_text(unpacked(packed)), deterministic=True)
    return connection


def numbers(found: Iterable[tuple[int]]) -> Numbers:
    """Return selected numbers as an array."""
    return np.fromiter((number for (number,) in found), np.int64)
