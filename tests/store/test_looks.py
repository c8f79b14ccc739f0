"""What a page looked like: its markup, and what was missing when it was read."""

from dataclasses import replace

import pytest

from newscorpus.data import Article, Fields, Page, Rejected, RuleHit
from newscorpus.page.records import make_record
from newscorpus.page.rows import Row
from newscorpus.page.signature.signature import sign
from newscorpus.page.source_page import JudgedPage, SourcePage
from newscorpus.portal.portal import TemplateSection
from newscorpus.store.looks import look_of
from newscorpus.store.redesigns import MISSING

URL = "https://news.example/story-1"
PAGE = SourcePage(Page(URL, b"", fetched="2026-11-20T08:00:00+00:00"), "news")
FIELDS = Fields(title="Bridge", authors=("Ann",), published="2026-11-20", section="town", tags=("bridge",))
MARKUP = frozenset({"body > p"})


def judged(words: int = 500, fields: Fields = FIELDS, confidence: float = 1.0) -> JudgedPage:
    article = Article(URL, " ".join(["word"] * words), fields, "bte", confidence)
    return JudgedPage(Row(make_record(article, "news", "en", 1.0), sign(article.text)), (), markup=MARKUP)


def missing(one: JudgedPage, page: SourcePage = PAGE) -> set[str]:
    look = look_of(page, one)
    assert look is not None
    assert look.signs >= MARKUP
    return {sign.removeprefix(MISSING) for sign in look.signs - MARKUP}


def test_a_page_that_lacks_nothing_is_its_markup() -> None:
    look = look_of(PAGE, judged())
    assert look is not None
    assert (look.portal, look.url, look.fetched, look.template) == ("news", URL, PAGE.page.fetched, "")
    assert missing(judged()) == set()


def test_what_is_missing_is_named() -> None:
    assert missing(judged(fields=replace(FIELDS, authors=(), published=""))) == {"authors", "published"}
    assert missing(judged(words=60)) == {"a text of 100 words", "a text of 200 words", "a text of 400 words"}
    assert missing(judged(confidence=0.6)) == {"a confidence of 0.7", "a confidence of 0.9"}
    assert missing(judged(fields=replace(FIELDS, paywalled=True))) == {"a page that is free"}
    refused = JudgedPage(Rejected("quality", "too_short", url=URL), markup=MARKUP)
    assert missing(refused) == {"a page that is accepted"}


def test_rules_that_find_nothing_are_named_and_the_template_is_known_by_its_version() -> None:
    page = replace(PAGE, template=TemplateSection(text=(".body", ".lead"), title=("h1",)))
    hits = (RuleHit("text", 0), RuleHit("title", 0))
    assert missing(replace(judged(), rule_hits=hits), page) == {"rule '.lead' of text"}
    other = replace(PAGE, template=TemplateSection(text=(".body",)))
    first, second = look_of(page, judged()), look_of(other, judged())
    assert first is not None
    assert second is not None
    assert "" != first.template != second.template != ""


@pytest.mark.parametrize("stage", ["discovery", "fetch", "language", "rights"])
def test_what_says_nothing_of_a_design_is_no_look(stage: str) -> None:
    assert look_of(PAGE, JudgedPage(Rejected(stage, "reason", url=URL), markup=MARKUP)) is None
    assert look_of(PAGE, replace(judged(), markup=frozenset())) is None
