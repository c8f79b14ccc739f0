"""A published corpus, opened for reading: nothing altered, cut off or missing is ever handed on.

The published corpus: shards, card and manifest, replaced so that it is valid at every moment.

The names of shards carry a hash of all that is in the corpus, so new ones stand beside the old; then the card and the
manifest switch to them, each at one stroke; then the old ones go. The same records give the same bytes and names.
"""

import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path

from newscorpus.config import BuildConfig, ShardConfig, ShardFormat
from newscorpus.corpus.card import card
from newscorpus.corpus.manifest import Manifest, Tally, generation_of, read_manifest, write_manifest
from newscorpus.corpus.records import column_types
from newscorpus.corpus.shards import SUFFIXES, Shard, file_hash, read_shard, write_shards
from newscorpus.data import SCHEMA, Record
from newscorpus.errors import CorpusError
from newscorpus.files import replacing, sync_folder
from newscorpus.layout import CARD, MANIFEST, PUBLISHED


@dataclass(frozen=True, slots=True)
class Published:
    """A corpus whose files are all there, of the sizes that its manifest says.

    Attributes:
        folder: where the manifest and the shards lie.
        manifest: what is in it, and how it was made.
    """

    folder: Path
    manifest: Manifest

    def records(self) -> Iterator[Record]:
        """All records, in order; read shard by shard, as `shard_records` does.

        Raises:
            CorpusError: a shard is not what the manifest says.
        """
        for shard in self.manifest.shards:
            yield from self.shard_records(shard)

    def shard_records(self, shard: Shard, *, exact: bool = False) -> Iterator[Record]:
        """The records of one shard; its hash is checked before the first of them is given.

        Args:
            shard: one of the manifest's.
            exact: refuse lines that hold more or less than a record, as `shards.read_shard` does.

        Raises:
            CorpusError: it is not what the manifest says; the message names the file.
        """
        path = self.folder / shard.name
        if found := altered(path, shard):
            raise CorpusError(f"{path}: {found}")
        rows = 0
        for record in read_shard(path, exact_schema=self.manifest.schema if exact else None):
            yield record
            rows += 1
        if rows != shard.rows:
            raise CorpusError(f"{path}: {rows} records instead of {shard.rows}")


def open_corpus(folder: Path) -> Published:
    """The corpus published in a folder: that of a crawl, or the one with the manifest itself.

    Raises:
        CorpusError: the manifest is missing, damaged or of a later schema; a shard is missing or of another size.
    """
    folder = published_folder(folder)
    manifest = read_manifest(folder)
    for shard in manifest.shards:
        if found := misplaced(folder / shard.name, shard):
            raise CorpusError(f"{folder / shard.name}: {found}")
    return Published(folder, manifest)


def published_folder(folder: Path) -> Path:
    """Where the manifest of a corpus lies: in the folder of a crawl one step down, else here."""
    inside = folder / PUBLISHED
    return inside if inside.is_dir() and not (folder / MANIFEST).exists() else folder


def misplaced(path: Path, shard: Shard) -> str:
    """What a look into the folder shows to be wrong with a shard, or ""."""
    try:
        size = path.stat().st_size
    except OSError as error:
        return error.strerror or str(error)
    return "" if size == shard.bytes else f"{size} bytes instead of {shard.bytes}"


def altered(path: Path, shard: Shard) -> str:
    """What reading a shard's bytes shows to be wrong with it, or ""."""
    if found := misplaced(path, shard):
        return found
    try:
        same = file_hash(path) == shard.sha256
    except OSError as error:
        return error.strerror or str(error)
    return "" if same else "its content was altered, the hash (SHA-256) is another"


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
