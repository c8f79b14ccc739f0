"""Read pages from archives, WARC files and folders of saved pages."""

import glob
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from newscorpus.config import Limits
from newscorpus.data import Page, Rejected
from newscorpus.errors import CorpusError
from newscorpus.layout import ARCHIVE, archived_files
from newscorpus.page.source_page import SourcePage, page_of_portal, template_of
from newscorpus.portal.addresses import find_trust
from newscorpus.portal.portal import Portal
from newscorpus.store.archive.read import read_capture, read_captures
from newscorpus.store.archive.records import Damage, read_records
from newscorpus.store.archive.values import ArchiveError, ByteRange, Capture, Origin
from newscorpus.store.ledger.recover import noted_lengths
from newscorpus.store.removals import removals_of
from newscorpus.urls import site_key

SAVED = "html"
"""Subfolder of the pages in a folder of pages and texts (Bakić 2012)."""
HTML_SUFFIXES = (".html", ".htm", ".xhtml")
"""Endings of saved pages that lie beside other files."""
WARC_SUFFIXES = (".warc", ".warc.gz")


def page_of_capture(capture: Capture, portals: Sequence[Portal]) -> SourcePage:
    """Join an archived page with the current data of its portal among `portals`.

    The portal is found by the name in the archive, else by its domains. Without a portal, languages and rules are those
    in the archive, and the source is the name of the site.
    """
    origin, page = capture.origin or Origin(), capture.page
    fitting = (one for one in portals if (one.name == origin.source if origin.source else one.covers(page.url)))
    if portal := next(fitting, None):
        trust = find_trust(page.url, portal, page.evidence)
        return page_of_portal(page, portal, capture.following, trust)
    source = origin.source or site_key(page.url)
    return SourcePage(page, source, origin.languages, template_of(origin.template), capture.following)


def archive_files(corpus: Path) -> list[Path]:
    """List the archive files of a corpus, oldest first.

    Raises:
        ArchiveError: there are none.
    """
    files = archived_files(corpus)
    if not files:
        raise ArchiveError(f"{corpus / ARCHIVE}: no archive here; crawl with NEWSCORPUS_ARCHIVE on, or name WARC files")
    return files


def archive_findings(corpus: Path, watch: Callable[[Iterable[Path]], Iterable[Path]], *, whole: bool) -> Iterator[str]:
    """Check the files of an archive; yield a line per fault that names the file.

    `whole` reads every record; otherwise only the lengths of the files are compared with the ledger.
    """
    for name, length in noted_lengths(corpus).items():
        path = corpus / name
        size = path.stat().st_size if path.is_file() else 0
        if name.startswith(f"{ARCHIVE}/") and size < length:
            yield f"{path}: {f'cut to {size:,}' if size else 'empty or missing,'} of {length:,} bytes"
    for path in watch(archived_files(corpus) if whole else []):
        try:
            found = (one for one in read_records(path, Limits().max_bytes) if isinstance(one, Damage))
            yield from (f"{path}, offset {one.place.offset}: {one.why}" for one in found)
        except ArchiveError as error:
            yield str(error)


def finished_captures(
    files: Iterable[Path], unfinished: Collection[tuple[str, int]] = ()
) -> Iterator[Capture | Rejected]:
    """Read the captures of WARC files in order, except those of `unfinished_captures` and removed documents."""
    for path in files:
        yield from without_removed(path, read_captures(path), unfinished)


def without_removed(
    path: Path, captures: Iterable[Capture | Rejected], unfinished: Collection[tuple[str, int]]
) -> Iterator[Capture | Rejected]:
    """Leave out unfinished captures of a file, and removed documents of its corpus."""
    removals = removals_of(path.parent.parent)
    for found in captures:
        place = found.place if isinstance(found, Capture) else None
        if place and (f"{ARCHIVE}/{Path(place.file).name}", place.offset) in unfinished:
            continue
        if not removals.covers(found.page.url if isinstance(found, Capture) else found.url):
            yield found


def named_files(names: str) -> list[Path]:
    """List the files matched by comma-separated names and patterns, each once, in order.

    Raises:
        ArchiveError: a file is missing, or a pattern finds none.
    """
    found: dict[Path, None] = {}
    for name in filter(None, (part.strip() for part in names.split(","))):
        paths = [Path(name)] if Path(name).is_file() else sorted(map(Path, glob.glob(name, recursive=True)))  # noqa: PTH207 -- Path.glob takes no absolute pattern
        if not (files := [path for path in paths if path.is_file()]):
            raise ArchiveError(f"{name}: no such file")
        found |= dict.fromkeys(files)
    return list(found)


def saved_pages(folder: Path) -> dict[str, ByteRange]:
    """List the pages of a folder by name, each with its place for `read_saved`.

    They are the files in `html/`, or else the HTML files of the folder, named without their suffix, and the pages of
    WARC files in it or in `archive/`, named by their addresses.

    Raises:
        CorpusError: there are none, or two have the same name.
        ArchiveError: a WARC file cannot be read.
    """
    pages: dict[str, ByteRange] = {}
    for path in _page_files(folder):
        if not path.name.endswith(WARC_SUFFIXES):
            if path.stem in pages:
                raise CorpusError(f"{path}: {pages[path.stem].file} has the same name")
            pages[path.stem] = ByteRange(str(path.relative_to(folder)), 0, path.stat().st_size)
            continue
        state = path.stat()
        for url, place in _pages_of_warc(path, state.st_size, state.st_mtime_ns).items():
            pages[url] = replace(place, file=str(path.relative_to(folder)))
    if not pages:
        raise CorpusError(f"{folder}: no page in it: neither {SAVED}/, HTML files nor WARC files")
    return pages


@lru_cache
def _pages_of_warc(path: Path, _size: int, _time: int) -> dict[str, ByteRange]:
    """List the pages of a WARC file by address; it is read again when its size or time of change is another."""
    return {found.page.url: found.place for found in read_captures(path) if isinstance(found, Capture) and found.place}


def _page_files(folder: Path) -> list[Path]:
    try:
        files = sorted(path for path in folder.iterdir() if path.is_file())
    except OSError as error:
        raise CorpusError(f"{folder}: cannot be read: {error.strerror}") from error
    saved = sorted(path for path in (folder / SAVED).glob("*") if path.is_file())
    saved = saved or [path for path in files if path.name.lower().endswith(HTML_SUFFIXES)]
    return [*saved, *(path for path in files if path.name.endswith(WARC_SUFFIXES)), *archived_files(folder)]


def read_saved(folder: Path, place: ByteRange) -> Page | Rejected:
    """Read a page: a whole file, or the page at an offset of a WARC file; the file is relative to `folder`.

    Raises:
        ArchiveError: the file cannot be read.
    """
    path = folder / place.file
    if path.name.endswith(WARC_SUFFIXES):
        found = read_capture(path, place.offset)
        return found if isinstance(found, Rejected) else found.page
    try:
        return Page("", path.read_bytes())
    except OSError as error:
        raise ArchiveError(f"{path}: cannot be read: {error.strerror}") from error
