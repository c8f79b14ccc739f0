"""The protocols of the block systems: their counts by hand, and each as a whole on few pages."""

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from benchmarks.reproduce.block_systems import articles, counted_sites, folds, large_sites
from benchmarks.reproduce.texttractor import Marks, count
from newscorpus.lab.gold.pages import GoldPage


def test_marks_on_a_page() -> None:
    marked = np.array([True, False, False, True, False, True], bool)
    good = np.array([False, False, True, True, True, True], bool)
    assert count(marked, good) == Marks(
        *(1, 6, 4, 3, 1, 2),  # pages, blocks, good, marked, wrong, missed
        starts=0,
        distance=2.0,
        ends=1,
        success=0.5,
        failure=0.25,
    )

    marks = count(np.zeros(3, bool), np.array([True, False, True]))
    assert (marks.distance, marks.starts, marks.ends, marks.success, marks.failure) == (3.0, 0, 0, 0.0, 0.0)


def test_large_sites_have_twenty_pages_each_tested_on_once(data: Path) -> None:
    pages = large_sites(data)
    assert counted_sites(pages) == "large0.example 22, large1.example 22"
    assert {page.dataset for page in pages} == {"ir_research", "daniel"}

    pages = list(articles(data, "wcxb", "train"))
    tested: list[GoldPage] = []
    for train, test in folds(pages, 5):
        assert sorted(page.id for page in train + test) == sorted(page.id for page in pages)
        tested += test
    assert sorted(page.id for page in tested) == sorted(page.id for page in pages)


@pytest.mark.parametrize(
    ("module", "said"),
    [
        ("texttractor", "| With post-analysis | missed | 21 | 0.000 |"),
        ("shallow_tree", "| same sites | shallow-tree, aligned labels, entropy | 44 | 1.000 | 1.000 | 1.000 |"),
        ("paragraph_svm", "| paragraph-svm, streamed | 44 | 1.000 | 0.000 |"),
    ],
)
def test_a_protocol_as_a_whole(data: Path, module: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    protocol = import_module(f"benchmarks.reproduce.{module}")
    monkeypatch.setattr(protocol, "FOLDS", 2, raising=False)
    assert said in protocol.reproduce(data)
