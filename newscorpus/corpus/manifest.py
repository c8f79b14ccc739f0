"""Write and read the manifest of a published corpus, and write its card, `README.md`.

The manifest lists the files of the corpus and how it was built. Hugging Face `datasets` takes the files and the schema
from the card; the schema is explicit because a loader that infers types fails when all lists of the first shard are
empty.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from newscorpus.config import BuildConfig
from newscorpus.corpus.shards import Shard
from newscorpus.data import Record
from newscorpus.errors import CorpusError
from newscorpus.layout import MANIFEST
from newscorpus.page.records import TYPE_NAMES, check_schema, item_type, keys_of
from newscorpus.tokens import collapse, printable

GENERATION_LENGTH = 12
"""Hex digits of a generation, which identifies a build among those of one folder."""

FILES_KEY = "data_files:"
"""Key of the shards' names in the card."""

COLUMNS = {
    "id": "stable for a document across runs: hash of its canonical URL",
    "revision": "hash of the text",
    "supersedes": 'the revision this one replaced, or ""',
    "url": "address of the document",
    "source": "name of the portal",
    "site_name": "name of the site, as it calls itself",
    "title": "headline",
    "lead": "the paragraph that sums up the article; part of `text` too",
    "text": "main text, one paragraph a line, headline excluded",
    "authors": "names of the authors",
    "agencies": "news agencies the text is taken from",
    "published": "date of publication, ISO 8601",
    "modified": "date of the last change, ISO 8601",
    "section": "section of the site",
    "tags": "keywords the site gives",
    "language": "BCP 47 primary tag",
    "language_score": "certainty of the language detector, 0..1",
    "description": "summary from the page's metadata",
    "images": "address, alternative text and caption of each image of the article, the lead image first",
    "license": "licence the page declares",
    "paywalled": "the page says that its text is not free",
    "rights": "what the site says of machine use, as it says it",
    "provenance": "where each value came from",
    "capture": "the web archive that the page was taken from, and when it was captured there; empty if we fetched it",
    "extractor": "what decided on the text",
    "confidence": "probability that the text is right, 0..1",
    "n_words": "words of the text",
    "flags": "remarks",
    "fetched": "time of the fetch, ISO 8601",
    "cluster": 'id of the group of duplicates the document stands for, or ""',
    "cluster_size": "documents in that group, this one included",
    "schema": "version of this layout",
}
"""Descriptions of the columns, one for each field of `Record`."""


@dataclass(frozen=True, slots=True)
class Share:
    """Counts of one portal in one language."""

    source: str
    language: str
    documents: int
    words: int
    tokens: int = 0  # of the manifest's tokenizer


@dataclass(frozen=True, slots=True)
class Manifest:
    """Content and provenance of a corpus."""

    schema: int  # version of the record layout
    columns: Mapping[str, str]  # type of each column, from `records.column_types`
    generation: str  # hash of all shards, from `generation_of`
    documents: int  # records in all shards
    words: int  # in all texts
    bytes: int  # of all shards
    shards: tuple[Shard, ...]  # in order
    shares: tuple[Share, ...]  # by portal and language, sorted
    extractors: Mapping[str, int]  # documents by extractor
    versions: Mapping[str, str]  # of the packages that determine the output
    parameters: BuildConfig  # of the build
    tokenizer: str = ""  # file and hash of the tokenizer whose tokens `newscorpus stats` counted


class RecordCounts:
    """Count the records of a manifest."""

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

    def add(self, manifest: Manifest) -> None:
        """Add the counts of a corpus."""
        self.documents += manifest.documents
        self.words += manifest.words
        self.extractors.update(manifest.extractors)
        for share in manifest.shares:
            self._documents[share.source, share.language] += share.documents
            self._words[share.source, share.language] += share.words

    @property
    def shares(self) -> tuple[Share, ...]:
        """Records and words by portal and language, sorted."""
        return tuple(Share(*key, count, self._words[key]) for key, count in sorted(self._documents.items()))


def generation_of(shards: Iterable[Shard]) -> str:
    """Return a hash of all shards, in hex."""
    return hashlib.sha256("".join(shard.sha256 for shard in shards).encode()).hexdigest()[:GENERATION_LENGTH]


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of the corpus published in a folder.

    Raises:
        CorpusError: it is missing, damaged, or of another schema.
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
    """Decode a manifest; `path` is for error messages.

    Raises:
        CorpusError: it is damaged, or of another schema.
    """
    try:
        manifest = msgspec.json.decode(content, type=Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CorpusError(f"{path}: {error}") from error
    check_schema(manifest.schema, f"{path}: ")
    if strangers := [shard.name for shard in manifest.shards if Path(shard.name).name != shard.name]:
        raise CorpusError(f"{path}: {strangers[0]!r} is no name of a file in this folder")
    return manifest


def cell(text: str) -> str:
    """Escape untrusted text for a Markdown table."""
    plain = printable(collapse(text)).replace("&", "&amp;").replace("<", "&lt;")
    return "".join(f"\\{character}" if character in "\\`*_[]|" else character for character in plain)


def card(manifest: Manifest) -> str:
    """Write the card as Markdown with YAML front matter."""
    languages = sorted({share.language for share in manifest.shares if share.language})
    files, features = [shard.name for shard in manifest.shards], "\n".join(features_of(Record, "  "))
    return fill("card.md", manifest, languages=languages, files=files, columns=COLUMNS, features=features)


def fill(template: str, manifest: Manifest, **values: Any) -> str:
    """Render a template with values, the manifest and its parameters."""
    # It takes 0.07 s to import, and every verb that opens a corpus imports this module
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415

    templates = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=False,  # noqa: S701 -- Markdown and plain text
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    templates.filters |= {
        "json": json.dumps,  # YAML strings are quoted like JSON, or Norwegian (`no`) would be read as false
        "commas": "{:,}".format,
        "percent": "{:.0%}".format,
        "cell": cell,
    }
    return templates.get_template(template).render(
        values,
        manifest=manifest,
        duplicates=manifest.parameters.duplicates,
        signature=manifest.parameters.signature,
    )


def features_of(of: type[Any], indent: str) -> Iterator[str]:
    """Yield the fields of a dataclass as features of `datasets`: values, structs, and lists of either."""
    for name, kind in keys_of(of).items():
        yield f"{indent}- name: {name}"
        item, repeated = item_type(kind)
        word = "list" if repeated else "dtype" if item in TYPE_NAMES else "struct"
        if item in TYPE_NAMES:
            yield f"{indent}  {word}: {TYPE_NAMES[item]}"
        else:
            yield f"{indent}  {word}:"
            yield from features_of(item, indent + "  ")
