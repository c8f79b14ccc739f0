"""The published systems that decide block by block, with the models that are shipped."""

from statistics import fmean

import pytest

from newscorpus.data import Article, Page, Rejected
from newscorpus.lab.evaluation.scores import ngram_scores
from newscorpus.page.registry import load
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
