from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from newscorpus.errors import LabError
from newscorpus.lab.evaluation.scores import lcs_overlap
from newscorpus.lab.gold.pages import GoldPage
from newscorpus.lab.systems.segment_systems import Expert
from newscorpus.lab.training.segment_systems import SegmentedPage, SvmSearch, fit_svm, make_segmented

HTML = (
    "<div>Home Sport</div><div>one two three four five six seven eight nine ten</div>"
    "<div>eleven twelve thirteen more</div><div> </div>"
)
GOLD = "one two three four five six seven eight nine ten\neleven twelve thirteen"
EXPERTS: dict[str, Expert] = {"half": lambda _: "one two three four five", "all": lambda _: GOLD, "too": lambda _: GOLD}


@pytest.fixture
def page(make_page: Callable[..., GoldPage]) -> SegmentedPage:
    made = make_segmented(replace(make_page(0), html=HTML, text=GOLD), EXPERTS)
    assert made
    return made


def test_segments_of_a_page_and_what_each_expert_kept(page: SegmentedPage, make_page: Callable[..., GoldPage]) -> None:
    assert page.good.tolist() == [False, True, False, False]  # 10 of 10 words; 3 of 4
    assert page.text_of(page.good) == "one two three four five six seven eight nine ten"

    assert page.kept.tolist() == [[0, 0, 0], [0.5, 1, 1], [0, 0.75, 0.75], [0, 0, 0]]
    assert page.hybrid_features.shape == (4, 40)
    assert page.whole.shape == (37,)

    assert page.best_expert(lcs_overlap) == 1  # of equally good ones the first
    assert make_segmented(replace(make_page(0), html=""), EXPERTS) is None


GENERATOR = np.random.default_rng(0)
ROWS = GENERATOR.random((200, 3), np.float32)
SITES = [f"site{at % 7}" for at in range(len(ROWS))]
SEARCH = SvmSearch(penalties=(1.0, 100.0), folds=3)


def test_the_kernel_is_chosen_and_rows_are_drawn_where_there_are_too_many() -> None:
    inside = np.abs(ROWS - 0.5).max(axis=1) < 0.35  # no plane parts them
    assert fit_svm(ROWS, inside.astype(np.int64), SITES, SEARCH).machine.kernel == "rbf"
    plane = (ROWS[:, 0] > 0.5).astype(np.int64)
    chosen = fit_svm(ROWS, plane, SITES, SEARCH)
    assert chosen.score > 0.9
    assert chosen.rows == 200
    search = SvmSearch(penalties=(1.0,), folds=3, choose_from=60, fit_to=90)
    assert fit_svm(ROWS, plane, SITES, search).rows == 90


@pytest.mark.parametrize(
    ("classes", "sites"),
    [(np.zeros(200, np.int64), SITES), (np.arange(200) % 2, ["site"] * 200)],
    ids=["one_class", "one_site"],
)
def test_nothing_to_learn_from(classes: np.ndarray, sites: list[str]) -> None:
    with pytest.raises(LabError, match="but for those of one site or page"):
        fit_svm(ROWS, classes, sites, SEARCH)
