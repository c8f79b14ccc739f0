"""One parse of a page gives its links and its row."""

from dataclasses import replace
from datetime import date
from unittest.mock import Mock

import pytest

from newscorpus.data import Page, Rejected
from newscorpus.discover import reading
from newscorpus.discover.period import ALWAYS, Period
from newscorpus.discover.reading import read_and_judge
from newscorpus.page import extractor as extraction
from newscorpus.page.fields import read_fields
from newscorpus.page.judge import judge_page
from newscorpus.page.links import read_page
from newscorpus.page.parsing.parse import parse
from newscorpus.page.recipe import Recipe
from newscorpus.page.rows import Row
from newscorpus.page.source_page import JudgedPage, SourcePage
from newscorpus.portal.addresses import AddressTrust
from newscorpus.portal.portal import TemplateSection

URL = "http://example.org/story-1"
BTE = Recipe("bte")
STORY = (
    "The council met on Tuesday evening and decided after a long debate that the old bridge stays open until the new "
    "one stands, which will take at least three years and cost the town more than it has earned in the last five.\n"
    "Write to the mayor at mayor@town.example, says the notice at the door of the town hall, and many who live "
    "near the river have done so since the summer, when the first plans were shown to them.\n"
)
HTML = "<html><head>{}</head><body><h1>The bridge</h1>{}<a href=/next>more</a></body></html>"
DATED = '<meta property="article:published_time" content="2024-03-05T08:00:00Z">'
DAY, OTHER_DAY = (Period(date(2024, 3, day), date(2024, 3, day)) for day in (5, 6))


def story(head: str = "", more: str = "") -> SourcePage:
    paragraphs = "".join(f"<p>{line}</p>" for line in STORY.splitlines())
    return SourcePage(Page.from_html(HTML.format(head, paragraphs + more), URL), "mock", ("en",))


def test_a_page_is_parsed_once_for_its_links_and_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = Mock(wraps=parse)
    monkeypatch.setattr(extraction, "parse", parsed)
    read = read_and_judge(BTE, story(), ALWAYS)
    assert parsed.call_count == 1
    assert read.reading == read_page(story().page)
    markup = frozenset({"html > body", "body > h1", "body > p", "body > a"})
    assert read.judged == replace(judge_page(BTE, story()), markup=markup)


def test_fields_are_read_once_in_a_crawl_of_certain_days(monkeypatch: pytest.MonkeyPatch) -> None:
    described = Mock(wraps=read_fields)
    for module in (extraction, reading):
        monkeypatch.setattr(module, "read_fields", described)
    judged = read_and_judge(BTE, story(DATED), DAY).judged
    assert described.call_count == 1
    assert judged == read_and_judge(BTE, story(DATED), ALWAYS).judged
    titled = replace(story(DATED), template=TemplateSection(title=("h1",)))  # what a template says is read with it
    judged = read_and_judge(BTE, titled, DAY).judged
    assert judged == read_and_judge(BTE, titled, ALWAYS).judged
    assert judged is not None
    assert isinstance(judged.outcome, Row)
    assert judged.outcome.record.provenance.title == "template"


def judged_at(url: str, link: str) -> JudgedPage | None:
    declared = '<script type="application/ld+json">{"@type": "NewsArticle", "datePublished": "2024-03-05"}</script>'
    page = story(declared, link)
    page = replace(page, page=replace(page.page, url=url), trust=AddressTrust.DOUBTFUL)
    return read_and_judge(BTE, page, ALWAYS).judged


def test_an_article_of_any_address_goes_on_and_its_further_pages_are_none() -> None:
    assert judged_at("http://example.org/bridge/", "<a href=/bridge/2/>Page 2</a>") is None
    further = judged_at("http://example.org/bridge/2/", "<a href=/bridge/>Page 1</a>")
    assert further is not None
    assert isinstance(further.outcome, Rejected)
    assert (further.outcome.reason, further.outcome.detail) == ("part_of_another", "of http://example.org/bridge/")


@pytest.mark.parametrize(
    ("recipe", "page", "period", "is_judged"),
    [
        (None, story(), ALWAYS, False),
        (BTE, story(), DAY, True),
        (BTE, story(DATED), DAY, True),
        (BTE, story(DATED), OTHER_DAY, False),
        (BTE, story(more="<a href='?page=2'>2</a>"), ALWAYS, False),
        (BTE, replace(story(more="<a href='?page=2'>2</a>"), trust=AddressTrust.UNLIKELY), ALWAYS, True),
        (BTE, SourcePage(Page(URL, b"")), ALWAYS, True),
    ],
)
def test_what_is_not_wanted_or_goes_on_elsewhere_is_read_and_not_judged(
    recipe: Recipe | None, page: SourcePage, period: Period, is_judged: bool
) -> None:
    read = read_and_judge(recipe, page, period)
    assert (read.judged is not None) is is_judged
    published = None if period == ALWAYS or "2024" not in page.page.body.decode() else date(2024, 3, 5)
    assert read.reading == replace(read_page(page.page), published=published)
