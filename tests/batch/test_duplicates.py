"""Duplicates over the parts of a batch: what one machine finds, whatever parts and memory."""

import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newscorpus.batch.duplicates import (
    BASE_BYTES,
    EQUAL,
    GB,
    IS_BAND,
    LINK,
    DuplicateTask,
    bounded_groups,
    index_part,
    links,
)
from newscorpus.batch.engine import build_parts, publish_parts, write_ranges
from newscorpus.batch.plan import Plan
from newscorpus.config import BuildConfig, DuplicateConfig, ShardConfig, Survivor
from newscorpus.corpus.build import BuildReport, build
from newscorpus.corpus.duplicates.collection import Collection
from newscorpus.data import LOW_CONFIDENCE, Article, Fields
from newscorpus.layout import DUPLICATES, INTAKE, INTAKE_SEGMENT, PUBLISHED, REJECTED
from newscorpus.layout import LOW_CONFIDENCE as LOW
from newscorpus.page.recipe import Recipe
from newscorpus.page.records import make_record
from newscorpus.page.rows import Row
from newscorpus.page.signature import sign
from newscorpus.store.intake import write_segment

WORDS = [f"slovo{number}" for number in range(300)]
FOOT = "Předplaťte si náš nový deník ještě dnes"
SCARCE_GB = (BASE_BYTES + 10_000) / GB
"""Room for four documents."""
STAGES = ("link", "lists", "repeats", "runs", "excerpts")


def text(seed: int, edits: int, share: float) -> str:
    """One of some texts, with some of its words changed, or a part of it only."""
    words = random.Random(seed).choices(WORDS, k=120)
    for place in random.Random(edits).sample(range(120), edits):
        words[place] = f"jinak{edits}"
    return " ".join(words[: int(len(words) * share)])


@st.composite
def rows(draw: st.DrawFn) -> Row:
    words = text(draw(st.integers(0, 3)), draw(st.integers(0, 9)), draw(st.sampled_from([1.0, 1.0, 0.9, 0.6])))
    if draw(st.integers(0, 5)) == 0:  # a list
        words = f"{words}\n{text(draw(st.integers(0, 3)), 0, 1.0)}"
    name, source = f"p{draw(st.integers(0, 12))}", draw(st.sampled_from("ab"))
    day, hour = draw(st.integers(1, 3)), draw(st.integers(1, 4))
    article = Article(
        f"https://{source}.cz/{name}",
        f"{words}\n{FOOT}" if draw(st.booleans()) else words,
        Fields(title=name, published=draw(st.sampled_from(["", f"2026-03-0{day}"]))),
        "bte",
        fetched=f"2026-04-01T0{hour}:00:00+00:00",
        flags=(LOW_CONFIDENCE,) if draw(st.integers(0, 9)) == 0 else (),
    )
    record = make_record(article, source, "cs", 0.9)
    return Row(record, sign(record.text), reextraction=draw(st.sampled_from([0, 0, 0, 1])))


def write(folder: Path, lines: Sequence[Row]) -> None:
    with write_segment(folder / INTAKE_SEGMENT.format(1), BuildConfig().signature) as append:
        for line in lines:
            append(line)
    (folder / REJECTED).touch()


def plan_of(folder: Path, tasks: int, config: BuildConfig, memory_gb: float = 1.0) -> Plan:
    return Plan(str(folder), ((),) * tasks, Recipe(), (), config, memory_gb, (), {}, "")


def by_tasks(plan: Plan, lines: Sequence[Row]) -> None:
    """Do all stages after the first, whose parts hold the lines."""
    tasks = range(len(plan.shares))
    for number, part in enumerate(plan.parts):
        write(part, lines[len(tasks) - 1 - number :: len(tasks)])
        index_part(part, plan.build)
    for stage in STAGES:
        for number in tasks:
            getattr(DuplicateTask(plan, number), stage)()
        if stage == "link":
            DuplicateTask(plan, 0).group()


def publish(plan: Plan) -> BuildReport:
    """Do the last stages."""
    report = build_parts(plan)
    for number in range(len(plan.shares)):
        write_ranges(plan, number)
    publish_parts(plan)
    return report


def published(folder: Path) -> Mapping[str, bytes]:
    files = [folder / DUPLICATES, folder / LOW, *(folder / PUBLISHED).iterdir()]
    return {path.name: path.read_bytes() for path in files}


