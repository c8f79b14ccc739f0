"""Read files in an object store (`s3://bucket/file`, or whatever else fsspec knows), and upload corpora to one.

Errors and cut connections are met by the file systems of fsspec, which try again; what they give up on is an OSError.
Every function raises ImportError, too, where the package for a store is not installed.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from fsspec import AbstractFileSystem, url_to_fs

from newscorpus.corpus.shards import file_hash
from newscorpus.errors import CorpusError
from newscorpus.files import exclusive
from newscorpus.layout import ARCHIVE, BUILD_LOCK, INTAKE, LEDGER, corpus_files
from newscorpus.store.archive.values import ArchiveError
from newscorpus.store.ledger.database import at_rest

SUMS = "SHA256SUMS"
"""Hash and name of every file of an upload, as `sha256sum --check` reads them; not there while one is under way."""

SUMS_SO_FAR = ".SHA256SUMS.unfinished"
"""Those of the files that are there, while an upload is under way."""

BLOCK_BYTES = 2**24
"""What is fetched at once, and again where the connection is cut: s3fs fetches whole files of more than 50 MB without a
second try."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file that is read, here or elsewhere."""

    name: str  # its path or address
    n_bytes: int
    state: str  # changes when the file does


@dataclass(frozen=True, slots=True)
class Upload:
    """What was uploaded."""

    n_files: int  # of the corpus
    n_sent: int  # files that were not there yet, or with another content
    n_removed: int  # files of an earlier upload that are no more


@contextmanager
def naming(address: str) -> Iterator[None]:
    """Name the address in what goes wrong there, as an OSError."""
    try:
        yield
    except ImportError:  # says itself which package this kind of address asks for
        raise
    except Exception as error:  # every file system has errors of its own
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
    """Whether an address is that of a folder."""
    with naming(address):
        system, path = url_to_fs(address)
        return bool(system.isdir(path))


def uploaded_files(address: str) -> frozenset[str]:
    """Name the files of a corpus that was uploaded, relative to its address.

    Raises:
        ArchiveError: there is none, or not all of it.
    """
    with naming(address):
        system, root = url_to_fs(address)
        sums = _read_sums(system, root, (SUMS,))
    if not sums:
        raise ArchiveError(f"{address}: no corpus that was uploaded whole; `newscorpus upload` does that")
    return frozenset(sums)


def fetch(address: str, path: Path) -> None:
    """Copy a file from a store to a path; an OSError is also raised where it did not come whole."""
    with naming(address):
        system, source = url_to_fs(address)
        n_bytes = system.size(source)
        with path.open("wb") as file:
            for start in range(0, n_bytes, BLOCK_BYTES):
                file.write(system.cat_file(source, start=start, end=min(start + BLOCK_BYTES, n_bytes)))
        if (found := path.stat().st_size) != n_bytes:
            raise OSError(f"{found} bytes came of {n_bytes}")


def upload_corpus(corpus: Path, address: str, watch: Callable[[Iterable[str]], Iterable[str]] = iter) -> Upload:
    """Make an address hold a corpus, or an export of one; arguments and errors as for `upload`.

    What is published there is valid at every moment: shards go before the manifest that names them, and earlier ones
    are removed after it.

    Raises:
        CorpusError, LedgerError: a build or a crawl is at work, or others' files lie in the corpus.
    """
    with ExitStack() as held:
        if (corpus / LEDGER).is_file():
            held.enter_context(at_rest(corpus))
        if (corpus / INTAKE).is_dir() or (corpus / ARCHIVE).is_dir():
            held.enter_context(exclusive(corpus / BUILD_LOCK))
        if not (names := corpus_files(corpus)):
            raise CorpusError(f"{corpus}: no files to upload")
        return upload(corpus, names, address, watch)


def upload(
    folder: Path, names: Sequence[str], address: str, watch: Callable[[Iterable[str]], Iterable[str]] = iter
) -> Upload:
    """Make an address hold the files of a folder; what is there already with the same content is not sent again.

    Files go one by one, in the given order, then those of an earlier upload that are no more are removed, then
    `SHA256SUMS` is written. An upload that died goes on with the file at which it stopped.

    Args:
        folder: where the files are.
        names: of the files, relative to the folder.
        address: where they go.
        watch: shows the progress.
    """
    makes_folders = {"auto_mkdir": True} if address.startswith("file:") else {}  # no object store has any
    with naming(address):
        system, root = url_to_fs(address, **makes_folders)
        there = _read_sums(system, root, (SUMS, SUMS_SO_FAR))
        _write_sums(system, root, SUMS_SO_FAR, there)
        _remove(system, f"{root}/{SUMS}")
    sums: dict[str, str] = {}
    n_sent = 0
    for name in watch(names):
        sums[name] = file_hash(folder / name)
        if there.get(name) != sums[name]:
            with naming(f"{address}/{name}"):
                system.put_file(str(folder / name), f"{root}/{name}")
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
    """Read the hashes of files by name, from the first of some files that is there; others may have written it."""
    for name in names:
        with suppress(FileNotFoundError):
            lines = system.cat_file(f"{root}/{name}").decode().splitlines()
            found = {file: digest for digest, _, file in (line.partition("  ") for line in lines)}
            if outside := [file for file in found if ".." in file.split("/")]:
                raise ArchiveError(f"{name} there names a file outside: {outside[0]}")
            return found
    return {}


def _write_sums(system: AbstractFileSystem, root: str, name: str, sums: Mapping[str, str]) -> None:
    system.pipe_file(f"{root}/{name}", "".join(f"{sums[file]}  {file}\n" for file in sorted(sums)).encode())


def _remove(system: AbstractFileSystem, path: str) -> None:
    with suppress(FileNotFoundError):
        system.rm_file(path)
