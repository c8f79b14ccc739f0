"""What `dedup` reads: published corpora and files of JSON lines, file by file, and what it keeps of a line.

Beside its sketch that is the line itself, compressed, so that the few texts that must be compared can be read at once,
whatever form they came in.
"""

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import msgspec
import zstandard

from newscorpus.config import BuildConfig
from newscorpus.corpus.compressed import unpacked_lines
from newscorpus.corpus.published import open_corpus
from newscorpus.corpus.records import encode
from newscorpus.dedup.errors import DedupError
from newscorpus.dedup.signature import sign_words
from newscorpus.dedup.sketch import Sketch, digest, read_content
from newscorpus.jobs.index import seconds
from newscorpus.text import collapse

SUFFIXES = (".jsonl", ".jsonl.gz", ".jsonl.zst")

ROW_LEVEL = 1
"""The fastest level of zstd; the rows are read once or twice."""


@dataclass(frozen=True, slots=True)
class Part:
    """A file of documents.

    Attributes:
        name: of the file.
        check: changes when the file does.
        is_shard: belongs to a published corpus, whose ids name documents everywhere; else they do so in this file only.
        lines: reads its lines, one document each.
    """

    name: str
    check: str
    is_shard: bool
    lines: Callable[[], Iterator[bytes]]


@dataclass(frozen=True, slots=True)
class Given:
    """A document as a line holds it; other keys are passed over here, and kept."""

    id: str | int
    text: str
    url: str | None = None
    source: str | None = None
    title: str | None = None
    published: str | None = None
    fetched: str | None = None


GIVEN = msgspec.json.Decoder(Given)


def find_parts(inputs: Sequence[Path]) -> list[Part]:
    """The files of some inputs: folders of corpora, and files of JSON lines.

    Raises:
        CorpusError: a folder holds no published corpus, or not all of it.
        DedupError: a file has another form, or two have the same name.
        OSError: a file is missing.
    """
    parts = [part for path in inputs for part in (_shards(path) if path.is_dir() else [_file(path)])]
    names = [part.name for part in parts]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise DedupError(f"{twice[0]}: given twice")
    return parts


Batch = tuple[str, int, Sequence[bytes]]
"""Lines of a file: its name, the number of the first of them, and the lines."""


def sketch_lines(config: BuildConfig, batch: Batch) -> tuple[list[tuple[Sketch, bytes]], str]:
    """The sketches of some lines, each with its compressed row; and what is wrong with the first broken line, or ""."""
    name, first, lines = batch
    compressor = zstandard.ZstdCompressor(ROW_LEVEL)
    made: list[tuple[Sketch, bytes]] = []
    for number, line in enumerate(lines, first):
        if line.isspace():
            continue
        try:
            made.append((_sketch(GIVEN.decode(line), line, config), compressor.compress(line)))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            return made, f"{name}, line {number}: {collapse(str(error))}"
    return made, ""


def stem(name: str) -> str:
    """The name of a file without folders and suffixes."""
    return Path(name).name.partition(".")[0]


def _sketch(given: Given, line: bytes, config: BuildConfig) -> Sketch:
    content = read_content(given.text, config.duplicates)
    return Sketch(
        id=str(given.id),
        space=0,
        source=given.source or "",
        content=content.content,
        signature=sign_words(content.words, config.signature),
        runs=content.runs,
        paragraphs=content.paragraphs,
        n_words=content.n_words,
        published=seconds(given.published or ""),
        fetched=seconds(given.fetched or ""),
        digest=digest(line.strip()),
        file=0,
        offset=0,
        length=0,
    )


def _shards(folder: Path) -> Iterator[Part]:
    published = open_corpus(folder)
    for shard in published.manifest.shards:
        read = partial(published.shard_records, shard)
        yield Part(str(published.folder / shard.name), shard.sha256, True, lambda read=read: map(encode, read()))  # type: ignore[misc]


def _file(path: Path) -> Part:
    if not path.name.endswith(SUFFIXES):
        raise DedupError(f"{path}: neither a corpus nor one of {', '.join(SUFFIXES)}")
    found = path.stat()
    return Part(str(path), f"{found.st_size} bytes, {found.st_mtime_ns}", False, partial(_lines, path))


def _lines(path: Path) -> Iterator[bytes]:
    try:
        yield from unpacked_lines(path)
    except (EOFError, zlib.error, zstandard.ZstdError) as error:
        raise DedupError(f"{path}: {error}") from error
