"""Hold what an export is made of: documents in parts and their description; count what cards say of it.

A corpus may be split into training, validation and test, so that no group of near-duplicates is in two of them.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import StrEnum

from newscorpus.config import ExportConfig, SplitConfig, SplitRule
from newscorpus.corpus.manifest import Manifest, RecordCounts
from newscorpus.corpus.shards import Shard, bounded
from newscorpus.data import Record

DAY_LENGTH = len("2026-03-01")

NO_DAY, AFTER_ALL = 0, date.max.toordinal() + 1
"""Stand for the day of a document of no date, and for one after every other."""


@dataclass(frozen=True, slots=True)
class About:
    """A description of a corpus as a whole."""

    name: str  # of the corpus
    creator: str = ""  # who publishes it, or ""
    url: str = ""  # where it is published, or ""


@dataclass(frozen=True, slots=True)
class ExportPart:
    """Documents that belong together."""

    name: str  # "train", "validation" or "test"; "" where the corpus is not split
    records: Callable[[], Iterator[Record]]  # gives the documents, from the first, at each call; a format calls it once

    def files(self, max_bytes: int) -> Iterator[tuple[str, Iterator[Record]]]:
        """Group the documents by at most so many bytes of text; each group comes with its number as five digits."""
        return bounded(self.records(), lambda record: len(record.text.encode()), max_bytes)


@dataclass(frozen=True, slots=True)
class ExportSource:
    """A published corpus, ready to be written in another form."""

    about: About  # its description
    manifest: Manifest  # how it was made
    parts: tuple[ExportPart, ...]  # its documents, in the order of the corpus within each part
    config: ExportConfig  # how it is cut into files


@dataclass(frozen=True, slots=True)
class SplitFiles:
    """The files that a split was written to."""

    name: str  # of the split
    folder: str  # that holds them, relative to that of the export
    files: tuple[Shard, ...]  # with rows, size and hash, in order
    expanded_bytes: int  # size of their columns before compression

    @property
    def rows(self) -> int:
        """Documents in all files."""
        return sum(file.rows for file in self.files)

    @property
    def bytes(self) -> int:
        """Size of all files."""
        return sum(file.bytes for file in self.files)


class Census:
    """Counts documents as they pass."""

    def __init__(self) -> None:
        self.counts = RecordCounts()
        self.licenses: Counter[str] = Counter()  # documents by the licence they declare
        self.first = self.last = ""  # days of publication of the oldest and the youngest document
        self.paywalled = 0  # documents that are declared not free

    def count(self, records: Iterable[Record]) -> Iterator[Record]:
        """Count records and pass them on."""
        for record in self.counts.count(records):
            self.licenses[record.license] += 1
            day = iso_day(record.published)
            self.first = min(filter(None, (self.first, day)), default="")
            self.last = max(self.last, day)
            self.paywalled += record.paywalled
            yield record

    @property
    def languages(self) -> list[str]:
        """Primary tags of the known languages, sorted."""
        return sorted({share.language for share in self.counts.shares if share.language})


def iso_day(moment: str) -> str:
    """Cut an ISO 8601 date to its day; "" for anything else."""
    try:
        return date.fromisoformat(moment[:DAY_LENGTH]).isoformat()
    except ValueError:
        return ""


class SplitName(StrEnum):
    """What a document is for, in the order of publication where a corpus is split by date."""

    TRAIN = "train"
    VALIDATION = "validation"
    TEST = "test"


Assign = Callable[[Record], SplitName]
"""Says what a document is for."""


class SplitError(ValueError):
    """A corpus cannot be split as asked; the message is one line."""


def assigner(records: Callable[[], Iterable[Record]], config: SplitConfig) -> Assign:
    """Make the function that gives each record of a corpus its split; by date, all `records` are read once for it.

    Raises:
        SplitError: the shares leave nothing for training, or there are too few days to split by date.
    """
    if min(config.validation, config.test) < 0 or config.validation + config.test >= 1:
        raise SplitError(
            f"validation {config.validation} and test {config.test} must be shares that leave some to train"
        )
    if config.rule is SplitRule.CLUSTER:
        return by_cluster(config)
    return by_date(records(), config) if config.rule is SplitRule.DATE else lambda _: SplitName.TRAIN


def cluster_of(record: Record) -> str:
    """Name the group of near-duplicates that a document belongs to; without one it is a group of its own."""
    return record.cluster or record.id


def by_cluster(config: SplitConfig) -> Assign:
    """Decide by the hash of the cluster's name, so that new documents never move old ones to another split."""

    def assign(record: Record) -> SplitName:
        drawn = hashlib.sha256(f"{config.seed}:{cluster_of(record)}".encode()).digest()
        place = int.from_bytes(drawn[:8]) / 2**64
        if place < config.test:
            return SplitName.TEST
        return SplitName.VALIDATION if place < config.test + config.validation else SplitName.TRAIN

    return assign


def by_date(records: Iterable[Record], config: SplitConfig) -> Assign:
    """Test on the latest days, validate on those before, train on the rest.

    A day of publication (of the fetch, where that is unknown) goes to one split as a whole, and so does a cluster, on
    the day of its latest document: nothing in training is younger than what is tested. Documents of no date train.

    Raises:
        SplitError: no day is left for training.
    """
    days, latest = _days(records)
    test = _first_day(days, config.test, before=AFTER_ALL)
    validation = _first_day(days, config.validation, before=test)
    dated = set(days) - {NO_DAY}
    if not any(day < validation for day in dated):
        raise SplitError(f"{len(dated)} days of publication are too few to split by date; split by cluster instead")

    def assign(record: Record) -> SplitName:
        day = latest.get(cluster_of(record), day_of(record))
        if day >= test:
            return SplitName.TEST
        return SplitName.VALIDATION if day >= validation else SplitName.TRAIN

    return assign


def day_of(record: Record) -> int:
    """Number the day of publication in UTC, else the day of the fetch; 1 is 1 January of the year 1."""
    for stated in (record.published, record.fetched):
        try:
            moment = datetime.fromisoformat(stated)
            return (moment.astimezone(UTC) if moment.tzinfo else moment).toordinal()
        except (ValueError, OverflowError):
            continue
    return NO_DAY


def _days(records: Iterable[Record]) -> tuple[Counter[int], dict[str, int]]:
    """Count documents by day, a cluster on its latest day, and give the latest day of each cluster."""
    days: Counter[int] = Counter()
    clusters: dict[str, list[int]] = {}
    for record in records:
        if record.cluster:
            clusters.setdefault(record.cluster, []).append(day_of(record))
        else:
            days[day_of(record)] += 1
    latest = {cluster: max(found) for cluster, found in clusters.items()}
    for cluster, found in clusters.items():
        days[latest[cluster]] += len(found)
    return days, latest


def _first_day(days: Counter[int], share: float, before: int) -> int:
    """Find the latest day from which on, and before another day, there are documents enough for a share."""
    first, wanted = before, share * days.total()
    for day in sorted(set(days) - {NO_DAY}, reverse=True):
        if wanted <= 0:
            break
        if day < before:
            first, wanted = day, wanted - days[day]
    return first
