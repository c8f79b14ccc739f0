"""Files that grow at their end, of which only as much counts as the ledger has committed."""

import os
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import BinaryIO

FOLDERS = ("intake", "archive")
"""Folders of the corpus in which every file belongs to the ledger."""


@dataclass(frozen=True, slots=True)
class Series:
    """Files of one kind.

    Attributes:
        pattern: name relative to the corpus, such as "intake/{:06}.jsonl"; without a number there is but one file.
        header: how each file begins.
    """

    pattern: str
    header: bytes = b""


class CommittedFiles:
    """Appends to files in memory, and writes when the ledger commits.

    What a crawl appends to a numbered series goes into a file of its own, as the parameters in the header may change
    from one crawl to the next.
    """

    def __init__(self, corpus: Path, lengths: dict[str, int]) -> None:
        self._corpus = corpus
        self._lengths = lengths
        self._names: dict[str, str] = {}
        self._pending: dict[str, list[bytes]] = {}
        self._ends = dict(lengths)
        self._open: dict[str, BinaryIO] = {}
        self._unsynced: set[str] = set()

    def append(self, series: Series, data: bytes) -> tuple[str, int]:
        """Add `data` to the file of a series, which counts from the next commit on; gives file and offset."""
        name = self._names.get(series.pattern) or self._begin(series)
        offset = self._ends.get(name, 0)
        self._add(name, data)
        return name, offset

    def write(self, connection: sqlite3.Connection) -> None:
        """Bring what was appended to the operating system, and the new lengths into the ledger's transaction.

        Raises:
            OSError: the disk is full, for one; call `cut` then.
        """
        for name, parts in self._pending.items():
            self._write(name, b"".join(parts))
            self.record(connection, name, self._ends[name])
        self._pending.clear()

    def record(self, connection: sqlite3.Connection, name: str, length: int) -> None:
        """Let `length` bytes of a file count, which may be another writer's."""
        connection.execute("INSERT OR REPLACE INTO files VALUES (?, ?)", (name, length))
        self._ends[name] = length
        self._unsynced.add(name)

    def committed(self) -> None:
        """The transaction in which `write` took part is committed."""
        self._lengths.update(self._ends)

    def cut(self) -> None:
        """Forget what was not committed, and cut it off."""
        self._pending.clear()
        self.close()
        for name in self._ends.keys() | self._lengths.keys():
            cut_back(self._corpus / name, self._lengths.get(name, 0))

    def unsynced(self) -> frozenset[str]:
        """Names of the files that grew since this was last asked."""
        names = frozenset(self._unsynced)
        self._unsynced.clear()
        return names

    def close(self) -> None:
        """Close the files."""
        for file in self._open.values():
            file.close()
        self._open.clear()

    def _begin(self, series: Series) -> str:
        numbered = "{" in series.pattern
        names = map(series.pattern.format, count(1))
        name = next(name for name in names if not numbered or name not in self._ends)
        self._names[series.pattern] = name
        if series.header and name not in self._ends:
            self._add(name, series.header)
        return name

    def _add(self, name: str, data: bytes) -> None:
        self._pending.setdefault(name, []).append(data)
        self._ends[name] = self._ends.get(name, 0) + len(data)

    def _write(self, name: str, data: bytes) -> None:
        if name not in self._open:
            path = self._corpus / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
            self._open[name] = path.open("r+b", buffering=0)
        file = self._open[name]
        file.seek(self._ends[name] - len(data))
        rest = memoryview(data)
        while rest:
            rest = rest[file.write(rest) :]


def sync(corpus: Path, names: Iterable[str]) -> None:
    """Bring files of a corpus to the disk."""
    for name in names:
        handle = os.open(corpus / name, os.O_RDWR)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def cut_back(path: Path, length: int) -> None:
    """Leave `length` bytes of a file; one of which nothing counts goes."""
    if not path.is_file():
        return
    if length:
        if path.stat().st_size > length:
            os.truncate(path, length)
    else:
        path.unlink()


def strangers(corpus: Path, known: dict[str, int]) -> list[str]:
    """Files in the ledger's folders, relative to the corpus, that the ledger does not know."""
    paths = (path for folder in FOLDERS for path in sorted((corpus / folder).glob("*")) if path.is_file())
    return [name for path in paths if (name := path.relative_to(corpus).as_posix()) not in known]
