"""A page that closes its article says so by a prompt or a form beside the text."""

import pytest

from newscorpus.data import Article, Page, Rejected
from newscorpus.page.judge import process_page
from newscorpus.page.recipe import Recipe
from newscorpus.page.registry import load

URL = "http://example.org/2026/11/the-old-bridge-stays-open/"
TEASER = "<p>The council of the town decided that the old bridge stays open until spring, and that boats may pass.</p>"
TEXT = "".join(TEASER.replace("boats", f"{number} boats") for number in range(9))
PROMPT = "<div class='{}'><h2>This post is for subscribers only</h2><a href='/join'>Join us now</a></div>"
PASSWORD = "<form><p>Please enter the password of this page.</p><input type='password'><input type='submit'></form>"


def page(body: str) -> Page:
    head = '<script type="application/ld+json">{"@type": "NewsArticle", "datePublished": "2026-11-20"}</script>'
    return Page.from_html(f"<head>{head}</head><body><article><h1>The old bridge</h1>{body}</article></body>", URL)


@pytest.mark.parametrize(
    ("body", "closed"),
    [
        (f"<section>{TEXT}{PROMPT.format('post-upgrade-cta')}</section>", True),
        (f"<header>{TEASER}</header><section>{PROMPT.format('content paywall')}</section>", True),
        (f"<div>{TEASER}{PASSWORD}</div>", True),
        (f"<section>{TEXT}</section><footer>{PROMPT.format('post-upgrade-cta')}</footer>", False),
        (f"<section>{TEXT}{PROMPT.format('post-upgrade-cta').replace('<div', '<div hidden')}</section>", False),
        (f"<section>{TEASER}{PROMPT.format('newsletter')}</section>", False),
        (f"<div>{TEASER}{PASSWORD.replace('<p>', '<input type=text><p>')}</div>", False),
        (f"<div>{TEXT}{PASSWORD}</div>", False),
    ],
)
def test_a_prompt_or_a_form_in_place_of_the_rest_says_that_a_text_is_not_free(body: str, closed: bool) -> None:
    article = load("main-text")(page(body))
    assert isinstance(article, Article)
    assert article.fields.paywalled is closed


def test_a_stub_before_a_prompt_is_refused() -> None:
    refused = process_page(Recipe(), page(f"<section>{TEASER}{PROMPT.format('post-upgrade-cta')}</section>"))
    assert isinstance(refused, Rejected)
    assert refused.reason == "paywall_stub"
