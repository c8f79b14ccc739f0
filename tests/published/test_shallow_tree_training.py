import numpy as np
import pytest

from newscorpus.learning.block_learner import LabelledPage
from newscorpus.learning.sources import TrainingError
from newscorpus.published.shallow_tree.find import FEATURES
from newscorpus.published.shallow_tree.train import fit


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
    fitted = fit(pages, prunings=(1e-6, 1e-2, 1.0), folds=3)  # too little, enough, too much
    assert fitted.how.startswith("Decision tree of 2 leaves")
    assert "pruned at 0.01 a leaf: the best of 3 prunings in 3-fold" in fitted.how
    assert (fitted.predict(pages[0].rows) == (pages[0].rows[:, 2] > 0.5)).mean() > 0.9


def test_of_equals_the_stronger_pruning() -> None:
    assert "pruned at 0.02 a leaf" in fit(make(30), prunings=(1e-2, 2e-2), folds=3).how


def test_one_site_is_too_few() -> None:
    with pytest.raises(TrainingError, match="pages of two at least are needed"):
        fit(make(1))
