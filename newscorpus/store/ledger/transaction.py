"""Write the database of a ledger and the files of a corpus as one transaction.

Of each file only as much counts as the ledger has committed.
"""

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

from newscorpus.errors import LedgerError
from newscorpus.files import extend, replacing, sync, sync_folder
from newscorpus.layout import COMMITTED, LEDGER, REJECTED
from newscorpus.store.ledger.rows import key_of
from newscorpus.store.ledger.store import MAX_LOG_BYTES

RENEWED = f".{REJECTED}.new"
"""The journal to be, which replaces the old one once the ledger has its offsets; its name there says that it has."""


@dataclass(frozen=True, slots=True)
class Series:
    """Files of one kind."""

    pattern: str  # name relative to the corpus, such as "intake/{:06}.jsonl"; without a number there is but one file
    header: bytes = b""  # how each file begins


REJECTIONS = Series(REJECTED)


class Transaction:
    """Writes that become true together, when they are committed.

    After a failure, such as a full disk, everything since the last commit is undone, and nothing is written any more.
    What a crawl appends to a numbered series goes into a file of its own, as the parameters in the header may change
    from one crawl to the next.

    Args:
        corpus: folder of the corpus.
        connection: the ledger.
        lengths: committed bytes of each file, by name relative to the corpus.
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
        self._failed = False

    def read(self, sql: str, values: Iterable[object] = ()) -> sqlite3.Cursor:
        """Run a statement that writes nothing.

        Raises:
            LedgerError: the database cannot be read.
        """
        try:
            return self._connection.execute(sql, tuple(values))
        except sqlite3.Error as error:
            raise LedgerError(described(self._corpus, error)) from error

    def write(self, sql: str, *rows: Iterable[object]) -> sqlite3.Cursor:
        """Run a statement with the values of a row, or of each of several.

        Raises:
            LedgerError: it failed, or something failed before.
        """
        with self._guarded():
            if not self._connection.in_transaction:
                self._connection.execute("BEGIN IMMEDIATE")
            if len(rows) == 1:
                return self._connection.execute(sql, tuple(rows[0]))
            return self._connection.executemany(sql, map(tuple, rows))

    def append(self, series: Series, data: bytes) -> tuple[str, int]:
        """Add `data` to the file of a series; gives its name relative to the corpus, and the offset."""
        name = self._names.get(series.pattern) or self._begin(series)
        offset = self._ends.get(name, 0)
        self._add(name, data)
        return name, offset

    def announce(self, name: str) -> None:
        """Note that a file is about to be made; nothing may be uncommitted.

        Raises:
            LedgerError: it could not be written.
        """
        with self._guarded():
            announce(self._connection, (name,))
            self._lengths.setdefault(name, 0)

    def follow(self, lengths: Callable[[], Mapping[str, int]]) -> None:
        """Let the files of another writer grow with each commit.

        Args:
            lengths: writes what it has to, and gives the length of each of its files.
        """
        self._others.append(lengths)

    def commit(self) -> None:
        """Make everything since the last commit true.

        Raises:
            LedgerError: it could not be written.
        """
        with self._guarded():
            others = (item for lengths in self._others for item in lengths().items())
            grown = [(name, length) for name, length in others if self._lengths.get(name) != length]
            for name, parts in self._pending.items():
                self._write_file(name, b"".join(parts))
                grown.append((name, self._ends[name]))
            self._ends.update(grown)
            self.write("INSERT OR REPLACE INTO files VALUES (?, ?)", *grown)
            self._connection.execute("COMMIT")
            self._pending.clear()
            self._lengths.update(grown)
            self._unsynced.update(name for name, _ in grown)

    def checkpoint(self) -> Callable[[], None]:
        """What makes all that is committed safe from a power failure: to be called in any thread, one at a time.

        It raises OSError or sqlite3.Error where the disk fails.
        """
        names = frozenset(self._unsynced)
        self._unsynced.clear()
        return partial(_checkpoint, self._corpus, names, dict(self._lengths))

    def trim(self) -> None:
        """Have the database's log begin anew where it has grown long, which only its writer can; after a commit."""
        log = self._corpus / f"{LEDGER}-wal"
        if log.is_file() and log.stat().st_size > MAX_LOG_BYTES:
            with self._guarded():
                self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def tidy(self) -> None:
        """Leave one line an address in the journal of rejections; nothing may be appended afterwards."""
        with self._guarded():
            tidy(self._connection, self._corpus)

    def close(self) -> None:
        """Make what is committed safe, and close the files."""
        if not self._failed:
            with self._guarded():
                self.checkpoint()()
        self._close_files()

    @property
    def failed(self) -> bool:
        """Whether writing failed."""
        return self._failed

    def _begin(self, series: Series) -> str:
        numbered = "{" in series.pattern
        names = map(series.pattern.format, count(1))
        # A file may be begun that was announced, or that is not there.
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

    def _write_file(self, name: str, data: bytes) -> None:
        if name not in self._open:
            path = self._corpus / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
            self._open[name] = path.open("r+b", buffering=0)
        extend(self._open[name], self._ends[name] - len(data), data)

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Undo everything since the last commit where writing fails."""
        if self._failed:
            raise LedgerError(f"{self._corpus}: nothing is written any more, since writing failed")
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            self._failed = True
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
    """Sync the files first: the database must never say more than what is there; nor the note of their lengths."""
    for name in names:
        with suppress(FileNotFoundError), (corpus / name).open("r+b", buffering=0) as file:
            sync(file)  # a file of the archive that is full may be compacted or moved by now, and was synced for that
    with closing(sqlite3.connect(corpus / LEDGER, isolation_level=None)) as connection:
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
    if names:
        note_lengths(corpus, lengths)


def note_lengths(corpus: Path, lengths: Mapping[str, int]) -> None:
    """Write down the committed length of each file of a corpus; the journal, which also shrinks, is left out.

    By that the next start knows a ledger that is older than the files.
    """
    with replacing(corpus / COMMITTED) as file:
        file.write(json.dumps({name: length for name, length in lengths.items() if name != REJECTED}).encode())


def announce(connection: sqlite3.Connection, names: Iterable[str]) -> None:
    """Name files that are about to be made, at once and safe from a power failure.

    By that the next start knows what a dying process leaves for its own, and whatever is not named for somebody else's.
    """
    connection.execute("PRAGMA synchronous = FULL")
    for name in names:
        connection.execute("INSERT OR IGNORE INTO files VALUES (?, 0)", (name,))
    connection.execute("PRAGMA synchronous = NORMAL")


def cut_back(path: Path, length: int) -> None:
    """Leave `length` bytes of a file, or remove it if that is 0."""
    if not path.is_file():
        return
    if not length:
        path.unlink()
    elif path.stat().st_size > length:
        os.truncate(path, length)


def described(corpus: Path, error: Exception) -> str:
    """An error of the disk or of the database in one line that names the file."""
    if isinstance(error, OSError):
        return f"{error.filename or corpus}: {error.strerror}"
    return f"{corpus / LEDGER}: {error}"


def tidy(connection: sqlite3.Connection, corpus: Path) -> None:
    """Leave out the lines of which the ledger says that another one, or none, is true now; at the end of a crawl.

    Raises:
        OSError: it cannot be written; ledger and journal are as they were.
    """
    path = corpus / REJECTED
    (n_rows,) = connection.execute("SELECT count(*) FROM urls WHERE line_file = ?", (REJECTED,)).fetchone()
    if not path.is_file() or sum(1 for _ in _lines(path)) == n_rows:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        length = _renew(connection, path, corpus / RENEWED)
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    rows = [(REJECTED, length), (RENEWED, length)]
    connection.executemany("INSERT OR REPLACE INTO files VALUES (?, ?)", rows)
    connection.execute("COMMIT")
    connection.execute("PRAGMA wal_checkpoint(FULL)")  # a power failure must not take the offsets and leave the file
    take_renewed(connection, corpus)


def take_renewed(connection: sqlite3.Connection, corpus: Path) -> None:
    """Put the journal in place that the ledger has the offsets of, if there is one; also after the writer's death."""
    if connection.execute("SELECT 1 FROM files WHERE name = ?", (RENEWED,)).fetchone():
        if (corpus / RENEWED).is_file():
            (corpus / RENEWED).replace(corpus / REJECTED)
            sync_folder(corpus)
        connection.execute("DELETE FROM files WHERE name = ?", (RENEWED,))


def _renew(connection: sqlite3.Connection, old: Path, new: Path) -> int:
    """Write the journal anew, and its offsets into the ledger; gives its length."""
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
            else:  # the ledger does not know requests that it cannot store: their lines stay
                try:
                    key = key_of(json.loads(line)["url"])
                except (ValueError, LookupError, TypeError):  # no line of ours
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
