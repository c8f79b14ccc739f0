from dataclasses import replace
from random import Random

import lightgbm
import numpy as np
import pytest

from newscorpus.lab.gold.pages import NO_ARTICLE
from newscorpus.lab.training.verdicts import (
    GradedPage,
    OtherText,
    check_second_opinion,
    check_verdict,
    find_unsure,
    learn_arbiter,
    learn_article,
    learn_confidence,
    settle,
)
from newscorpus.page.text.second_opinion import ASK_BELOW, PAIR_SIGNS
from newscorpus.page.text.verdict import SIGNS, STRUCTURE


def judged(number: int, f1: float, page_type: str = "article") -> GradedPage:
    """A page whose first sign speaks of its F1, and whose second of its type, with noise on all signs."""
    random = Random(number)
    signs = np.array([random.gauss(0, 0.1) for _ in SIGNS])
    signs[0] += f1
    signs[1] += page_type in NO_ARTICLE
    return GradedPage(signs, f1, page_type, f"site{number % 20}.example", 1.0)


@pytest.fixture
def pages() -> list[GradedPage]:
    right = [judged(number, 0.99) for number in range(60)]
    wrong = [judged(number, 0.3) for number in range(60, 90)]
    listings = [judged(number, 0.3, "listing") for number in range(90, 120)]
    return [*right, *wrong, *listings]


def article_probability(booster: lightgbm.Booster, page: GradedPage) -> float:
    return float(np.asarray(booster.predict(page.signs[None]))[0])


def test_confidence_tells_right_texts_from_wrong_ones(pages: list[GradedPage]) -> None:
    confidence = learn_confidence(pages)
    assert confidence(judged(500, 0.99).signs) > 0.8
    assert confidence(judged(501, 0.3).signs) < 0.2


def with_other(page: GradedPage, other_f1: float) -> GradedPage:
    """The page with another text, of which the last sign speaks."""
    pair = np.concatenate((page.signs, np.zeros(len(PAIR_SIGNS))))
    pair[-1] = other_f1 + 0.1 * page.signs[2]
    return replace(page, other=OtherText(pair, other_f1))


@pytest.fixture
def asked(pages: list[GradedPage]) -> list[GradedPage]:
    """Where the own text is wrong, the other one is right on every second page."""
    return [
        with_other(page, 0.99 if number % 2 else 0.2) if page.is_article and not page.is_right else page
        for number, page in enumerate(pages)
    ]


def test_the_other_text_is_taken_where_it_is_more_probably_right(asked: list[GradedPage]) -> None:
    arbiter = learn_arbiter([*asked, *(with_other(judged(number, 0.99), 0.2) for number in range(600, 630))])
    wrong = judged(501, 0.3)
    for other_f1, takes_other in ((0.99, True), (0.2, False)):
        page = with_other(wrong, other_f1)
        assert page.other
        assert arbiter(page.other.signs)[1] is takes_other


def test_confidence_and_score_are_those_of_the_text_that_is_taken(asked: list[GradedPage]) -> None:
    confidence, f1 = settle(asked)
    found = check_second_opinion(asked)
    assert len(confidence) == len(f1) == 90
    assert (f1[61:90:2] == 0.99).mean() > 0.6
    assert (f1[60:90:2] == 0.99).mean() < 0.2
    assert confidence[61:90:2].mean() > 0.6 > confidence[60:90:2].mean()
    assert found["share_asked"] == pytest.approx(30 / 90)
    assert 0.1 < found["share_changed"] < 0.3
    assert found["page_f1_after"] > found["page_f1_before"]


def test_where_no_page_was_asked_the_own_text_is_taken(pages: list[GradedPage]) -> None:
    pair = np.ones(len(SIGNS) + len(PAIR_SIGNS))
    assert learn_arbiter(pages)(pair) == (0.5, False)


def test_articles_with_a_low_confidence_are_unsure(pages: list[GradedPage]) -> None:
    found = find_unsure(pages)
    assert set(range(60, 90)) < set(found) < set(range(90))
    assert len(found) < 40
    assert all(value < ASK_BELOW for value in found.values())


def test_the_structure_is_learned_without_the_address(pages: list[GradedPage]) -> None:
    booster = learn_article(pages, STRUCTURE)
    assert booster.num_feature() == len(STRUCTURE)
    assert float(np.asarray(booster.predict(judged(500, 0.99).signs[None, STRUCTURE]))[0]) > 0.7


def test_articles_are_told_from_pages_that_hold_none(pages: list[GradedPage]) -> None:
    article = learn_article(pages)
    assert article_probability(article, judged(500, 0.99)) > 0.7
    assert article_probability(article, judged(501, 0.3, "product")) < 0.3


def test_what_other_pages_teach(pages: list[GradedPage]) -> None:
    listings = [judged(number, 0.99, "listing") for number in range(200, 260)]
    assert learn_confidence([*pages, *listings]) == learn_confidence(pages)
    forums = [replace(page, page_type="forum") for page in listings]
    assert learn_article([*pages, *forums]).model_to_string() == learn_article(pages).model_to_string()
    mislabelled = [replace(page, weight=1e-9) for page in listings]
    assert article_probability(learn_article([*pages, *mislabelled]), judged(500, 0.99)) > 0.8


def test_the_verdict_checked_by_site(pages: list[GradedPage]) -> None:
    found = check_verdict(pages, 0.5, 0.5)
    assert found["share_right_above_0.9"] == 1
    assert 0.3 < found["share_sure"] < 0.7
    assert 0 <= found["calibration_error"] < 0.2
    assert (found["rejection_precision"], found["rejection_recall"], found["articles_lost"]) == (1, 1, 0)
    found = check_verdict(pages, 0, 0)  # nothing is rejected
    assert (found["rejection_precision"], found["rejection_recall"], found["articles_lost"]) == (0, 0, 0)
