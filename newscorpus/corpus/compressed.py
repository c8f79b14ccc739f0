"""Files of lines, plain or compressed; equal lines make equal bytes."""

import gzip
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

import zstandard

from newscorpus.corpus.errors import CorpusError

ZSTD_LEVEL = 3
GZIP_LEVEL = 6
"""Both are the defaults of the command-line tools."""

FRAME_BYTES = 4_000_000
"""Least bytes of lines in a zstd frame: each can be decompressed by itself, and loses 0.3 % against a single one."""

MAX_WINDOW_BYTES = 2**27
"""Longest zstd window accepted: the sets are written with `--long=27`."""
CHUNK_BYTES = 2**17


def write_lines(file: IO[bytes], lines: Iterable[bytes], suffix: str) -> None:
    """Write lines, each with its newline, compressed as the suffix ".zst", ".gz" or any other (plain) says.

    A zstd file consists of frames of whole lines, each with a checksum.
    """
    if suffix == ".zst":
        compressor = zstandard.ZstdCompressor(ZSTD_LEVEL, write_checksum=True)
        file.writelines(map(compressor.compress, _frames(lines)))
    elif suffix == ".gz":
        with gzipped(file) as packed:
            packed.writelines(lines)
    else:
        file.writelines(lines)


def gzipped(file: IO[bytes]) -> gzip.GzipFile:
    """What compresses into an open file; it names no file and no time, so that equal contents make equal bytes."""
    return gzip.GzipFile("", "wb", GZIP_LEVEL, file, mtime=0)


def read_lines(path: Path) -> Iterator[bytes]:
    """The lines of a file, decompressed as its suffix says, each with its newline.

    Raises:
        CorpusError: the file is missing or damaged, or its last line is cut off.
    """
    line = b"\n"
    try:
        for line in unpacked_lines(path):
            yield line
    except OSError as error:
        raise CorpusError(f"{path}: {error.strerror or error}") from error
    except (EOFError, zlib.error, zstandard.ZstdError) as error:
        raise CorpusError(f"{path}: {error}") from error
    if not line.endswith(b"\n"):
        raise CorpusError(f"{path}: the last line is cut off")


def unpacked_lines(path: Path) -> Iterator[bytes]:
    """Likewise, the last line perhaps without a newline; a line ends at a line feed and nowhere else.

    Raises:
        OSError, EOFError, zlib.error, zstandard.ZstdError: the file cannot be read, is damaged or cut short.
    """
    if path.suffix == ".zst":
        yield from _split(_unpack_zstd(path))
        return
    with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
        yield from file


def _frames(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Lines joined until they make a frame."""
    frame, size = [], 0
    for line in lines:
        frame.append(line)
        size += len(line)
        if size >= FRAME_BYTES:
            yield b"".join(frame)
            frame, size = [], 0
    if frame:
        yield b"".join(frame)


def _unpack_zstd(path: Path) -> Iterator[bytes]:
    """The content of a file of zstd frames, in chunks. Zstandard's own stream reader passes over a missing end."""
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


def _split(chunks: Iterable[bytes]) -> Iterator[bytes]:
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield line + b"\n"
    if rest:
        yield rest
