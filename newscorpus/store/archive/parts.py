"""Open the files of an archive, as a crawl wrote them or compacted.

Whatever names a file of an archive, the ledger, marks, other files, names it as the crawl wrote it,
`archive/000001.warc.gz`, and places in it are offsets in that file. Neither changes when the file is compacted
(`.warc.zst`, see `frames`).
"""

import errno
import os
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import BinaryIO

from newscorpus.files import exclusive
from newscorpus.layout import ARCHIVE_LOCK, COMPACT_SUFFIX, WARC_SUFFIX, standard_path
from newscorpus.store.archive.frames import Frames, has_frames, read_closing


def unchanging(corpus: Path) -> AbstractContextManager[None]:
    """Keep changes of the archive of a corpus away; a CorpusError is raised where one is at work."""
    return exclusive(corpus / ARCHIVE_LOCK, "change of the archive")


def forms(path: Path) -> tuple[Path, Path]:
    """Give the paths of a file of an archive: as it was written, and compacted."""
    written = standard_path(path)
    return written, written.with_name(written.name.removesuffix(WARC_SUFFIX) + COMPACT_SUFFIX)


def form_here(path: Path) -> Path:
    """Give the path at which a file of an archive lies, compacted or not; `path` itself where it is not there."""
    return next((form for form in forms(path) if form.is_file()), path)


def open_part(path: Path) -> BinaryIO:
    """Open a file of an archive in whatever form it lies there; any other file as it is.

    The forms are tried in the order in which one takes the place of the other: another process may be at that.

    Raises:
        OSError: it cannot be opened.
    """
    for form in dict.fromkeys((path, *forms(path))):
        with suppress(FileNotFoundError):
            return form.open("rb")
    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))


def part_state(path: Path) -> tuple[int, str]:
    """Give the length of a file of an archive as it lies there now, and what changes when the file does.

    Raises:
        OSError: there is none.
    """
    status = form_here(path).stat()
    return status.st_size, str(status.st_mtime_ns)


def written_bytes(path: Path) -> int | None:
    """Give the length of a file of an archive as the crawl wrote it, whatever lies there now; None for unknown."""
    written, compact = forms(path)
    if written.is_file():
        return written.stat().st_size
    if compact.is_file():
        with compact.open("rb") as file:
            closing = read_closing(file)
        return int(closing.starts[-1, 0]) if closing else None
    return 0


def part_fault(path: Path) -> str:
    """Say what is wrong with a file of an archive, as far as its beginning and end tell; "" for nothing.

    Raises:
        OSError: as for `open_part`.
    """
    with open_part(path) as file:
        fault = Frames(file).fault if has_frames(file) else ""
        if not fault and has_frames(file) and read_closing(file) is None:
            fault = "the index is damaged; pages are not found by place"
    return fault and f"{path}: {fault}"
