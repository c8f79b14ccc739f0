"""The default system: what it says of a text that it hardly trusts."""

from dataclasses import replace

import numpy as np
import pytest
from prose import article

from newscorpus.arrays import Floats, Matrix
from newscorpus.data import Article, Page, Rejected
from newscorpus.page.extractor import FoundText, Reading, assemble, join, read
from newscorpus.page.text import main_text
from newscorpus.page.text.classify import Trees
from newscorpus.page.text.main_text import MainTextSystem


class Constant(Trees):
    """Trees that give every page the same probability."""

    def __init__(self, probability: float) -> None:
        self._probability = probability

    def probability(self, rows: Matrix) -> Floats:
        return np.full(len(rows), self._probability)


def reading() -> Reading:
    found = read(Page.from_html(article("bridge"), "https://news.example/2026/bridge"))
    assert isinstance(found, Reading)
    return found


def test_a_text_below_the_least_confidence_is_kept_and_flagged(monkeypatch: pytest.MonkeyPatch) -> None:
    trusted = MainTextSystem().find(reading())
    monkeypatch.setattr(main_text, "LEAST_CONFIDENCE", 1.0)
    doubtful = MainTextSystem().find(reading())
    assert isinstance(trusted, FoundText)
    assert isinstance(doubtful, FoundText)
    assert (trusted.flags, doubtful.flags) == ((), ("low_confidence",))
    assert replace(doubtful, flags=()) == trusted


def test_a_page_that_hardly_looks_like_an_article_is_kept_and_doubted() -> None:
    system = MainTextSystem(asks=False)
    trusted = system.find(reading())
    low, high = (Constant(probability) for probability in (0.1, 0.4))
    system.judge = replace(system.judge, article=low, structure=high)
    doubtful = system.find(reading())
    system.judge = replace(system.judge, structure=low)
    assert isinstance(trusted, FoundText)
    assert isinstance(doubtful, FoundText)
    assert doubtful.flags == ("doubtful_page",)
    assert doubtful.confidence == pytest.approx(0.1 * trusted.confidence, abs=0.001)
    assert doubtful.paragraphs == trusted.paragraphs
    assert system.find(reading()) == Rejected(
        "extract", "no_article", "probability of an article 0.10", "https://news.example/2026/bridge"
    )


@pytest.mark.parametrize("end", ["bridge-is-open", "index.html", "", "?id=7"])
def test_the_address_alone_refuses_no_article(end: str) -> None:
    page = Page.from_html(article("bridge"), f"https://news.example/{end}")
    found = read(page)
    assert isinstance(found, Reading)
    assert isinstance(MainTextSystem().find(found), FoundText)


def test_an_article_of_several_pages_has_the_least_confidence_and_its_flag() -> None:
    first = assemble(reading(), FoundText(["One."], "x", 0.9, ("own",)))
    second = assemble(reading(), FoundText(["Two."], "x", 0.01, ("low_confidence",)))
    assert isinstance(first, Article)
    assert isinstance(second, Article)
    joined = join(first, [second])
    assert (joined.confidence, joined.flags) == (0.01, ("own", "low_confidence", "several_pages"))
