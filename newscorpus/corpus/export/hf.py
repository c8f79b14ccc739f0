"""Export Parquet files with the typed columns of a record, alone or as a data set for Hugging Face `datasets`.

The latter has a card for the Hub, which types the columns of its files. Needs pyarrow.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from newscorpus.config import ShardConfig, ShardFormat
from newscorpus.corpus.export.scores import NO_SCORES, Scores
from newscorpus.corpus.export.source import ExportSource, iso_day
from newscorpus.corpus.manifest import COLUMNS, RecordCounts, Share, cell, features_of, fill
from newscorpus.corpus.shards import Shard, write_shards
from newscorpus.data import Record
from newscorpus.layout import CARD

ONLY_SPLIT = "train"
"""Name that `datasets` gives to the documents of a data set without splits."""

SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"),
         (10_000_000, "1M<n<10M"), (100_000_000, "10M<n<100M"), (1_000_000_000, "100M<n<1B"))  # fmt: skip
"""Upper bounds of the number of documents, and the Hub's names for the sizes."""
LARGEST = "n>1B"

LONGEST_TABLE = 30
"""Rows of a table, without the one that sums up the others."""

DATA = "data"
"""Folder of the files, in subfolders by split."""


@dataclass(frozen=True, slots=True)
class SplitFiles:
    """The files of a split."""

    name: str  # of the split
    pattern: str  # of the names of the files, relative to the folder of the export
    files: int
    rows: int  # documents in all files
    bytes: int  # size of all files
    expanded_bytes: int  # size before compression


class Census:
    """Counts of documents for a card."""

    def __init__(self) -> None:
        self.counts = RecordCounts()
        self.licenses: Counter[str] = Counter()  # documents by declared licence
        self.first = self.last = ""  # days of publication of the oldest and the newest document
        self.paywalled = 0  # documents declared not free

    def count(self, records: Iterable[Record]) -> Iterator[Record]:
        """Count records and pass them on."""
        for record in self.counts.count(records):
            self.licenses[record.license] += 1
            day = iso_day(record.published)
            self.first = min(filter(None, (self.first, day)), default="")
            self.last = max(self.last, day)
            self.paywalled += record.paywalled
            yield record


def write_card(
    source: ExportSource, folder: Path, census: Census, splits: Sequence[SplitFiles], columns: Any = Record
) -> None:
    """Write `README.md`; a split without documents is omitted.

    `columns` is the dataclass whose fields are the columns of the files.
    """
    shares, tokenizer = census.counts.shares, ""
    if shares == tuple(replace(share, tokens=0) for share in source.manifest.shares):  # the counted texts, all of them
        shares, tokenizer = source.manifest.shares, source.manifest.tokenizer
    languages = defaultdict[str, list[Share]](list)
    for share in shares:
        languages[share.language].append(share)
    card = fill(
        "hf_card.md",
        source.manifest,
        about=source.about,
        splits=[split for split in splits if split.rows],
        census=census,
        counts=census.counts,
        shares=shares,
        tokenizer=tokenizer,
        languages=dict(sorted(languages.items())),
        licenses=_largest_first(census.licenses),
        extractors=_largest_first(census.counts.extractors),
        versions=", ".join(f"{name} {version}" for name, version in sorted(source.manifest.versions.items())),
        size=next((name for bound, name in SIZES if census.counts.documents < bound), LARGEST),
        columns=COLUMNS,
        features="\n".join(features_of(columns, "  ")),
    )
    (folder / CARD).write_text(card, encoding="utf-8", newline="\n")


def _largest_first(counts: Counter[str]) -> list[tuple[str, int]]:
    """Sort names by count, highest first; names beyond the longest table are summed up."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    others = ordered[LONGEST_TABLE:]
    rest = [(f"{len(others):,} others", sum(count for _, count in others))] if others else []
    return [*((cell(name) or "none", count) for name, count in ordered[:LONGEST_TABLE]), *rest]


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
