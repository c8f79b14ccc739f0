"""The default system: what it says of a text that it hardly trusts."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from prose import article, paragraphs

from newscorpus.arrays import Floats, Matrix
from newscorpus.data import Article, Page, Rejected
from newscorpus.page.extractor import BlockSystemExtractor, FoundText, PreparedPage, read
from newscorpus.page.judge import process_page
from newscorpus.page.loading import load
from newscorpus.page.recipe import Recipe
from newscorpus.page.text.classify import Trees
from newscorpus.page.text.main_text import MainTextSystem
from newscorpus.page.text.verdict import SIGNS, Logistic
from tests.mockserver.kinds import expect


class Constant(Trees):
    """Trees that give every page the same probability."""

    def __init__(self, probability: float) -> None:
        self._probability = probability

    def probability(self, rows: Matrix) -> Floats:
        return np.full(len(rows), self._probability)


def prepared() -> PreparedPage:
    return expect(PreparedPage, read(Page.from_html(article("bridge"), "https://news.example/2026/bridge")))


def test_a_text_below_the_least_confidence_is_kept_and_flagged() -> None:
    system = MainTextSystem(asks=False)
    trusted = system.find(prepared())
    system.judge = replace(system.judge, confidence=Logistic((0.0,) * len(SIGNS), -6.0))
    doubtful = system.find(prepared())
    assert isinstance(trusted, FoundText)
    assert isinstance(doubtful, FoundText)
    assert (trusted.flags, doubtful.flags, doubtful.confidence) == ((), ("low_confidence",), 0.002)
    assert doubtful.paragraphs == trusted.paragraphs


def test_a_page_that_hardly_looks_like_an_article_is_kept_and_doubted() -> None:
    system = MainTextSystem(asks=False)
    trusted = expect(FoundText, system.find(prepared()))
    for probability, flags in ((0.4, ("doubtful_page",)), (0.1, ("doubtful_page", "low_confidence"))):
        system.judge = replace(system.judge, article=Constant(probability), structure=Constant(0.4))
        doubtful = expect(FoundText, system.find(prepared()))
        assert doubtful.flags == flags
        assert doubtful.confidence == pytest.approx(probability * trusted.confidence, abs=0.001)
        assert doubtful.paragraphs == trusted.paragraphs
    system.judge = replace(system.judge, structure=Constant(0.1))
    assert system.find(prepared()) == Rejected(
        "extract", "no_article", "probability of an article 0.10", "https://news.example/2026/bridge"
    )


@pytest.mark.parametrize("end", ["bridge-is-open", "index.html", "", "?id=7"])
def test_the_address_alone_refuses_no_article(end: str) -> None:
    page = Page.from_html(article("bridge"), f"https://news.example/{end}")
    found = expect(PreparedPage, read(page))
    assert isinstance(MainTextSystem().find(found), FoundText)


TITLES = (
    "The weir at Aldwick is repaired",
    "A museum of clocks opens in Sandwick",
    "Barley prices fall for a third year",
)
GOLD = [paragraphs(title, 4) for title in TITLES]
NAV = "<nav><a href='/'>Home</a> <a href='/news'>News</a></nav>"
FOOT = "<footer><a href='/about'>About us</a></footer>"


def prose(number: int) -> str:
    return "".join(f"<p>{text}</p>" for text in GOLD[number])


def story(number: int, rank: str = "h1") -> str:
    byline = f"<p class='byline'>By Ann Miller</p><time datetime='2026-05-0{number + 1}'>{number + 1} May 2026</time>"
    return f"<{rank}>{TITLES[number]}</{rank}>{byline}{prose(number)}"


def page(body: str, title: int = 0) -> Page:
    head = f"<title>{TITLES[title]}</title>"
    return Page.from_html(
        f"<html lang='en'><head>{head}</head><body>{NAV}{body}{FOOT}</body></html>", "https://n.example/1"
    )


def text(found: Page) -> list[str]:
    article = expect(Article, load("main-text")(found))
    return article.text.split("\n")


STREAMS = {
    "articles": "".join(f"<article class='story-{at}'>{story(at)}</article>" for at in range(3)),
    "boxes": "".join(f"<div class='story page-{at}' data-url='/{at}'><div>{story(at)}</div></div>" for at in range(3)),
    "dated boxes": "".join(f"<div class='b{at}x'><div>{story(at)}</div></div>" for at in range(3)),
    "no boxes": f"<main><div>{''.join(map(story, range(3)))}</div></main>",
    "next article in a wrapper": f"<article>{story(0)}</article><div class='next'><p>Read next</p><article>"
    f"{story(1, 'h2')}</article></div>",
    "smaller heading": f"<article>{story(0)}</article><p>Read on</p><article class='next'>{story(1, 'h2')}</article>",
    "another box": f"<div class='article own'>{story(0)}</div><aside>Read on</aside><div class='article next'>"
    f"<h1>{TITLES[1]}</h1>{prose(1)}</div>",
}


@pytest.mark.parametrize(
    ("stream", "title"), [*((name, 0) for name in STREAMS), *product(("articles", "boxes", "dated boxes"), (1, 2))]
)
def test_of_a_stream_the_article_of_the_title_is_kept(stream: str, title: int) -> None:
    assert text(page(STREAMS[stream], title)) == GOLD[title]


def test_the_verdict_names_the_rule() -> None:
    extractor = expect(BlockSystemExtractor, load("main-text"))
    reasons = {each.block.text: each.reasons for each in extractor.label(page(STREAMS["articles"]))}
    assert [reasons[part[0]] for part in GOLD] == [(), ("other_article",), ("other_article",)]


ONE = {
    "chapters with headings of rank 1": "<main>"
    + "".join(f"<section><h1>{TITLES[at]}</h1>{prose(at)}</section>" for at in range(3))
    + "</main>",
    "chapters in boxes with credits of pictures": f"<div><div class='news-article'><h1>{TITLES[0]}</h1>{prose(0)}</div>"
    + "".join(
        f"<div class='news-article'><h2>{TITLES[at]}</h2><p class='credit'>Photo: A. Miller</p>{prose(at)}</div>"
        for at in (1, 2)
    )
    + "</div>",
    "items of a list": f"<main><header><h1>{TITLES[0]}</h1></header>{prose(0)}"
    + "".join(f"<article><h2>{TITLES[at]}</h2>{prose(at)}</article>" for at in (1, 2))
    + "</main>",
}


@pytest.mark.parametrize("case", ONE)
def test_chapters_of_one_article_stay_together(case: str) -> None:
    body = {line for part in GOLD for line in part}
    assert body <= set(text(page(ONE[case])))


def test_a_live_blog_without_a_declaration_stays_one() -> None:
    entries = "".join(
        f"<div class='entry'><h2>{17 - at} o'clock report number {at}</h2><time>{17 - at}:30</time>"
        f"<p>{17 - at}:30 {GOLD[0][0]}</p></div>"
        for at in range(8)
    )
    found = process_page(
        Recipe(), page(f"<article><div class='entry'><h1>{TITLES[0]}</h1>{prose(1)}</div>{entries}</article>")
    )
    assert isinstance(found, Rejected)
    assert (found.stage, found.reason) == ("quality", "live_ticker")


def test_many_headings_cost_bounded_time() -> None:
    many = "".join(f"<article><h1>Heading {at} of many</h1><p>Words.</p></article>" for at in range(20_000))
    assert text(page(f"<article>{story(0)}</article>{many}"))[-len(GOLD[0]) :] == GOLD[0]
