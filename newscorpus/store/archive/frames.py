"""Read WARC files of zstd frames, one a record: what `compact` writes, and the like of others.

The form is that of "Zstandard Compression for WARC Files 1.0" (IIPC): first a skippable frame with the dictionary of
all others, then a frame a record. Ours end with one more skippable frame, which other programs pass over. It has the
length of each record in the file as the crawl wrote it, so that a place there is found here, and the dictionary once
more, so that no damage at one place costs more than the records there.
"""

import io
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
import zstandard
from warcio.limitreader import LimitReader
from zstandard import ZstdCompressionDict, ZstdDecompressor, ZstdError

from newscorpus.arrays import Integers
from newscorpus.content_encoding import GZIP_MAGIC
from newscorpus.store.archive.record import (
    CHUNK_BYTES,
    UNREADABLE,
    BrokenRecordError,
    Damage,
    WarcRecord,
    described,
    placed,
    read_whole,
    size_of,
)
from newscorpus.store.archive.values import ByteRange

FRAME_START: bytes = zstandard.FRAME_HEADER
SKIPPABLE = b"\x2a\x4d\x18"
"""How any skippable frame begins, after a byte of 0x50 to 0x5f."""
DICTIONARY_START, CLOSING_START = b"\x5d" + SKIPPABLE, b"\x59" + SKIPPABLE
OTHER_STARTS = (GZIP_MAGIC, b"WARC")
"""Of files in the other forms."""
DICTIONARY_MAGIC = b"\x37\xa4\x30\xec"

HEAD = struct.Struct("<4sI")
"""Of a skippable frame: how it begins, and the length of what it holds."""
FOOTER = struct.Struct("<II8s")
"""At the end of the closing frame: lengths of the packed index and dictionary before it, and the mark."""
MARK = b"newscorp"
INDEX_TYPE = np.dtype("<u4")
"""Two numbers a record: its length in the file as the crawl wrote it, and here."""

MAX_WINDOW_BYTES = 2**23
MAX_DICTIONARY_BYTES = 2**23
"""What the specification has readers bear, and writers keep to."""
MAX_INDEX_BYTES = 2**26
"""Eight million records, in a file of some 200 GB."""
MAX_FALSE_FRAMES = 1_000
"""Places that look like the beginning of a frame and are none, after which a file without an index is left alone; by
chance there is one in four gigabytes."""
MAX_BLOCKS = 5_000
"""Of a frame; the longest page that is archived has some 160."""
HEADER_BYTES, BLOCK_HEAD_BYTES, CHECKSUM_BYTES = 18, 3, 4
"""Of a frame: its header at most, the head of each of its blocks, and the sum at its end (RFC 8878)."""
RUN_BLOCK = 1
"""Type of a block that is one byte, repeated."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Where a record lies."""

    written: int  # its offset in the file as the crawl wrote it; that here, where the file has no index
    written_bytes: int  # its length there
    offset: int  # here
    n_bytes: int  # here
    why: str = ""  # what is wrong, where no record can lie there


@dataclass(frozen=True, slots=True)
class Closing:
    """What the closing frame holds."""

    starts: Integers  # offsets of each record and of the end, in the file as the crawl wrote it and here
    packed_dictionary: bytes


def has_frames(file: BinaryIO) -> bool:
    """Whether a file consists of zstd frames."""
    file.seek(0)
    start = file.read(len(FRAME_START))
    if start.startswith(OTHER_STARTS):
        return False
    return start in {FRAME_START, DICTIONARY_START} or read_closing(file) is not None


