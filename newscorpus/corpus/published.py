"""Publish a corpus, and open it for reading; altered, truncated or missing files are refused.

The published corpus is valid at every moment. A shard is named by a hash of its content: unchanged shards stay, new
ones are written beside the old; then the card and the manifest are replaced, each atomically; then the old shards are
removed, and nothing that no manifest or build of this folder named. Equal records give equal bytes and names.
"""

import errno
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path

from newscorpus.config import BuildConfig, ShardFormat
from newscorpus.corpus.contents import ContentCounts, Contents, read_contents, write_contents
from newscorpus.corpus.manifest import (
    Manifest,
    RecordCounts,
    card,
    decode_manifest,
    generation_of,
    read_manifest,
)
from newscorpus.corpus.shards import SUFFIXES, Shard, file_hash, read_shard, write_shards
from newscorpus.data import SCHEMA, Record
from newscorpus.errors import CorpusError
from newscorpus.files import replace_file, replacing, sync_folder
from newscorpus.layout import CARD, COPIES, MANIFEST, OWN, PUBLISHED, STAGING, UNFINISHED, check_corpus
from newscorpus.lines import encode_indented
from newscorpus.page.records import column_types
from newscorpus.urls import is_remote

VERSIONED = (
    "newscorpus",
    "datasketch",
    "langdetect",
    "lxml",
    "msgspec",
    "numpy",
    "onnxruntime",
    "py3langid",
    "zstandard",
)
"""The packages that determine the output; for Parquet, pyarrow too."""


Watch = Callable[[Iterable[Record]], Iterable[Record]]
"""Pass records on, and show progress."""

HASH_LENGTH = 12
"""Hex digits of a shard's name: among a million different shards two collide with a probability of 2 in 1,000, and a
folder has far fewer."""


@dataclass(frozen=True, slots=True)
class Published:
    """A corpus whose files all exist, with the sizes in its manifest."""

    folder: Path  # of the manifest and the shards
    manifest: Manifest

    def records(self) -> Iterator[Record]:
        """Read all records, in order.

        Raises:
            CorpusError: a shard differs from the manifest.
        """
        for shard in self.manifest.shards:
            yield from self.shard_records(shard)

    def shard_records(self, shard: Shard, *, exact: bool = False) -> Iterator[Record]:
        """Read the records of one shard; its hash is verified before the first is returned.

        `exact` refuses lines with other keys than a record's, like `shards.read_shard`.

        Raises:
            CorpusError: it differs from the manifest; the message names the file.
        """
        path, rows = self.folder / shard.name, 0
        _check(path, shard, by_hash=True)
        for record in read_shard(path, exact=exact):
            yield record
            rows += 1
        if rows != shard.rows:
            raise CorpusError(f"{path}: {rows} records instead of {shard.rows}")


def open_corpus(folder: Path) -> Published:
    """Open the corpus published in a folder: that of a crawl, or the one that holds the manifest.

    Raises:
        CorpusError: there is no corpus; the manifest is missing, damaged or of another schema; a shard is missing or
            has another size.
    """
    folder = published_folder(check_corpus(folder))
    manifest = read_manifest(folder)
    for shard in manifest.shards:
        _check(folder / shard.name, shard)
    return Published(folder, manifest)


def published_folder(folder: Path) -> Path:
    """Find the folder of a corpus's manifest: a subfolder of a crawl's folder, else the folder itself."""
    inside = folder / PUBLISHED
    return inside if inside.is_dir() and not (folder / MANIFEST).exists() else folder


def is_published(folder: Path) -> bool:
    """Tell whether a corpus is published in a folder: that of a crawl, or the one that holds the manifest."""
    return (published_folder(folder) / MANIFEST).is_file()


def corpus_of(folder: Path) -> Path:
    """Find the folder of the crawl that a published folder belongs to, else the folder itself."""
    return folder.parent if folder.name == PUBLISHED else folder


def note_copy(corpus: Path, place: Path | str) -> None:
    """Note a folder or address that documents of a corpus are copied to, so that a removal can name it."""
    copy, path = str(place.resolve()) if isinstance(place, Path) else place, corpus_of(corpus) / COPIES
    if copy not in _noted(path):
        try:
            with path.open("a", encoding="utf-8") as file:
                file.write(f"{copy}\n")
        except OSError as error:
            if error.errno not in {errno.EACCES, errno.EROFS}:  # documents of a read-only corpus cannot be removed
                raise


def copies_of(corpus: Path) -> tuple[str, ...]:
    """Return the folders and addresses that documents of a corpus were copied to, without folders that are gone."""
    return tuple(one for one in _noted(corpus_of(corpus) / COPIES) if is_remote(one) or Path(one).exists())


