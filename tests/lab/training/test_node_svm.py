from dataclasses import astuple, replace

import numpy as np
import pytest

from newscorpus.lab.evaluation.scores import Overlap
from newscorpus.lab.gold.pages import GoldPage
from newscorpus.lab.systems.node_svm import CANDIDATES, MODERN_CANDIDATES, Choice
from newscorpus.lab.training.node_svm import NodePage, fit_nodes, make_node_page, score_choices
from newscorpus.page.fields.nodes import COLUMNS, LinearModel

HTML = (
    "<body><div class=page><div class=menu>Home Sport</div><div class=text><p>One two three four five six.</p>"
    "<p class=date>Monday</p><script>One two</script><p>seven eight nine ten eleven twelve</p></div></div>"
)
TEXT = "One two three four five six.\nseven eight nine ten eleven twelve"
PAGE = GoldPage("1", "wcxb", domain="a.example", html=HTML, text=TEXT, page_type="article", split="train")


def node_page(html: str = HTML) -> NodePage:
    made = make_node_page(replace(PAGE, html=html))
    assert made
    return made


def place(page: NodePage, name: str) -> int:
    return [element.get("class") for element in page.nodes.elements].index(name)


def test_words_by_hand() -> None:
    page = node_page()
    counts = {
        element.get("class"): (words, good)
        for element, words, good in zip(page.nodes.elements, page.words, page.good, strict=True)
        if element.get("class")
    }
    assert counts == {"page": (15, 12), "menu": (2, 0), "text": (13, 12), "date": (1, 0)}
    assert page.gold == 12


def test_the_best_candidate_and_those_as_good() -> None:
    page = node_page(HTML.replace("<div class=text>", "<div class=around><div class=text>") + "</div>")
    assert page.best == place(page, "around")
    assert page.best_f1 == pytest.approx(2 * 12 / (13 + 12))
    assert {page.nodes.elements[at].get("class") for at in np.flatnonzero(page.right)} == {"around", "text"}


def test_without_its_foreign_parts_a_choice_is_right() -> None:
    page = node_page()
    assert {page.nodes.elements[at].get("class") for at in np.flatnonzero(page.foreign)} == {"menu", "date"}
    assert page.f1_of(Choice(place(page, "text"), (place(page, "date"),))) == 1


@pytest.mark.parametrize("html", ["", "<body><p>One two three</p>", "<body><div>Other words</div>"])
def test_pages_without_a_candidate_that_holds_gold(html: str) -> None:
    assert make_node_page(replace(PAGE, html=html), candidates=CANDIDATES) is None


def test_shares_of_right_choices() -> None:
    # The model takes the outermost: 12 of 15 words against 12 of gold; the best has 12 of 13.
    outermost = LinearModel("own", np.zeros((COLUMNS, 2)), np.zeros(2))
    scores = score_choices([node_page()], outermost, MODERN_CANDIDATES)
    assert astuple(scores) == pytest.approx((1, 0, 1, 24 / 27, 0, 24 / 27, 24 / 25, 1))


def test_pages_without_foreign_parts_teach_the_text_alone() -> None:
    page = node_page(HTML.replace("<p class=date>Monday</p>", ""))
    assert not page.foreign[list(page.nodes.elements).index(page.nodes.elements[page.best]) :].any()
    scores = score_choices([page], fit_nodes([page]))
    assert (scores.right, scores.right_cleaned, scores.overlap) == (1, 1, Overlap(1, 1, 1))
