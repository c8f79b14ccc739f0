"""Open the files of an archive, as a crawl wrote them or compacted, and read their records one by one.

Whatever names a file of an archive, the ledger, marks, other files, names it as the crawl wrote it,
`archive/000001.warc.gz`, and places in it are offsets in that file. Neither changes when the file is compacted
(`.warc.zst`, see `frames`).
"""

import errno
import io
import os
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import BinaryIO

from newscorpus.content_encoding import GZIP_MAGIC, WITH_GZIP_HEADER, unused
from newscorpus.files import exclusive
from newscorpus.layout import ARCHIVE_LOCK, COMPACT_SUFFIX, WARC_SUFFIX, standard_path
from newscorpus.store.archive.frames import Frames, framed_records, has_frames, read_closing
from newscorpus.store.archive.record import (
    CHUNK_BYTES,
    RECORD_START,
    UNREADABLE,
    Damage,
    WarcRecord,
    described,
    parse_record,
    placed,
    read_whole,
    size_of,
)
from newscorpus.store.archive.values import ArchiveError, ByteRange

MEMBER_START = b"\x1f\x8b\x08"
MEMBER_HEAD_BYTES = 1024
"""Of a gzip member that are unpacked to see what it begins with."""

MAX_FALSE_STARTS = 100_000
"""Places of a file that look like the beginning of a record and are none, after which the rest is left alone: trying
one takes 0.1 ms. A file of a gigabyte, the usual size, holds some 40,000 records."""


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


def read_records(path: Path, max_bytes: int, offset: int = 0) -> Iterator[WarcRecord | Damage]:
    """The records of a file, gzip, zstd or plain, from `offset` on; after damage, with the next one found.

    Args:
        path: the file, as a crawl named it, wherever and in whatever form it lies now; in a compressed file every
            record must be a member or frame of its own, as the standards ask.
        max_bytes: longest content that is read.
        offset: where a record begins, in the file as a crawl wrote it.

    Raises:
        ArchiveError: the file cannot be opened or read.
    """
    try:
        with open_part(path) as file:
            yield from (framed_records if has_frames(file) else _records)(file, path, max_bytes, offset)
    except OSError as error:
        raise ArchiveError(f"{path}: {error.strerror or error}") from error


def _records(file: BinaryIO, path: Path, max_bytes: int, offset: int) -> Iterator[WarcRecord | Damage]:
    file.seek(0)
    packed = file.read(len(GZIP_MAGIC)) == GZIP_MAGIC
    size = size_of(file)
    read = _packed_record if packed else _plain_record
    tries = _tries()
    damaged, why = offset, ""
    while offset < size:
        file.seek(offset)
        try:
            record = read(file, path, max_bytes)
        except UNREADABLE as error:
            why = why or described(error)
            offset = _next_start(file, offset + 1, size, tries, packed=packed)
            continue
        if damaged < offset:
            yield Damage(ByteRange(str(path), damaged, offset - damaged), why)
        yield record
        damaged = offset = record.place.offset + record.place.length
        why = ""
    if damaged < size:
        ending = "" if next(tries, None) is not None else f"; left alone after {MAX_FALSE_STARTS} false starts"
        yield Damage(ByteRange(str(path), damaged, size - damaged), why + ending)


def _packed_record(file: BinaryIO, path: Path, max_bytes: int) -> WarcRecord:
    offset = file.tell()
    member = _Member(file)
    stream = io.BufferedReader(member, CHUNK_BYTES)
    record, left = read_whole(stream, ByteRange(str(path), offset, 0), max_bytes, "gzip member")
    if left > max_bytes:
        end = _next_start(file, member.end, size_of(file), _tries(), packed=True)
        return placed(record, end, cut=True)
    return placed(record, member.end, cut=left > 0 or not member.ended)


def _plain_record(file: BinaryIO, path: Path, max_bytes: int) -> WarcRecord:
    record, left = parse_record(file, ByteRange(str(path), file.tell(), 0), max_bytes)
    end = file.tell() + left.limit
    file.seek(end)
    while (line := file.readline(CHUNK_BYTES)) and not line.strip(b"\r\n"):
        end += len(line)
    return placed(record, min(end, size_of(file)), cut=end > size_of(file))


def _tries() -> Iterator[int]:
    return iter(range(MAX_FALSE_STARTS))


def _next_start(file: BinaryIO, offset: int, size: int, tries: Iterator[int], *, packed: bool) -> int:
    """Where the next record may begin, or the end of the file; each place looked at uses up one of `tries`."""
    mark = MEMBER_START if packed else RECORD_START
    while offset < size:
        file.seek(offset)
        chunk = file.read(CHUNK_BYTES)
        found = chunk.find(mark)
        while found >= 0:
            if next(tries, None) is None:
                return size
            if _starts_record(file, offset + found, packed=packed):
                return offset + found
            found = chunk.find(mark, found + 1)
        offset += CHUNK_BYTES - len(mark) + 1
    return size


def _starts_record(file: BinaryIO, offset: int, *, packed: bool) -> bool:
    if not packed:
        file.seek(offset - 1)
        return file.read(1) == b"\n"
    file.seek(offset)
    try:
        unpacker = zlib.decompressobj(WITH_GZIP_HEADER)
        return unpacker.decompress(file.read(MEMBER_HEAD_BYTES), len(RECORD_START)) == RECORD_START
    except zlib.error:
        return False


class _Member(io.RawIOBase):
    """The content of the gzip member that begins where a file stands; it was read up to the offset `end`."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._unpacker = zlib.decompressobj(WITH_GZIP_HEADER)
        self.end = file.tell()

    @property
    def ended(self) -> bool:
        """Whether the member was read to its end."""
        return self._unpacker.eof

    def readable(self) -> bool:
        """True."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Unpack as much as the buffer holds; gives its length, 0 at the end."""
        data = b""
        while not data and not self._unpacker.eof:
            packed = self._unpacker.unconsumed_tail or self._file.read(CHUNK_BYTES)
            if not packed:
                break
            data = self._unpacker.decompress(packed, len(buffer))
            self.end = self._file.tell() - unused(self._unpacker)
        buffer[: len(data)] = data
        return len(data)
