"""The two stages of Kazennikov (2013) with weights made by hand."""

import zlib
from functools import partial

import numpy as np
import pytest

from newscorpus.data import Article, Page, Rejected
from newscorpus.lab.systems.node_svm import CANDIDATES, PARTS, Choice, choose, find
from newscorpus.page.extractor import SystemExtractor
from newscorpus.page.fields.nodes import COLUMNS, LinearModel, Nodes, describe
from newscorpus.page.parsing.parse import parse

PAGE = (
    "<body><div class=menu>Home Sport</div><div class=text><p>One two.</p>"
    "<div class=related><p class=related>Read also</p></div>three<ul class=tags><li>bridge</ul></div>"
)
TEXT_WEIGHTS = {"class text": 2.0, "class related": 1.0, "tag p": 9.0}
FOREIGN_WEIGHTS = {"class related": 2.5, "class tags": 1.0, "tag p": 0.25}


def model(bias: float = -0.5) -> LinearModel:
    weights = np.zeros((COLUMNS, 2))
    for place, named in enumerate((TEXT_WEIGHTS, FOREIGN_WEIGHTS)):
        for name, weight in named.items():
            weights[zlib.crc32(name.encode()) % COLUMNS, place] = weight
    return LinearModel("model:own@1", weights, np.array([0.0, bias]))


def nodes_of(html: str) -> Nodes:
    tree = parse(html)
    assert not isinstance(tree, Rejected)
    return describe(tree, PARTS)


def chosen(html: str, bias: float = -0.5) -> tuple[str, list[str]]:
    """Class of the chosen element, and of its foreign parts."""
    nodes = nodes_of(html)
    choice = choose(nodes, model(bias).score(nodes))
    assert choice
    classes = [element.get("class", "") for element in nodes.elements]
    return classes[choice.text], [classes[place] for place in choice.foreign]


def test_the_scores_of_an_element_are_the_weights_of_its_features() -> None:
    nodes = nodes_of(PAGE)
    scores = {element.get("class"): score for element, score in zip(nodes.elements, model().score(nodes), strict=True)}
    assert scores["text"].tolist() == [2, -0.5]
    assert scores["tags"].tolist() == [0, 0.5]


def test_stage_one_takes_the_best_candidate_and_stage_two_its_foreign_parts() -> None:
    # p scores 9 and is no candidate; the p in "related" goes with it.
    assert chosen(PAGE) == ("text", ["related", "tags"])

    assert chosen(PAGE, bias=-1.2) == ("text", ["related"])  # a part that is not foreign is kept
    assert chosen("<div class=related>Read also</div><div class=text>One.</div>") == ("text", [])
    nodes = nodes_of("<div>One.</div><div>Two.</div>")
    first = [element.tag for element in nodes.elements].index("div")
    assert choose(nodes, np.zeros((len(nodes.elements), 2)), CANDIDATES) == Choice(first, ())


def test_the_text_is_that_of_the_element_without_its_foreign_parts_and_the_headline() -> None:
    article = SystemExtractor(partial(find, model()))(Page.from_html(PAGE))
    assert isinstance(article, Article)
    assert (article.text, article.extractor) == ("One two.\nthree", "model:own@1")
    html = PAGE.replace("<p>One two.", "<h1>The  bridge</h1><p>One two.")
    article = SystemExtractor(partial(find, model()))(Page.from_html(f"<title>The bridge</title>{html}"))
    assert isinstance(article, Article)
    assert (article.fields.title, article.text) == ("The bridge", "One two.\nthree")


@pytest.mark.parametrize(
    ("html", "reason"),
    [
        ("<body><p>One.</p>", "no_candidate"),
        ("<body><img src=x>", "no_candidate"),
        ("<div class=text><p class=related>Read also</p></div>", "no_main_text"),
    ],
)
def test_pages_without_text(html: str, reason: str) -> None:
    found = SystemExtractor(partial(find, model()))(Page.from_html(html))
    assert isinstance(found, Rejected)
    assert (found.stage, found.reason) == ("extract", reason)
