"""Export Parquet files with the typed columns of a record: alone, or with a card.

The latter is a folder for Hugging Face `datasets` and its Hub. Needs pyarrow.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from newscorpus.config import ShardConfig, ShardFormat
from newscorpus.corpus.export.source import Census, ExportPart, ExportSource, SplitFiles
from newscorpus.corpus.manifest import cell, fill
from newscorpus.corpus.shards import Shard, write_shards
from newscorpus.layout import CARD

DATA = "data"
"""Folder of the files, in subfolders by split."""

ONLY_SPLIT = "train"
"""What `datasets` calls the documents of a data set that is not split."""

SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"),
         (10_000_000, "1M<n<10M"), (100_000_000, "10M<n<100M"), (1_000_000_000, "100M<n<1B"))  # fmt: skip
"""Upper bounds of documents and the names that the Hub has for them."""
LARGEST = "n>1B"

LONGEST_TABLE = 30
"""Rows of a table; what is left is summed up in one more."""


def write(source: ExportSource, folder: Path) -> None:
    """Write the files and `README.md`; a split of no documents is left out of both."""
    census = Census()
    written = [_write_split(part, census, folder, source.config.max_bytes) for part in source.parts]
    splits = tuple(split for split in written if split.files)
    (folder / CARD).write_text(_card(source, splits, census), encoding="utf-8", newline="\n")


def write_parquet(source: ExportSource, folder: Path) -> None:
    """Write each part as files `[PART/]00000.parquet` ..."""
    for part in source.parts:
        _write_part(part, folder / part.name, source.config.max_bytes)


def _write_part(part: ExportPart, folder: Path, max_bytes: int) -> list[Shard]:
    folder.mkdir(parents=True, exist_ok=True)
    return write_shards(folder, part.records(), ShardConfig(ShardFormat.PARQUET, max_bytes))


def _write_split(part: ExportPart, census: Census, folder: Path, max_bytes: int) -> SplitFiles:
    name = part.name or ONLY_SPLIT
    counted = ExportPart(name, lambda: census.count(part.records()))
    files = _write_part(counted, folder / DATA / name, max_bytes)
    from pyarrow.parquet import read_metadata  # noqa: PLC0415 -- an extra; where it is missing, the writer has said so

    found = [read_metadata(folder / DATA / name / file.name) for file in files]
    expanded = sum(one.row_group(at).total_byte_size for one in found for at in range(one.num_row_groups))
    return SplitFiles(name, f"{DATA}/{name}", tuple(files), expanded)


def _card(source: ExportSource, splits: Sequence[SplitFiles], census: Census) -> str:
    n_documents = census.counts.documents
    return fill(
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
        size=next((name for bound, name in SIZES if n_documents < bound), LARGEST),
    )


def _largest_first(counts: Counter[str]) -> list[tuple[str, int]]:
    """Sort names by count, the highest first; beyond the longest table's worth, sum up the others."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    others = ordered[LONGEST_TABLE:]
    rest = [(f"{len(others):,} others", sum(count for _, count in others))] if others else []
    return [*((cell(name) or "none", count) for name, count in ordered[:LONGEST_TABLE]), *rest]
