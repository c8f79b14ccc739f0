"""Read the records of a WARC file one by one; warcio parses their headers.

A file is read in the form it has: plain, with a gzip member per record, or with a zstd frame per record ("Zstandard
Compression for WARC Files 1.0", IIPC; ArchiveTeam writes it). After damage, reading continues at the next record.
"""

import io
import re
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import BinaryIO, Protocol

import zstandard
from warcio.bufferedreaders import ChunkedDataReader
from warcio.limitreader import LimitReader
from warcio.statusandheaders import StatusAndHeaders, StatusAndHeadersParser, StatusAndHeadersParserException
from zstandard import ZstdCompressionDict, ZstdDecompressor, ZstdError

from newscorpus.content_encoding import GZIP_MAGIC, WITH_GZIP_HEADER
from newscorpus.store.archive.values import ArchiveError, ByteRange

CHUNK_BYTES = 2**16
PACKED_BYTES = 2**11
"""Compressed bytes that are decompressed at a time: to at most 2 MB from gzip, 64 MB from zstd."""

READ = frozenset({"warcinfo", "response", "resource", "metadata"})
"""Types of the records whose content is read; of others only the headers are."""

WEB = ("http:", "https:", "<http:", "<https:")
"""Prefixes of the addresses of HTTP records; some programs put them in angle brackets."""

MAX_HEAD_BYTES = 2**20
"""Longest WARC or HTTP headers; real ones have some 2 kB."""
MAX_DIGITS = 18
"""Most digits of a length; no file has so many bytes."""
CHUNKED_FACTOR = 6
"""Longest chunked form of a content: chunks of one byte are six."""

RECORD_START = b"WARC/"
MEMBER_START = b"\x1f\x8b\x08"
FRAME_START: bytes = zstandard.FRAME_HEADER
MEMBER_HEAD_BYTES = 1024
"""Bytes of a gzip member that are decompressed to see what it begins with."""

SKIPPABLE_HEAD = struct.Struct("<II")
"""Head of a skippable zstd frame: magic number and length of the content."""
SKIPPABLE, DICTIONARY = 0x184D2A50, 0x184D2A5D
"""Magic numbers of skippable frames, which differ in the last four bits, and of the one with the dictionary."""
MAX_WINDOW_BYTES = MAX_DICTIONARY_BYTES = 2**23
"""Limits of the specification."""

MAX_FALSE_STARTS = 100_000
"""Places that look like the beginning of a record and are none, after which the rest of a file is skipped. Each costs
0.1 ms; a file of a gigabyte, the usual size, holds some 40,000 records."""

WARC_HEAD = StatusAndHeadersParser(["WARC/1.1", "WARC/1.0", "WARC/0.18", "WARC/0.17"])
HTTP_HEAD = StatusAndHeadersParser(["HTTP/"], verify=False)
STATUS = re.compile(r"[1-9][0-9][0-9]")


class BrokenRecordError(ValueError):
    """There is no whole record at this place."""


UNREADABLE = (BrokenRecordError, EOFError, zlib.error, ZstdError, StatusAndHeadersParserException)
"""Errors of reading a damaged record."""


@dataclass(frozen=True, slots=True)
class Damage:
    """A part of a file without a readable record."""

    place: ByteRange  # up to the next record
    why: str  # what is wrong at its beginning, one line


@dataclass(frozen=True, slots=True)
class WarcRecord:
    """A record of a WARC file."""

    place: ByteRange
    kind: str  # its WARC-Type
    headers: Mapping[str, str]  # of WARC, names in lower case
    status: int = 0  # of HTTP; 0 without one
    # Headers of HTTP, names in lower case, values of the same name joined by ", ".
    http: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""  # chunks joined, content encoding left in place; empty for types outside `READ`
    fault: str = ""  # "too_large" or "truncated" if `body` is not whole; else ""


def read_records(
    path: Path, max_bytes: int, offset: int = 0, file: BinaryIO | None = None
) -> Iterator[WarcRecord | Damage]:
    """Read the records of a file from the record at `offset` on.

    Args:
        path: the file; in a compressed one, each record must be a member or frame of its own, as the standards require.
        max_bytes: longest content that is read.
        offset: beginning of a record; reading from another place begins with damage.
        file: the file if it is open; it stays open.

    Raises:
        ArchiveError: the file cannot be opened or read.
    """
    try:
        with nullcontext(file) if file else path.open("rb") as opened:
            yield from _records(opened, path, max_bytes, offset)
    except OSError as error:
        raise ArchiveError(f"{path}: {error.strerror or error}") from error


