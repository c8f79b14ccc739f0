"""Write records to shards: files of bounded size in one of several formats. Equal records give equal bytes."""

import hashlib
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import count, groupby
from operator import itemgetter
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from newscorpus.config import ShardConfig, ShardFormat
from newscorpus.corpus.export.scores import NO_SCORES, Scores
from newscorpus.data import Record
from newscorpus.errors import CorpusError
from newscorpus.files import sync
from newscorpus.lines import read_lines, write_lines
from newscorpus.page.records import decode, encode

T = TypeVar("T")

MARKED_EVERY = 64
"""One record in so many may begin a file: after an insertion, file boundaries realign within some 200 kB
(content-defined chunking, as in LBFS; Muthitacharoen et al. 2001)."""

SUFFIXES = {
    ShardFormat.ZSTD: ".jsonl.zst",
    ShardFormat.GZIP: ".jsonl.gz",
    ShardFormat.PLAIN: ".jsonl",
    ShardFormat.PARQUET: ".parquet",
}


@dataclass(frozen=True, slots=True)
class Shard:
    """A file of records."""

    name: str
    rows: int
    bytes: int
    sha256: str  # in hex


def write_shards(
    folder: Path, records: Iterable[Record], config: ShardConfig, scores: Scores = NO_SCORES
) -> list[Shard]:
    """Write records to new files `00000.SUFFIX`, `00001.SUFFIX` ... in the folder, in order, and sync them.

    The end of a file depends only on the records near it: once half full, it ends before the next record that is marked
    by a hash of its id. So adding or removing a record changes one file, and hardly ever the next. Parquet files have
    the columns of `scores` as well.

    Raises:
        CorpusError: Parquet is asked for, and pyarrow is missing.
    """
    rows = ((record, encode(record)) for record in records)
    groups = bounded(rows, lambda row: len(row[1]), config.max_bytes, lambda row: is_marked(row[0]))
    return [_write_shard(folder / f"{number}{SUFFIXES[config.format]}", group, scores) for number, group in groups]


def is_marked(record: Record) -> bool:
    """Check whether a record may begin a file before the previous one is full."""
    return zlib.crc32(record.id.encode()) % MARKED_EVERY == 0


def read_shard(path: Path, *, exact: bool = False) -> Iterator[Record]:
    """Read the records of a shard.

    `exact` refuses lines that differ from the encoding of their record.

    Raises:
        CorpusError: the file is missing, damaged, holds something other than records, or needs pyarrow.
    """
    if path.suffix == ".parquet":
        yield from _parquet().read_parquet(path)
        return
    for number, line in enumerate(read_lines(path), 1):
        try:
            record = decode(line)
        except CorpusError as error:
            raise CorpusError(f"{path}, line {number}: {error}") from error
        if exact and encode(record) != line:
            raise CorpusError(f"{path}, line {number}: has other keys than a record, or has them in another order")
        yield record


def bounded(
    items: Iterable[T], size_of: Callable[[T], int], max_bytes: int, is_marked: Callable[[T], bool] = lambda _: False
) -> Iterator[tuple[str, Iterator[T]]]:
    """Group items by size; yields the number of each group as five digits, and its items, to be read once, in order.

    A group has at least one item and at most `max_bytes`. Once half full, it ends before the next marked item.
    """

    def numbered() -> Iterator[tuple[int, T]]:
        number = filled = 0
        for item in items:
            size = size_of(item)
            if filled and (filled + size > max_bytes or (2 * filled >= max_bytes and is_marked(item))):
                number, filled = number + 1, 0
            filled += size
            yield number, item

    for number, group in groupby(numbered(), key=itemgetter(0)):
        yield f"{number:05}", map(itemgetter(1), group)


def _write_shard(path: Path, rows: Iterable[tuple[Record, bytes]], scores: Scores) -> Shard:
    numbers = count()
    rows = (row for row, _ in zip(rows, numbers, strict=False))  # counts the rows
    with path.open("xb") as file:
        if path.suffix == ".parquet":
            _parquet().write_parquet(file, (record for record, _ in rows), scores)
        else:
            write_lines(file, (line for _, line in rows), path.suffix)
        sync(file)
    return Shard(path.name, next(numbers), path.stat().st_size, file_hash(path))


def file_hash(path: Path) -> str:
    """Hash a file by SHA-256, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _parquet() -> ModuleType:
    """Import the module for Parquet when needed: it takes a second, and an extra."""
    try:
        from newscorpus.corpus import parquet  # noqa: PLC0415
    except ImportError as error:
        raise CorpusError(f"Parquet needs pyarrow ({error}); pip install 'newscorpus[parquet]'") from error
    return parquet
