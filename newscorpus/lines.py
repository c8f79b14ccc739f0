"""Read and write files of lines, plain or compressed; equal lines give equal bytes.

If a process dies while it appends, the last line of a file is torn; readers skip it.
"""

import codecs
import csv
import dataclasses
import gzip
import io
import os
import re
import zlib
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import IO, Any, TypeVar

import msgspec
import zstandard

from newscorpus.errors import CorpusError
from newscorpus.files import sync

T = TypeVar("T")

UNWRITABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
"""Control characters and lone surrogates: pages contain them; UTF-8, XML and many readers do not allow them."""


def writable(value: T) -> T:
    """Remove `UNWRITABLE` characters from a text, or from all texts in a tuple or dataclass."""
    cleaned: Any = value
    if isinstance(value, str):
        cleaned = UNWRITABLE.sub("", value)
    elif isinstance(value, tuple):
        cleaned = tuple(map(writable, value))
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = ((name, getattr(value, name)) for name in value.__dataclass_fields__)  # faster than `fields`
        changed = {name: clean for name, text in fields if (clean := writable(text)) != text}
        cleaned = dataclasses.replace(value, **changed) if changed else value
    return cleaned  # type: ignore[no-any-return]


def encode_line(value: object) -> bytes:
    """Encode a value as one line of JSON, with its newline."""
    return msgspec.json.encode(value) + b"\n"


def encode_indented(value: object) -> bytes:
    """Encode a value as indented JSON, for files that people read."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"


def csv_lines(rows: Iterable[Iterable[object]]) -> Iterator[bytes]:
    """Encode rows as lines of CSV, each with its newline."""
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    for row in rows:
        writer.writerow(row)
        yield table.getvalue().encode()
        table.seek(0)
        table.truncate()


def complete_lines(path: Path, offset: int = 0) -> Iterator[tuple[int, bytes]]:
    """Read the complete lines of a file from `offset` on, without newlines, each with its offset in bytes.

    Lines of spaces are skipped: they replace removed documents.
    """
    with path.open("rb") as file:
        file.seek(offset)
        for line in file:
            if line.endswith(b"\n") and not line[:-1].isspace():
                yield offset, line[:-1]
            offset += len(line)


def decoded_lines(path: Path, decoder: msgspec.json.Decoder[T]) -> Iterator[T]:
    """Decode the complete lines of a file.

    Raises:
        CorpusError: a line is damaged; the message names file and line.
    """
    for number, (_, line) in enumerate(complete_lines(path), 1):
        try:
            yield decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise CorpusError(f"{path}, line {number}: {error}") from error


def blank(path: Path, offset: int, length: int) -> None:
    """Overwrite a line with spaces, so that all others keep their offsets."""
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(b" " * length)
        sync(file)


def is_torn(path: Path) -> bool:
    """Check whether the last line lacks its newline, because the writer died."""
    with path.open("rb") as file:
        if file.seek(0, os.SEEK_END) == 0:
            return False
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"


BYTE_ORDER_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""Beginnings of files that editors of Windows write; JSON has none."""

ZSTD_LEVEL = 3
GZIP_LEVEL = 6
"""Both are the defaults of the command-line tools."""

FRAME_BYTES = 4_000_000
"""Minimum bytes of lines in a zstd frame. Frames can be decompressed one by one, and cost 0.3 % over a single one."""

MAX_WINDOW_BYTES = 2**27
"""Maximum zstd window: the page sets are written with `--long=27`."""
CHUNK_BYTES = 2**17


def write_lines(file: IO[bytes], lines: Iterable[bytes], suffix: str) -> None:
    """Write lines, each with its newline, compressed according to the suffix ".zst" or ".gz"; any other is plain.

    A zstd file consists of frames of whole lines, each with a checksum.
    """
    if suffix == ".zst":
        compressor = zstandard.ZstdCompressor(ZSTD_LEVEL, write_checksum=True)
        frame, size = [], 0
        for line in lines:
            frame.append(line)
            size += len(line)
            if size >= FRAME_BYTES:
                file.write(compressor.compress(b"".join(frame)))
                frame, size = [], 0
        if frame:
            file.write(compressor.compress(b"".join(frame)))
    elif suffix == ".gz":
        with gzipped(file) as packed:
            packed.writelines(lines)
    else:
        file.writelines(lines)


def gzipped(file: IO[bytes]) -> gzip.GzipFile:
    """Compress into an open file, without name and time, so that equal contents give equal bytes."""
    return gzip.GzipFile("", "wb", GZIP_LEVEL, file, mtime=0)


def read_lines(path: Path) -> Iterator[bytes]:
    """Read the lines of a file, decompressed according to its suffix, each with its newline.

    Raises:
        CorpusError: the file is missing or damaged, or its last line is torn.
    """
    line = b"\n"
    try:
        for line in unpacked_lines(path):
            yield line
    except (OSError, EOFError, zlib.error, zstandard.ZstdError) as error:
        raise CorpusError(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    if not line.endswith(b"\n"):
        raise CorpusError(f"{path}: the last line is cut off")


def unpacked_lines(path: Path) -> Iterator[bytes]:
    """Read the lines of a file as `read_lines`, the last perhaps without a newline; only a line feed ends a line.

    Raises:
        OSError, EOFError, zlib.error, zstandard.ZstdError: the file cannot be read, is damaged or cut short.
        CorpusError: it is in another encoding than UTF-8.
    """
    if path.suffix != ".zst":
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
            first = file.readline()
            if first.startswith(BYTE_ORDER_MARKS):
                raise CorpusError(f"{path}: not plain UTF-8; save it in this encoding, without a byte order mark")
            yield from chain((first,) if first else (), file)
        return
    rest = b""
    for chunk in _unpack_zstd(path):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield line + b"\n"
    if rest:
        yield rest


def _unpack_zstd(path: Path) -> Iterator[bytes]:
    """Unpack zstd frames in chunks; Zstandard's own stream reader does not notice a missing end."""
    unpacker = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW_BYTES)
    frame = None
    with path.open("rb") as file:
        while packed := file.read(CHUNK_BYTES):
            while packed:
                frame = frame or unpacker.decompressobj()
                yield frame.decompress(packed)
                packed = frame.unused_data
                frame = None if frame.eof else frame
    if frame:
        raise EOFError("the file ends inside a zstd frame")
