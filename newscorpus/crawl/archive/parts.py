"""Open the files of an archive where they lie: as a crawl wrote them, compacted, or elsewhere.

Whatever names a file of an archive, the ledger, marks, other files, names it as the crawl wrote it,
`archive/000001.warc.gz`, and places in it are offsets in that file. Neither changes when the file is compacted
(`.warc.zst`, see `frames`) or moved, when `.warc.json` says where it is.
"""

import errno
import os
from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO

import msgspec

from newscorpus.crawl.archive.elsewhere import open_elsewhere
from newscorpus.crawl.archive.frames import Frames, has_frames, read_closing
from newscorpus.crawl.archive.record import size_of
from newscorpus.crawl.archive.values import ArchiveError
from newscorpus.files import exclusive, replacing
from newscorpus.layout import ARCHIVE_LOCK, COMPACT_SUFFIX, ELSEWHERE_SUFFIX, WARC_SUFFIX, standard_path


class Elsewhere(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a file of an archive is."""

    address: str  # path, or `s3://...`
    n_bytes: int  # of what lies there
    sha256: str  # of it, in hex
    standard_bytes: int  # of the file as the crawl wrote it


def unchanging(corpus: Path) -> AbstractContextManager[None]:
    """Keep changes of the archive of a corpus away; a CorpusError is raised where one is at work."""
    return exclusive(corpus / ARCHIVE_LOCK, "change of the archive")


def forms(path: Path) -> tuple[Path, Path, Path]:
    """Give the paths of a file of an archive: as it was written, compacted, and of what says where else it is."""
    written = standard_path(path)
    name = written.name.removesuffix(WARC_SUFFIX)
    return written, written.with_name(name + COMPACT_SUFFIX), written.with_name(name + ELSEWHERE_SUFFIX)


def form_here(path: Path) -> Path | None:
    """Give the path at which a file of an archive lies in its corpus, compacted or not; None where it is elsewhere."""
    return next((form for form in forms(path)[:2] if form.is_file()), None)


def open_part(path: Path) -> BinaryIO:
    """Open a file of an archive in whatever form it lies there; any other file as it is.

    The forms are tried in the order in which one takes the place of the other: another process may be at that.

    Raises:
        OSError, ImportError: it cannot be opened; the package for its store is not installed.
        ArchiveError: what says where it is cannot be used.
    """
    written, compact, elsewhere = forms(path)
    for form in dict.fromkeys((path, written, compact)):
        if form != elsewhere:
            try:
                return form.open("rb")
            except FileNotFoundError:
                continue
    if there := read_elsewhere(path):
        return open_elsewhere(there.address)
    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))


def read_elsewhere(path: Path) -> Elsewhere | None:
    """Read where else a file of an archive is; None where nothing says so.

    Raises:
        ArchiveError: what says so is damaged.
    """
    file = forms(path)[2]
    try:
        return msgspec.json.decode(file.read_bytes(), type=Elsewhere)
    except FileNotFoundError:
        return None
    except msgspec.DecodeError as error:
        raise ArchiveError(f"{file}: {error}") from error


def write_elsewhere(path: Path, there: Elsewhere) -> None:
    """Say where else a file of an archive is."""
    with replacing(forms(path)[2]) as file:
        file.write(msgspec.json.format(msgspec.json.encode(there)))


def part_state(path: Path) -> tuple[int, str]:
    """Give the length of a file of an archive as it lies there now, and what changes when the file does.

    Raises:
        OSError: there is none.
        ArchiveError: what says where it is cannot be read.
    """
    here = form_here(path)
    if here is None and (there := read_elsewhere(path)):
        return there.n_bytes, there.sha256
    status = (here or path).stat()
    return status.st_size, str(status.st_mtime_ns)


def written_bytes(path: Path) -> int | None:
    """Give the length of a file of an archive as the crawl wrote it, whatever lies there now; None for unknown."""
    written, compact, _ = forms(path)
    if written.is_file():
        return written.stat().st_size
    if compact.is_file():
        with compact.open("rb") as file:
            closing = read_closing(file)
        return int(closing.starts[-1, 0]) if closing else None
    try:
        there = read_elsewhere(path)
    except ArchiveError:
        return None
    return there.standard_bytes if there else 0


def part_fault(path: Path) -> str:
    """Say what is wrong with a file of an archive, as far as its beginning and end tell; "" for nothing.

    Raises:
        OSError, ImportError, ArchiveError: as for `open_part`.
    """
    with open_part(path) as file:
        n_bytes, (expected, _) = size_of(file), part_state(path)
        if n_bytes != expected:
            return f"{path}: {n_bytes} bytes instead of {expected} lie where it was moved to"
        fault = Frames(file).fault if has_frames(file) else ""
        if not fault and has_frames(file) and read_closing(file) is None:
            fault = "the index is damaged; pages are not found by place"
    return fault and f"{path}: {fault}"
