"""The published corpus: shards, card and manifest, replaced so that it is valid at every moment.

The names of shards carry a hash of all that is in the corpus, so new ones stand beside the old; then the card and the
manifest switch to them, each at one stroke; then the old ones go. The same records give the same bytes and names.
"""

import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from newscorpus.config import BuildConfig, ShardConfig, ShardFormat
from newscorpus.corpus.card import CARD, card
from newscorpus.corpus.columns import column_types
from newscorpus.corpus.files import replacing, sync_folder
from newscorpus.corpus.manifest import MANIFEST, Manifest, generation_of, write_manifest
from newscorpus.corpus.shards import SUFFIXES, Shard, write_shards
from newscorpus.corpus.tally import Tally
from newscorpus.data import SCHEMA, Record

STAGING = ".building"
VERSIONED = ("newscorpus", "datasketch", "langdetect", "lxml", "msgspec", "numpy", "onnxruntime", "zstandard")
WRITERS = {ShardFormat.PARQUET: ("pyarrow",)}
"""The packages that decide on what is written, in all formats and in one."""


def publish(folder: Path, records: Iterable[Record], config: BuildConfig) -> Manifest:
    """Put records, in the given order, in the place of the corpus published in `folder`; one caller at a time.

    Raises:
        OSError: the disk is full or the folder cannot be written; what was published before stands.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tally = Tally()
    generation, shards = _place_shards(folder, tally.count(records), config.shards)
    manifest = _manifest(generation, shards, tally, config)
    with replacing(folder / CARD) as file:
        file.write(card(manifest, _pattern(generation, config.shards)).encode())
    with replacing(folder / MANIFEST) as file:
        file.write(write_manifest(manifest))
    for path in set(folder.glob("shard-*")) - {folder / shard.name for shard in shards}:
        path.unlink()
    return manifest


def _place_shards(folder: Path, records: Iterable[Record], config: ShardConfig) -> tuple[str, list[Shard]]:
    """Write the shards and put them beside those of other generations; gives their generation too."""
    with _staging(folder) as staging:
        written = write_shards(staging, records, config)
        generation = generation_of(written)
        names = _pattern(generation, config)
        shards = [
            replace(shard, name=names.replace("*", f"{number:05}-of-{len(written):05}"))
            for number, shard in enumerate(written)
        ]
        for old, new in zip(written, shards, strict=True):
            (staging / old.name).replace(folder / new.name)
    sync_folder(folder)
    return generation, shards


def _pattern(generation: str, config: ShardConfig) -> str:
    """Matches the names of one generation's shards."""
    return f"shard-*-{generation}{SUFFIXES[config.format]}"


@contextmanager
def _staging(folder: Path) -> Iterator[Path]:
    """An empty folder inside `folder`; what a killed build left in it goes first."""
    staging = folder / STAGING
    shutil.rmtree(staging, ignore_errors=True)
    staging.mkdir()
    try:
        yield staging
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _manifest(generation: str, shards: list[Shard], tally: Tally, config: BuildConfig) -> Manifest:
    """The manifest of shards whose records were counted."""
    return Manifest(
        schema=SCHEMA,
        columns=column_types(),
        generation=generation,
        documents=tally.documents,
        words=tally.words,
        bytes=sum(shard.bytes for shard in shards),
        shards=tuple(shards),
        shares=tally.shares,
        extractors=dict(sorted(tally.extractors.items())),
        versions={name: version(name) for name in (*VERSIONED, *WRITERS.get(config.shards.format, ()))},
        parameters=config,
    )
