"""Find the inputs of a batch, local or in an object store, divide them among tasks, and read the pages of each."""

import heapq
import io
import shutil
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from newscorpus.corpus.remote import StoredFile, fetch, find_files, is_folder, open_remote, uploaded_files
from newscorpus.data import Page, Rejected
from newscorpus.layout import ARCHIVE, LEDGER, OWN, PROFILES, WARC_SUFFIX
from newscorpus.page.page_files import PAGES_SUFFIXES, given_pages
from newscorpus.page.source_page import SourcePage
from newscorpus.portal.portal import Portal
from newscorpus.portal.profile import Profile, profiles_of, read_profile
from newscorpus.store.archive.read import read_onwards
from newscorpus.store.archive.values import Capture
from newscorpus.store.ledger.addresses import unfinished_captures
from newscorpus.store.pages import archive_files, named_files, page_of_capture, without_removed
from newscorpus.urls import is_remote


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of a file.

    A WARC file is cut into `of` ranges of bytes, of which this is number `first`. Of a file of pages, it is every
    `of`-th page from page `first` on.
    """

    file: str  # path or address
    first: int = 0
    of: int = 1


@dataclass(frozen=True, slots=True)
class Inputs:
    """The inputs of a batch."""

    files: tuple[StoredFile, ...]
    unfinished: tuple[tuple[str, int], ...]  # pages of crawled corpora to skip: file and offset
    profiles: tuple[Profile, ...]  # of crawled corpora; for each source, from the corpus named last


def find_inputs(home: Path, names: Sequence[str]) -> Inputs:
    """Find the files that a recipe in the folder `home` names, and the unfinished pages and profiles of its corpora.

    Raises:
        ArchiveError: a file is missing.
        OSError, ImportError: as for `remote.find_files`.
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
            named = {f"{ARCHIVE}/{Path(file.name).name}": file.name for file in found}
            unfinished += [(named[at], offset) for at, offset in sorted(unfinished_captures(corpus)) if at in named]
            profiles |= {source: read_profile(file.path) for source, file in profiles_of(corpus).items()}
    return Inputs(
        tuple(files[name] for name in sorted(files)),
        tuple(unfinished),
        tuple(profiles[source] for source in sorted(profiles)),
    )


def _fetch_corpus(address: str, folder: Path) -> list[StoredFile]:
    """Copy the ledger and profiles of an uploaded corpus to a folder, and list the files of its archive."""
    (folder / PROFILES).mkdir(parents=True)
    for name in uploaded_files(address):
        part, _, file = name.partition("/")
        if name == LEDGER or (part == PROFILES and OWN[PROFILES].fullmatch(file)):
            fetch(f"{address}/{name}", folder / name)
    return find_files(f"{address}/{ARCHIVE}/*{WARC_SUFFIX}")


def divide(files: Sequence[StoredFile], tasks: int) -> tuple[tuple[Slice, ...], ...]:
    """Divide the files among tasks, with about the same number of bytes for each.

    A file larger than a task's share is sliced.
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


def read_pages(
    slices: Iterable[Slice], unfinished: Collection[tuple[str, int]], portals: Sequence[Portal], copies: Path
) -> Iterator[SourcePage | Rejected]:
    """Read the pages of some inputs, with a rejection for each that cannot be read.

    Args:
        slices: of the files.
        unfinished: pages to skip, from `find_inputs`.
        portals: with their rules and languages.
        copies: temporary folder for copies of files of pages from a store, one at a time.

    Raises:
        ArchiveError, OSError, ImportError: a file cannot be read or fetched.
    """
    try:
        for one in slices:
            path = Path(one.file)
            if is_remote(one.file) and path.name.endswith(PAGES_SUFFIXES):
                shutil.rmtree(copies, ignore_errors=True)  # of a killed task
                copies.mkdir(parents=True)
                path = copies / path.name
                fetch(one.file, path)
            skipped = {(f"{ARCHIVE}/{path.name}", offset) for name, offset in unfinished if name == one.file}
            for page in _pages_of(one, path, skipped, portals):
                if isinstance(page, Rejected):  # name the file as in the recipe, not the copy
                    url, detail = (text.replace(str(path), one.file) for text in (page.url, page.detail))
                    yield replace(page, url=url, detail=detail)
                else:
                    yield page
    finally:
        shutil.rmtree(copies, ignore_errors=True)


def _pages_of(
    part: Slice, path: Path, unfinished: Collection[tuple[str, int]], portals: Sequence[Portal]
) -> Iterator[SourcePage | Rejected]:
    """Read the pages of a slice of the file at `path`: its own place, or that of a copy."""
    if path.name.endswith(PAGES_SUFFIXES):
        for given in islice(given_pages(path), part.first, None, part.of):
            if isinstance(given, Rejected):
                yield given
            else:
                page = page_of_capture(Capture(Page.from_html(given.html, given.url or "")), portals)
                yield replace(page, document=str(given.id))
        return
    with open_remote(part.file) if is_remote(part.file) else path.open("rb") as file:
        n_bytes = file.seek(0, io.SEEK_END)
        start, end = (n_bytes * number // part.of for number in (part.first, part.first + 1))
        captures = (found for _, found in read_onwards(path, start, end, file))
        for found in without_removed(path, captures, unfinished):
            yield found if isinstance(found, Rejected) else page_of_capture(found, portals)
