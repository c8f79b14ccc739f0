"""Lock, replace, extend and sync files, so that a death at any moment leaves them as they were or as they should be."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from io import FileIO
from pathlib import Path
from typing import BinaryIO

from newscorpus.errors import CorpusError

PRIMARY_CODE = 0xFF
"""Bits of an error code of SQLite that say what failed; the others say how."""

LOOK_SECONDS = 0.2
"""For how long a lock is tried: more than `is_held` takes to look at it."""


@contextmanager
def exclusive(
    path: Path, work: str = "build", error: type[ValueError] = CorpusError, patience_seconds: float = LOOK_SECONDS
) -> Iterator[None]:
    """Hold the lock file `path`; the lock ends with its process, however that ends.

    It is SQLite's, which works alike on every system.

    Args:
        path: of the lock, in the folder that it locks.
        work: description of the work, for the message.
        error: raised if another process holds the lock, or locking fails.
        patience_seconds: how long to wait for another process that holds the lock.
    """
    with ExitStack() as stack:
        try:
            connection = stack.enter_context(
                closing(sqlite3.connect(path, timeout=patience_seconds, isolation_level=None))
            )
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.DatabaseError as failed:
            raise error(_why_not_locked(path, work, failed)) from failed
        yield


def is_held(path: Path) -> bool:
    """Whether a process holds the lock file `path`; nothing is written."""
    if not path.is_file():
        return False
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=0)) as connection:
        try:
            connection.execute("SELECT 1 FROM sqlite_master").fetchone()
        except sqlite3.DatabaseError as error:
            return error.sqlite_errorcode & PRIMARY_CODE == sqlite3.SQLITE_BUSY
    return False


def _why_not_locked(path: Path, work: str, failed: sqlite3.DatabaseError) -> str:
    match failed.sqlite_errorcode & PRIMARY_CODE:
        case sqlite3.SQLITE_BUSY:
            return f"{path.parent}: another {work} is at work here ({failed})"
        case sqlite3.SQLITE_NOTADB:
            return f"{path}: no lock of newscorpus ({failed}); remove it"
        case _:  # a full disk, for one
            return f"{path}: {failed}"


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
        if error.filename == str(temporary):  # a name that nobody has given
            error.filename = str(path)
        raise
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(path.parent)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Name a file or folder in the errors of writing it that name none, such as that of a full disk."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or str(path)
        raise


def extend(file: FileIO, committed: int, data: bytes) -> int:
    """Write `data` behind the first `committed` bytes of an unbuffered file, all or nothing; gives the new length.

    What lay behind them, left by a writer that died, is cut off.

    Raises:
        OSError: the disk is full, for one; the file has its committed length.
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
    """Make new names in a folder outlive a power failure; Windows does so by itself and opens no folders."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
