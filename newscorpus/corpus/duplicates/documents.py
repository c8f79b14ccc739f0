"""Fill an index with the documents of published corpora and files of JSON lines, in processes of their own.

Beside the sketch of a line lies the line itself, compressed, so that the few texts that must be compared can be read at
once, whatever form they came in. A run that was broken off goes on after its last commit.
"""

import itertools
import shutil
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import BinaryIO

import msgspec
import numpy as np
import zstandard
from warcio.limitreader import LimitReader

from newscorpus.config import BuildConfig
from newscorpus.corpus.duplicates.find import Watch, unwatched
from newscorpus.corpus.duplicates.index import is_list, seconds
from newscorpus.corpus.duplicates.store import ROWS, Covered, Sketch, Store, digest, grouped, layout_of, make_sketch
from newscorpus.corpus.duplicates.verify import VERIFIED
from newscorpus.corpus.published import Published, open_corpus, published_folder
from newscorpus.corpus.shards import Shard
from newscorpus.errors import DedupError
from newscorpus.files import sync
from newscorpus.lines import unpacked_lines
from newscorpus.page.records import encode
from newscorpus.store.removals import NOTHING, Removals
from newscorpus.tokens import collapse
from newscorpus.workers import Lost, in_order

SUFFIXES = (".jsonl", ".jsonl.gz", ".jsonl.zst")

LINES_AT_ONCE = 500
"""Lines that a process gets at once: some tenth of a second."""

BATCH_SECONDS = 600.0
"""Longest time for them; a text of 100 MB takes two seconds."""

BATCHES_A_COMMIT = 20

EARLIER = ".earlier"
"""Ends the name of the folder of an index whose documents are taken over by the next one."""