def _noted(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines() if path.is_file() else []


def _check(path: Path, shard: Shard, *, by_hash: bool = False) -> None:
    """Refuse a file that is missing or differs from its shard in size or, with `by_hash`, in its hash."""
    try:
        size = path.stat().st_size
        altered = by_hash and size == shard.bytes and file_hash(path) != shard.sha256
    except OSError as error:
        raise CorpusError(f"{path}: {error.strerror or error}") from error
    if size != shard.bytes:
        raise CorpusError(f"{path}: {size} bytes instead of {shard.bytes}")
    if altered:
        raise CorpusError(f"{path}: its content was altered, the hash (SHA-256) is another")


def publish(folder: Path, records: Iterable[Record], config: BuildConfig) -> Manifest:
    """Replace the corpus published in `folder` by records; as `publish_ranges` for a single range."""
    return publish_ranges(folder, [records], config)


def publish_ranges(folder: Path, ranges: Iterable[Iterable[Record]], config: BuildConfig) -> Manifest:
    """Replace the corpus published in `folder` by records, in the given order; one caller at a time.

    Each range begins a shard.

    Raises:
        OSError: the disk is full or the folder cannot be written; the published corpus is unchanged.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _sweep(folder)
    counts, contents, shards, files = RecordCounts(), ContentCounts(), list[Shard](), list[Path]()
    staging = folder / STAGING
    shutil.rmtree(staging, ignore_errors=True)  # of a killed build
    try:
        for number, records in enumerate(ranges):
            place = staging / f"{number}"
            place.mkdir(parents=True)
            written = write_shards(place, contents.count(counts.count(records)), config.shards)
            suffix = SUFFIXES[config.shards.format]
            shards += (replace(one, name=f"shard-{one.sha256[:HASH_LENGTH]}{suffix}") for one in written)
            files += (place / one.name for one in written)
        write_contents(folder, generation_of(shards), contents.contents())
        return _replace(folder, shards, files, counts, config)
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def publish_joined(folder: Path, parts: Sequence[Path], config: BuildConfig) -> Manifest:
    """Replace the corpus published in `folder` by those in other folders, in order; their shards are moved.

    Another call completes a killed one.

    Raises:
        CorpusError: a part is missing or damaged.
        OSError: as for `publish`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    counts, counted, shards, files = RecordCounts(), list[Contents | None](), list[Shard](), list[Path]()
    for part in parts:
        manifest = read_manifest(part)
        counts.add(manifest)
        counted.append(read_contents(part, manifest.generation))
        shards += manifest.shards
        files += (part / shard.name for shard in manifest.shards)
    if all(counted):  # else a part is of an older version
        contents = ContentCounts()
        for one in filter(None, counted):
            contents.add(one)
        write_contents(folder, generation_of(shards), contents.contents())
    return _replace(folder, shards, files, counts, config)


def _replace(
    folder: Path, shards: Sequence[Shard], files: Sequence[Path], counts: RecordCounts, config: BuildConfig
) -> Manifest:
    """Move files to the published folder as its shards, unless they are there, and replace card and manifest."""
    packages = (*VERSIONED, "pyarrow") if config.shards.format is ShardFormat.PARQUET else VERSIONED
    manifest = Manifest(
        schema=SCHEMA,
        columns=column_types(),
        generation=generation_of(shards),
        documents=counts.documents,
        words=counts.words,
        bytes=sum(shard.bytes for shard in shards),
        shards=tuple(shards),
        shares=counts.shares,
        extractors=dict(sorted(counts.extractors.items())),
        versions={name: version(name) for name in packages},
        parameters=config,
    )
    # Note which shards are added or removed, so that a build that dies leaves none behind.
    names = _named(folder) | {shard.name for shard in shards}
    with replacing(folder / UNFINISHED) as file:
        file.writelines(f"{name}\n".encode() for name in sorted(names))
    for source, shard in zip(files, shards, strict=True):
        path = folder / shard.name
        if not (path.is_file() and path.stat().st_size == shard.bytes and file_hash(path) == shard.sha256):
            source.replace(path)
    sync_folder(folder)
    replace_file(folder / CARD, card(manifest).encode())
    replace_file(folder / MANIFEST, encode_indented(manifest))
    _sweep(folder)
    return manifest


def _named(folder: Path) -> set[str]:
    """Return the names of the shards in the manifest; none if it is missing or damaged.

    A read error is raised, because the shards of an unreadable manifest must not be removed.
    """
    try:
        content = (folder / MANIFEST).read_bytes()
    except FileNotFoundError:
        return set()
    try:
        return {shard.name for shard in decode_manifest(content, folder / MANIFEST).shards}
    except CorpusError:
        return set()


def _sweep(folder: Path) -> None:
    """Remove noted shards that are not in the manifest, and nothing else."""
    path = folder / UNFINISHED
    noted = set(filter(OWN[PUBLISHED].fullmatch, path.read_text("utf-8").splitlines())) if path.exists() else set()
    for name in noted - _named(folder):
        (folder / name).unlink(missing_ok=True)
    path.unlink(missing_ok=True)
