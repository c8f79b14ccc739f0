import importlib.util
import pkgutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from newscorpus.lab.gold.pages import GoldPage

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "extract.py"
HTML = "<html><body><h1>Head</h1><p>One two three four five six seven.</p></body></html>"


@pytest.fixture(scope="module")
def benchmark() -> Iterator[ModuleType]:
    specification = importlib.util.spec_from_file_location("benchmark_extract", SCRIPT)
    assert specification
    assert specification.loader
    module = importlib.util.module_from_spec(specification)
    sys.modules[module.__name__] = module  # dataclasses look their module up
    specification.loader.exec_module(module)
    yield module
    del sys.modules[module.__name__]


def page(html: str) -> GoldPage:
    return GoldPage("1", "news", "https://a.example/", "a.example", "en", "", "", (), html, "", "", "dev")


@pytest.mark.parametrize(("kilobytes", "size"), [(1, "0-50 KB"), (50, "50-150 KB"), (900, "over 400 KB")])
def test_size_classes(benchmark: ModuleType, kilobytes: int, size: str) -> None:
    assert benchmark.size_class(page("x" * 1_000 * kilobytes)) == size


def test_each_turn_begins_with_another_extractor(benchmark: ModuleType) -> None:
    assert [benchmark.rotated("abc", turn) for turn in range(4)] == [
        list(order) for order in ("abc", "bca", "cab", "abc")
    ]


def test_rows_compare_with_the_reference(benchmark: ModuleType) -> None:
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


def test_every_stage_is_timed_and_then_left_alone(benchmark: ModuleType) -> None:
    functions = [pkgutil.resolve_name(path) for path in benchmark.STAGES.values()]
    stages = benchmark.measure_stages([page(HTML)], benchmark.DEFAULT, 1)
    assert list(stages) == [*benchmark.STAGES, "rest"]
    assert all(milliseconds > 0 for milliseconds in stages.values())
    assert [pkgutil.resolve_name(path) for path in benchmark.STAGES.values()] == functions


def test_memory_of_a_fresh_process(benchmark: ModuleType) -> None:
    memory = benchmark.measure_memory([page(HTML)], [benchmark.NOTHING])
    assert 10 < memory[benchmark.NOTHING] < 1_000
