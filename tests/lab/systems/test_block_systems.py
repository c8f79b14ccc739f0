"""The published systems that decide block by block, with the models that are shipped."""

from statistics import fmean

import numpy as np
import pytest

from newscorpus.config import Revision
from newscorpus.data import Article, Page, Rejected
from newscorpus.lab.evaluation.scores import ngram_scores
from newscorpus.lab.systems.blocks import neighbour_names, with_neighbours
from newscorpus.page.extractor import BlockSystemExtractor, Options
from newscorpus.page.loading import load
from newscorpus.views.demo.run import read_gold
from newscorpus.views.demo.server import SITE

FLOORS = {"texttractor": 0.9, "texttractor-unrevised": 0.9, "shallow-tree": 0.8, "paragraph-svm": 0.6}
"""Mean F1 on the articles of the demo; a third of them have no p elements, and others lists and tables."""


@pytest.mark.parametrize("name", FLOORS)
def test_the_articles_of_the_demo(name: str) -> None:
    extractor = load(name)
    gold = {key: page for key, page in read_gold().items() if page.expect == "kept"}
    f1 = []
    for key, page in gold.items():
        found = extractor(Page("https://demo.example/", (SITE / "pages" / f"{key}.html").read_bytes()))
        f1.append(ngram_scores(found.text if isinstance(found, Article) else "", page.text).f1)
    assert len(f1) > 25
    assert fmean(f1) > FLOORS[name]


@pytest.mark.parametrize(
    "html", ["", "<img src=x>", "<p>", "<p>***", "<ul><li>|", "<a href=/>x</a>" * 300, "<div>" * 300]
)
@pytest.mark.parametrize("name", FLOORS)
def test_pages_of_next_to_nothing(name: str, html: str) -> None:
    assert isinstance(load(name)(Page.from_html(html)), Article | Rejected)


@pytest.mark.parametrize(
    ("name", "html", "detail"),
    [
        ("paragraph-svm", "<div>Ten years of work.</div>", "no <p> with text to classify"),
        ("texttractor", "<img src=x>", "no text to classify"),
    ],
)
def test_a_page_without_what_a_system_classifies_is_told_so(name: str, html: str, detail: str) -> None:
    assert load(name)(Page.from_html(html)) == Rejected("extract", "no_main_text", detail)


def test_the_first_two_rules_of_brezovnik_precede_the_tree() -> None:
    prose = f"<p>{'The bridge stays open until the new one stands. ' * 5}</p>"
    page = Page.from_html(f"{prose}<p>Read also: Carts</p>")
    own, all_rules = (
        load("shallow-tree", options=Options(revision=Revision(rules, -1))) for rules in (None, ("brezovnik",))
    )
    assert isinstance(own, BlockSystemExtractor)
    assert isinstance(all_rules, BlockSystemExtractor)
    assert own.label(page)[-1].reasons == ()
    assert all_rules.label(page)[-1].reasons == ("terminating_phrases",)


def test_the_block_then_the_one_before_then_the_one_after() -> None:
    own = np.array([[1, 2], [3, 4], [5, 6]], np.float32)
    assert with_neighbours(own).tolist() == [[1, 2, 0, 0, 3, 4], [3, 4, 1, 2, 5, 6], [5, 6, 3, 4, 0, 0]]
    assert neighbour_names(["a", "b"]) == ("a", "b", "a@-1", "b@-1", "a@+1", "b@+1")


@pytest.mark.parametrize("blocks", [0, 1])
def test_few_blocks(blocks: int) -> None:
    assert with_neighbours(np.ones((blocks, 2), np.float32)).tolist() == [[1, 1, 0, 0, 0, 0]] * blocks
