"""Articles that a page carries but does not show: each page is ours, and its text was written down before the page."""

import json
from collections.abc import Mapping
from html import escape

import pytest
from prose import paragraphs

from newscorpus.data import PAYWALLED_TEXT_NOT_USED, Article, Fields, Page, Rejected
from newscorpus.page.extractor import Options, SystemExtractor
from newscorpus.page.loading import load
from newscorpus.page.parsing.parse import parse
from newscorpus.page.text.hidden import MAX_CHARACTERS, read_state
from tests.mockserver.kinds import expect

GOLD = paragraphs("quarry", 8)
TITLE = "The quarry above the village closes after a hundred years"
URL = "https://news.example/2026/05/04/quarry-closes-after-a-hundred-years"
OTHER = paragraphs("regatta", 8)

HTML = "".join(f"<p>{text}</p>" for text in GOLD)
REST = "".join(f"<p>{text}</p>" for text in GOLD[1:])
SHELL = '<div id="app"></div><footer><a href="/about">About us</a></footer>'
TEASER = f"<article><h1>{TITLE}</h1><p>{GOLD[0]}</p><a href='#'>Read on</a></article><footer>About us</footer>"


def page(body: str, *, node: Mapping[str, object] = {}) -> Page:
    ld = {"@context": "https://schema.org", "@type": "NewsArticle", "headline": TITLE, "datePublished": "2026-05-04"}
    script = f'<script type="application/ld+json">{json.dumps({**ld, **node})}</script>'
    head = f"<title>{TITLE} | News</title>{script}"
    return Page.from_html(f'<!DOCTYPE html><html lang="en"><head>{head}</head><body>{body}</body></html>', URL)


def extractor(*, respect_paywall: bool = True) -> SystemExtractor:
    return expect(SystemExtractor, load("main-text", options=Options(respect_paywall)))


def article(found: Page) -> Article:
    return expect(Article, extractor()(found))


def next_state(article: object) -> str:
    state = {"props": {"pageProps": {"article": article, "latest": [{"title": "Regatta", "body": OTHER[0]}]}}}
    return f'<script id="__NEXT_DATA__" type="application/json">{json.dumps(state)}</script>'


def flat_state() -> str:
    """A list of values that refer to each other by their numbers."""
    values = [{"data": 1}, {"article": 2}, {"title": 3, "body": 4, "views": 5}, TITLE, HTML, 99]
    return f'<script type="application/json" id="__NUXT_DATA__">{json.dumps(values)}</script>'


def function_state() -> str:
    """Code, no JSON: keys without quotation marks, values in arguments."""
    body, title = json.dumps(HTML).replace("/", "\\u002F"), json.dumps(TITLE)
    data = f'{{tags:["stone","work"],more:{{}},title:a,views:b,body:{body}}}'
    return f"<script>window.__NUXT__=(function(a,b){{return {{data:[{data}]}}}}({title},9))</script>"