@settings(max_examples=25, deadline=None)
@given(
    st.lists(rows(), min_size=1, max_size=40),
    st.sampled_from(Survivor),
    st.sampled_from([1.0, SCARCE_GB]),
    st.sampled_from([100, 2]),
)
def test_the_outcome_is_that_of_one_machine(
    lines: list[Row], survivor: Survivor, memory_gb: float, range_documents: int
) -> None:
    config = BuildConfig(
        duplicates=DuplicateConfig(survivor=survivor, boilerplate_documents=3),
        shards=ShardConfig(range_documents=range_documents),
    )
    with TemporaryDirectory() as name:
        folder = Path(name)
        write(folder / "one", lines)
        build(folder / "one", config)
        for tasks in (2, 7):
            plan = plan_of(folder / f"{tasks}", tasks, config, memory_gb)
            by_tasks(plan, lines)
            publish(plan)
            assert published(plan.folder) == published(folder / "one")


def test_no_text_is_compared_again_when_it_is_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [line for seed in range(3) for line in family(seed)]
    plan = plan_of(tmp_path / "two", 2, BuildConfig())
    by_tasks(plan, lines)
    monkeypatch.setattr(Collection, "text", lambda *_: pytest.fail("a text was read"))

    report = publish(plan)

    assert report.kept == 3
    assert report.duplicates == {"exact": 3, "near": 3, "excerpt": 3, "revision": 0, "contains_others": 0}


def family(seed: int) -> Iterator[Row]:
    """A text, a copy, a text much like it, and an excerpt."""
    original = random.Random(seed).choices(WORDS, k=600)
    texts = [original, original, [*original[:-3], "jinak"], original[:360]]
    for number, words in enumerate(map(" ".join, texts)):
        article = Article(
            f"https://a.cz/{seed}-{number}", words, Fields(title="x", published=f"2026-03-0{number + 1}"), "bte"
        )
        yield Row(make_record(article, "a", "cs", 0.9), sign(words))


def test_a_part_that_was_damaged_since_is_found_and_the_rest_decided_anew(tmp_path: Path) -> None:
    lines = [line for seed in range(3) for line in family(seed)]
    plan = plan_of(tmp_path / "two", 2, BuildConfig())
    by_tasks(plan, lines)
    segment = next((plan.parts[1] / INTAKE).iterdir())
    data = bytearray(segment.read_bytes())
    data[-1000] ^= 1
    segment.write_bytes(data)

    report = publish(plan)

    assert len(report.damage) == 2
    assert report.kept == 3


def test_documents_with_a_band_in_common_are_linked_only_through_similar_ones() -> None:
    signatures = np.zeros((7, 10), np.uint32)
    for row, unlike in enumerate([0, 4, 2, 0, 10, 10, 10]):  # 0 and 1 are linked by 2; 4 and 6 have the words of 5
        signatures[row, :unlike] = row if unlike == 10 else 1
    keys = np.array([7, 7, 7, 7, 7, 8, 8], np.uint64) | np.array([1, 1, 1, 1, 1, 0, 0], np.uint64) * IS_BAND

    found = links(keys, np.arange(7), 7, lambda positions: signatures[positions], 0.6)

    assert sorted(map(tuple, np.column_stack(np.divmod(found["pair"], np.uint64(7))).tolist())) == [
        (0, 2),
        (0, 3),
        (1, 2),
        (5, 6),
    ]
    assert found["similarity"][found["pair"] == 5 * 7 + 6].tolist() == [EQUAL]


@pytest.mark.parametrize(
    ("most", "groups"),
    [(5, [[0, 1, 2, 3, 4], [5, 6]]), (4, [[0, 1, 2], [3, 4], [5, 6]]), (1, [[0, 1], [3, 4]])],
)
def test_a_large_group_keeps_only_its_closest_links(most: int, groups: list[list[int]]) -> None:
    pairs = [(0, 1, EQUAL), (1, 2, 0.8), (2, 3, 0.6), (3, 4, EQUAL), (5, 6, 0.6)]
    found = np.array([(one * 7 + other, similarity) for one, other, similarity in pairs], LINK)

    positions, numbers = bounded_groups(found, 7, [0.0, 0.7, EQUAL], most)

    assert sorted(np.sort(positions[numbers == number]).tolist() for number in set(numbers.tolist())) == groups
