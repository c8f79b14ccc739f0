import numpy as np
import pytest

from newscorpus.lab.training.segment_systems import SvmSearch, fit_svm
from newscorpus.lab.training.sources import TrainingError

GENERATOR = np.random.default_rng(0)
ROWS = GENERATOR.random((200, 3), np.float32)
SITES = [f"site{at % 7}" for at in range(len(ROWS))]
SEARCH = SvmSearch(penalties=(1.0, 100.0), folds=3)


def test_a_plane_is_learned_by_the_linear_kernel_or_as_well() -> None:
    chosen = fit_svm(ROWS, (ROWS[:, 0] > 0.5).astype(np.int64), SITES, SEARCH)
    assert chosen.score > 0.9
    assert (chosen.machine.kernel in {"linear", "rbf"}, chosen.rows) == (True, 200)


def test_what_no_plane_parts_takes_the_other_kernel() -> None:
    inside = np.abs(ROWS - 0.5).max(axis=1) < 0.35
    assert fit_svm(ROWS, inside.astype(np.int64), SITES, SEARCH).machine.kernel == "rbf"


def test_rows_are_drawn_where_there_are_too_many() -> None:
    search = SvmSearch(penalties=(1.0,), folds=3, choose_from=60, fit_to=90)
    assert fit_svm(ROWS, (ROWS[:, 0] > 0.5).astype(np.int64), SITES, search).rows == 90


@pytest.mark.parametrize(
    ("classes", "sites"),
    [(np.zeros(200, np.int64), SITES), (np.arange(200) % 2, ["site"] * 200)],
    ids=["one_class", "one_site"],
)
def test_nothing_to_learn_from(classes: np.ndarray, sites: list[str]) -> None:
    with pytest.raises(TrainingError, match="two classes, of two sites"):
        fit_svm(ROWS, classes, sites, SEARCH)
