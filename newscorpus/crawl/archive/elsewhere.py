"""Read files that lie elsewhere: in another folder, or in an object store that fsspec has an address for."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from newscorpus.crawl.archive.values import ArchiveError

READ_BYTES = 2**21
"""What is fetched of a file at once: some 40 pages, where one is asked for; the next ones are asked for as often."""

STORES = frozenset({"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "oci", "oss"})
"""Kinds of address that a corpus, which may be somebody else's, may name: object stores, and nothing that fsspec
makes of a web address, of a command or of another address."""


def is_remote(name: str) -> bool:
    """Whether a name is an address, and not a path."""
    return "://" in name


@contextmanager
def naming(address: str) -> Iterator[None]:
    """Name the address in what goes wrong there, as an OSError."""
    try:
        yield
    except ImportError:  # says itself which package this kind of address asks for
        raise
    except Exception as error:  # every file system has errors of its own
        raise OSError(f"{address}: {str(error) or type(error).__name__}") from error


def check_address(address: str) -> str:
    """Give an address, if it is one of an object store.

    Raises:
        ArchiveError: it is none.
    """
    if address.partition("://")[0] not in STORES:
        raise ArchiveError(f"{address}: no address of an object store; known: {', '.join(sorted(STORES))}")
    return address


def open_elsewhere(address: str) -> BinaryIO:
    """Open a file that a corpus says to be elsewhere.

    Raises:
        ArchiveError: the address is none of a folder or an object store.
        OSError, ImportError: it cannot be opened; the package for it is not installed.
    """
    if not is_remote(address):
        return Path(address).open("rb")
    with naming(check_address(address)):
        return io.BufferedReader(_StoredObject(address), READ_BYTES)


def store_of(address: str) -> tuple[Any, str]:
    """Give the file system of fsspec that an address belongs to, and its path there.

    Raises:
        ImportError: the package for it is not installed.
    """
    try:
        from fsspec import url_to_fs  # noqa: PLC0415 -- of an extra
    except ModuleNotFoundError as error:
        raise ImportError(f"{address}: fsspec is not installed; install it by: pip install 'newscorpus[s3]'") from error
    system, path = url_to_fs(address)
    return system, path


class _StoredObject(io.RawIOBase):
    """A file in an object store, fetched by ranges; each is tried again by the file system of fsspec."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._system, self._path = store_of(address)
        self._size: int = self._system.size(self._path)
        self._at = 0

    def readable(self) -> bool:
        """True."""
        return True

    def seekable(self) -> bool:
        """True."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to an offset; gives it."""
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        return self._at

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fetch as much as the buffer holds; gives its length, 0 at the end."""
        end = min(self._at + len(buffer), self._size)
        if end <= self._at:
            return 0
        with naming(self._address):
            data: bytes = self._system.cat_file(self._path, start=self._at, end=end)
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)
