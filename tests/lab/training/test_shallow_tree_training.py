import numpy as np
import pytest

from newscorpus.lab.systems.shallow_tree import FEATURES
from newscorpus.lab.training.block_learner import LabelledPage
from newscorpus.lab.training.block_systems import Criterion, fit_tree
from newscorpus.lab.training.sources import TrainingError


def make(number: int) -> list[LabelledPage]:
    """Pages whose blocks are good by one column, but for one in ten."""
    generator = np.random.default_rng(0)
    rows = generator.random((number, 40, len(FEATURES))).astype(np.float32)
    odd = generator.random((number, 40)) < 0.1
    return [
        LabelledPage("toy", str(at), page, (page[:, 2] > 0.5) ^ flip)
        for at, (page, flip) in enumerate(zip(rows, odd, strict=True))
    ]


def test_the_pruning_that_does_best_on_other_sites_is_taken() -> None:
    pages = make(30)
    fitted = fit_tree(pages, prunings=(1e-6, 1e-2, 1.0), folds=3)  # too little, enough, too much
    assert fitted.how.startswith("Decision tree of 2 leaves")
    assert "pruned at 0.01 a leaf: the best of 3 prunings in 3-fold" in fitted.how
    assert (fitted.predict(pages[0].rows) == (pages[0].rows[:, 2] > 0.5)).mean() > 0.9


def test_of_equals_the_stronger_pruning() -> None:
    assert "pruned at 0.02 a leaf" in fit_tree(make(30), prunings=(1e-2, 2e-2), folds=3).how


@pytest.mark.parametrize(("criterion", "pruning", "column"), [("entropy", 0.3, 0), ("gini", 0.18, 1)])
def test_the_criterion_decides_on_the_split(criterion: Criterion, pruning: float, column: int) -> None:
    # Of 50 good and 50 bad blocks, column 0 parts 25 good ones from the rest, column 1 35 good and 5 bad ones. By hand,
    # the entropy falls by 0.311 and 0.296 bits, the Gini impurity by 0.167 and 0.188.
    rows = np.zeros((100, len(FEATURES)), np.float32)
    rows[:25, 0] = rows[:20, 1] = rows[35:55, 1] = 1
    good = np.arange(100) < 50
    pages = [LabelledPage("toy", str(at), rows[at::10], good[at::10]) for at in range(10)]
    fitted = fit_tree(pages, prunings=(pruning,), folds=2, criterion=criterion)
    assert fitted.how.startswith(f"Decision tree of 2 leaves of at least 20 blocks, criterion {criterion}")
    assert fitted.predict(np.eye(2, len(FEATURES), dtype=np.float32)).tolist() == [column == 0, column == 1]


def test_one_site_is_too_few() -> None:
    with pytest.raises(TrainingError, match="pages of two at least are needed"):
        fit_tree(make(1))