ROW_LEVEL = 1
"""The fastest level of zstd; the rows are read once or twice."""


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file of documents."""

    name: str  # of the file
    check: str  # changes when the file does
    # Belongs to a published corpus, whose ids name documents everywhere; else they do so in this file only.
    is_shard: bool
    lines: Callable[[], Iterator[bytes]]  # reads its lines, one document each


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


Batch = tuple[str, int, Sequence[bytes]]
"""Lines of a file: its name, the number of the first of them, and the lines."""


def find_files(inputs: Sequence[Path], removals: Removals = NOTHING) -> list[InputFile]:
    """The files of some inputs: folders of corpora, and files of JSON lines.

    Of corpora the documents are left out that were taken out of any of them (`removals`).

    Raises:
        CorpusError: a folder holds no published corpus, or not all of it.
        DedupError: a file has another form, or one input is given twice.
        OSError: a file is missing.
    """
    places = [published_folder(path).resolve() for path in inputs]
    if twice := [path for path, place in zip(inputs, places, strict=True) if places.count(place) > 1]:
        raise DedupError(f"{twice[-1]}: given twice")
    return [file for path in inputs for file in (_shards(path, removals) if path.is_dir() else [_file(path)])]


def index_files(
    folder: Path, files: Sequence[InputFile], config: BuildConfig, jobs: int = 1, watch: Watch = unwatched
) -> Store:
    """Open the index of the documents of some files, with all of them added that are not in it.

    Args:
        folder: of the index; of one made of other files, or of other states of them, what is the same is taken over.
        files: the files.
        config: how sketches are made.
        jobs: number of processes; one works in this process.
        watch: shows the progress.

    Raises:
        DedupError: a line is broken, or the index is damaged or was made with other parameters.
        OSError: a file cannot be read, or the disk is full; the next run goes on after the last commit.
    """
    layout = layout_of(config)
    store = Store.existing(folder, layout)
    earlier_folder = folder.with_name(f"{folder.name}{EARLIER}")
    checks = {file.name: file.check for file in files}
    if store and any(checks.get(covered.name) != covered.check for covered in store.state.covered):
        shutil.rmtree(earlier_folder, ignore_errors=True)
        folder.rename(earlier_folder)
        store = None
    if store is None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / ROWS).unlink(missing_ok=True)
        store = Store.create(folder, layout)
    if earlier := Store.existing(earlier_folder, layout):
        store = _take_over(store, earlier, files)
    shutil.rmtree(earlier_folder, ignore_errors=True)
    deque(watch(_rows_added(store, files, config, jobs), "documents read"), maxlen=0)
    return Store.open(folder, layout)


def sketch_lines(config: BuildConfig, batch: Batch) -> tuple[list[tuple[Sketch, bytes]], str]:
    """The sketches of some lines, each with its compressed row; and what is wrong with the first broken line, or ""."""
    name, first, lines = batch
    compressor = zstandard.ZstdCompressor(ROW_LEVEL)
    made: list[tuple[Sketch, bytes]] = []
    for number, line in enumerate(lines, first):
        if line.isspace():
            continue
        try:
            given = GIVEN.decode(line)
            sketch = replace(
                make_sketch(str(given.id), given.source or "", given.text, config),
                published=seconds(given.published or ""),
                fetched=seconds(given.fetched or ""),
                digest=digest(line.strip()),
                is_list=is_list(given.url or ""),
            )
            made.append((sketch, compressor.compress(line)))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            return made, f"{name}, line {number}: {collapse(str(error))}"
    return made, ""


def _shards(folder: Path, removals: Removals) -> Iterator[InputFile]:
    published = open_corpus(folder)
    for shard in published.manifest.shards:
        name, check = str(published.folder / shard.name), shard.sha256 + removals.name
        yield InputFile(name, check, True, partial(_records, published, shard, removals))


def _records(published: Published, shard: Shard, removals: Removals) -> Iterator[bytes]:
    for record in published.shard_records(shard):
        if not (removals and removals.of(record.id)):
            yield encode(record)


def _file(path: Path) -> InputFile:
    if not path.name.endswith(SUFFIXES):
        raise DedupError(f"{path}: neither a corpus nor one of {', '.join(SUFFIXES)}")
    found = path.stat()
    return InputFile(str(path), f"{found.st_size} bytes, {found.st_mtime_ns}", False, partial(_lines, path))


def _lines(path: Path) -> Iterator[bytes]:
    try:
        yield from unpacked_lines(path)
    except (EOFError, zlib.error, zstandard.ZstdError) as error:
        raise DedupError(f"{path}: {error}") from error


def _rows_added(store: Store, files: Sequence[InputFile], config: BuildConfig, jobs: int) -> Iterator[int]:
    """Add what is missing; gives each new row once it is committed. The last commit of a file notes that it is done."""
    known = {covered.name: covered for covered in store.state.covered}
    by_name = {file.name: file for file in files}
    for name, batches in itertools.groupby(_sketched(files, known, config, jobs), key=itemgetter(0)):
        file = by_name[name]
        done = known[name].size if name in known else 0
        for group in grouped(batches, BATCHES_A_COMMIT):
            done += sum(n_lines for _, n_lines, _ in group)
            known[name] = Covered(name, done, file.check)
            number = list(known).index(name)
            place = partial(replace, file=number, space=0 if file.is_shard else number + 1)
            rows = itertools.chain.from_iterable(made for _, _, made in group)
            longer = store.append(_keep_rows(store, rows, place), tuple(known.values()))
            yield from range(len(store), len(longer))
            store = longer
        known[name] = replace(known[name], whole=True)
        store = store.append([], tuple(known.values()))


def _sketched(
    files: Sequence[InputFile], known: Mapping[str, Covered], config: BuildConfig, jobs: int
) -> Iterator[tuple[str, int, list[tuple[Sketch, bytes]]]]:
    """Batches of the lines that are not covered: name of the file, number of lines, sketches with their rows."""
    work = partial(sketch_lines, config)
    batches = itertools.chain.from_iterable(_batches(file, known.get(file.name)) for file in files)
    results = in_order(work, batches, jobs, BATCH_SECONDS) if jobs > 1 else ((batch, work(batch)) for batch in batches)
    for (name, first, lines), found in results:
        made, error = ([], f"{name}, lines from {first} on: {found.detail}") if isinstance(found, Lost) else found
        if error:
            raise DedupError(error)
        yield name, len(lines), made


def _batches(file: InputFile, covered: Covered | None) -> Iterator[Batch]:
    """The lines of a file that are not covered."""
    if covered and covered.whole:
        return
    done = covered.size if covered else 0
    for lines in grouped(itertools.islice(file.lines(), done, None), LINES_AT_ONCE):
        yield file.name, done + 1, lines
        done += len(lines)


def _take_over(store: Store, earlier: Store, files: Sequence[InputFile]) -> Store:
    """Add from an earlier index the documents of the files that are the same, and what was found by comparing texts."""
    if (earlier.folder / VERIFIED).exists():
        (earlier.folder / VERIFIED).replace(store.folder / VERIFIED)
    known = {covered.name: covered for covered in store.state.covered}
    there = {covered.name: (number, covered) for number, covered in enumerate(earlier.state.covered)}
    for file in files:
        number, covered = there.get(file.name, (0, None))
        if file.name not in known and covered and covered.whole and covered.check == file.check:
            known[file.name] = covered
            store = _take_file(store, earlier, number, tuple(known.values()), is_shard=file.is_shard)
    return store


def _take_file(store: Store, earlier: Store, number: int, covered: Sequence[Covered], *, is_shard: bool) -> Store:
    """Add the documents of a file of an earlier index, and their rows, behind those of the index."""
    rows = np.flatnonzero(earlier.documents["file"] == number)  # they follow each other, as the rows in their file do
    documents = earlier.documents[rows]
    first = int(rows[0]) if len(rows) else 0
    if len(rows):
        begin, end = int(documents["offset"][0]), int(documents["offset"][-1] + documents["length"][-1])
        offset = _rows_end(store)
        with (earlier.folder / ROWS).open("rb") as source, _rows_file(store, offset) as file:
            source.seek(begin)
            shutil.copyfileobj(LimitReader(source, end - begin), file)
        documents["offset"] = documents["offset"] - np.uint64(begin) + np.uint64(offset)
    documents["file"] = len(covered) - 1
    documents["space"] = 0 if is_shard else len(covered)
    return store.take(earlier, first, documents, covered)


def _rows_end(store: Store) -> int:
    """Where the rows of an index end in their file."""
    last = store.column("documents")[-1:]
    return int((last["offset"] + last["length"]).sum())


@contextmanager
def _rows_file(store: Store, end: int) -> Iterator[BinaryIO]:
    """Open the rows of an index to write behind the committed ones."""
    path = store.folder / ROWS
    with path.open("r+b" if path.exists() else "x+b") as file:
        file.truncate(end)
        file.seek(end)
        yield file
        sync(file)


def _keep_rows(store: Store, rows: Iterable[tuple[Sketch, bytes]], place: Callable[..., Sketch]) -> list[Sketch]:
    """Write rows behind those of the index, and give their sketches with their places."""
    offset, sketches = _rows_end(store), []
    with _rows_file(store, offset) as file:
        for sketch, row in rows:
            file.write(row)
            sketches.append(place(sketch, offset=offset, length=len(row)))
            offset += len(row)
    return sketches
