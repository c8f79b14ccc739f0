"""Index the documents of published corpora and files of JSON lines, in worker processes.

The index also stores each input line, compressed, so that the few texts that must be compared can be read at once,
whatever their format. A killed run resumes after its last commit.
"""

import itertools
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import itemgetter
from pathlib import Path

import msgspec
import zstandard

from newscorpus.config import BuildConfig
from newscorpus.corpus.duplicates.collection import GIVEN_LINES, GivenLine
from newscorpus.corpus.duplicates.find import Watch, unwatched
from newscorpus.corpus.duplicates.index import is_list, seconds
from newscorpus.corpus.duplicates.store import (
    ROWS,
    Covered,
    Sketch,
    Store,
    append_bytes,
    digest,
    grouped,
    layout_of,
    make_sketches,
)
from newscorpus.corpus.published import open_corpus, published_folder
from newscorpus.corpus.shards import Shard
from newscorpus.errors import CorpusError
from newscorpus.lines import unpacked_lines
from newscorpus.page.records import encode
from newscorpus.store.removals import NOTHING, Removals
from newscorpus.tokens import collapse
from newscorpus.workers import Lost, in_order

SUFFIXES = (".jsonl", ".jsonl.gz", ".jsonl.zst")

LINES_AT_ONCE = 500
"""Lines per work item of a process: about 0.1 seconds."""

BATCH_SECONDS = 600.0
"""Time limit of a work item; a text of 100 MB takes two seconds."""

BATCHES_A_COMMIT = 20

