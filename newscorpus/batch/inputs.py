"""Find what a batch reads, here or in an object store, divide it among tasks, and bring each file to its task."""

import heapq
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from newscorpus.crawl.ledger.status import unfinished_captures
from newscorpus.layout import ARCHIVE, LEDGER, PROFILES, WARC_SUFFIX
from newscorpus.profiles.profile import Profile, profiles_of, read_profile
from newscorpus.stored.archives import archive_files, named_files
from newscorpus.stored.remote import StoredFile, fetch, find_files, is_folder, is_remote, uploaded_files


@dataclass(frozen=True, slots=True)
class Slice:
    """Every `of`-th page of a file, from page `first` on."""

    file: str  # path or address
    first: int = 0
    of: int = 1


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a batch reads."""

    files: tuple[StoredFile, ...]
    unfinished: tuple[tuple[str, int], ...]  # pages of crawled corpora that are passed over: file and offset
    profiles: tuple[Profile, ...]  # of crawled corpora; of one source, that of the corpus named last


def find_inputs(home: Path, names: Sequence[str]) -> Inputs:
    """Find the files that a recipe in the folder `home` names, and what its corpora know of their pages.

    Raises:
        ArchiveError: a file is missing.
        OSError, ImportError: as `remote.find_files`.
    """
    files: dict[str, StoredFile] = {}
    unfinished: list[tuple[str, int]] = []
    profiles: dict[str, Profile] = {}
    with TemporaryDirectory(prefix="newscorpus-") as copies:
        for number, name in enumerate(names):
            corpus = home / name
            if is_remote(name) and is_folder(name):
                corpus = Path(copies, str(number))
                found = _fetch_corpus(name.rstrip("/"), corpus)
            elif is_remote(name):
                found = find_files(name)
            else:
                paths = archive_files(corpus) if corpus.is_dir() else named_files(str(corpus))
                found = [StoredFile(str(path), path.stat().st_size, str(path.stat().st_mtime_ns)) for path in paths]
            files |= {file.name: file for file in found}
            unfinished += _unfinished(corpus, found)
            profiles |= {source: read_profile(file.path) for source, file in profiles_of(corpus).items()}
    return Inputs(
        tuple(files[name] for name in sorted(files)),
        tuple(unfinished),
        tuple(profiles[source] for source in sorted(profiles)),
    )


def _fetch_corpus(address: str, folder: Path) -> list[StoredFile]:
    """Copy what is known of the pages of an uploaded corpus to a folder, and list the files of its archive."""
    for name in uploaded_files(address):
        if name == LEDGER or name.startswith(f"{PROFILES}/"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            fetch(f"{address}/{name}", folder / name)
    return find_files(f"{address}/{ARCHIVE}/*{WARC_SUFFIX}")


def _unfinished(corpus: Path, files: Sequence[StoredFile]) -> list[tuple[str, int]]:
    """List the pages of a corpus' archive that are passed over."""
    names = {f"{ARCHIVE}/{Path(file.name).name}": file.name for file in files}
    return [(names[name], offset) for name, offset in sorted(unfinished_captures(corpus)) if name in names]


def divide(files: Sequence[StoredFile], tasks: int) -> tuple[tuple[Slice, ...], ...]:
    """Give each task some of the files, with about the same bytes for all of them.

    A file larger than a task's share is sliced; each slice reads the whole file, and extracts a part of its pages.
    """
    share = sum(file.n_bytes for file in files) / tasks
    cuts = [(file, max(1, round(file.n_bytes / share)) if share else 1) for file in files]
    slices = [(file.n_bytes / of, Slice(file.name, first, of)) for file, of in cuts for first in range(of)]
    shares: list[list[Slice]] = [[] for _ in range(tasks)]
    loads = [(0.0, number) for number in range(tasks)]
    for size, one in sorted(slices, key=lambda pair: -pair[0]):
        load, number = loads[0]
        shares[number].append(one)
        heapq.heapreplace(loads, (load + size, number))
    return tuple(map(tuple, shares))


@contextmanager
def at_hand(file: str, folder: Path) -> Iterator[Path]:
    """Give the path of an input; one from a store is copied to a folder of its own, which then goes again.

    Raises:
        OSError, ImportError: as `remote.fetch`.
    """
    if not is_remote(file):
        yield Path(file)
        return
    shutil.rmtree(folder, ignore_errors=True)  # of a task that was killed
    folder.mkdir(parents=True)
    try:
        path = folder / Path(file).name
        fetch(file, path)
        yield path
    finally:
        shutil.rmtree(folder)
