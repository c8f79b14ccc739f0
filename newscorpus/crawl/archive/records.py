"""The records of a WARC file, one by one, as far as it can be read. Headers are parsed by warcio."""

import io
import os
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from warcio.bufferedreaders import ChunkedDataReader
from warcio.limitreader import LimitReader
from warcio.statusandheaders import StatusAndHeaders, StatusAndHeadersParser, StatusAndHeadersParserException

from newscorpus.crawl.archive.content import GZIP_MAGIC, WITH_GZIP_HEADER
from newscorpus.crawl.archive.values import ArchiveError, Place

READ = frozenset({"warcinfo", "response", "resource", "metadata"})
"""Types of records whose content is read; of others the headers do."""

CHUNK_BYTES = 2**16
MAX_HEAD_BYTES = 2**20
"""Longest headers of a record; real ones have some 2 kB."""

MEMBER_START, RECORD_START = b"\x1f\x8b\x08", b"WARC/"

WARC_HEAD = StatusAndHeadersParser(["WARC/1.1", "WARC/1.0", "WARC/0.18", "WARC/0.17"])
HTTP_HEAD = StatusAndHeadersParser(["HTTP/"], verify=False)


class _BrokenRecordError(ValueError):
    """What stands at a place is no whole record."""


@dataclass(frozen=True, slots=True)
class Damage:
    """A part of a file that holds no readable record.

    Attributes:
        place: where; the length reaches to the next record.
        why: one line.
    """

    place: Place
    why: str


@dataclass(frozen=True, slots=True)
class WarcRecord:
    """A record.

    Attributes:
        place: where it lies.
        kind: its WARC-Type.
        headers: of WARC, names in lower case.
        status: of HTTP; 0 where there is none.
        http: headers of HTTP, names in lower case, several of one name joined by ", ".
        body: content, chunks joined, content encoding left in place; of others than `READ` empty.
        fault: "too_large" or "truncated" where `body` is not whole; else "".
    """

    place: Place
    kind: str
    headers: Mapping[str, str]
    status: int = 0
    http: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    fault: str = ""


