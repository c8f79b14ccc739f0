import weakref
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from newscorpus.artifacts import Artifact, Scorer
from newscorpus.errors import LabError
from newscorpus.lab.systems import paragraph_svm, shallow_tree
from newscorpus.lab.training.block_learner import LabelledPage
from newscorpus.lab.training.block_systems import Criterion, best_threshold, fit_machine, fit_tree
from newscorpus.model_folders import Metadata

METADATA = Metadata("toy", "1", (), {}, {}, {}, {}, {})


def make(number: int) -> list[LabelledPage]:
    generator = np.random.default_rng(0)
    rows = generator.random((number, 20, len(paragraph_svm.FEATURES))).astype(np.float32)
    return [LabelledPage("toy", str(at), page, page[:, 1] > 0.5) for at, page in enumerate(rows)]


@pytest.mark.parametrize(
    ("held", "how"), [(10_000, "at once"), (100, "stochastic gradient descent"), (0, "stochastic")]
)
def test_it_is_fitted_at_once_where_memory_holds_it_and_streamed_else(held: int, how: str) -> None:
    pages = make(100)
    fitted = fit_machine(iter(pages), held_blocks=held, batch_pages=10)
    assert how in fitted.how
    right = np.mean([np.mean(fitted.predict(page.rows) == page.good) for page in pages])
    assert right > 0.95
    scorer = Scorer(Artifact(METADATA, fitted.weights))
    assert ((scorer(pages[0].rows)[:, 1] > 0) == fitted.predict(pages[0].rows)).all()


def test_streaming_holds_a_batch_however_many_pages_come() -> None:
    alive: set[int] = set()
    most = 0
    generator = np.random.default_rng(0)

    def coming() -> Iterator[LabelledPage]:
        nonlocal most
        for number in range(600):
            rows = generator.random((20, len(paragraph_svm.FEATURES))).astype(np.float32)
            alive.add(number)
            weakref.finalize(rows, alive.discard, number)
            most = max(most, len(alive))
            yield LabelledPage("toy", str(number), rows, rows[:, 1] > 0.5)

    assert "one pass" in fit_machine(coming(), held_blocks=200, batch_pages=20).how
    assert most <= 10 + 1 + 2 * 20  # those held at first, the one after them, and a batch beside the next one


def test_streaming_too_sees_that_nothing_can_be_learned() -> None:
    pages = [LabelledPage("toy", "a", page.rows, np.zeros(20, bool)) for page in make(5)]
    with pytest.raises(LabError, match="of 100 blocks, 0 are main text"):
        fit_machine(iter(pages), held_blocks=10)


def make_tree_pages(number: int) -> list[LabelledPage]:
    """Pages whose blocks are good by one column, but for one in ten."""
    generator = np.random.default_rng(0)
    rows = generator.random((number, 40, len(shallow_tree.FEATURES))).astype(np.float32)
    odd = generator.random((number, 40)) < 0.1
    return [
        LabelledPage("toy", str(at), page, (page[:, 2] > 0.5) ^ flip)
        for at, (page, flip) in enumerate(zip(rows, odd, strict=True))
    ]


def test_the_pruning_that_does_best_on_other_sites_is_taken() -> None:
    pages = make_tree_pages(30)
    fitted = fit_tree(pages, prunings=(1e-6, 1e-2, 1.0), folds=3)  # too little, enough, too much
    assert fitted.how.startswith("Decision tree of 2 leaves")
    assert "pruned at 0.01 a leaf: the best of 3 prunings in 3-fold" in fitted.how
    assert (fitted.predict(pages[0].rows) == (pages[0].rows[:, 2] > 0.5)).mean() > 0.9


def test_of_equals_the_stronger_pruning() -> None:
    assert "pruned at 0.02 a leaf" in fit_tree(make_tree_pages(30), prunings=(1e-2, 2e-2), folds=3).how


@pytest.mark.parametrize(("criterion", "pruning", "column"), [("entropy", 0.3, 0), ("gini", 0.18, 1)])
def test_the_criterion_decides_on_the_split(criterion: Criterion, pruning: float, column: int) -> None:
    # Of 50 good and 50 bad blocks, column 0 parts 25 good ones from the rest, column 1 35 good and 5 bad ones. By hand,
    # the entropy falls by 0.311 and 0.296 bits, the Gini impurity by 0.167 and 0.188.
    rows = np.zeros((100, len(shallow_tree.FEATURES)), np.float32)
    rows[:25, 0] = rows[:20, 1] = rows[35:55, 1] = 1
    good = np.arange(100) < 50
    pages = [LabelledPage("toy", str(at), rows[at::10], good[at::10]) for at in range(10)]
    fitted = fit_tree(pages, prunings=(pruning,), folds=2, criterion=criterion)
    assert fitted.how.startswith(f"Decision tree of 2 leaves of at least 20 blocks, criterion {criterion}")
    assert fitted.predict(np.eye(2, len(shallow_tree.FEATURES), dtype=np.float32)).tolist() == [
        column == 0,
        column == 1,
    ]


def test_the_folds_of_one_site_are_over_pages_and_one_page_is_too_few() -> None:
    pages = [replace(page, site="one") for page in make_tree_pages(5)]
    assert "5-fold cross-validation over pages (" in fit_tree(pages).how
    with pytest.raises(LabError, match=r"^one page to learn from; "):
        fit_tree(make_tree_pages(1))


def test_the_threshold_of_the_best_f_score() -> None:
    output = np.array([-0.9, -0.5, -0.2, 0.3, 0.8])
    good = np.array([False, True, False, True, True])
    # F1: 6/7 where the last four are kept (precision 3/4, recall 1), 4/5 where the last two; F2 is higher still there.
    assert best_threshold(output, good, 1.0) == -0.9
    assert best_threshold(output, np.array([False, False, False, True, True]), 1.0) == -0.2
    assert best_threshold(output, np.array([True, False, False, True, True]), 1.0) == -0.2
    assert best_threshold(output, np.array([True, False, False, True, True]), 2.0) == -0.95
