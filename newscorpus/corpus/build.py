"""Build the published corpus from the intake: remove doubtful texts, revisions and duplicates, and cut boilerplate.

The result depends only on the content of the intake and on the configuration, not on the order of arrival or on earlier
builds. Only the index is held in memory, some 0.5 kB per document; texts are read when needed.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from newscorpus.config import BuildConfig, DuplicateConfig, Gone
from newscorpus.corpus.duplicates.collection import Collection
from newscorpus.corpus.duplicates.find import (
    Watch,
    cut_boilerplate,
    find_boilerplate,
    find_duplicates,
    staying,
    unwatched,
)
from newscorpus.corpus.duplicates.index import seconds, update_index
from newscorpus.corpus.duplicates.store import VERIFIED, Store, layout_of
from newscorpus.corpus.duplicates.verify import Duplicate, DuplicateKind, Verifier
from newscorpus.corpus.erase import end_removing, erase_returned, resume_erasing
from newscorpus.corpus.left_out import (
    cluster_sizes,
    count_kinds,
    doubtful_documents,
    duplicate_lines,
    low_confidence_lines,
)
from newscorpus.corpus.manifest import Manifest, Share
from newscorpus.corpus.published import publish_ranges
from newscorpus.data import GONE, REDESIGN, Record
from newscorpus.errors import CorpusError, DamagedIndexError, LedgerError
from newscorpus.files import exclusive, replacing
from newscorpus.layout import BUILD_LOCK, DUPLICATES, INDEX, INTAKE, LOW_CONFIDENCE, PUBLISHED, refuse_strangers
from newscorpus.lines import blank
from newscorpus.store.intake import DamagedLine, DamagedRowError, segments, torn_segments
from newscorpus.store.ledger import Ledger
from newscorpus.store.ledger.addresses import lines_known
from newscorpus.store.ledger.portals import alarms
from newscorpus.store.ledger.recover import FilePart, noted_lengths
from newscorpus.store.ledger.revisits import gone_documents
from newscorpus.tokens import count_words

CUT_FLAG = "boilerplate_cut"
"""Flag of a record whose text lost paragraphs, followed by a colon and their number."""


@dataclass(frozen=True, slots=True)
class Survivors:
    """The surviving documents of a range of days, by day and id, and what their records need."""

    positions: tuple[int, ...]
    copies: tuple[int, ...]  # documents that each represents
    superseded: Mapping[int, str]  # by position: the previous revision of its page
    boilerplate: Mapping[str, frozenset[int]]  # by portal: hashes of the paragraphs to cut


Publisher = Callable[[Iterable[Survivors]], None]
"""Takes the survivors, to be published by others."""

Finder = Callable[[Collection, Verifier, DuplicateConfig, Watch], list[Duplicate]]
"""A function like `find_duplicates`."""


@dataclass(frozen=True, slots=True)
class BuildReport:
    """Counts and damage of a build."""

    documents: int  # rows in the intake; of the rows of one fetch only those of the last re-extraction
    kept: int  # records in the corpus
    duplicates: Mapping[str, int]  # excluded rows by kind
    words: int  # in the corpus; 0 if others publish it
    shares: tuple[Share, ...]  # documents and words in the corpus by portal and language; likewise
    low_confidence: int = 0  # rows excluded because their texts are not trusted
    gone: int = 0  # rows excluded because their site deleted them
    damage: tuple[str, ...] = ()  # of the intake, and what becomes of it, one line each


def build(
    corpus: Path,
    config: BuildConfig = BuildConfig(),
    watch: Watch = unwatched,
    *,
    adopts: bool = False,
    find: Finder = find_duplicates,
    publisher: Publisher | None = None,
) -> BuildReport:
    """Write `corpus/`, `duplicates.jsonl` and `low-confidence.jsonl` of the corpus in a folder from its intake.

    `adopts` uses links and files of others that lie where it writes; `publisher` publishes the survivors in place of
    writing them to `corpus/`.

    Raises:
        CorpusError: there is no intake, the index is damaged, either was made with different parameters, another build
            is running, others' files lie where it writes, or the disk is full; the published corpus is unchanged.
    """
    try:
        if not segments(corpus / INTAKE):
            raise CorpusError(f"{corpus / INTAKE}: no intake here; crawl into this corpus first")
        torn = tuple(_torn(corpus))
        with exclusive(corpus / BUILD_LOCK):
            refuse_strangers(corpus, folders=(PUBLISHED, INDEX), adopts=adopts)
            resume_erasing(corpus)
            try:
                report = _build(corpus, config, watch, find, publisher)
            except (DamagedRowError, DamagedIndexError):  # since rows were indexed: index all again to find all damage
                Store.create(corpus / INDEX, layout_of(config))
                report = _build(corpus, config, watch, find_duplicates, publisher)
            end_removing(corpus)
    except OSError as error:
        where = error.filename or corpus
        raise CorpusError(f"{where}: {error.strerror}; what was published before stands") from error
    return replace(report, damage=(*torn, *report.damage))


def _torn(corpus: Path) -> Iterator[str]:
    """Describe segments that are shorter than committed, or end with an incomplete line, which is ignored."""
    committed = dict[str, int]()
    with suppress(LedgerError):  # a crawl names the error
        committed = noted_lengths(corpus)
    torn = torn_segments(corpus / INTAKE)
    names = {f"{INTAKE}/{segment.name}" for segment in torn} | {name for name in committed if name.startswith(INTAKE)}
    for segment in (corpus / name for name in sorted(names)):
        left, written = segment.stat().st_size if segment.exists() else 0, committed.get(f"{INTAKE}/{segment.name}", 0)
        if left < written:
            yield f"{segment}: {left:,} of {written:,} bytes are left; the next crawl restores the missing articles"
        elif segment in torn:
            yield f"{segment}: the last line is cut off, since the crawl was killed"


def _build(corpus: Path, config: BuildConfig, watch: Watch, find: Finder, publisher: Publisher | None) -> BuildReport:
    damaged: list[DamagedLine] = []
    store = update_index(corpus, config, watch, damaged.append)
    damage = list(map(str, damaged))
    if damaged:
        try:
            damage.append(f"the next crawl restores {requeue_lines(corpus, damaged)} of {len(damaged)} damaged rows")
        except CorpusError as error:
            damage.append(f"no damaged row can be restored: {error}")
    pages = (f"{page:016x}" for page in np.unique(store.documents["page"]).tolist() if page)
    if erased := erase_returned(corpus, chain(store.ids, pages)):
        find = find_duplicates
    store = update_index(corpus, config, watch) if erased else store
    gone = gone_documents(corpus) if config.gone is Gone.LEAVE_OUT else {}
    deleted = np.array([name in gone for name in store.ids], bool)
    collection = Collection([store], doubtful=deleted | doubtful_documents(store.documents, config.least_confidence))
    n_deleted = int(deleted[collection.doubtful].sum())
    manifests: list[Manifest] = []

    def write(duplicates: Sequence[Duplicate], stay: NDArray[np.int64]) -> None:
        ranges = _survivors(collection, duplicates, stay, config)
        if publisher:
            publisher(ranges)
        else:
            records = (watch(records_of(collection, one, config.duplicates), "records written") for one in ranges)
            manifests.append(publish_ranges(corpus / PUBLISHED, records, config))

    with replacing(corpus / LOW_CONFIDENCE) as file:
        file.writelines(low_confidence_lines(collection, config.least_confidence, gone))
        duplicates, n_kept = decide(corpus, collection, config, write, watch, find)
    return BuildReport(
        documents=int(collection.current.sum()) + len(collection.doubtful),
        kept=n_kept,
        duplicates=count_kinds(collection, duplicates),
        words=manifests[0].words if manifests else 0,
        shares=manifests[0].shares if manifests else (),
        low_confidence=len(collection.doubtful) - n_deleted,
        gone=n_deleted,
        damage=tuple(damage),
    )


def requeue_lines(corpus: Path, damaged: Sequence[DamagedLine]) -> int:
    """Queue the pages of damaged lines for the next crawl, blank these lines, and return their number.

    Lines that the ledger does not know, such as earlier texts of a document, are left alone.

    Raises:
        CorpusError: there is no ledger, or a crawl is running.
    """
    parts: dict[FilePart, list[DamagedLine]] = {}
    for line in damaged:  # join consecutive ones: a row may have been cut in two, or two joined
        name, start, end = f"{INTAKE}/{line.segment.name}", line.offset, line.offset + line.length + 1
        last = next(reversed(parts), None)
        if last and (name, start) == (last[0], last[2]):
            parts[name, last[1], end] = [*parts.pop(last), line]
        else:
            parts[name, start, end] = [line]
    known = lines_known(corpus, parts)
    Ledger.open(corpus, damaged=known).close()
    lines = [line for part in known for line in parts[part]]
    for line in lines:
        blank(line.segment, line.offset, line.length)
    return len(lines)


def decide(
    folder: Path,
    collection: Collection,
    config: BuildConfig,
    write: Callable[[Sequence[Duplicate], NDArray[np.int64]], None],
    watch: Watch = unwatched,
    find: Finder = find_duplicates,
) -> tuple[Sequence[Duplicate], int]:
    """Find the duplicates in a collection, list them, and write the survivors.

    `write` gets the duplicates and the positions of the survivors. Comparisons of texts are cached beside the
    collection's own index.

    Returns:
        The duplicates, and the number of survivors.
    """
    own = collection.stores[-1]
    verifier = Verifier(collection, config, own.folder / VERIFIED)
    duplicates = find(collection, verifier, config.duplicates, watch)
    verifier.save()
    stay = staying(collection, duplicates)
    with replacing(folder / DUPLICATES) as file:
        file.writelines(duplicate_lines(collection, duplicates))
        write(duplicates, stay)
    own.note_kept(stay - collection.n_references)
    return duplicates, len(stay)


def _survivors(
    collection: Collection, duplicates: Sequence[Duplicate], stay: NDArray[np.int64], config: BuildConfig
) -> Iterator[Survivors]:
    """Yield the survivors of each range of days."""
    copies = cluster_sizes(duplicates)
    superseded = _superseded(collection, duplicates)
    boilerplate = find_boilerplate(collection, stay, config.duplicates)
    for of_days in collection.by_day(stay, config.shards.range_documents):
        positions = tuple(of_days.tolist())
        earlier = {position: superseded[position] for position in positions if position in superseded}
        yield Survivors(positions, tuple(copies[position] for position in positions), earlier, boilerplate)


def records_of(collection: Collection, survivors: Survivors, config: DuplicateConfig) -> Iterator[Record]:
    """Yield the records of survivors, without boilerplate."""
    redesigns = alarms(collection.stores[-1].folder.parent)
    gone = gone_documents(collection.stores[-1].folder.parent)
    for position, n_copies in zip(survivors.positions, survivors.copies, strict=True):
        record = collection.record(position)
        fetched = seconds(record.fetched)
        if any(
            alarm.portal == record.source
            and seconds(alarm.since) <= fetched
            and (not alarm.until or fetched < seconds(alarm.until))
            # A re-extracted page is no longer in doubt once something else extracts the new design.
            and (not alarm.until or not collection.documents["reextraction"][position])
            for alarm in redesigns
        ):
            record = replace(record, flags=(*record.flags, REDESIGN))
        if record.id in gone:
            record = replace(record, flags=(*record.flags, f"{GONE}:{gone[record.id]}"))
        cut = survivors.boilerplate.get(record.source, frozenset())
        text, n_cut = cut_boilerplate(record.text, cut, config) if cut else (record.text, 0)
        if n_cut:
            flags = (*record.flags, f"{CUT_FLAG}:{n_cut}")
            record = replace(record, text=text, n_words=count_words(text), flags=flags)
        yield replace(
            record,
            supersedes=survivors.superseded.get(position, record.supersedes),
            cluster=record.id if n_copies else "",
            cluster_size=n_copies + 1,
        )


def _superseded(collection: Collection, duplicates: Sequence[Duplicate]) -> dict[int, str]:
    """Map the position of each chosen text to the previous revision of its page."""
    fetched = np.nan_to_num(collection.documents["fetched"]).tolist()  # unknown counts as the earliest
    page = collection.documents["page"]
    revision = lru_cache(maxsize=2)(lambda position: collection.record(position).revision)
    earlier: dict[int, tuple[float, str]] = {}
    for duplicate in duplicates:
        old, chosen = duplicate.position, duplicate.of
        if duplicate.kind is not DuplicateKind.REVISION or page[old] != page[chosen]:
            continue
        if revision(old) == revision(chosen):
            continue
        candidate = (fetched[old], revision(old))
        if candidate[0] <= fetched[chosen]:
            earlier[chosen] = max(candidate, earlier.get(chosen, candidate))
    return {position: name for position, (_, name) in earlier.items()}
