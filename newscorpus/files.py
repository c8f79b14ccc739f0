"""Files replaced as a whole, so that a reader sees the old content or the new, and never a part."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import BinaryIO

from newscorpus.errors import CorpusError


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write; it takes the place of `path` when the block ends, and goes when the block fails."""
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        with naming(path), temporary.open("wb") as file:
            yield file
            sync(file)
        temporary.replace(path)
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


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Hold the lock `path`; it ends with its process, however that ends.

    It is SQLite's, which works alike on every system.

    Raises:
        CorpusError: somebody else holds it.
    """
    with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as connection:
        try:
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            raise CorpusError(f"{path.parent}: another build is at work here ({error})") from error
        yield


def sync(file: BinaryIO) -> None:
    """Bring what was written to a file to the disk."""
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
