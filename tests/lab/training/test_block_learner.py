import weakref
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from newscorpus.errors import LabError
from newscorpus.lab.evaluation.scores import Confusion
from newscorpus.lab.gold.pages import GoldPage
from newscorpus.lab.training.block_learner import (
    BlockLearner,
    LabelledPage,
    block_scores,
    labelled_pages,
    score,
    table_lines,
    train,
)
from newscorpus.lab.training.block_systems import PARAGRAPH_SVM, SHALLOW_TREE, TEXTTRACTOR, fit_machine
from newscorpus.lab.training.sources import TrainingPages

MakePage = Callable[..., GoldPage]


@pytest.fixture
def pages(make_page: MakePage) -> list[GoldPage]:
    return [make_page(number) for number in range(30)]


@pytest.mark.parametrize("learner", [TEXTTRACTOR, SHALLOW_TREE, PARAGRAPH_SVM], ids=lambda learner: learner.name)
def test_without_a_good_block_there_is_nothing_to_learn(learner: BlockLearner, pages: list[GoldPage]) -> None:
    without = TrainingPages([replace(page, text="") for page in pages], lambda _: {})
    with pytest.raises(LabError, match=r"^nothing can be learned: of \d+ blocks, 0 are main text$"):
        train(learner, without, lambda _: None)


def test_pages_set_aside_are_bounded(pages: list[GoldPage], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("newscorpus.lab.training.block_learner.MOST_ASIDE", 1)
    source = TrainingPages(pages, lambda _: {})
    aside = [page for page in pages if source.is_held_out(page.site)]
    assert len(aside) > 1
    scores = train(PARAGRAPH_SVM, source, lambda _: None).scores
    assert scores["wcxb"]["f1"] > 0.9
    (kept,) = labelled_pages(PARAGRAPH_SVM, aside[:1])
    assert scores["wcxb"]["blocks"] == len(kept.good)


def test_training_that_streams_holds_one_page_however_many_come(make_page: MakePage) -> None:
    alive: set[int] = set()
    most = 0

    class Html(str):
        """Text that can be seen to go."""

        __slots__ = ("__weakref__",)

    def coming() -> Iterator[GoldPage]:
        nonlocal most
        for number in range(120):
            page = make_page(number)
            html = Html(page.html)
            alive.add(number)
            weakref.finalize(html, alive.discard, number)
            most = max(most, len(alive))
            yield replace(page, html=html)

    learner = replace(PARAGRAPH_SVM, fit=partial(fit_machine, held_blocks=0, batch_pages=10))
    trained = train(learner, TrainingPages(coming(), lambda _: {}), lambda _: None)
    assert "one pass" in trained.how
    assert not alive
    assert most <= 2  # the next one is made while the one before is still named


def test_pages_without_blocks_are_passed_over(make_page: MakePage) -> None:
    empty = replace(make_page(1), html="<img src=x>")
    deep = replace(make_page(2), html="")
    assert list(labelled_pages(PARAGRAPH_SVM, [empty, deep])) == []


def test_scores_by_set() -> None:
    rows = np.array([[1], [0], [1], [0]], np.float32)
    good = np.array([True, False, False, False])
    found = score(lambda matrix: matrix[:, 0] > 0, [LabelledPage("toy", "a", rows, good)])
    by_hand = {
        "blocks": 4, "accuracy": 0.75, "zero_r": 0.75, "precision": 0.5, "recall": 1, "f1": 0.6667, "mcc": 0.5774,
    }  # fmt: skip
    assert found == {"toy": pytest.approx(by_hand, abs=1e-4)}
    assert block_scores(Confusion(6, 1, 2, 1))["zero_r"] == 0.8


PAGES = [
    LabelledPage("toy", "a", np.array([[1, 0.1], [0, 2]], np.float32), np.array([True, False])),
    LabelledPage("toy", "b", np.array([[3, 1 / 3]], np.float32), np.array([True])),
]


def test_tables_of_two_forms() -> None:
    lines = "1.0,0.1,good\n0.0,2.0,bad\n3.0,0.33333334,good\n"
    heads = "@attribute 'words' numeric\n@attribute 'density@-1' numeric\n@attribute class {bad,good}\n@data\n"
    for suffix, head in ((".csv", "words,density@-1,class\n"), (".arff", f"@relation blocks\n{heads}")):
        assert b"".join(table_lines(suffix, ["words", "density@-1"], PAGES)).decode() == head + lines
    with pytest.raises(LabError, match=r"ends in \.csv or \.arff, not in '\.xls'"):
        table_lines(".xls", ["words"], iter(()))
