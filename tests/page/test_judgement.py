"""One parse of a page gives its links and its row, and pages of one article are each extracted once."""

from dataclasses import replace
from datetime import date
from unittest.mock import Mock

import pytest
from walled import CONSENT

from newscorpus.data import Page, Rejected
from newscorpus.page import extractor as extraction
from newscorpus.page import judge as judging
from newscorpus.page.fields import read_fields
from newscorpus.page.judge import Judgement, Rules, judge, process_page
from newscorpus.page.links import read_page
from newscorpus.page.parsing.parse import parse
from newscorpus.page.recipe import Recipe
from newscorpus.page.rows import Row
from newscorpus.page.source_page import SourcePage
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
CRAWL = Rules(BTE, reads_links=True)
DAY, OTHER_DAY = (replace(CRAWL, days=(date(2024, 3, day), date(2024, 3, day))) for day in (5, 6))
LINKS = Rules(None, reads_links=True)


def story(head: str = "", more: str = "") -> SourcePage:
    paragraphs = "".join(f"<p>{line}</p>" for line in STORY.splitlines())
    return SourcePage(Page.from_html(HTML.format(head, paragraphs + more), URL), "mock", ("en",))


def test_a_page_is_parsed_once_for_its_links_and_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = Mock(wraps=parse)
    monkeypatch.setattr(extraction, "parse", parsed)
    found = judge(story(), CRAWL)
    assert parsed.call_count == 1
    assert found.links == read_page(story().page)
    markup = frozenset({"html > body", "body > h1", "body > p", "body > a"})
    assert found == replace(judge(story(), Rules(BTE)), links=found.links, markup=markup)


def test_a_page_that_is_rejected_is_not_parsed_again_for_a_wall(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = Mock(wraps=parse)
    monkeypatch.setattr(extraction, "parse", parsed)
    shell = SourcePage(Page.from_html('<body><app-root></app-root><script src="main.js"></script></body>', URL))
    assert judge(replace(shell, template=TemplateSection(remove=("app-root",))), CRAWL).wall is not None
    assert parsed.call_count == 1


def test_the_links_of_a_wall_are_left_out_and_those_of_a_shell_are_not() -> None:
    shell = '<body><a href="/2">More</a><app-root></app-root><script src="main.js"></script></body>'
    for html, links in ((CONSENT.replace("</body>", '<a href="/2">More</a></body>'), ()), (shell, ("/2",))):
        found = judge(SourcePage(Page.from_html(html, URL)), CRAWL)
        assert found.wall is not None
        assert found.links.links == tuple(f"http://example.org{link}" for link in links)


def test_fields_are_read_once_in_a_crawl_of_certain_days(monkeypatch: pytest.MonkeyPatch) -> None:
    described = Mock(wraps=read_fields)
    for module in (extraction, judging):
        monkeypatch.setattr(module, "read_fields", described)
    outcome = judge(story(DATED), DAY).outcome
    assert described.call_count == 1
    assert outcome == judge(story(DATED), CRAWL).outcome
    titled = replace(story(DATED), template=TemplateSection(title=("h1",)))  # what a template says is read with it
    row = judge(titled, DAY).outcome
    assert row == judge(titled, CRAWL).outcome
    assert isinstance(row, Row)
    assert row.record.provenance.title == "template"


def judged_at(url: str, link: str) -> Judgement:
    declared = '<script type="application/ld+json">{"@type": "NewsArticle", "datePublished": "2024-03-05"}</script>'
    page = story(declared, link)
    return judge(replace(page, page=replace(page.page, url=url), trust=AddressTrust.DOUBTFUL), CRAWL)


def test_an_article_of_any_address_goes_on_and_its_further_pages_are_none() -> None:
    first = judged_at("http://example.org/bridge/", "<a href=/bridge/2/>Page 2</a>")
    assert first.outcome is None
    assert first.article is not None
    further = judged_at("http://example.org/bridge/2/", "<a href=/bridge/>Page 1</a>").outcome
    assert isinstance(further, Rejected)
    assert (further.reason, further.detail) == ("part_of_another", "of http://example.org/bridge/")


def test_pages_that_were_extracted_one_by_one_give_the_row_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    first, text = story(more="<a href='?page=2'>2</a>"), STORY.replace("council", "parliament")
    part = Page.from_html(HTML.format("", "".join(f"<p>{line}</p>" for line in text.splitlines())), URL + "?page=2")
    whole = process_page(BTE, replace(first, following=(part,)))
    articles = [judge(one, CRAWL).article for one in (first, replace(first, page=part, part_of=URL))]
    parsed = Mock(wraps=parse)
    monkeypatch.setattr(extraction, "parse", parsed)
    joined = judge(replace(first, page=Page(URL, b""), articles=tuple(filter(None, articles))), Rules(BTE))
    assert joined.outcome == whole
    assert not parsed.called


@pytest.mark.parametrize(
    ("rules", "page", "is_judged"),
    [
        (LINKS, story(), False),
        (DAY, story(), True),
        (DAY, story(DATED), True),
        (OTHER_DAY, story(DATED), False),
        (CRAWL, story(more="<a href='?page=2'>2</a>"), False),
        (CRAWL, replace(story(more="<a href='?page=2'>2</a>"), trust=AddressTrust.UNLIKELY), True),
        (CRAWL, SourcePage(Page(URL, b"")), True),
    ],
)
def test_what_is_not_wanted_or_goes_on_elsewhere_is_read_and_not_judged(
    rules: Rules, page: SourcePage, is_judged: bool
) -> None:
    found = judge(page, rules)
    assert (found.outcome is not None) is is_judged
    published = date(2024, 3, 5) if rules.days and b"2024" in page.page.body else None
    assert found.links == replace(read_page(page.page), published=published)
