"""Split documents into training, validation and test, so that no group of near-duplicates is in two of them."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime
from enum import StrEnum

from newscorpus.config import SplitConfig, SplitRule
from newscorpus.data import Record


class SplitName(StrEnum):
    """What a document is for, in the order of publication where a corpus is split by date."""

    TRAIN = "train"
    VALIDATION = "validation"
    TEST = "test"


NO_DAY, AFTER_ALL = 0, date.max.toordinal() + 1
"""Stand for the day of a document of no date, and for one after every other."""

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
