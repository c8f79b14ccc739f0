"""Read files in an object store (`s3://bucket/file`, or any other that fsspec supports), and upload corpora to one.

The file systems of fsspec retry after errors and lost connections; a final failure is raised as an OSError. Every
function also raises ImportError if the package for a store is not installed.
"""

import io
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from fsspec import AbstractFileSystem, url_to_fs

from newscorpus.corpus.published import note_copy
from newscorpus.corpus.shards import file_hash
from newscorpus.errors import CorpusError
from newscorpus.files import exclusive
from newscorpus.layout import ARCHIVE, BUILD_LOCK, INTAKE, LEDGER, corpus_files
from newscorpus.store.archive.values import ArchiveError
from newscorpus.store.ledger.database import at_rest

SUMS = "SHA256SUMS"
"""File of hashes and names of all files, for `sha256sum --check`; missing during an upload."""

SUMS_SO_FAR = ".SHA256SUMS.unfinished"
"""The same for the files that exist during an upload."""

BLOCK_BYTES = 2**20
"""Bytes fetched (and retried) at a time; up to four blocks around a slice of a file are read too."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A local or remote file."""

    name: str  # its path or address
    n_bytes: int
    state: str  # fingerprint: changes when the file does


@dataclass(frozen=True, slots=True)
class Upload:
    """Counts of an upload."""

    n_files: int  # of the corpus
    n_sent: int  # new or changed files
    n_removed: int  # files of an earlier upload that no longer exist


@contextmanager
def naming(address: str) -> Iterator[None]:
    """Convert errors to an OSError that names the address."""
    try:
        yield
    except CorpusError:
        raise
    except ImportError as error:
        if not address.startswith("s3:"):  # the message names the package that this kind of address needs
            raise
        raise ImportError(f"{address}: s3fs is not installed; install it by: pip install 'newscorpus[s3]'") from error
    except Exception as error:  # every file system has its own errors
        raise OSError(f"{address}: {str(error) or type(error).__name__}") from error


def find_files(pattern: str) -> list[StoredFile]:
    """List the files that an address or a pattern of addresses matches, in order.

    Raises:
        ArchiveError: there are none.
    """
    with naming(pattern):
        system, path = url_to_fs(pattern)
        system.invalidate_cache()
        names = [name for name in sorted(system.glob(path)) if system.isfile(name)]
        files = [StoredFile(system.unstrip_protocol(name), system.size(name), system.ukey(name)) for name in names]
    if not files:
        raise ArchiveError(f"{pattern}: no such file")
    return files


def is_folder(address: str) -> bool:
    """Check whether an address is that of a folder."""
    with naming(address):
        system, path = url_to_fs(address)
        return bool(system.isdir(path))


def uploaded_files(address: str) -> frozenset[str]:
    """List the files of an uploaded corpus, relative to its address.

    Raises:
        ArchiveError: there is none, or it is incomplete.
    """
    with naming(address):
        system, root = url_to_fs(address)
        sums = _read_sums(system, root, (SUMS,))
    if not sums:
        raise ArchiveError(f"{address}: no corpus that was uploaded whole; `newscorpus upload` does that")
    return frozenset(sums)


@contextmanager
def open_remote(address: str) -> Iterator[BinaryIO]:
    """Open a file in a store, which is read in blocks; errors while it is open are OSErrors too."""
    with naming(address):
        system, path = url_to_fs(address)
        with system.open(path, block_size=BLOCK_BYTES, cache_type="blockcache") as file:
            yield file


def fetch(address: str, path: Path) -> None:
    """Copy a file from a store to a path; an incomplete copy is an OSError too."""
    with open_remote(address) as source, path.open("wb") as file:
        shutil.copyfileobj(source, file, BLOCK_BYTES)
        if file.tell() != (n_bytes := source.seek(0, io.SEEK_END)):
            raise OSError(f"{file.tell()} bytes came of {n_bytes}")


def upload_corpus(corpus: Path, address: str, watch: Callable[[Iterable[str]], Iterable[str]] = iter) -> Upload:
    """Upload a corpus or an export; unchanged files are not sent again.

    The uploaded corpus is valid at every moment: shards are sent before the manifest that names them, files of an
    earlier upload that no longer exist are removed after it, then `SHA256SUMS` is written. A killed upload resumes with
    the file at which it stopped.

    Raises:
        CorpusError, LedgerError: a build or a crawl is running, or others' files lie in the corpus.
    """
    with ExitStack() as held:
        if (corpus / LEDGER).is_file():
            held.enter_context(at_rest(corpus))
        if (corpus / INTAKE).is_dir() or (corpus / ARCHIVE).is_dir():
            held.enter_context(exclusive(corpus / BUILD_LOCK))
        if not (names := corpus_files(corpus)):
            raise CorpusError(f"{corpus}: no files to upload")
        note_copy(corpus, address)
        makes_folders = {"auto_mkdir": True} if address.startswith("file:") else {}  # object stores have no folders
        with naming(address):
            system, root = url_to_fs(address, **makes_folders)
            there = _read_sums(system, root, (SUMS, SUMS_SO_FAR))
            _write_sums(system, root, SUMS_SO_FAR, there)
            _remove(system, f"{root}/{SUMS}")
        sums: dict[str, str] = {}
        n_sent = 0
        for name in watch(names):
            sums[name] = file_hash(corpus / name)
            if there.get(name) != sums[name]:
                with naming(f"{address}/{name}"):
                    system.put_file(str(corpus / name), f"{root}/{name}")
                    there[name] = sums[name]
                    _write_sums(system, root, SUMS_SO_FAR, there)
                n_sent += 1
        gone = there.keys() - sums.keys()
        with naming(address):
            for name in gone:
                _remove(system, f"{root}/{name}")
            _write_sums(system, root, SUMS, sums)
            _remove(system, f"{root}/{SUMS_SO_FAR}")
        return Upload(len(sums), n_sent, len(gone))


def _read_sums(system: AbstractFileSystem, root: str, names: Iterable[str]) -> dict[str, str]:
    """Read the hashes of files by name from the first existing one of some files, whose content is not trusted."""
    for name in names:
        with suppress(FileNotFoundError):
            lines = system.cat_file(f"{root}/{name}").decode().splitlines()
            found = {file: digest for digest, _, file in (line.partition("  ") for line in lines)}
            if outside := [file for file in found if ".." in file.split("/")]:
                raise ValueError(f"{name} there names a file outside: {outside[0]}")
            return found
    return {}


def _write_sums(system: AbstractFileSystem, root: str, name: str, sums: Mapping[str, str]) -> None:
    system.pipe_file(f"{root}/{name}", "".join(f"{sums[file]}  {file}\n" for file in sorted(sums)).encode())


def _remove(system: AbstractFileSystem, path: str) -> None:
    with suppress(FileNotFoundError):
        system.rm_file(path)
