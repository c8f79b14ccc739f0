from collections.abc import Callable
from dataclasses import replace

import pytest

from newscorpus.lab.evaluation.scores import lcs_overlap
from newscorpus.lab.gold.pages import GoldPage
from newscorpus.lab.systems.segment_systems import Expert
from newscorpus.lab.training.segment_systems import SegmentedPage, make_segmented

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


def test_a_segment_is_good_when_over_nine_tenths_of_it_are_gold(page: SegmentedPage) -> None:
    assert page.good.tolist() == [False, True, False, False]  # 10 of 10 words; 3 of 4
    assert page.text_of(page.good) == "one two three four five six seven eight nine ten"


def test_what_each_expert_kept(page: SegmentedPage) -> None:
    assert page.kept.tolist() == [[0, 0, 0], [0.5, 1, 1], [0, 0.75, 0.75], [0, 0, 0]]
    assert page.hybrid_features.shape == (4, 40)
    assert page.whole.shape == (37,)


def test_of_equally_good_experts_the_first_is_best(page: SegmentedPage) -> None:
    assert page.best_expert(lcs_overlap) == 1


def test_a_page_that_cannot_be_read(make_page: Callable[..., GoldPage]) -> None:
    assert make_segmented(replace(make_page(0), html=""), EXPERTS) is None
