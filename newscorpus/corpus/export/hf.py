"""Export Parquet files with the typed columns of a record, alone or as a data set for Hugging Face `datasets`.

The latter has a card for the Hub. Needs pyarrow.
"""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from newscorpus.config import ShardConfig, ShardFormat
from newscorpus.corpus.export.scores import Scores
from newscorpus.corpus.export.source import Census, ExportSource, SplitFiles
from newscorpus.corpus.manifest import cell, fill
from newscorpus.corpus.shards import Shard, write_shards
from newscorpus.data import Record
from newscorpus.layout import CARD

DATA = "data"
"""Folder of the files, in subfolders by split."""

ONLY_SPLIT = "train"
"""Name that `datasets` gives to the documents of a data set without splits."""

SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"),
         (10_000_000, "1M<n<10M"), (100_000_000, "10M<n<100M"), (1_000_000_000, "100M<n<1B"))  # fmt: skip
"""Upper bounds of the number of documents, and the Hub's names for the sizes."""
LARGEST = "n>1B"

LONGEST_TABLE = 30
"""Rows of a table, without the one that sums up the others."""


def write(source: ExportSource, folder: Path) -> None:
    """Write the files and `README.md`; a split without documents is omitted from both."""
    census, splits = Census(), []
    for part in source.parts:
        name = part.name or ONLY_SPLIT
        files = _write_shards(folder / DATA / name, census.count(part.records()), source.config.max_bytes)
        from pyarrow.parquet import read_metadata  # noqa: PLC0415 -- an extra; if it is missing, the writer says so

        found = [read_metadata(folder / DATA / name / file.name) for file in files]
        expanded = sum(one.row_group(at).total_byte_size for one in found for at in range(one.num_row_groups))
        if files:
            splits.append(SplitFiles(name, f"{DATA}/{name}", tuple(files), expanded))
    card = fill(
        "hf_card.md",
        source.manifest,
        about=source.about,
        splits=splits,
        census=census,
        counts=census.counts,
        languages=census.languages,
        licenses=_largest_first(census.licenses),
        extractors=_largest_first(census.counts.extractors),
        versions=", ".join(f"{name} {version}" for name, version in sorted(source.manifest.versions.items())),
        size=next((name for bound, name in SIZES if census.counts.documents < bound), LARGEST),
    )
    (folder / CARD).write_text(card, encoding="utf-8", newline="\n")


def write_parquet(source: ExportSource, folder: Path) -> None:
    """Write each part as files `data/[PART/]00000.parquet` ..., with the columns of the scores, and nothing beside."""
    for part in source.parts:
        _write_shards(folder / DATA / part.name, part.records(), source.config.max_bytes, source.scores)


def _write_shards(folder: Path, records: Iterable[Record], max_bytes: int, scores: Scores | None = None) -> list[Shard]:
    folder.mkdir(parents=True, exist_ok=True)
    return write_shards(folder, records, ShardConfig(ShardFormat.PARQUET, max_bytes), scores)


def _largest_first(counts: Counter[str]) -> list[tuple[str, int]]:
    """Sort names by count, highest first; names beyond the longest table are summed up."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    others = ordered[LONGEST_TABLE:]
    rest = [(f"{len(others):,} others", sum(count for _, count in others))] if others else []
    return [*((cell(name) or "none", count) for name, count in ordered[:LONGEST_TABLE]), *rest]
