"""A published corpus, opened for reading: nothing altered, cut off or missing is ever handed on."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from newscorpus.corpus.errors import CorpusError
from newscorpus.corpus.manifest import MANIFEST, Manifest, read_manifest
from newscorpus.corpus.shards import Shard, file_hash, read_shard
from newscorpus.data import Record

PUBLISHED = "corpus"
"""Name of the published folder inside a corpus."""


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
        for record in read_shard(path, exact=exact):
            yield record
            rows += 1
        if rows != shard.rows:
            raise CorpusError(f"{path}: {rows} records instead of {shard.rows}")


def open_corpus(folder: Path) -> Published:
    """The corpus published in a folder: that of a crawl, or the one with the manifest itself.

    Raises:
        CorpusError: the manifest is missing, damaged or of another schema; a shard is missing or of another size.
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
