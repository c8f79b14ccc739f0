"""Deduplicate corpora and files of JSON lines, optionally against others.

    OUTPUT/
      corpus/            the surviving documents, published as a corpus, if all inputs are corpora
      documents/         otherwise: the surviving lines of each input file, with `cluster` and `cluster_size`
      duplicates.jsonl   the removed documents, what each repeats, and how
      reprints.csv       number of reprints by pair of sources
      index/             sketches and rows, from which a killed run resumes and with which later runs compare

The outcome does not depend on the order of the inputs.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from newscorpus.config import BuildConfig
from newscorpus.corpus.build import decide
from newscorpus.corpus.duplicates.collection import Collection
from newscorpus.corpus.duplicates.documents import find_files, index_files
from newscorpus.corpus.duplicates.find import Watch, unwatched
from newscorpus.corpus.duplicates.store import ROWS, STATE, Selection, Store, digest, layout_of
from newscorpus.corpus.duplicates.verify import Duplicate
from newscorpus.corpus.left_out import Reprints, cluster_sizes, count_kinds, count_reprints
from newscorpus.corpus.published import note_copy, publish_ranges
from newscorpus.corpus.release import NOTE, find_version
from newscorpus.data import Record
from newscorpus.errors import CorpusError
from newscorpus.files import exclusive, replace_file, replacing
from newscorpus.layout import AGAINST, ARCHIVE, BUILD_LOCK, INDEX, INTAKE, LEDGER, PUBLISHED, refuse_strangers
from newscorpus.lines import csv_lines, encode_line, write_lines
from newscorpus.page.records import decode
from newscorpus.store.removals import keep_removals, removals_of

DOCUMENTS = "documents"
OWN_DOCUMENTS = re.compile(r"\d{5,}-[^/]*\.jsonl\.zst")
"""Folder of the surviving lines, and the names of our files in it; other files there are left alone."""
WRITTEN = "documents written"
REPRINTS = "reprints.csv"

LINES = msgspec.json.Decoder(dict[str, Any])


@dataclass(frozen=True, slots=True)
class DedupReport:
    """Counts of a deduplication."""

    documents: int  # in the inputs
    kept: int  # survivors
    duplicates: Mapping[str, int]  # removed documents by kind
    reprints: tuple[Reprints, ...]  # reprints between sources


ANY_CONFIDENCE = BuildConfig(least_confidence=0.0)
"""No document is excluded for low confidence: that was decided when the inputs were built."""


def dedup(
    inputs: Sequence[Path],
    output: Path,
    against: Sequence[Path] = (),
    config: BuildConfig = ANY_CONFIDENCE,
    jobs: int = 1,
    watch: Watch = unwatched,
) -> DedupReport:
    """Write the documents of the inputs that repeat no other document of the inputs or of the references.

    Inputs and references are folders of corpora, and files of JSON lines with `id` and `text`; the references in
    `against` are neither written nor removed.

    Raises:
        CorpusError: an input is missing or invalid (the message names file and line), `output` is the folder of a
            crawl, or holds files of others.
        OSError: a file cannot be read or written; the next run resumes after the last commit.
    """
    corpora = [output, *filter(Path.is_dir, inputs)]
    removals = removals_of(*corpora)
    files = find_files(inputs, removals)
    if any((output / name).exists() for name in (LEDGER, INTAKE, ARCHIVE)):
        raise CorpusError(f"{output}: the corpus of a crawl lies here; name another folder")
    if output.is_dir() and any(output.iterdir()) and not any((output / own).exists() for own in (BUILD_LOCK, INDEX)):
        raise CorpusError(f"{output}: holds files of others; name a new folder, or that of an earlier dedup")
    output.mkdir(parents=True, exist_ok=True)
    with exclusive(output / BUILD_LOCK):
        refuse_strangers(output, folders=(PUBLISHED, INDEX))
        for corpus in corpora[1:]:
            note_copy(corpus, output)
        while True:
            keep_removals(output, removals)
            references = [_reference(path, output / AGAINST, config, jobs, watch) for path in against]
            store = index_files(output / INDEX, files, config, jobs, watch)
            is_corpus = all(file.is_shard for file in files)
            report = _write(output, Collection([store], references), config, watch, is_corpus=is_corpus)
            if (now := removals_of(*corpora)).name == removals.name:
                return report
            removals, files = now, find_files(inputs, now)  # documents were removed in the meantime


def _write(output: Path, collection: Collection, config: BuildConfig, watch: Watch, *, is_corpus: bool) -> DedupReport:
    def write(duplicates: Sequence[Duplicate], stay: NDArray[np.int64]) -> None:
        sizes = cluster_sizes(duplicates)
        if is_corpus:
            ranges = (
                watch(of_days.tolist(), WRITTEN) for of_days in collection.by_day(stay, config.shards.range_documents)
            )
            records = ((_record(collection, at, sizes[at]) for at in of_days) for of_days in ranges)
            publish_ranges(output / PUBLISHED, records, config)
        else:
            _write_documents(output / DOCUMENTS, collection, stay, sizes, watch)

    duplicates, n_kept = decide(output, collection, config, write, watch)
    reprints = count_reprints(collection, duplicates)
    table = csv_lines([("source", "repeats", "kind", "documents"), *reprints])
    replace_file(output / REPRINTS, b"".join(table))
    return DedupReport(len(collection.stores[-1]), n_kept, count_kinds(collection, duplicates), reprints)


def _reference(path: Path, folder: Path, config: BuildConfig, jobs: int, watch: Watch) -> Store:
    """Open the index of a reference read-only; if it has none, make one in `folder`.

    Of a release these are all texts of its documents, in the index of its corpus.
    """
    if (path / NOTE).is_file():
        released, store = find_version(str(path))[0], Store.open(path.parent.parent / INDEX, layout_of(config))
        is_released = np.fromiter((name in released for name in store.ids), bool, len(store))
        return Selection(store, np.flatnonzero(is_released & ~store.documents["withdrawn"]))
    own = path / INDEX
    if (own / STATE).exists() and ((own / ROWS).exists() or (path / INTAKE).is_dir()):
        return Store.open(own, layout_of(config))
    folder /= digest(str(path.resolve()).encode()).hex()
    store = index_files(folder, find_files([path]), config, jobs, watch)
    store.note_kept(np.arange(len(store)))
    return store


def _record(collection: Collection, position: int, n_copies: int) -> Record:
    record = decode(collection.line(position))
    return replace(record, cluster=record.id, cluster_size=record.cluster_size + n_copies) if n_copies else record


def _write_documents(
    folder: Path, collection: Collection, positions: NDArray[np.int64], sizes: Mapping[int, int], watch: Watch
) -> None:
    """Write the surviving lines of each input file, in their order; files are numbered by name."""
    folder.mkdir(exist_ok=True)
    files = collection.documents["file"][positions]
    written = set()
    covered = collection.stores[-1].state.covered
    for place, number in enumerate(sorted(range(len(covered)), key=lambda number: covered[number].name)):
        stem = Path(covered[number].name).name.partition(".")[0]
        path = folder / f"{place:05}-{stem}.jsonl.zst"
        with replacing(path) as file:
            here = watch(positions[files == number].tolist(), WRITTEN)
            write_lines(file, (_line(collection, position, sizes.get(position, 0)) for position in here), path.suffix)
        written.add(path)
    for path in set(folder.iterdir()) - written:
        if OWN_DOCUMENTS.fullmatch(path.name):
            path.unlink()


def _line(collection: Collection, position: int, n_copies: int) -> bytes:
    document = LINES.decode(collection.line(position))
    cluster = collection.ids[position] if n_copies else document.get("cluster") or ""
    size = (document.get("cluster_size") or 1) + n_copies
    return encode_line({**document, "cluster": cluster, "cluster_size": size})