def stream_state() -> str:
    """Rows of a stream of components; the text is a row of its own, to which another refers."""
    rows = f"1:{json.dumps(['$', 'main', None, {'article': {'headline': TITLE, 'body': '$1a'}}])}\n1a:T9f,{HTML}\n"
    halves = (rows[: len(rows) // 2], rows[len(rows) // 2 :])
    return "".join(f"<script>self.__next_f.push([1,{json.dumps(half)}])</script>" for half in halves)


def parts() -> list[object]:
    """An article in parts, with emphasis inside a paragraph, a picture and an offer between paragraphs."""
    rich = {
        "type": "paragraph",
        "content": [{"type": "text", "text": GOLD[0][:40]}, {"type": "text", "text": GOLD[0][40:]}],
    }
    plain = [{"type": "paragraph", "text": text} for text in GOLD[1:]]
    return [
        rich,
        {"type": "image", "text": "A caption of five or more words."},
        *plain,
        {"type": "promo", "text": OTHER[0]},
    ]


STATES = {
    "html": next_state({"headline": TITLE, "bodyHtml": HTML}),
    "lines": next_state({"headline": TITLE, "text": "\n".join(GOLD)}),
    "parts": next_state({"headline": TITLE, "content": parts()}),
    "by address": next_state({"slug": URL.rpartition("/")[2], "content": {"paragraphs": GOLD}}),
    "assigned": f"<script>window.__STATE__ = {json.dumps({'Article:7': {'title': TITLE, 'body': HTML}})};</script>",
    "in a string": f"<script>x = JSON.parse({json.dumps(json.dumps({'a': {'title': TITLE, 'body': HTML}}))})</script>",
    "flat": flat_state(),
    "function": function_state(),
    "stream": stream_state(),
    "attribute": f'<div data-page="{escape(json.dumps({"title": TITLE, "body": HTML}))}"></div>',
}


@pytest.mark.parametrize("shown", [SHELL, TEASER], ids=["nothing shown", "teaser shown"])
@pytest.mark.parametrize("state", STATES)
def test_an_article_in_the_state_of_scripts(state: str, shown: str) -> None:
    found = article(page(shown + STATES[state]))
    assert (found.text.split("\n"), found.fields.provenance.text) == (GOLD, "state")


CARRIED = {
    "noscript": (SHELL + f"<noscript><article><h1>{TITLE}</h1>{HTML}</article></noscript>", "noscript"),
    "teaser and noscript": (TEASER.replace("</article>", f"<noscript>{HTML}</noscript></article>"), "noscript"),
    "broken-off teaser": (
        TEASER.replace(GOLD[0], GOLD[0][:90] + "…").replace("</article>", f"<noscript>{HTML}</noscript></article>"),
        "noscript",
    ),
    "template": (SHELL + f"<template><article><h1>{TITLE}</h1>{HTML}</article></template>", "template-element"),
    "read more": (  # what is hidden stands among the blocks that the model judges
        TEASER.replace("</article>", f'<div style="display: none" class="modal">{REST}</div></article>'),
        "",
    ),
    "waiting for a script": (f'<div id="app"></div><div hidden id="S:0"><div><h1>{TITLE}</h1>{HTML}</div></div>', ""),
}


@pytest.mark.parametrize("case", CARRIED)
def test_an_article_in_markup_that_is_not_shown(case: str) -> None:
    body, source = CARRIED[case]
    found = article(page(body))
    assert found.text.split("\n") == GOLD
    assert found.fields.provenance.text == source


@pytest.mark.parametrize("shown", [SHELL, TEASER], ids=["nothing shown", "teaser shown"])
def test_an_article_in_json_ld(shown: str) -> None:
    found = article(page(shown, node={"articleBody": "\n\n".join(GOLD)}))
    assert (found.text.split("\n"), found.fields.provenance.text) == (GOLD, "json-ld")


def test_what_the_page_shows_whole_is_taken_as_it_is() -> None:
    shown = f"<article><h1>{TITLE}</h1>{HTML}</article>"
    carried = next_state({"headline": TITLE, "body": HTML + "".join(f"<p>{text}</p>" for text in GOLD)})
    found = article(page(f"{shown}<noscript>{HTML}</noscript>{carried}", node={"articleBody": " ".join(GOLD * 2)}))
    assert (found.text.split("\n"), found.fields.provenance.text) == (GOLD, "")


REFRAIN = "The hammers ring no more above the brook."
SUNG = [line for text in GOLD for line in (text, REFRAIN)]


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (HTML + f'<div class="mobile">{HTML}</div>', GOLD),
        (f"<p>{GOLD[0][:90]}…</p>{HTML}", GOLD),
        ("".join(f"<p>{line}</p>" for line in SUNG), SUNG),
    ],
    ids=["the body twice", "a truncated opening", "a refrain"],
)
def test_no_paragraph_stands_twice_but_a_refrain(shown: str, expected: list[str]) -> None:
    assert article(page(f"<article><h1>{TITLE}</h1>{shown}</article>")).text.split("\n") == expected


def test_the_text_of_another_article_or_of_a_page_that_is_something_else_is_not_taken() -> None:
    other = {"headline": "A regatta on the lake", "slug": "a-regatta-on-the-lake", "body": "\n".join(OTHER)}
    assert article(page(TEASER + next_state({"related": [other, other]}))).text == GOLD[0]
    shop = extractor()(page(SHELL + STATES["html"], node={"@type": "Product"}))
    assert isinstance(shop, Rejected) or GOLD[0] not in shop.text


