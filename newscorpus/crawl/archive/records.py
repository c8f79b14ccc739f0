"""Read the records of a WARC file one by one, as far as it can be read. Headers are parsed by warcio."""

import io
import os
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from warcio.bufferedreaders import ChunkedDataReader
from warcio.limitreader import LimitReader
from warcio.statusandheaders import StatusAndHeaders, StatusAndHeadersParser, StatusAndHeadersParserException

from newscorpus.crawl.archive.content import GZIP_MAGIC, WITH_GZIP_HEADER, unused
from newscorpus.crawl.archive.values import ArchiveError, ByteRange

CHUNK_BYTES = 2**16

MEMBER_START, RECORD_START = b"\x1f\x8b\x08", b"WARC/"
MEMBER_HEAD_BYTES = 1024
"""Of a gzip member that are unpacked to see what it begins with."""

READ = frozenset({"warcinfo", "response", "resource", "metadata"})
"""Types of records whose content is read; of others only the headers are."""

WEB = ("http:", "https:", "<http:", "<https:")
"""How the addresses of records of HTTP begin; some programs put them in angle brackets."""

MAX_HEAD_BYTES = 2**20
"""Longest headers, of WARC and of HTTP; real ones have some 2 kB."""
MAX_DIGITS = 18
"""Most digits of a length; no file has so many bytes."""
CHUNKED_FACTOR = 6
"""Longest chunked form of a content: chunks of one byte are six."""
MAX_FALSE_STARTS = 100_000
"""Places of a file that look like the beginning of a record and are none, after which the rest is left alone: trying
one takes 0.1 ms. A file of a gigabyte, the usual size, holds some 40,000 records."""

WARC_HEAD = StatusAndHeadersParser(["WARC/1.1", "WARC/1.0", "WARC/0.18", "WARC/0.17"])
HTTP_HEAD = StatusAndHeadersParser(["HTTP/"], verify=False)
STATUS = re.compile(r"[1-9][0-9][0-9]")


class _BrokenRecordError(ValueError):
    """There is no whole record at this place."""


@dataclass(frozen=True, slots=True)
class Damage:
    """A part of a file that holds no readable record."""

    place: ByteRange  # where; the length reaches to the next record
    why: str  # what is wrong at its beginning, one line


@dataclass(frozen=True, slots=True)
class WarcRecord:
    """A record."""

    place: ByteRange  # where it lies
    kind: str  # its WARC-Type
    headers: Mapping[str, str]  # of WARC, names in lower case
    status: int = 0  # of HTTP; 0 where there is none
    # Headers of HTTP, names in lower case, several of one name joined by ", ".
    http: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""  # content, chunks joined, content encoding left in place; of others than `READ` empty
    fault: str = ""  # "too_large" or "truncated" where `body` is not whole; else ""


def read_records(path: Path, max_bytes: int, offset: int = 0) -> Iterator[WarcRecord | Damage]:
    """The records of a file, gzip or plain, from `offset` on; after damage, with the next one found.

    Args:
        path: the file; in a gzip file every record must be a member of its own, as the standard asks.
        max_bytes: longest content that is read.
        offset: where a record begins.

    Raises:
        ArchiveError: the file cannot be opened or read.
    """
    try:
        with path.open("rb") as file:
            yield from _records(file, path, max_bytes, offset)
    except OSError as error:
        raise ArchiveError(f"{path}: {error.strerror or error}") from error


def _records(file: BinaryIO, path: Path, max_bytes: int, offset: int) -> Iterator[WarcRecord | Damage]:
    packed = file.read(len(GZIP_MAGIC)) == GZIP_MAGIC
    size = _size(file)
    read = _packed_record if packed else _plain_record
    tries = _tries()
    damaged, why = offset, ""
    while offset < size:
        file.seek(offset)
        try:
            record = read(file, path, max_bytes)
        except (_BrokenRecordError, EOFError, zlib.error, StatusAndHeadersParserException) as error:
            why = why or " ".join(str(error).split()) or "cut short"
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
    record, left = _record(stream, ByteRange(str(path), offset, 0), max_bytes)
    if left.limit > max_bytes:  # not unpacked: a megabyte may stand for a gigabyte
        end = _next_start(file, member.end, _size(file), _tries(), packed=True)
        return _moved(record, end, cut=True)
    while left.read(CHUNK_BYTES):
        pass
    rest = stream.read(CHUNK_BYTES)
    if rest.strip(b"\r\n") or len(rest) == CHUNK_BYTES:
        raise _BrokenRecordError("several records in one gzip member; `warcio recompress` parts them")
    return _moved(record, member.end, cut=left.limit > 0 or not member.ended)