def read_records(path: Path, max_bytes: int, offset: int = 0) -> Iterator[WarcRecord | Damage]:
    """The records of a file, gzip or plain, from `offset` on; after damage it goes on with the next one found.

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
    size = file.seek(0, os.SEEK_END)
    while offset < size:
        file.seek(offset)
        record: WarcRecord | Damage
        try:
            record = _packed_record(file, path, max_bytes) if packed else _plain_record(file, path, max_bytes)
        except (_BrokenRecordError, EOFError, zlib.error, StatusAndHeadersParserException) as error:
            after = _next_start(file, offset + 1, size, packed=packed)
            record = Damage(Place(str(path), offset, after - offset), " ".join(str(error).split()) or "cut short")
        offset = record.place.offset + record.place.length
        yield record


def _packed_record(file: BinaryIO, path: Path, max_bytes: int) -> WarcRecord:
    offset = file.tell()
    member = _Member(file)
    stream = io.BufferedReader(member, CHUNK_BYTES)
    record = _record(stream, Place(str(path), offset, 0), max_bytes)
    while rest := stream.read(CHUNK_BYTES):
        if rest.strip(b"\r\n"):
            raise _BrokenRecordError("several records in one gzip member; `warcio recompress` parts them")
    place = Place(str(path), offset, member.end - offset)
    if not member.ended:
        return _moved(record, place, record.fault or ("" if record.kind not in READ else "truncated"))
    return _moved(record, place, record.fault)


def _plain_record(file: BinaryIO, path: Path, max_bytes: int) -> WarcRecord:
    offset = file.tell()
    record = _record(file, Place(str(path), offset, 0), max_bytes)
    end = file.tell()
    while (line := file.readline(CHUNK_BYTES)) and not line.strip(b"\r\n"):
        end += len(line)
    return _moved(record, Place(str(path), offset, end - offset), record.fault)


def _moved(record: WarcRecord, place: Place, fault: str) -> WarcRecord:
    return WarcRecord(place, record.kind, record.headers, record.status, record.http, record.body, fault)


def _record(stream: io.BufferedIOBase | BinaryIO, place: Place, max_bytes: int) -> WarcRecord:
    """The record that begins here; the stream then stands at its end."""
    head = WARC_HEAD.parse(LimitReader(stream, MAX_HEAD_BYTES))
    headers = _joined(head)
    kind, length = headers.get("warc-type", ""), headers.get("content-length", "")
    if not (length.isascii() and length.isdigit()):
        raise _BrokenRecordError(f"Content-Length is {length!r}")
    block = LimitReader(stream, int(length))
    record = WarcRecord(place, kind, headers)
    if kind in READ:
        record = _with_content(record, block, max_bytes)
    _skip(block)
    if block.limit > 0 and kind in READ:
        return _moved(record, place, "truncated")
    return record


def _with_content(record: WarcRecord, block: LimitReader, max_bytes: int) -> WarcRecord:
    status, http, stream = 0, {}, block
    if record.kind == "response" and record.headers.get("warc-target-uri", "").lstrip("<").startswith("http"):
        head = _http_head(block)
        code = head.get_statuscode()
        status, http = int(code) if code.isascii() and code.isdigit() else 0, _joined(head)
        if http.pop("transfer-encoding", "").lower() == "chunked":
            stream = ChunkedDataReader(block)
    body = stream.read(max_bytes + 1)
    fault = "too_large" if len(body) > max_bytes else ""
    return WarcRecord(record.place, record.kind, record.headers, status, http, body[:max_bytes], fault)


def _http_head(block: LimitReader) -> StatusAndHeaders:
    try:
        return HTTP_HEAD.parse(block)
    except EOFError:
        return StatusAndHeaders("", [])


def _joined(head: StatusAndHeaders) -> dict[str, str]:
    joined: dict[str, str] = {}
    for written, value in head.headers:
        name = written.lower()
        joined[name] = f"{joined[name]}, {value}" if name in joined else value
    return joined


def _skip(stream: LimitReader) -> None:
    while stream.read(CHUNK_BYTES):
        pass


def _next_start(file: BinaryIO, offset: int, size: int, *, packed: bool) -> int:
    """Where the next record begins, or the end of the file."""
    mark = MEMBER_START if packed else RECORD_START
    while offset < size:
        file.seek(offset)
        found = file.read(CHUNK_BYTES).find(mark)
        if found < 0:
            offset += CHUNK_BYTES - len(mark) + 1
        elif _starts_record(file, offset + found, packed=packed):
            return offset + found
        else:
            offset += found + 1
    return size


def _starts_record(file: BinaryIO, offset: int, *, packed: bool) -> bool:
    if not packed:
        file.seek(offset - 1)
        return file.read(1) == b"\n"
    file.seek(offset)
    try:
        return zlib.decompressobj(WITH_GZIP_HEADER).decompress(file.read(CHUNK_BYTES), 5) == RECORD_START
    except zlib.error:
        return False


class _Member(io.RawIOBase):
    """The content of the gzip member that begins where a file stands.

    Attributes:
        ended: the member was read to its end.
        end: offset in the file up to which it was read.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._unpacker = zlib.decompressobj(WITH_GZIP_HEADER)
        self.end = file.tell()

    @property
    def ended(self) -> bool:
        return self._unpacker.eof

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = b""
        while not data and not self._unpacker.eof:
            packed = self._unpacker.unconsumed_tail or self._file.read(CHUNK_BYTES)
            if not packed:
                break
            data = self._unpacker.decompress(packed, len(buffer))
            self.end = self._file.tell() - len(self._unpacker.unused_data) - len(self._unpacker.unconsumed_tail)
        buffer[: len(data)] = data
        return len(data)
