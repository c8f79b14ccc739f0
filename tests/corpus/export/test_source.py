"""Groups of records, splits, and the registry of formats."""

import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newscorpus.config import SplitConfig, SplitRule
from newscorpus.corpus.export.source import NO_DAY, ExportPart, SplitName, assigner, day_of
from newscorpus.data import Article, Fields, Record
from newscorpus.errors import CorpusError
from newscorpus.page.records import make_record


@pytest.mark.parametrize(
    ("max_bytes", "groups"), [(1, [[0], [1], [2], [3]]), (8, [[0, 1], [2, 3]]), (12, [[0, 1, 2], [3]])]
)
def test_groups_are_bounded_by_bytes_of_text(record: Record, max_bytes: int, groups: list[list[int]]) -> None:
    records = [replace(record, id=str(at), text="ěě") for at in range(4)]
    part = ExportPart("", lambda: iter(records))
    found = [(number, [int(one.id) for one in group]) for number, group in part.files(max_bytes)]
    assert found == [(f"{number:05}", group) for number, group in enumerate(groups)]


BARE = make_record(Article("https://b.cz/1", "Text.", Fields(), "bte"), "b", "", 0.0)
RULES = [SplitRule.CLUSTER, SplitRule.DATE]


def make(number: int, day: str = "", cluster: str = "") -> Record:
    return replace(BARE, id=f"{number:016x}", published=day, cluster=cluster)


def split(records: list[Record], config: SplitConfig) -> dict[str, SplitName]:
    assign = assigner(lambda: iter(records), config)
    return {record.id: assign(record) for record in records}


def days(numbers: Iterable[int]) -> list[Record]:
    return [make(number, f"2026-03-{number % 28 + 1:02}") for number in numbers]


@pytest.mark.parametrize("rule", RULES)
def test_shares_are_those_asked_for(rule: SplitRule) -> None:
    found = Counter(split(days(range(4_000)), SplitConfig(rule, validation=0.1, test=0.2)).values())
    assert found[SplitName.VALIDATION] / 4_000 == pytest.approx(0.1, abs=0.02)
    assert found[SplitName.TEST] / 4_000 == pytest.approx(0.2, abs=0.02)


clusters = st.lists(st.tuples(st.integers(1, 28), st.sampled_from(["", "a", "b", "c", "d"])), min_size=1, max_size=60)


@pytest.mark.parametrize("rule", RULES)
@given(clusters=clusters, seed=st.integers(0, 5))
@settings(max_examples=60, deadline=None)
def test_no_cluster_is_in_two_splits(rule: SplitRule, clusters: list[tuple[int, str]], seed: int) -> None:
    # The days before all others train, so that there is something to split by date.
    records = [make(9_000 + day, f"2025-01-{day:02}") for day in range(1, 21)]
    records += [make(at, f"2026-03-{day:02}", name) for at, (day, name) in enumerate(clusters)]
    # The survivor of a cluster bears its name as its id, and may be marked or not.
    records += [replace(make(0, "2026-03-02"), id=name) for name in "abcd"]
    found = split(records, SplitConfig(rule, 0.2, 0.2, seed))
    assert split(random.Random(1).sample(records, len(records)), SplitConfig(rule, 0.2, 0.2, seed)) == found
    together: dict[str, set[SplitName]] = {}
    for record in records:
        together.setdefault(record.cluster or record.id, set()).add(found[record.id])
    assert {name: splits for name, splits in together.items() if len(splits) > 1} == {}


def test_what_comes_later_moves_nothing() -> None:
    config = SplitConfig(SplitRule.CLUSTER, 0.2, 0.2)
    earlier, later = split(days(range(100)), config), split(days(range(300)), config)
    assert earlier.items() <= later.items()
    assert split(days(range(100)), replace(config, seed=2)) != earlier
    assert set(split(days(range(50)), SplitConfig()).values()) == {SplitName.TRAIN}, "without a rule"


def test_nothing_in_training_is_younger_than_what_is_tested() -> None:
    records = [*days(range(280)), make(900, "2026-03-02", "x"), make(901, "2026-03-27", "x"), make(902)]
    found = split(records, SplitConfig(SplitRule.DATE, 0.1, 0.1))
    by_split = {name: [day_of(one) for one in records if found[one.id] is name] for name in SplitName}
    assert max(by_split[SplitName.TRAIN]) < max(by_split[SplitName.VALIDATION]) < max(by_split[SplitName.TEST])
    assert max(by_split[SplitName.TRAIN]) < min(set(by_split[SplitName.TEST]) - {day_of(records[280])})
    assert found[records[280].id] is SplitName.TEST, "a cluster goes where its latest document goes"
    assert found[records[282].id] is SplitName.TRAIN, "what has no date trains"


def test_too_few_days_are_refused() -> None:
    assert day_of(BARE) == NO_DAY
    with pytest.raises(CorpusError, match="2 days of publication are too few"):
        split([make(1, "2026-03-01"), make(2, "2026-03-02"), make(3)], SplitConfig(SplitRule.DATE))


@pytest.mark.parametrize(("validation", "test"), [(0.5, 0.5), (-0.1, 0.1), (0.1, 1.0)])
def test_shares_that_leave_nothing_are_refused(validation: float, test: float) -> None:
    with pytest.raises(CorpusError, match="leave"):
        split(days(range(9)), SplitConfig(SplitRule.CLUSTER, validation, test))


@pytest.mark.parametrize(
    ("published", "fetched", "day"),
    [
        ("", "", ""),
        ("2026-03-02T00:30:00+01:00", "", "2026-03-01"),
        ("2026-03-02", "", "2026-03-02"),
        ("soon", "2026-03-05T10:00:00+00:00", "2026-03-05"),
        ("0001-01-01T00:00:00+05:00", "2026-03-05", "2026-03-05"),
    ],
)
def test_days_are_counted_in_utc(published: str, fetched: str, day: str) -> None:
    assert day_of(replace(BARE, published=published, fetched=fetched)) == day_of(make(1, day))
