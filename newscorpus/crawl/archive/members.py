"""Where records begin in a file, and gzip members read one at a time."""

import io
import zlib
from typing import BinaryIO

from newscorpus.crawl.gunzip import WITH_GZIP_HEADER, unused

CHUNK_BYTES = 2**16

MEMBER_START, RECORD_START = b"\x1f\x8b\x08", b"WARC/"
MEMBER_HEAD_BYTES = 1024
"""Of a gzip member that are unpacked to see what it begins with."""


def next_start(file: BinaryIO, offset: int, size: int, *, packed: bool) -> int:
    """Where the next record begins, or the end of the file."""
    mark = MEMBER_START if packed else RECORD_START
    while offset < size:
        file.seek(offset)
        chunk = file.read(CHUNK_BYTES)
        found = chunk.find(mark)
        while found >= 0:
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


class Member(io.RawIOBase):
    """The content of the gzip member that begins where a file stands.

    Attributes:
        end: offset in the file up to which it was read.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._unpacker = zlib.decompressobj(WITH_GZIP_HEADER)
        self.end = file.tell()

    @property
    def ended(self) -> bool:
        """Whether the member was read to its end."""
        return self._unpacker.eof

    def readable(self) -> bool:
        """It is."""
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