def _plain_record(file: BinaryIO, path: Path, max_bytes: int) -> WarcRecord:
    record, left = _record(file, ByteRange(str(path), file.tell(), 0), max_bytes)
    end = file.tell() + left.limit
    file.seek(end)
    while (line := file.readline(CHUNK_BYTES)) and not line.strip(b"\r\n"):
        end += len(line)
    return _moved(record, min(end, _size(file)), cut=end > _size(file))


def _size(file: BinaryIO) -> int:
    return os.fstat(file.fileno()).st_size


def _moved(record: WarcRecord, end: int, *, cut: bool) -> WarcRecord:
    """The record with its place up to `end`, and, where it is cut short there, the fault."""
    fault = record.fault or ("truncated" if cut and record.kind in READ else "")
    return replace(record, place=replace(record.place, length=end - record.place.offset), fault=fault)


def _record(stream: io.BufferedIOBase | BinaryIO, place: ByteRange, max_bytes: int) -> tuple[WarcRecord, LimitReader]:
    """The record that begins here, and what of it was not read."""
    headers = _joined(WARC_HEAD.parse(io.BytesIO(_head(stream))))
    kind, length = headers.get("warc-type", ""), headers.get("content-length", "")
    if not (length.isascii() and length.isdigit() and len(length) <= MAX_DIGITS):
        raise _BrokenRecordError(f"Content-Length is {length[:99]!r}")
    block = LimitReader(stream, int(length))
    record = WarcRecord(place, kind, headers)
    return _with_content(record, block, max_bytes) if kind in READ else record, block


def _head(stream: io.BufferedIOBase | BinaryIO) -> bytes:
    """The lines of WARC headers, the empty one after them included."""
    lines = [stream.readline(MAX_HEAD_BYTES)]
    left = MAX_HEAD_BYTES
    while left > 0 and (line := stream.readline(left)):
        lines.append(line)
        left -= len(line)
        if not line.strip():
            return b"".join(lines)
        if line.startswith(RECORD_START):  # where reading then goes on: so no byte is read as headers twice
            raise _BrokenRecordError("a record begins among the headers of another")
    if left <= 0:
        raise _BrokenRecordError(f"more than {MAX_HEAD_BYTES} bytes of headers")
    return b"".join(lines)


def _with_content(record: WarcRecord, block: LimitReader, max_bytes: int) -> WarcRecord:
    status, http, stream = 0, {}, block
    if record.kind == "response" and record.headers.get("warc-target-uri", "").lower().startswith(WEB):
        try:
            head = HTTP_HEAD.parse(LimitReader(block, MAX_HEAD_BYTES))
        except EOFError:
            head = StatusAndHeaders("", [])
        code = head.get_statuscode()
        status, http = int(code) if STATUS.fullmatch(code) else 0, _joined(head)
        if http.pop("transfer-encoding", "").lower() == "chunked":
            block = LimitReader(block, CHUNKED_FACTOR * max_bytes + 1)
            stream = ChunkedDataReader(block)
    body = stream.read(max_bytes + 1)
    fault = "too_large" if len(body) > max_bytes or (stream is not block and not block.limit) else ""
    return WarcRecord(record.place, record.kind, record.headers, status, http, body[:max_bytes], fault)


def _joined(head: StatusAndHeaders) -> dict[str, str]:
    values: dict[str, list[str]] = {}
    for name, value in head.headers:
        values.setdefault(name.lower(), []).append(value)
    return {name: ", ".join(several) for name, several in values.items()}


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