def read_closing(file: BinaryIO) -> Closing | None:
    """Read the closing frame of a file; None where it has none, or one that is damaged."""
    end = size_of(file)
    if end < HEAD.size + FOOTER.size:
        return None
    file.seek(end - FOOTER.size)
    index_bytes, dictionary_bytes, mark = FOOTER.unpack(file.read(FOOTER.size))
    begin = end - FOOTER.size - index_bytes - dictionary_bytes - HEAD.size
    if mark != MARK or begin < 0 or max(index_bytes, dictionary_bytes) > MAX_INDEX_BYTES:
        return None
    file.seek(begin + HEAD.size)
    try:
        index = np.frombuffer(_unpacked(file.read(index_bytes), MAX_INDEX_BYTES), INDEX_TYPE).reshape(-1, 2)
    except (ValueError, ZstdError):
        return None
    ends = np.cumsum(index, axis=0, dtype=np.int64)
    starts = np.vstack([np.zeros((1, 2), np.int64), ends])
    starts[:, 1] += begin - starts[-1, 1]
    return Closing(starts, file.read(dictionary_bytes)) if starts[0, 1] >= 0 else None


class Frames:
    """Finds the records of an open file, and unpacks them.

    Attributes:
        fault: what is wrong with the file as a whole, "" for nothing.
        is_lost: nothing of it can be read for that.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._closing = read_closing(file)
        self.fault = ""
        try:
            dictionary, self._begin = _read_dictionary(file)
        except (BrokenRecordError, ZstdError) as error:
            self.fault = f"the dictionary is damaged ({described(error)})"
            dictionary, self._begin = self._copy(), 0
        self.is_lost = bool(self.fault) and not dictionary
        given = ZstdCompressionDict(dictionary, dict_type=zstandard.DICT_TYPE_FULLDICT) if dictionary else None
        self._unpacker = ZstdDecompressor(dict_data=given, max_window_size=MAX_WINDOW_BYTES)

    def _copy(self) -> bytes:
        """The dictionary at the end of the file; b"" for none."""
        try:
            return _unpacked(self._closing.packed_dictionary, MAX_DICTIONARY_BYTES) if self._closing else b""
        except ZstdError:
            return b""

    def content(self, frame: Frame) -> io.BufferedReader:
        """Unpack a frame, as far as it is read."""
        self._file.seek(frame.offset)
        source = LimitReader(self._file, frame.n_bytes)
        reader = self._unpacker.stream_reader(source, CHUNK_BYTES, read_across_frames=False, closefd=False)
        return io.BufferedReader(reader, CHUNK_BYTES)

    def frames(self, offset: int = 0) -> Iterator[Frame]:
        """List the frames of records from an offset on, that of the file as the crawl wrote it."""
        return self._walk(offset) if self._closing is None else self._indexed(self._closing.starts, offset)

    def _indexed(self, starts: Integers, offset: int) -> Iterator[Frame]:
        first = int(np.searchsorted(starts[:, 0], offset))
        if first < len(starts) and (begin := int(starts[first, 0])) != offset:
            yield Frame(offset, begin - offset, 0, 0, "no record begins here")
        for number in range(first, len(starts) - 1):
            (written, here), (next_written, next_here) = starts[number : number + 2].tolist()
            yield Frame(written, next_written - written, here, next_here - here)

    def _walk(self, offset: int) -> Iterator[Frame]:
        """List frames without an index, from one to the next, and what lies between them."""
        at, size, n_false = max(offset, self._begin), size_of(self._file), 0
        damaged = at
        while at < size:
            n_bytes = _frame_bytes(self._file, at, size)
            if not n_bytes:
                n_false += 1
                at = size if n_false > MAX_FALSE_FRAMES else _next_start(self._file, at + 1)
                continue
            if damaged < at:
                yield Frame(damaged, at - damaged, 0, 0, "no frame")
            self._file.seek(at)
            start = self._file.read(len(FRAME_START))
            if start in {FRAME_START, CLOSING_START}:
                why = "" if start == FRAME_START else "the index is damaged; pages of this file are not found by place"
                yield Frame(at, n_bytes, at, n_bytes, why)
            damaged = at = at + n_bytes
        if damaged < size:
            yield Frame(damaged, size - damaged, 0, 0, "no frame")


def framed_records(file: BinaryIO, path: Path, max_bytes: int, offset: int = 0) -> Iterator[WarcRecord | Damage]:
    """Read the records of a file of frames; arguments as for `read_records`."""
    frames = Frames(file)
    whole = Damage(ByteRange(str(path), 0, size_of(file)), frames.fault)
    if frames.is_lost:
        yield whole
        return
    for frame in frames.frames(offset):
        yield _read_frame(frames, frame, path, max_bytes)
    if frames.fault:
        yield whole


def _read_frame(frames: Frames, frame: Frame, path: Path, max_bytes: int) -> WarcRecord | Damage:
    place = ByteRange(str(path), frame.written, frame.written_bytes)
    if frame.why:
        return Damage(place, frame.why)
    try:
        record, left = read_whole(frames.content(frame), place, max_bytes)
    except UNREADABLE as error:
        return Damage(place, described(error))
    return placed(record, frame.written + frame.written_bytes, cut=left > 0)


def _read_dictionary(file: BinaryIO) -> tuple[bytes, int]:
    """Read the dictionary at the beginning of a file, b"" for none, and the offset behind it."""
    file.seek(0)
    head = file.read(HEAD.size)
    if head.startswith(FRAME_START):
        return b"", 0
    start, n_bytes = HEAD.unpack(head)
    if start != DICTIONARY_START or n_bytes > MAX_DICTIONARY_BYTES:
        raise BrokenRecordError("it does not begin as one")
    data = file.read(n_bytes)
    dictionary = _unpacked(data, MAX_DICTIONARY_BYTES) if data.startswith(FRAME_START) else data
    if not dictionary.startswith(DICTIONARY_MAGIC):
        raise BrokenRecordError("it is none")
    return dictionary, HEAD.size + n_bytes


def _unpacked(data: bytes, max_bytes: int) -> bytes:
    """Unpack one whole frame; a ZstdError is raised where it is damaged or too long."""
    unpacker = ZstdDecompressor(max_window_size=MAX_WINDOW_BYTES)
    content: bytes = unpacker.stream_reader(data).read(max_bytes + 1)
    if len(content) != zstandard.frame_content_size(data) or len(content) > max_bytes:
        raise ZstdError("cut short, or too long")
    return content


def _frame_bytes(file: BinaryIO, at: int, size: int) -> int:
    """The length of the frame that begins at an offset; 0 where there is no whole one."""
    file.seek(at)
    head = file.read(HEADER_BYTES)
    if head[1:4] == SKIPPABLE and head[0] & 0xF0 == 0x50 and len(head) >= HEAD.size:
        end = at + HEAD.size + HEAD.unpack_from(head)[1]
        return end - at if end <= size else 0
    try:
        has_checksum = zstandard.get_frame_parameters(head).has_checksum
        end = at + zstandard.frame_header_size(head)
    except ZstdError:
        return 0
    for _ in range(MAX_BLOCKS):
        file.seek(end)
        block = int.from_bytes(file.read(BLOCK_HEAD_BYTES), "little")
        is_last, kind, n_bytes = block & 1, block >> 1 & 3, block >> 3
        end += BLOCK_HEAD_BYTES + (1 if kind == RUN_BLOCK else n_bytes)
        if is_last or end > size:
            break
    else:
        return 0
    end += CHECKSUM_BYTES * has_checksum
    return end - at if end <= size else 0


def _next_start(file: BinaryIO, at: int) -> int:
    """Where the next frame of zstd may begin, from an offset on, or the end of the file."""
    while True:
        file.seek(at)
        chunk = file.read(CHUNK_BYTES)
        if (found := chunk.find(FRAME_START)) >= 0:
            return at + found
        if len(chunk) < CHUNK_BYTES:
            return at + len(chunk)
        at += CHUNK_BYTES - len(FRAME_START) + 1
