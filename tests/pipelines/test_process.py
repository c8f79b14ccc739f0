"""The pipeline that processes pages, and what its settings say."""

import asyncio
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from newscorpus.pipelines.process import QUALITY_STAT, ProcessPipeline
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.utils.test import get_crawler

import newscorpus.settings
from newscorpus.data import Page, Rejected
from newscorpus.fetch.visits import Delivery, Visit
from newscorpus.fetch.workers import PageWorkers, workers_of
from newscorpus.page.judgement import Judgement
from newscorpus.page.recipe import Recipe
from newscorpus.page.rows import Row
from newscorpus.page.source_page import SourcePage
from newscorpus.portal.portal import TemplateSection
from newscorpus.workers import WorkerPool

URL = "http://example.org/story-1"
STORY = """\
The council of the old town has decided to repair the northern bridge before the long winter comes.
Engineers found cracks in two of its pillars in spring, and lorries have taken the road around the lake since.
The work will cost four million crowns, of which the region pays half, said the mayor after the vote on Tuesday.
If the weather holds, the first cars should cross again in November, a month earlier than was planned."""
PAGE = SourcePage(Page.from_html(f"<h1>Bridge</h1><p>{STORY}</p>", URL), "mock", ("en",))


EXTENSIONS = {"EXTENSIONS": {PageWorkers: 100}, "NEWSCORPUS_WORKERS": 0, "NEWSCORPUS_PAGE_SECONDS": 30}
BTE = Recipe("bte")


def made(recipe: Recipe = BTE, crawler: Crawler | None = None) -> ProcessPipeline:
    return ProcessPipeline(crawler or get_crawler(settings_dict=EXTENSIONS), recipe)


def outcomes(pipeline: ProcessPipeline, *items: Any) -> list[Any]:
    """What pages and all else become that no visit brought."""

    async def main() -> list[Any]:
        try:
            await pipeline.open_spider()
            given = [Delivery(None, item) if isinstance(item, SourcePage | Rejected) else item for item in items]
            made = [await pipeline.process_item(item) for item in given]
            return [each.item if isinstance(each, Delivery) else each for each in made]
        finally:
            pipeline.close_spider()

    return asyncio.run(main())


def test_pages_become_rows_or_rejections_and_all_else_passes() -> None:
    rejected, other = Rejected("fetch", "http_404", "", URL), {"somebody": "else's"}
    kept, empty, *passed = outcomes(made(), PAGE, SourcePage(Page(URL, b"")), rejected, other)
    assert isinstance(kept, Row)
    assert (kept.record.source, kept.record.language, kept.record.title) == ("mock", "en", "Bridge")
    assert (empty.stage, empty.reason, empty.url) == ("decode", "empty_body", URL)
    assert passed[0] is rejected
    assert passed[1] is other


def test_rules_of_templates_are_counted_and_those_that_fail_are_named(caplog: pytest.LogCaptureFixture) -> None:
    template = TemplateSection(text=("p", "div.bodyy"), published=("h1",))
    crawler = get_crawler(settings_dict=EXTENSIONS)
    pipeline = made(crawler=crawler)
    outcomes(pipeline, replace(PAGE, template=template), replace(PAGE, template=template), PAGE)
    stats = crawler.stats.get_stats()
    assert {name: n for name, n in stats.items() if "template" in name} == {
        "newscorpus/template/mock/text/p": 2,
        "newscorpus/template/mock/text/div.bodyy": 0,
        "newscorpus/template/mock/published/h1": 2,
    }
    assert "template of mock: the rule 'div.bodyy' of text found nothing on 2 pages" in caplog.text
    assert caplog.text.count("the rule 'h1' of published finds what cannot be its value, such as 'Bridge'") == 1


def test_a_process_that_dies_rejects_its_page() -> None:
    crawler = get_crawler(settings_dict=EXTENSIONS)
    pipeline, workers = made(crawler=crawler), workers_of(crawler)
    workers.__dict__["pool"] = WorkerPool(os._exit, 1, 20)  # refuses the page, and so dies
    (lost,) = outcomes(pipeline, PAGE)
    workers.close()
    assert (lost.stage, lost.reason, lost.url) == ("extract", "worker_failed", URL)


def test_the_judgement_that_a_visit_awaits_is_taken() -> None:
    rejected = Rejected("quality", "too_short", "", URL)

    async def main() -> Any:
        visit = Visit(judgement=asyncio.get_running_loop().create_future())
        asyncio.get_running_loop().call_soon(visit.judgement.set_result, Judgement(rejected))  # type: ignore[union-attr]
        return await made().process_item(Delivery(visit, PAGE))

    assert asyncio.run(main()).item == rejected


def test_an_extractor_that_cannot_be_loaded_ends_the_crawl(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(CloseSpider):
        outcomes(made(Recipe("nonsense")))
    assert "The extractor nonsense cannot be loaded: unknown extractor 'nonsense'" in caplog.text


def test_changed_filters_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "quality.toml"
    for text, changed in (("min_words = 40\nmin_odds = 10\n", {"min_words": 40}), ("", None)):
        path.write_text(text)
        ours = {name: value for name, value in vars(newscorpus.settings).items() if name.startswith("NEWSCORPUS_")}
        given = {"NEWSCORPUS_QUALITY": path, "NEWSCORPUS_PROFILE": "off"}
        crawler = get_crawler(settings_dict=ours | EXTENSIONS | given)
        ProcessPipeline.from_crawler(crawler)
        assert crawler.stats.get_value(QUALITY_STAT) == changed
