"""Parquet files with the typed columns of a record, compressed by zstd. Needs pyarrow."""

from pathlib import Path

from newscorpus.config import ShardConfig, ShardFormat
from newscorpus.corpus.export.source import Part, Source
from newscorpus.corpus.shards import Shard, write_shards


def write(source: Source, folder: Path) -> None:
    """Write each part as files `[PART/]00000.parquet` ..."""
    for part in source.parts:
        write_part(part, folder / part.name, source.config.max_bytes)


def write_part(part: Part, folder: Path, max_bytes: int) -> list[Shard]:
    """Write a part as files `00000.parquet` ... in a folder, which is made."""
    folder.mkdir(parents=True, exist_ok=True)
    return write_shards(folder, part.records(), ShardConfig(ShardFormat.PARQUET, max_bytes))
