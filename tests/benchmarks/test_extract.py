import pkgutil

import pytest

from benchmarks import extract as benchmark
from newscorpus.lab.gold.pages import GoldPage

TEXT = (
    "The town opened its new bridge on Friday after two years of work. Hundreds of people walked across it before the"
    " first cars were let through at noon. The mayor said that the old crossing had been closed since the flood, and"
    " that shops on the far bank had lost half of their customers. Engineers will watch the pillars during the winter."
)
HTML = f"<html><body><article><h1>Bridge opens after the flood</h1><p>{TEXT}</p></article></body></html>"


def page(html: str) -> GoldPage:
    return GoldPage("1", "news", "https://a.example/", html=html, split="dev")


@pytest.mark.parametrize(("kilobytes", "size"), [(1, "0-50 KB"), (50, "50-150 KB"), (900, "over 400 KB")])
def test_size_classes(kilobytes: int, size: str) -> None:
    assert benchmark.size_class(page("x" * 1_000 * kilobytes)) == size


def test_each_turn_begins_with_another_extractor() -> None:
    assert [benchmark.rotated("abc", turn) for turn in range(4)] == [
        list(order) for order in ("abc", "bca", "cab", "abc")
    ]


def test_rows_compare_with_the_reference() -> None:
    sample = [page("x"), page("x" * 60_000)]
    rows = benchmark.summarise(sample, {benchmark.REFERENCE: [0.01, 0.03], "bte": [0.005, 0.005]})
    assert [(row.size, row.pages, row.extractor, row.ms, row.ratio) for row in rows] == [
        ("0-50 KB", 1, benchmark.REFERENCE, 10.0, 1.0),
        ("0-50 KB", 1, "bte", 5.0, 0.5),
        ("50-150 KB", 1, benchmark.REFERENCE, 30.0, 1.0),
        ("50-150 KB", 1, "bte", 5.0, pytest.approx(1 / 6)),
        ("all", 2, benchmark.REFERENCE, 20.0, 1.0),
        ("all", 2, "bte", 5.0, 0.25),
    ]


def test_every_stage_is_timed_and_then_left_alone() -> None:
    functions = [pkgutil.resolve_name(path) for path in benchmark.STAGES.values()]
    stages = benchmark.measure_stages([page(HTML)], benchmark.ROW, 1)
    assert list(stages) == [*benchmark.STAGES, "rest"]
    assert all(milliseconds > 0 for milliseconds in stages.values())
    assert [pkgutil.resolve_name(path) for path in benchmark.STAGES.values()] == functions


def test_memory_of_a_fresh_process() -> None:
    memory = benchmark.measure_memory([page(HTML)], [benchmark.NOTHING])
    assert 10 < memory[benchmark.NOTHING] < 1_000
