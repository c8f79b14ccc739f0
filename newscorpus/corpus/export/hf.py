"""Export Parquet files with the typed columns of a record, alone or as a data set for Hugging Face `datasets`.

The latter has a card for the Hub. Needs pyarrow.
"""

from collections.abc import Iterable
from pathlib import Path

from newscorpus.config import ShardConfig, ShardFormat
from newscorpus.corpus.export.card import ONLY_SPLIT, Census, SplitFiles, write_card
from newscorpus.corpus.export.scores import NO_SCORES, Scores
from newscorpus.corpus.export.source import ExportSource
from newscorpus.corpus.shards import Shard, write_shards
from newscorpus.data import Record

DATA = "data"
"""Folder of the files, in subfolders by split."""


def write(source: ExportSource, folder: Path) -> None:
    """Write the files and the card; a split without documents is omitted from both."""
    census, splits = Census(), []
    for part in source.parts:
        name = part.name or ONLY_SPLIT
        files = _write_shards(folder / DATA / name, census.count(part.records()), source.config.max_bytes)
        from pyarrow.parquet import read_metadata  # noqa: PLC0415 -- an extra; if it is missing, the writer says so

        found = [read_metadata(folder / DATA / name / file.name) for file in files]
        expanded = sum(one.row_group(at).total_byte_size for one in found for at in range(one.num_row_groups))
        rows, n_bytes = sum(file.rows for file in files), sum(file.bytes for file in files)
        splits.append(SplitFiles(name, f"{DATA}/{name}/*.parquet", len(files), rows, n_bytes, expanded))
    write_card(source, folder, census, splits)


def write_parquet(source: ExportSource, folder: Path) -> None:
    """Write each part as files `data/[PART/]00000.parquet` ..., with the columns of the scores, and nothing beside."""
    for part in source.parts:
        _write_shards(folder / DATA / part.name, part.records(), source.config.max_bytes, source.scores)


def _write_shards(folder: Path, records: Iterable[Record], max_bytes: int, scores: Scores = NO_SCORES) -> list[Shard]:
    folder.mkdir(parents=True, exist_ok=True)
    return write_shards(folder, records, ShardConfig(ShardFormat.PARQUET, max_bytes), scores)
