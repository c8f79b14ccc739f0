from dataclasses import replace

import pytest
from lxml.html import HtmlElement

from newscorpus.config import Limits
from newscorpus.data import Article, Fields, Page, Rejected
from newscorpus.page.extractor import FoundText, PreparedPage, assemble, join, read
from newscorpus.page.judge import process_page
from newscorpus.page.loading import load
from newscorpus.page.parsing.segment import find_excess
from newscorpus.page.recipe import Recipe
from newscorpus.page.template import TemplateRules
from newscorpus.portal.portal import TemplateSection
from tests.mockserver.kinds import expect

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
    article = expect(Article, load("main-text")(page(body)))
    assert article.fields.paywalled is closed


def test_a_stub_before_a_prompt_is_refused() -> None:
    refused = process_page(Recipe(), page(f"<section>{TEASER}{PROMPT.format('post-upgrade-cta')}</section>"))
    assert expect(Rejected, refused).reason == "paywall_stub"


URL = "https://a.example/1"
HTML = (
    "<html lang=cs><head><title>Most se opravuje</title></head><body><div class=advert>reklama<p>a další</div>"
    "<h1>Most se opravuje</h1><p>První odstavec.</p><p>Druhý odstavec.</p></body></html>"
)


RULES = TemplateRules("rules", TemplateSection(remove=(".advert",), text=("h1 ~ p",), section=(".advert p",)))


def prepared(page: Page, template: TemplateRules | None = None) -> PreparedPage:
    return expect(PreparedPage, read(page, template))


def test_reads_everything_once() -> None:
    script = '<script type="application/ld+json">{"@type": "NewsArticle", "articleBody": "První odstavec."}</script>'
    page = Page.from_html(HTML.replace("<body>", f"<body>{script}"), URL)
    found = prepared(page)
    assert found.page is page
    assert found.html == HTML.replace("<body>", f"<body>{script}")
    assert [p.text for p in found.tree.iter("p")] == ["a další", "První odstavec.", "Druhý odstavec."]
    assert [block.text for block in found.blocks][:3] == ["reklama", "a další", "Most se opravuje"]
    assert (found.fields.title, found.fields.language) == ("Most se opravuje", "cs")
    assert (found.article_body, found.template_text) == ("První odstavec.", ())
    assert prepared(Page.from_html("<script>x</script>", URL)).blocks == ()


def test_a_template_gives_text_and_fields_and_takes_out_what_is_unwanted() -> None:
    found = prepared(Page.from_html(HTML, URL), RULES)
    assert found.template_text == ("První odstavec.", "Druhý odstavec.")
    assert (found.fields.section, found.fields.provenance.section) == ("a další", "template")
    assert [block.text for block in found.blocks] == ["Most se opravuje", "První odstavec.", "Druhý odstavec."]
    assert {hit.field for hit in found.rule_hits} == {"remove", "text", "section"}


def test_rejections_name_stage_reason_and_address() -> None:
    assert read(Page(URL, b" ")) == Rejected("decode", "empty_body", url=URL)
    nothing = expect(Rejected, read(Page.from_html("<!-- -->", URL)))
    assert (nothing.stage, nothing.reason, nothing.url) == ("parse", "no_document", URL)


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (Limits(max_blocks=1), "too_many_blocks"),
        (Limits(max_characters=10), "too_much_text"),
        (Limits(max_name_characters=2), "too_long_names"),
    ],
)
def test_a_page_beyond_a_limit_is_rejected(limits: Limits, reason: str) -> None:
    blocks = prepared(Page.from_html(HTML, URL)).blocks
    found = expect(Rejected, find_excess(blocks, URL, limits))
    assert (found.stage, found.reason, found.url) == ("segment", reason, URL)
    assert find_excess(blocks, URL) is None


FIELDS = Fields(title="Headline")
READ = PreparedPage(Page(URL, b"x", fetched="2024-01-02T03:04:05+00:00"), "x", HtmlElement(), (), FIELDS, "", ())


def test_an_article_has_one_paragraph_a_line_and_no_text_is_a_rejection() -> None:
    found = FoundText(["one", "", "two"], "model:x@1", confidence=0.5, flags=("short",))
    assert assemble(READ, found) == Article(
        URL, "one\ntwo", FIELDS, "model:x@1", 0.5, ("short",), "2024-01-02T03:04:05+00:00"
    )
    assert assemble(READ, FoundText(["", ""], "bte")) == Rejected("extract", "no_main_text", url=URL)


def test_markup_that_a_page_shows_as_text_is_left_out_where_no_code_is_shown() -> None:
    shown = '<div class="cb_result" data-id="7"><span>Loading</span></div>'
    page = Page.from_html("<p>One <b>bridge</b>.</p><p>The sign &lt; is less.</p>", URL)
    code = Page.from_html("<pre>x</pre>", URL)
    paragraphs = ["One.", shown, "<div> is an element.", "2 < 3"]
    found = expect(Article, assemble(prepared(page), FoundText(paragraphs, "bte")))
    assert found.text == "One.\n<div> is an element.\n2 < 3"
    kept = expect(Article, assemble(prepared(code), FoundText(paragraphs, "bte")))
    assert shown in kept.text


def test_an_article_of_several_pages_has_the_least_confidence_and_all_flags() -> None:
    found = FoundText(["One."], "x", 0.9, ("own",)), FoundText(["One.", "Two."], "x", 0.01, ("low_confidence",))
    first, second = (assemble(READ, each) for each in found)
    assert isinstance(first, Article)
    assert isinstance(second, Article)
    joined = join(first, [second])
    assert (joined.text, joined.confidence) == ("One.\nTwo.", 0.01)
    assert joined.flags == ("own", "low_confidence", "several_pages")
    assert join(first, [first]) == first


@pytest.mark.parametrize(
    ("above", "below", "is_sponsored"),
    [
        ("<div class=kicker>Komerční sdělení</div>", "", True),
        ("<span>PR článok</span>", "", True),
        ("", "<p>Sponsored content by Valley Roofing</p>", True),
        ("<p>Anzeige</p>", "", False),
        ("<ul><li><a href='/pr'>PR článok</a></li></ul>", "", False),
        ("", "<h2>Sponsored content and its readers</h2>", False),
        ("", f"{TEXT}<p>Sponsored content</p>", False),
    ],
)
def test_a_label_at_the_headline_says_that_an_article_is_paid_for(above: str, below: str, is_sponsored: bool) -> None:
    shown = page(f"{below}{TEXT}")
    article = load("main-text")(replace(shown, body=shown.body.replace(b"<h1>", f"{above}<h1>".encode())))
    assert isinstance(article, Article)
    assert ("sponsored" in article.flags) is is_sponsored


def test_the_type_of_a_page_says_that_an_article_is_paid_for() -> None:
    shown = page(TEXT)
    body = shown.body.replace(b'"NewsArticle"', b'"AdvertiserContentArticle"')
    article = load("main-text")(replace(shown, body=body))
    assert isinstance(article, Article)
    assert article.flags == ("sponsored",)
