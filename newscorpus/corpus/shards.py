"""Shards: files of records, JSON lines, compressed, bounded in size; equal records make equal bytes."""

import gzip
import hashlib
import io
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import IO

import zstandard

from newscorpus.config import Compression, ShardConfig
from newscorpus.corpus.errors import CorpusError
from newscorpus.corpus.files import sync
from newscorpus.corpus.records import decode, encode
from newscorpus.data import Record

ZSTD_LEVEL = 3
GZIP_LEVEL = 6
"""Both are the defaults of the command-line tools."""

SUFFIXES = {Compression.ZSTD: ".zst", Compression.GZIP: ".gz", Compression.NONE: ""}


@dataclass(frozen=True, slots=True)
class Shard:
    """A file of records.

    Attributes:
        name: of the file.
        rows: records in it.
        bytes: size of the file.
        sha256: of the file, in hex.
    """

    name: str
    rows: int
    bytes: int
    sha256: str


def write_shards(folder: Path, records: Iterable[Record], config: ShardConfig) -> list[Shard]:
    """Write records to new files `00000`, `00001` ... in the folder, in order, and bring them to the disk."""
    numbered = _number(map(encode, records), config.max_bytes)
    return [
        _write_shard(folder / f"{number:05}", (line for _, line in group), config.compression)
        for number, group in groupby(numbered, key=itemgetter(0))
    ]


def read_shard(path: Path) -> Iterator[Record]:
    """The records of a shard.

    Raises:
        CorpusError: the file is missing or damaged.
    """
    try:
        with path.open("rb") as file:
            yield from map(decode, _expanded(file, path.suffix))
    except (OSError, EOFError, zlib.error, zstandard.ZstdError, CorpusError) as error:
        raise CorpusError(f"{path}: {error}") from error


def _number(lines: Iterable[bytes], max_bytes: int) -> Iterator[tuple[int, bytes]]:
    """Each line with the number of its shard."""
    number = size = 0
    for line in lines:
        if size and size + len(line) > max_bytes:
            number, size = number + 1, 0
        size += len(line)
        yield number, line


def _write_shard(path: Path, lines: Iterable[bytes], compression: Compression) -> Shard:
    """Write one file and read it back for its hash."""
    rows = 0
    with path.open("xb") as file:
        with _compressed(file, compression) as write:
            for line in lines:
                write(line)
                rows += 1
        sync(file)
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    return Shard(path.name, rows, path.stat().st_size, sha256)


@contextmanager
def _compressed(file: IO[bytes], compression: Compression) -> Iterator[Callable[[bytes], object]]:
    """Writes into the file; no name and no time go in."""
    if compression is Compression.ZSTD:
        with zstandard.ZstdCompressor(ZSTD_LEVEL, write_checksum=True).stream_writer(file, closefd=False) as out:
            yield out.write
    elif compression is Compression.GZIP:
        with gzip.GzipFile("", "wb", GZIP_LEVEL, file, mtime=0) as packed:
            yield packed.write
    else:
        yield file.write


def _expanded(file: IO[bytes], suffix: str) -> Iterable[bytes]:
    """The lines of a file, decompressed as its suffix says."""
    if suffix == ".zst":
        return io.BufferedReader(zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True))
    return gzip.GzipFile(fileobj=file) if suffix == ".gz" else file
