"""Write and read the manifest of a published corpus: what is in it, file by file, and how it was made."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from newscorpus.config import BuildConfig
from newscorpus.corpus.shards import Shard
from newscorpus.data import Record
from newscorpus.errors import CorpusError
from newscorpus.layout import MANIFEST
from newscorpus.lines import encode_indented
from newscorpus.page.records import check_schema

GENERATION_LENGTH = 12
"""Hex digits of a generation; it tells apart the builds of one folder."""


@dataclass(frozen=True, slots=True)
class Share:
    """What one portal has in one language."""

    source: str
    language: str
    documents: int
    words: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """What is in a corpus."""

    schema: int  # version of the layout of the records
    columns: Mapping[str, str]  # type of each column, as `records.column_types` names it
    generation: str  # hash of all shards, as `generation_of` makes it
    documents: int  # records in all shards
    words: int  # words in all texts
    bytes: int  # sizes of all shards
    shards: tuple[Shard, ...]  # the files, in order
    shares: tuple[Share, ...]  # documents and words by portal and language, sorted
    extractors: Mapping[str, int]  # documents by what extracted them
    versions: Mapping[str, str]  # of the packages that decide what is written
    parameters: BuildConfig  # configuration of the build


class RecordCounts:
    """Counts what a manifest says of its records."""

    def __init__(self) -> None:
        self.documents = 0
        self.words = 0
        self.extractors: Counter[str] = Counter()
        self._documents: Counter[tuple[str, str]] = Counter()
        self._words: Counter[tuple[str, str]] = Counter()

    def count(self, records: Iterable[Record]) -> Iterator[Record]:
        """Count records and pass them on."""
        for record in records:
            self.documents += 1
            self.words += record.n_words
            self.extractors[record.extractor] += 1
            self._documents[record.source, record.language] += 1
            self._words[record.source, record.language] += record.n_words
            yield record

    @property
    def shares(self) -> tuple[Share, ...]:
        """Records and words by portal and language, sorted."""
        return tuple(Share(*key, count, self._words[key]) for key, count in sorted(self._documents.items()))


def generation_of(shards: Iterable[Shard]) -> str:
    """Hash all shards, in hex."""
    return hashlib.sha256("".join(shard.sha256 for shard in shards).encode()).hexdigest()[:GENERATION_LENGTH]


def write_manifest(manifest: Manifest) -> bytes:
    """Encode the manifest as indented JSON."""
    return encode_indented(manifest)


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of the corpus published in a folder.

    Raises:
        CorpusError: it is missing, damaged, or of a later schema.
    """
    path = folder / MANIFEST
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        raise CorpusError(f"{folder}: no corpus is published here; build the corpus first") from error
    except OSError as error:
        raise CorpusError(f"{path}: {error.strerror}") from error
    return decode_manifest(content, path)


def decode_manifest(content: bytes, path: Path) -> Manifest:
    """Decode the manifest that was read from a path.

    Raises:
        CorpusError: it is damaged, or of a later schema.
    """
    try:
        manifest = msgspec.json.decode(content, type=Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CorpusError(f"{path}: {error}") from error
    check_schema(manifest.schema, f"{path}: ")
    if strangers := [shard.name for shard in manifest.shards if Path(shard.name).name != shard.name]:
        raise CorpusError(f"{path}: {strangers[0]!r} is no name of a file in this folder")
    return manifest
