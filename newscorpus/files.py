"""Lock, replace, extend and sync files, so that a crash at any moment leaves the old or the new content."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from io import FileIO
from pathlib import Path
from typing import BinaryIO

from newscorpus.errors import CorpusError

PRIMARY_CODE = 0xFF
"""Mask of the primary part of SQLite's extended error codes."""

LOOK_SECONDS = 0.2
"""How long to wait for a lock: longer than `is_held` holds it."""


@contextmanager
def exclusive(path: Path, work: str = "build", patience_seconds: float = LOOK_SECONDS) -> Iterator[None]:
    """Hold the lock file `path`, a lock of SQLite, which works alike on every system and ends with the process.

    Raises:
        CorpusError: another process holds the lock for `patience_seconds`, or locking fails; the message names `work`.
    """
    with ExitStack() as stack:
        try:
            connection = stack.enter_context(
                closing(sqlite3.connect(path, timeout=patience_seconds, isolation_level=None))
            )
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.DatabaseError as failed:
            match failed.sqlite_errorcode & PRIMARY_CODE:
                case sqlite3.SQLITE_BUSY:
                    why = f"{path.parent}: another {work} is at work here ({failed})"
                case sqlite3.SQLITE_NOTADB:
                    why = f"{path}: no lock of newscorpus ({failed}); remove it"
                case sqlite3.SQLITE_CANTOPEN:
                    why = f"{path}: cannot be created; is {path.parent} a folder that you may write to?"
                case _:  # such as a full disk
                    why = f"{path}: {failed}"
            raise CorpusError(why) from failed
        yield


def is_held(path: Path) -> bool:
    """Whether a process holds the lock file `path`, without writing anything."""
    if not path.is_file():
        return False
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=0)) as connection:
        try:
            connection.execute("SELECT 1 FROM sqlite_master").fetchone()
        except sqlite3.DatabaseError as error:
            return error.sqlite_errorcode & PRIMARY_CODE == sqlite3.SQLITE_BUSY
    return False


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a temporary file that replaces `path` if the block succeeds and is removed if it fails."""
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        with naming(path), temporary.open("wb") as file:
            yield file
            sync(file)
        temporary.replace(path)
    except OSError as error:
        if error.filename == str(temporary):  # unknown to the user
            error.filename = str(path)
        raise
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(path.parent)


def replace_file(path: Path, content: bytes) -> None:
    """Write a whole file, as `replacing`."""
    with replacing(path) as file:
        file.write(content)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Add the path to OS errors that name no file, such as that of a full disk."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or str(path)
        raise


def extend(file: FileIO, committed: int, data: bytes) -> int:
    """Write `data` after the first `committed` bytes of an unbuffered file, all or nothing.

    Bytes after the committed ones, left by a writer that died, are cut off.

    Returns: the new length.

    Raises:
        OSError: such as a full disk; the file has its committed length.
    """
    file.truncate(committed)
    file.seek(committed)
    rest = memoryview(data)
    try:
        while rest:
            rest = rest[file.write(rest) :]
    except OSError:
        file.truncate(committed)
        raise
    return committed + len(data)


def sync(file: BinaryIO | FileIO) -> None:
    """Sync a file to the disk."""
    file.flush()
    os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Sync a folder, so that new names survive a power failure; Windows needs no sync, and cannot open folders."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