CLOSED = {
    "json-ld": (TEASER, {"articleBody": "\n".join(GOLD)}),
    "state": (TEASER + STATES["html"], {}),
    "noscript": (TEASER.replace("</article>", f"<noscript>{HTML}</noscript></article>"), {}),
    "hidden": (TEASER.replace("</article>", f'<div hidden class="rest">{REST}</div></article>'), {}),
}


@pytest.mark.parametrize("case", CLOSED)
def test_what_a_paid_page_does_not_show_is_left_and_said(case: str) -> None:
    body, node = CLOSED[case]
    closed = page(body, node={**node, "isAccessibleForFree": False})
    respected, taken = extractor()(closed), extractor(respect_paywall=False)(closed)
    assert isinstance(respected, Article)
    assert isinstance(taken, Article)
    assert (respected.text, PAYWALLED_TEXT_NOT_USED in respected.flags) == (GOLD[0], True)
    assert (taken.text.split("\n"), PAYWALLED_TEXT_NOT_USED in taken.flags) == (GOLD, False)


def test_a_paid_page_that_shows_nothing_says_so_in_its_rejection() -> None:
    found = extractor()(
        page('<div id="app"></div>', node={"articleBody": "\n".join(GOLD), "isAccessibleForFree": False})
    )
    assert expect(Rejected, found).detail == "paywalled text not used"


@pytest.mark.parametrize(
    ("body", "node", "source"),
    [
        (f"<noscript>{HTML}</noscript>", {}, "noscript"),
        (f"<x-text><template shadowrootmode=open>{HTML}</template></x-text>", {}, "template-element"),
        ("<div id=app></div>", {"articleBody": "\n".join(GOLD)}, "json-ld"),
    ],
)
def test_an_article_whose_page_shows_its_headline_alone_is_trusted(
    body: str, node: Mapping[str, object], source: str
) -> None:
    made = article(
        page(f"<nav><a href=/>News</a></nav><main><article><h1>{TITLE}</h1>{body}</article></main>", node=node)
    )
    assert made.text == "\n".join(GOLD)
    assert (made.flags, made.fields.provenance.text) == ((), source)


STATE_TITLE = "The quarry above the village closes"
PROSE = "A long sentence about the quarry and the people who worked there for many years. " * 5


def read(script: str) -> list[str]:
    tree = parse(f"<html><body><script>{script}</script></body></html>")
    return read_state(tree, Fields(title=STATE_TITLE), "https://news.example/quarry")


def bomb() -> str:
    """Forty levels, each of which refers twice to the next: a million million values if they were all opened."""
    levels = [{"a": at + 1, "b": at + 1} for at in range(40)]
    return json.dumps([*levels, PROSE])


HOSTILE = {
    "deep": "[" * 100_000 + "]" * 100_000,
    "deep in code": "x = " + '{"a":' * 50_000,
    "many starts": "x = {" * 300_000,
    "references": bomb(),
    "circle": json.dumps([{"a": 0, "b": 1}, [0, 1]]),
    "open strings": '"\\' * 500_000,
    "wide": json.dumps([[{"text": "five words stand right here"}] * 3 for _ in range(100_000)]),
    "one object around many": json.dumps({"texts": [PROSE] * 2_000} | {str(at): "some value" for at in range(100_000)}),
    "rows": "x.push([1," + json.dumps("".join(f"{at:x}:T1,$" + f"{at:x}" + "\n" for at in range(50_000))) + "])",
}


@pytest.mark.timeout(60)
def test_of_a_list_of_articles_in_the_state_the_own_one_is_read() -> None:
    other = {"title": "A regatta on the lake", "url": "/regatta", "body": "".join(f"<p>{text}</p>" for text in OTHER)}
    state = json.dumps({"article": {"title": STATE_TITLE, "url": "/quarry", "body": HTML}, "next": [other]})
    tree = parse(f"<html><body><script type='application/json'>{state}</script></body></html>")
    (text,) = read_state(tree, Fields(title=STATE_TITLE), "https://news.example/quarry")
    assert GOLD[1] in text


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_state_is_read_in_bounded_time(case: str) -> None:
    assert read(HOSTILE[case]) == []


def test_state_beyond_the_limit_is_not_read() -> None:
    named = json.dumps({"title": STATE_TITLE, "body": PROSE, "rest": "x" * MAX_CHARACTERS})
    assert read(named) == []
    assert read(json.dumps({"title": STATE_TITLE, "body": PROSE})) != []
