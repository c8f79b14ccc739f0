"""Provide the input of an export: the documents in parts, and their description.

A corpus can be split into training, validation and test so that no group of near-duplicates is in two of them.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from enum import StrEnum
from pathlib import Path

from newscorpus.config import ExportConfig, SplitConfig, SplitRule
from newscorpus.corpus.annotate.annotators import Sentence
from newscorpus.corpus.annotate.conllu import AnnotatedDocuments, Document, texts_of
from newscorpus.corpus.export.scores import Scores
from newscorpus.corpus.manifest import Manifest
from newscorpus.corpus.shards import bounded
from newscorpus.data import Record
from newscorpus.errors import CorpusError

DAY_LENGTH = len("2026-03-01")

NO_DAY, AFTER_ALL = 0, date.max.toordinal() + 1
"""Stand for the day of an undated document, and for a day after all others."""


@dataclass(frozen=True, slots=True)
class About:
    """A description of a corpus."""

    name: str  # of the corpus
    creator: str = ""  # publisher
    url: str = ""  # of its web page


@dataclass(frozen=True, slots=True)
class ExportPart:
    """A part of a corpus that is exported together."""

    name: str  # "train", "validation" or "test"; "" without a split
    records: Callable[[], Iterator[Record]]  # reads the documents, from the first; a format calls it once

    def files(self, max_bytes: int) -> Iterator[tuple[str, Iterator[Record]]]:
        """Group the documents by the size of their texts; yields the number of each group as five digits."""
        return bounded(self.records(), lambda record: len(record.text.encode()), max_bytes)


@dataclass(frozen=True, slots=True)
class ExportSource:
    """A published corpus to be written in another format."""

    corpus: Path  # folder of the crawl, else of the published corpus
    about: About
    manifest: Manifest
    parts: tuple[ExportPart, ...]  # each in the order of the corpus
    config: ExportConfig  # size of the files
    scores: Scores = field(default_factory=Scores)  # numbers that `dolma` and `parquet` add
    annotations: AnnotatedDocuments | None = None  # for `tei` and `vertical`

    def annotated(self, record: Record) -> Document | None:
        """Return the sentences of a document; None without an annotation."""
        return self.annotations.of(record) if self.annotations else None


def passages(record: Record, document: Document | None = None) -> Iterator[tuple[str, str, Sequence[Sentence]]]:
    """Yield the headline and each paragraph: the name of its element ("head" or "p"), its text and its sentences."""
    for number, text in enumerate(texts_of(record)):
        if text:
            yield "p" if number else "head", text, document[number] if document and number < len(document) else ()


def iso_day(moment: str) -> str:
    """Truncate an ISO 8601 date to its day; "" for anything else."""
    try:
        return date.fromisoformat(moment[:DAY_LENGTH]).isoformat()
    except ValueError:
        return ""


class SplitName(StrEnum):
    """The splits, in order of publication if split by date."""

    TRAIN = "train"
    VALIDATION = "validation"
    TEST = "test"


Assign = Callable[[Record], SplitName]
"""Returns the split of a document."""


def assigner(records: Callable[[], Iterable[Record]], config: SplitConfig) -> Assign:
    """Make a function that returns the split of a record; to split by date, all `records` are read once.

    Raises:
        CorpusError: the shares leave nothing for training, or there are too few days to split by date.
    """
    if min(config.validation, config.test) < 0 or config.validation + config.test >= 1:
        raise CorpusError(
            f"validation {config.validation} and test {config.test} must be shares that leave some to train"
        )
    if config.rule is SplitRule.CLUSTER:
        return by_cluster(config)
    return by_date(records(), config) if config.rule is SplitRule.DATE else lambda _: SplitName.TRAIN


def by_cluster(config: SplitConfig) -> Assign:
    """Assign by a hash of the cluster, so that new documents never move old ones to another split."""

    def assign(record: Record) -> SplitName:
        drawn = hashlib.sha256(f"{config.seed}:{record.cluster or record.id}".encode()).digest()
        place = int.from_bytes(drawn[:8]) / 2**64
        if place < config.test:
            return SplitName.TEST
        return SplitName.VALIDATION if place < config.test + config.validation else SplitName.TRAIN

    return assign


def by_date(records: Iterable[Record], config: SplitConfig) -> Assign:
    """Assign the latest days to test, those before to validation, the rest to training.

    All documents of a day of publication (of fetch, if unknown) go to one split, and so does a cluster, by the day of
    its latest document: no training document is newer than a test document. Undated documents go to training.

    Raises:
        CorpusError: no day is left for training.
    """
    days: Counter[int] = Counter()  # documents by day, those of a cluster on its latest day
    clusters: dict[str, list[int]] = {}
    for record in records:
        if record.cluster:
            clusters.setdefault(record.cluster, []).append(day_of(record))
        else:
            days[day_of(record)] += 1
    latest = {cluster: max(found) for cluster, found in clusters.items()}
    for cluster, found in clusters.items():
        days[latest[cluster]] += len(found)
    test = _first_day(days, config.test, before=AFTER_ALL)
    validation = _first_day(days, config.validation, before=test)
    dated = set(days) - {NO_DAY}
    if not any(day < validation for day in dated):
        raise CorpusError(f"{len(dated)} days of publication are too few to split by date; split by cluster instead")

    def assign(record: Record) -> SplitName:
        day = latest.get(record.cluster or record.id, day_of(record))
        if day >= test:
            return SplitName.TEST
        return SplitName.VALIDATION if day >= validation else SplitName.TRAIN

    return assign


def day_of(record: Record) -> int:
    """Return the ordinal of the day of publication in UTC, or else of the fetch; `NO_DAY` without either."""
    for stated in (record.published, record.fetched):
        try:
            moment = datetime.fromisoformat(stated)
            return (moment.astimezone(UTC) if moment.tzinfo else moment).toordinal()
        except (ValueError, OverflowError):
            continue
    return NO_DAY


def _first_day(days: Counter[int], share: float, before: int) -> int:
    """Find the latest day such that the days from it up to `before` hold a share of all documents."""
    first, wanted = before, share * days.total()
    for day in sorted(set(days) - {NO_DAY}, reverse=True):
        if wanted <= 0:
            break
        if day < before:
            first, wanted = day, wanted - days[day]
    return first
