"""Commit the database of a ledger and the files of a corpus together: the ledger stores the committed file lengths."""

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from io import FileIO
from itertools import count
from pathlib import Path

from newscorpus.config import BuildConfig
from newscorpus.errors import LedgerError
from newscorpus.files import extend, replace_file, sync, sync_folder
from newscorpus.layout import COMMITTED, INTAKE_SEGMENT, LEDGER, REJECTED
from newscorpus.store.intake import encode_header
from newscorpus.store.ledger.database import MAX_LOG_BYTES, described
from newscorpus.store.ledger.values import key_of

RENEWED = f".{REJECTED}.new"
"""The rewritten journal, which replaces the old one after the commit of its offsets; the commit adds its name to the
table of files."""


@dataclass(frozen=True, slots=True)
class Series:
    """Files of one kind."""

    pattern: str  # name relative to the corpus: "intake/{:06}.jsonl"; a single file has no number
    header: bytes = b""  # beginning of each file


ROWS = Series(INTAKE_SEGMENT, encode_header(BuildConfig().signature))
REJECTIONS = Series(REJECTED)


class Transaction:
    """Writes to the database and to files that are committed together.

    After a failure, such as a full disk, everything since the last commit is rolled back and later writes are refused.
    Each crawl appends to a new file of a numbered series, since the parameters in the header may have changed.
    `lengths` are the committed bytes of each file, by name relative to the corpus.

    Attributes:
        failed: a write has failed.
    """

    def __init__(self, corpus: Path, connection: sqlite3.Connection, lengths: dict[str, int]) -> None:
        self._corpus = corpus
        self._connection = connection
        self._lengths = lengths
        self._ends = dict(lengths)
        self._names: dict[str, str] = {}
        self._pending: dict[str, list[bytes]] = {}
        self._open: dict[str, FileIO] = {}
        self._unsynced: set[str] = set()
        self._others: list[Callable[[], Mapping[str, int]]] = []
        self.failed = False

    def read(self, sql: str, values: Iterable[object] = ()) -> sqlite3.Cursor:
        """Execute a statement that writes nothing.

        Raises:
            LedgerError: the database cannot be read.
        """
        try:
            return self._connection.execute(sql, tuple(values))
        except sqlite3.Error as error:
            raise LedgerError(described(self._corpus, error)) from error

    def write(self, sql: str, *rows: Iterable[object]) -> sqlite3.Cursor:
        """Execute a statement for each of the given rows of values.

        Raises:
            LedgerError: this or an earlier write failed.
        """
        with self._guarded():
            if not self._connection.in_transaction:
                self._connection.execute("BEGIN IMMEDIATE")
            if len(rows) == 1:
                return self._connection.execute(sql, tuple(rows[0]))
            return self._connection.executemany(sql, map(tuple, rows))

    def append(self, series: Series, data: bytes) -> tuple[str, int]:
        """Append `data` to the file of a series; return its name relative to the corpus, and the offset."""
        name = self._names.get(series.pattern) or self._begin(series)
        offset = self._ends.get(name, 0)
        self._add(name, data)
        return name, offset

    def announce(self, name: str) -> None:
        """Announce a file that is about to be created; nothing may be uncommitted.

        Raises:
            LedgerError: the ledger could not be written.
        """
        with self._guarded():
            announce(self._connection, (name,))
            self._lengths.setdefault(name, 0)

    def follow(self, lengths: Callable[[], Mapping[str, int]]) -> None:
        """Include the files of another writer in each commit.

        Args:
            lengths: flushes them and returns the length of each file.
        """
        self._others.append(lengths)

    def commit(self) -> None:
        """Commit everything since the last commit.

        Raises:
            LedgerError: it could not be written.
        """
        with self._guarded():
            others = (item for lengths in self._others for item in lengths().items())
            grown = [(name, length) for name, length in others if self._lengths.get(name) != length]
            for name, parts in self._pending.items():
                if name not in self._open:
                    path = self._corpus / name
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.touch()
                    self._open[name] = path.open("r+b", buffering=0)
                data = b"".join(parts)
                extend(self._open[name], self._ends[name] - len(data), data)
                grown.append((name, self._ends[name]))
            self._ends.update(grown)
            self.write("INSERT OR REPLACE INTO files VALUES (?, ?)", *grown)
            self._connection.execute("COMMIT")
            self._pending.clear()
            self._lengths.update(grown)
            self._unsynced.update(name for name, _ in grown)

    def checkpoint(self) -> Callable[[], None]:
        """Return a callable that fsyncs the committed data; call it in any thread, one at a time.

        It raises OSError or sqlite3.Error if the disk fails.
        """
        names = frozenset(self._unsynced)
        self._unsynced.clear()
        return partial(_checkpoint, self._corpus, names, dict(self._lengths))

    def reset_log(self) -> None:
        """Reset a long WAL, which only its writer can; call it after a commit."""
        log = self._corpus / f"{LEDGER}-wal"
        if log.is_file() and log.stat().st_size > MAX_LOG_BYTES:
            with self._guarded():
                self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def compact_journal(self) -> None:
        """Remove outdated lines from the journal of rejections at the end of a crawl; append nothing afterwards."""
        with self._guarded():
            connection, path = self._connection, self._corpus / REJECTED
            (n_rows,) = connection.execute("SELECT count(*) FROM urls WHERE line_file = ?", (REJECTED,)).fetchone()
            if not path.is_file() or sum(1 for _ in _lines(path)) == n_rows:
                return
            connection.execute("BEGIN IMMEDIATE")
            length = _renew(connection, path, self._corpus / RENEWED)
            rows = [(REJECTED, length), (RENEWED, length)]
            connection.executemany("INSERT OR REPLACE INTO files VALUES (?, ?)", rows)
            connection.execute("COMMIT")
            connection.execute("PRAGMA wal_checkpoint(FULL)")  # a power failure must not lose the offsets alone
            take_renewed(connection, self._corpus)

    def close(self) -> None:
        """Fsync the committed data and close the files."""
        if not self.failed:
            with self._guarded():
                self.checkpoint()()
        self._close_files()

    def _begin(self, series: Series) -> str:
        numbered = "{" in series.pattern
        names = map(series.pattern.format, count(1))
        # The first file that is announced and empty, or does not exist.
        name = next(
            name
            for name in names
            if not numbered or (not self._ends.get(name) and (name in self._ends or not (self._corpus / name).exists()))
        )
        self._names[series.pattern] = name
        if series.header and not self._ends.get(name):
            self._add(name, series.header)
        return name

    def _add(self, name: str, data: bytes) -> None:
        self._pending.setdefault(name, []).append(data)
        self._ends[name] = self._ends.get(name, 0) + len(data)

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Roll back everything since the last commit if writing fails."""
        if self.failed:
            raise LedgerError(f"{self._corpus}: nothing is written any more, since writing failed")
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            self.failed = True
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            self._close_files()
            for name in self._ends.keys() | self._lengths.keys():
                cut_back(self._corpus / name, self._lengths.get(name, 0))
            raise LedgerError(described(self._corpus, error)) from error

    def _close_files(self) -> None:
        for file in self._open.values():
            file.close()
        self._open.clear()


def _checkpoint(corpus: Path, names: frozenset[str], lengths: Mapping[str, int]) -> None:
    """Sync the files first: neither the database nor the noted lengths may exceed them."""
    for name in names:
        with suppress(FileNotFoundError), (corpus / name).open("r+b", buffering=0) as file:
            sync(file)
    with closing(sqlite3.connect(corpus / LEDGER, isolation_level=None)) as connection:
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
    if names:
        note_lengths(corpus, lengths)


def note_lengths(corpus: Path, lengths: Mapping[str, int]) -> None:
    """Write the committed length of each file, except the journal, which may shrink, to `.committed.json`.

    By these the next start detects a ledger that is older than the files.
    """
    replace_file(
        corpus / COMMITTED, json.dumps({name: length for name, length in lengths.items() if name != REJECTED}).encode()
    )


def announce(connection: sqlite3.Connection, names: Iterable[str]) -> None:
    """Add files that are about to be created to the ledger, fsynced at once.

    By that the next start tells the files of a killed crawl from foreign ones.
    """
    connection.execute("PRAGMA synchronous = FULL")
    for name in names:
        connection.execute("INSERT OR IGNORE INTO files VALUES (?, 0)", (name,))
    connection.execute("PRAGMA synchronous = NORMAL")


def cut_back(path: Path, length: int) -> None:
    """Truncate a file to `length` bytes, or remove it if that is 0."""
    if not path.is_file():
        return
    if not length:
        path.unlink()
    elif path.stat().st_size > length:
        os.truncate(path, length)


def take_renewed(connection: sqlite3.Connection, corpus: Path) -> None:
    """Put the rewritten journal in place if its offsets are committed, also after the death of its writer."""
    if connection.execute("SELECT 1 FROM files WHERE name = ?", (RENEWED,)).fetchone():
        if (corpus / RENEWED).is_file():
            (corpus / RENEWED).replace(corpus / REJECTED)
            sync_folder(corpus)
        connection.execute("DELETE FROM files WHERE name = ?", (RENEWED,))


def _renew(connection: sqlite3.Connection, old: Path, new: Path) -> int:
    """Rewrite the journal and update the offsets in the ledger; return its length."""
    sql = "SELECT line_offset, serial FROM urls WHERE line_file = ? ORDER BY line_offset"
    rows = connection.execute(sql, (REJECTED,))
    row = rows.fetchone()
    with new.open("wb") as file:
        for offset, line in _lines(old):
            while row and row[0] < offset:
                row = rows.fetchone()
            if row and row[0] == offset:
                connection.execute("UPDATE urls SET line_offset = ? WHERE serial = ?", (file.tell(), row[1]))
            elif line.isspace():
                continue
            else:  # the lines of requests that the ledger cannot store are kept
                try:
                    key = key_of(json.loads(line)["url"])
                except (ValueError, LookupError, TypeError):  # a foreign line
                    key = None
                if key is not None and connection.execute("SELECT 1 FROM urls WHERE id = ?", (key,)).fetchone():
                    continue
            file.write(line)
        sync(file)
        return file.tell()


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    offset = 0
    with path.open("rb") as file:
        for line in file:
            yield offset, line
            offset += len(line)