ROW_LEVEL = 1
"""The fastest level of zstd; a row is read once or twice."""


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file of documents."""

    name: str
    check: str  # fingerprint: changes when the file does
    is_shard: bool  # of a published corpus, whose ids are global; otherwise ids are unique within the file only
    lines: Callable[[], Iterator[bytes]]  # reads its lines, one document each


Batch = tuple[str, int, Sequence[bytes]]
"""Name of a file, number of the first line, lines."""


def find_files(inputs: Sequence[Path], removals: Removals = NOTHING) -> list[InputFile]:
    """List the files of some inputs: folders of corpora, and files of JSON lines.

    Documents of corpora that are in `removals` are skipped.

    Raises:
        CorpusError: a folder holds no published corpus, or an incomplete one, a file has an unknown format, or an
            input is given twice.
        OSError: a file is missing.
    """
    places = [published_folder(path).resolve() for path in inputs]
    if twice := [path for path, place in zip(inputs, places, strict=True) if places.count(place) > 1]:
        raise CorpusError(f"{twice[-1]}: given twice")
    found: list[InputFile] = []
    for path in inputs:
        if path.is_dir():
            found += _shards(path, removals)
        elif path.name.endswith(SUFFIXES):
            stat = path.stat()
            found.append(
                InputFile(str(path), f"{stat.st_size} bytes, {stat.st_mtime_ns}", False, partial(_lines, path))
            )
        else:
            raise CorpusError(f"{path}: neither a corpus nor one of {', '.join(SUFFIXES)}")
    return found


def _shards(folder: Path, removals: Removals) -> Iterator[InputFile]:
    published = open_corpus(folder)

    def lines(shard: Shard) -> Iterator[bytes]:
        for record in published.shard_records(shard):
            if not (removals and removals.of(record.id)):
                yield encode(record)

    for shard in published.manifest.shards:
        check = shard.sha256 + removals.name
        yield InputFile(str(published.folder / shard.name), check, True, partial(lines, shard))


def _lines(path: Path) -> Iterator[bytes]:
    try:
        yield from unpacked_lines(path)
    except (EOFError, zlib.error, zstandard.ZstdError) as error:
        raise CorpusError(f"{path}: {error}") from error


def index_files(
    folder: Path, files: Sequence[InputFile], config: BuildConfig, jobs: int = 1, watch: Watch = unwatched
) -> Store:
    """Open the index of some files and add the documents that it lacks.

    The index is rebuilt if a file that it covers has changed or is not among `files`.

    Raises:
        CorpusError: a line is invalid, or the index is damaged or was made with different parameters.
        OSError: a file cannot be read, or the disk is full; the next run resumes after the last commit.
    """
    layout = layout_of(config)
    store = Store.existing(folder, layout)
    checks = {file.name: file.check for file in files}
    if store is None or any(checks.get(covered.name) != covered.check for covered in store.state.covered):
        store = Store.create(folder, layout)
    deque(watch(_add_rows(store, files, config, jobs), "documents read"), maxlen=0)
    return Store.open(folder, layout)


def _add_rows(store: Store, files: Sequence[InputFile], config: BuildConfig, jobs: int) -> Iterator[int]:
    """Index the lines that are not covered yet; yields the row number of each new document once it is committed."""
    covered = {one.name: one for one in store.state.covered}
    by_name = {file.name: file for file in files}
    for name, batches in itertools.groupby(_sketched(files, covered, config, jobs), key=itemgetter(0)):
        file = by_name[name]
        done = covered[name].size if name in covered else 0
        for group in grouped(batches, BATCHES_A_COMMIT):
            done += sum(n_lines for _, n_lines, _ in group)
            covered[name] = Covered(name, done, file.check)
            number = list(covered).index(name)
            pairs = [pair for _, _, made in group for pair in made]
            last = store.column("documents")[-1:]
            committed = offset = int((last["offset"] + last["length"]).sum())
            sketches = []
            for sketch, row in pairs:
                space = 0 if file.is_shard else number + 1
                sketches.append(replace(sketch, file=number, space=space, offset=offset, length=len(row)))
                offset += len(row)
            append_bytes(store.folder / ROWS, committed, b"".join(row for _, row in pairs))
            longer = store.append(sketches, tuple(covered.values()))
            yield from range(len(store), len(longer))
            store = longer
        covered[name] = replace(covered[name], whole=True)
        store = store.append([], tuple(covered.values()))


def _sketched(
    files: Sequence[InputFile], covered: Mapping[str, Covered], config: BuildConfig, jobs: int
) -> Iterator[tuple[str, int, list[tuple[Sketch, bytes]]]]:
    """Sketch the lines that are not covered yet; yields file name, number of lines, and sketches with their rows."""

    def batches() -> Iterator[Batch]:
        for file in files:
            there = covered.get(file.name)
            done = there.size if there else 0
            if not (there and there.whole):
                for lines in grouped(itertools.islice(file.lines(), done, None), LINES_AT_ONCE):
                    yield file.name, done + 1, lines
                    done += len(lines)

    work = partial(sketch_lines, config)
    processes = jobs if jobs > 1 else 0
    for (name, first, lines), found in in_order(work, batches(), processes, BATCH_SECONDS):
        made, error = ([], f"{name}, lines from {first} on: {found.detail}") if isinstance(found, Lost) else found
        if error:
            raise CorpusError(error)
        yield name, len(lines), made


def sketch_lines(config: BuildConfig, batch: Batch) -> tuple[list[tuple[Sketch, bytes]], str]:
    """Sketch some lines.

    Returns:
        The sketches, each with its compressed row, and the error of the first invalid line, or "".
    """
    name, first, lines = batch
    compressor = zstandard.ZstdCompressor(ROW_LEVEL)
    decoded: list[tuple[GivenLine, bytes]] = []
    error = ""
    for number, line in enumerate(lines, first):
        if line.isspace():
            continue
        try:
            decoded.append((GIVEN_LINES.decode(line), line))
        except (msgspec.DecodeError, UnicodeDecodeError) as damage:
            error = f"{name}, line {number}: {collapse(str(damage))}"
            break
    texts = [(str(given.id), given.source or "", given.text, b"") for given, _ in decoded]
    made = []
    for sketch, (given, line) in zip(make_sketches(texts, config), decoded, strict=True):
        stated = replace(
            sketch,
            published=seconds(given.published or ""),
            fetched=seconds(given.fetched or ""),
            digest=digest(line.strip()),
            is_list=is_list(given.url or ""),
            url_length=len(given.url or ""),
        )
        made.append((stated, compressor.compress(line)))
    return made, error
