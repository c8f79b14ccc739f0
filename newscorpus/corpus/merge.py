"""Take duplicates out of corpora and files of JSON lines, or out of some against others, in one batch.

    OUTPUT/
      corpus/            what stays, published as a corpus, where all inputs are corpora
      documents/         otherwise: of each input file the lines that stay, with `cluster` and `cluster_size`
      duplicates.jsonl   what goes, what it repeats, and how
      reprints.csv       who reprints whom
      index/             sketches and rows: a run that was broken off goes on here, and later ones compare with it

Equal inputs leave equal documents, whatever their order.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from newscorpus.config import BuildConfig
from newscorpus.corpus.build import decide
from newscorpus.corpus.duplicates.collection import Collection
from newscorpus.corpus.duplicates.documents import InputFile, find_files, index_files
from newscorpus.corpus.duplicates.find import Duplicate, Watch, unwatched
from newscorpus.corpus.duplicates.index import line_of
from newscorpus.corpus.duplicates.store import ROWS, STATE, Store, digest, layout_of
from newscorpus.corpus.left_out import Reprints, cluster_sizes, count_kinds, count_reprints, reprints_table
from newscorpus.corpus.published import publish
from newscorpus.data import Record
from newscorpus.errors import CorpusError
from newscorpus.files import exclusive, replacing
from newscorpus.layout import AGAINST, ARCHIVE, BUILD_LOCK, INDEX, INTAKE, LEDGER, PUBLISHED, refuse_strangers
from newscorpus.lines import encode_line, write_lines
from newscorpus.page.records import decode
from newscorpus.store.removals import keep_removals, removals_of

DOCUMENTS = "documents"
OWN_DOCUMENTS = re.compile(r"\d{5,}-[^/]*\.jsonl\.zst")
"""The folder of what stays of files, and how the files in it are named; what else lies there is somebody else's."""
WRITTEN = "documents written"
REPRINTS = "reprints.csv"

LINES = msgspec.json.Decoder(dict[str, Any])


@dataclass(frozen=True, slots=True)
class DedupReport:
    """What a run did."""

    documents: int  # documents in the inputs
    kept: int  # documents that stay
    duplicates: Mapping[str, int]  # documents left out, by kind
    reprints: tuple[Reprints, ...]  # who repeats whom


ANY_CONFIDENCE = BuildConfig(least_confidence=0.0)
"""Nothing is left out for its confidence: that was decided when the inputs were built."""


@dataclass(frozen=True, slots=True)
class DedupOptions:
    """How a run works."""

    config: BuildConfig = ANY_CONFIDENCE  # what counts as a duplicate, and the form of the published files
    jobs: int = 1  # number of processes that read and sign
    watch: Watch = unwatched  # shows the progress


def dedup(
    inputs: Sequence[Path], output: Path, against: Sequence[Path] = (), options: DedupOptions = DedupOptions()
) -> DedupReport:
    """Write to `output` what the inputs hold without what repeats something else in them or in the references.

    Args:
        inputs: folders of corpora, and files of JSON lines with `id` and `text`.
        output: folder; made where it is missing.
        against: likewise; none of their documents is written or goes.
        options: how.

    Raises:
        CorpusError, DedupError: an input is missing, damaged or broken; the message names file and line. `output` is
            the folder of a crawl, or others' files lie where it writes.
        OSError: a file cannot be read or written; what was read so far is not read again by the next run.
    """
    corpora = [output, *filter(Path.is_dir, inputs)]
    removals = removals_of(*corpora)
    files = find_files(inputs, removals)
    if any((output / name).exists() for name in (LEDGER, INTAKE, ARCHIVE)):
        raise CorpusError(f"{output}: the corpus of a crawl lies here; name another folder")
    output.mkdir(parents=True, exist_ok=True)
    with exclusive(output / BUILD_LOCK):
        refuse_strangers(output, folders=(PUBLISHED, INDEX))
        while True:
            keep_removals(output, removals)
            references = [_reference(path, output / AGAINST, options) for path in against]
            store = index_files(output / INDEX, files, options.config, options.jobs, options.watch)
            report = _finish(output, Collection([store], references), files, options)
            if (now := removals_of(*corpora)).name == removals.name:
                return report
            removals, files = now, find_files(inputs, now)  # documents were removed in the meantime


def _finish(output: Path, collection: Collection, files: Sequence[InputFile], options: DedupOptions) -> DedupReport:
    """Decide and write."""

    def write(duplicates: Sequence[Duplicate], stay: NDArray[np.int64]) -> None:
        sizes = cluster_sizes(duplicates)
        if all(file.is_shard for file in files):
            in_order = options.watch(collection.by_day(stay).tolist(), WRITTEN)
            publish(output / PUBLISHED, _records(collection, in_order, sizes), options.config)
        else:
            _write_documents(output / DOCUMENTS, collection, stay, sizes, options.watch)

    duplicates, n_kept = decide(output, collection, options.config, write, options.watch)
    reprints = count_reprints(collection, duplicates)
    with replacing(output / REPRINTS) as file:
        file.write(reprints_table(reprints))
    return DedupReport(len(collection.stores[-1]), n_kept, count_kinds(collection, duplicates), reprints)


def _reference(path: Path, folder: Path, options: DedupOptions) -> Store:
    """The index of a reference: its own, opened to read only; where it has none, one made in `folder`."""
    own = path / INDEX
    if (own / STATE).exists() and ((own / ROWS).exists() or (path / INTAKE).is_dir()):
        return Store.open(own, layout_of(options.config))
    folder /= digest(str(path.resolve()).encode()).hex()
    store = index_files(folder, find_files([path]), options.config, options.jobs, options.watch)
    store.note_kept(np.arange(len(store)))
    return store


def _records(collection: Collection, positions: Iterable[int], sizes: Mapping[int, int]) -> Iterator[Record]:
    """Records with their clusters."""
    for position in positions:
        record = decode(line_of(collection, position))
        more = sizes.get(position, 0)
        yield replace(record, cluster=record.id, cluster_size=record.cluster_size + more) if more else record


def _write_documents(
    folder: Path, collection: Collection, positions: NDArray[np.int64], sizes: Mapping[int, int], watch: Watch
) -> None:
    """Write for each input file, numbered by name, what stays of it, in its order."""
    folder.mkdir(exist_ok=True)
    files = collection.documents["file"][positions]
    written = set()
    covered = collection.stores[-1].state.covered
    for place, number in enumerate(sorted(range(len(covered)), key=lambda number: covered[number].name)):
        stem = Path(covered[number].name).name.partition(".")[0]
        path = folder / f"{place:05}-{stem}.jsonl.zst"
        with replacing(path) as file:
            here = watch(positions[files == number].tolist(), WRITTEN)
            write_lines(file, _lines(collection, here, sizes), path.suffix)
        written.add(path)
    for path in set(folder.iterdir()) - written:
        if OWN_DOCUMENTS.fullmatch(path.name):
            path.unlink()


def _lines(collection: Collection, positions: Iterable[int], sizes: Mapping[int, int]) -> Iterator[bytes]:
    """Lines as they came, with `cluster` and `cluster_size`."""
    for position in positions:
        document = LINES.decode(line_of(collection, position))
        own, more = document.get("cluster_size") or 1, sizes.get(position, 0)
        cluster = collection.ids[position] if more else document.get("cluster") or ""
        yield encode_line({**document, "cluster": cluster, "cluster_size": own + more})
