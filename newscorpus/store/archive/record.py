"""Read one record of a WARC file; its headers are parsed by warcio."""

import io
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import BinaryIO

import zstandard
from warcio.bufferedreaders import ChunkedDataReader
from warcio.limitreader import LimitReader
from warcio.statusandheaders import StatusAndHeaders, StatusAndHeadersParser, StatusAndHeadersParserException

from newscorpus.store.archive.values import ByteRange

CHUNK_BYTES = 2**16

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
RECORD_START = b"WARC/"

WARC_HEAD = StatusAndHeadersParser(["WARC/1.1", "WARC/1.0", "WARC/0.18", "WARC/0.17"])
HTTP_HEAD = StatusAndHeadersParser(["HTTP/"], verify=False)
STATUS = re.compile(r"[1-9][0-9][0-9]")


class BrokenRecordError(ValueError):
    """There is no whole record at this place."""


UNREADABLE = (BrokenRecordError, EOFError, zlib.error, zstandard.ZstdError, StatusAndHeadersParserException)
"""What reading a damaged record raises."""


def described(error: Exception) -> str:
    """Say in one line what is wrong with a record."""
    return " ".join(str(error).split()) or "cut short"


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


def parse_record(
    stream: io.BufferedIOBase | BinaryIO, place: ByteRange, max_bytes: int
) -> tuple[WarcRecord, LimitReader]:
    """Read the record that begins here; gives it, and what of it was not read."""
    headers = _joined(WARC_HEAD.parse(io.BytesIO(_head(stream))))
    kind, length = headers.get("warc-type", ""), headers.get("content-length", "")
    if not (length.isascii() and length.isdigit() and len(length) <= MAX_DIGITS):
        raise BrokenRecordError(f"Content-Length is {length[:99]!r}")
    block = LimitReader(stream, int(length))
    record = WarcRecord(place, kind, headers)
    return _with_content(record, block, max_bytes) if kind in READ else record, block


def read_whole(
    stream: io.BufferedIOBase, place: ByteRange, max_bytes: int, what: str = "frame"
) -> tuple[WarcRecord, int]:
    """Read the one record that is compressed by itself; gives it, and how much of it was left.

    More than `max_bytes` are left where it is not unpacked to its end: a megabyte may stand for a gigabyte.
    """
    record, left = parse_record(stream, place, max_bytes)
    if left.limit > max_bytes:
        return record, left.limit
    while left.read(CHUNK_BYTES):
        pass
    rest = stream.read(CHUNK_BYTES)
    if rest.strip(b"\r\n") or len(rest) == CHUNK_BYTES:
        raise BrokenRecordError(f"several records in one {what}; `warcio recompress` parts them")
    return record, left.limit


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
            raise BrokenRecordError("a record begins among the headers of another")
    if left <= 0:
        raise BrokenRecordError(f"more than {MAX_HEAD_BYTES} bytes of headers")
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


def size_of(file: BinaryIO) -> int:
    """Give the length of an open file, which may lie elsewhere; it then stands at its end."""
    return file.seek(0, io.SEEK_END)


def placed(record: WarcRecord, end: int, *, cut: bool) -> WarcRecord:
    """Give the record with its place up to `end`, and, where it is cut short there, the fault."""
    fault = record.fault or ("truncated" if cut and record.kind in READ else "")
    return replace(record, place=replace(record.place, length=end - record.place.offset), fault=fault)
