"""A folder for Hugging Face `datasets` and its Hub: Parquet files, a card and a Croissant description."""

from pathlib import Path

from newscorpus.corpus.export.census import Census, SplitFiles
from newscorpus.corpus.export.croissant import CROISSANT, croissant
from newscorpus.corpus.export.hf_card import card
from newscorpus.corpus.export.parquet import write_part
from newscorpus.corpus.export.source import Part, Source
from newscorpus.layout import CARD

DATA = "data"
"""Folder of the files, in subfolders by split."""

ONLY_SPLIT = "train"
"""What `datasets` calls the documents of a data set that is not split."""


def write(source: Source, folder: Path) -> None:
    """Write the files, `README.md` and `croissant.json`; a split of no documents is left out of all of them."""
    census = Census()
    written = [_write_split(part, census, folder, source.config.max_bytes) for part in source.parts]
    splits = tuple(split for split in written if split.files)
    (folder / CARD).write_text(card(source, splits, census), encoding="utf-8", newline="\n")
    (folder / CROISSANT).write_bytes(croissant(source.about, splits, census))


def _write_split(part: Part, census: Census, folder: Path, max_bytes: int) -> SplitFiles:
    """Write the files of a split and count its documents."""
    name = part.name or ONLY_SPLIT
    counted = Part(name, lambda: census.count(part.records()))
    files = write_part(counted, folder / DATA / name, max_bytes)
    return SplitFiles(name, f"{DATA}/{name}", tuple(files), _expanded_bytes(folder / DATA / name))


def _expanded_bytes(folder: Path) -> int:
    """Size of the columns in all Parquet files of a folder before compression."""
    from pyarrow.parquet import read_metadata  # noqa: PLC0415 -- only this format needs it

    found = [read_metadata(path) for path in sorted(folder.glob("*.parquet"))]
    return sum(one.row_group(at).total_byte_size for one in found for at in range(one.num_row_groups))