class _Unpacker(Protocol):
    """A decompressor of zlib or zstandard, for one member or frame."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


def _records(file: BinaryIO, path: Path, max_bytes: int, offset: int) -> Iterator[WarcRecord | Damage]:
    file.seek(0)
    start = file.read(SKIPPABLE_HEAD.size)
    is_zstd = start.startswith(FRAME_START) or _is_skippable(start)
    mark = RECORD_START
    new_unpacker: Callable[[], _Unpacker] | None = None
    if start.startswith(GZIP_MAGIC):
        mark, new_unpacker = MEMBER_START, partial(zlib.decompressobj, WITH_GZIP_HEADER)
    elif is_zstd:
        mark, new_unpacker = FRAME_START, _zstd(file)
    size = file.seek(0, io.SEEK_END)
    tries = iter(range(MAX_FALSE_STARTS))
    damaged, why = offset, ""
    while offset < size:
        file.seek(offset)
        if is_zstd and _is_skippable(head := file.read(SKIPPABLE_HEAD.size)):
            end = offset + SKIPPABLE_HEAD.size + SKIPPABLE_HEAD.unpack(head)[1]
            if end <= size:
                damaged, offset = end if damaged == offset else damaged, end
                continue
        file.seek(offset)
        place = ByteRange(str(path), offset, 0)
        try:
            if new_unpacker:
                record = _packed_record(file, place, max_bytes, new_unpacker(), mark, size)
            else:
                record = _plain_record(file, place, max_bytes, size)
        except UNREADABLE as error:
            why = why or " ".join(str(error).split()) or "cut short"
            offset = _next_start(file, offset + 1, size, tries, mark)
            continue
        if damaged < offset:
            yield Damage(ByteRange(str(path), damaged, offset - damaged), why)
        yield record
        damaged = offset = record.place.offset + record.place.length
        why = ""
    if damaged < size:
        ending = "" if next(tries, None) is not None else f"; left alone after {MAX_FALSE_STARTS} false starts"
        yield Damage(ByteRange(str(path), damaged, size - damaged), why + ending)


def _packed_record(
    file: BinaryIO, place: ByteRange, max_bytes: int, unpacker: _Unpacker, mark: bytes, size: int
) -> WarcRecord:
    """Read the only record of a gzip member or zstd frame.

    If more than `max_bytes` of it are left, it is not decompressed to its end: a megabyte may hold a gigabyte.
    """
    member = _Member(file, unpacker)
    stream = io.BufferedReader(member, CHUNK_BYTES)
    record, left = _parse_record(stream, place, max_bytes)
    if left.limit > max_bytes:
        end = _next_start(file, member.end, size, iter(range(MAX_FALSE_STARTS)), mark)
        return _placed(record, end, cut=True)
    while left.read(CHUNK_BYTES):
        pass
    rest = stream.read(CHUNK_BYTES)
    if rest.strip(b"\r\n") or len(rest) == CHUNK_BYTES:
        what = "frame" if mark == FRAME_START else "gzip member"
        raise BrokenRecordError(f"several records in one {what}; `warcio recompress` parts them")
    return _placed(record, member.end, cut=left.limit > 0 or not unpacker.eof)


def _plain_record(file: BinaryIO, place: ByteRange, max_bytes: int, size: int) -> WarcRecord:
    record, left = _parse_record(file, place, max_bytes)
    end = file.tell() + left.limit
    file.seek(end)
    while (line := file.readline(CHUNK_BYTES)) and not line.strip(b"\r\n"):
        end += len(line)
    return _placed(record, min(end, size), cut=end > size)


def _placed(record: WarcRecord, end: int, *, cut: bool) -> WarcRecord:
    """Set the end of a record, and the fault if it is cut short there."""
    fault = record.fault or ("truncated" if cut and record.kind in READ else "")
    return replace(record, place=replace(record.place, length=end - record.place.offset), fault=fault)


def _parse_record(
    stream: io.BufferedIOBase | BinaryIO, place: ByteRange, max_bytes: int
) -> tuple[WarcRecord, LimitReader]:
    """Parse the record that begins here; return it and a reader of its unread rest."""
    lines, left = [stream.readline(MAX_HEAD_BYTES)], MAX_HEAD_BYTES
    while left > 0 and (line := stream.readline(left)):
        lines.append(line)
        left -= len(line)
        if not line.strip():
            break
        if line.startswith(RECORD_START):  # reading continues there, so no byte is parsed as headers twice
            raise BrokenRecordError("a record begins among the headers of another")
    else:
        if left <= 0:
            raise BrokenRecordError(f"more than {MAX_HEAD_BYTES} bytes of headers")
    headers = _joined(WARC_HEAD.parse(io.BytesIO(b"".join(lines))))
    kind, length = headers.get("warc-type", ""), headers.get("content-length", "")
    if not (length.isascii() and length.isdigit() and len(length) <= MAX_DIGITS):
        raise BrokenRecordError(f"Content-Length is {length[:99]!r}")
    block = content = reader = LimitReader(stream, int(length))
    if kind not in READ:
        return WarcRecord(place, kind, headers), block
    status, http = 0, {}
    if kind == "response" and headers.get("warc-target-uri", "").lower().startswith(WEB):
        try:
            head = HTTP_HEAD.parse(LimitReader(block, MAX_HEAD_BYTES))
        except EOFError:
            head = StatusAndHeaders("", [])
        code = head.get_statuscode()
        status, http = int(code) if STATUS.fullmatch(code) else 0, _joined(head)
        if http.pop("transfer-encoding", "").lower() == "chunked":
            content = LimitReader(block, CHUNKED_FACTOR * max_bytes + 1)
            reader = ChunkedDataReader(content)
    body = reader.read(max_bytes + 1)
    fault = "too_large" if len(body) > max_bytes or (reader is not content and not content.limit) else ""
    return WarcRecord(place, kind, headers, status, http, body[:max_bytes], fault), block


def _joined(head: StatusAndHeaders) -> dict[str, str]:
    values: dict[str, list[str]] = {}
    for name, value in head.headers:
        values.setdefault(name.lower(), []).append(value)
    return {name: ", ".join(several) for name, several in values.items()}


def _next_start(file: BinaryIO, offset: int, size: int, tries: Iterator[int], mark: bytes) -> int:
    """Find the next possible beginning of a record, else the end of the file; each look uses up one of `tries`."""
    while offset < size:
        file.seek(offset)
        chunk = file.read(CHUNK_BYTES)
        found = chunk.find(mark)
        while found >= 0:
            if next(tries, None) is None:
                return size
            if _starts_record(file, offset + found, mark):
                return offset + found
            found = chunk.find(mark, found + 1)
        offset += CHUNK_BYTES - len(mark) + 1
    return size


def _starts_record(file: BinaryIO, offset: int, mark: bytes) -> bool:
    if mark == FRAME_START:
        return True
    if mark == RECORD_START:
        file.seek(offset - 1)
        return file.read(1) == b"\n"
    file.seek(offset)
    try:
        unpacker = zlib.decompressobj(WITH_GZIP_HEADER)
        return unpacker.decompress(file.read(MEMBER_HEAD_BYTES), len(RECORD_START)) == RECORD_START
    except zlib.error:
        return False


def _is_skippable(head: bytes) -> bool:
    return len(head) == SKIPPABLE_HEAD.size and SKIPPABLE_HEAD.unpack(head)[0] & ~0xF == SKIPPABLE


def _zstd(file: BinaryIO) -> Callable[[], _Unpacker]:
    """Read the dictionary at the beginning of a file of zstd frames; if it is damaged, so is every frame."""
    file.seek(0)
    magic, n_bytes = SKIPPABLE_HEAD.unpack(file.read(SKIPPABLE_HEAD.size))
    dictionary = b""
    if magic == DICTIONARY and n_bytes <= MAX_DICTIONARY_BYTES:
        dictionary = file.read(n_bytes)
        if dictionary.startswith(FRAME_START):
            unpacker = ZstdDecompressor(max_window_size=MAX_WINDOW_BYTES)
            try:
                dictionary = unpacker.stream_reader(dictionary).read(MAX_DICTIONARY_BYTES)
            except ZstdError:
                dictionary = b""
    given = ZstdCompressionDict(dictionary) if dictionary else None
    return ZstdDecompressor(dict_data=given, max_window_size=MAX_WINDOW_BYTES).decompressobj


class _Member(io.RawIOBase):
    """The content of the gzip member or zstd frame at the position of a file; it was read up to the offset `end`."""

    def __init__(self, file: BinaryIO, unpacker: _Unpacker) -> None:
        self._file = file
        self._unpacker = unpacker
        self._unread = memoryview(b"")
        self.end = file.tell()

    def readable(self) -> bool:
        """True."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill the buffer as far as there is content; return the length, 0 at the end."""
        while not self._unread and not self._unpacker.eof and (packed := self._file.read(PACKED_BYTES)):
            self._unread = memoryview(self._unpacker.decompress(packed))
            self.end = self._file.tell() - len(self._unpacker.unused_data)
        n_bytes = min(len(buffer), len(self._unread))
        buffer[:n_bytes], self._unread = self._unread[:n_bytes], self._unread[n_bytes:]
        return n_bytes
