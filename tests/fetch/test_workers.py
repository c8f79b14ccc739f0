"""The processes of a crawl: what they bring, and what becomes of that over which they are lost."""

import asyncio
import os
import time
from functools import partial
from multiprocessing import active_children
from typing import Any

import pytest
from scrapy.utils.test import get_crawler

from newscorpus.data import Page, Rejected
from newscorpus.discover.lists import read_list
from newscorpus.errors import CrawlError
from newscorpus.fetch.workers import PageWorkers, workers_of
from newscorpus.page.judgement import Judgement, Rules
from newscorpus.page.recipe import Recipe
from newscorpus.page.source_page import SourcePage
from newscorpus.workers import WorkerPool

URL = "http://example.org/feed.xml"


def read(seconds: float, task: Any) -> Any:
    workers = PageWorkers(1, seconds)
    try:
        return asyncio.run(workers.read(URL, task))
    finally:
        workers.close()


def test_a_list_is_read_in_another_process() -> None:
    feed = Page(URL, b"<rss><item><link>http://example.org/a</link></item></rss>")
    assert read(30, partial(read_list, "feed", feed)) == read_list("feed", feed)


def test_what_takes_too_long_is_rejected() -> None:
    lost = Rejected("discovery", "timeout", "took more than 0.5 seconds", URL)
    assert read(0.5, partial(time.sleep, 60)) == lost


@pytest.mark.parametrize(("recipe", "stage"), [(Recipe("bte"), "extract"), (None, "discovery")])
def test_a_page_that_can_be_neither_judged_nor_read_names_nothing(recipe: Recipe | None, stage: str) -> None:
    workers = PageWorkers(1, 20)
    workers.__dict__["pool"] = WorkerPool(os._exit, 1, 20)  # refuses the page, and so dies
    try:
        found = asyncio.run(workers.judge(SourcePage(Page(URL, b"")), Rules(recipe, reads_links=True)))
    finally:
        workers.close()
    assert found == Judgement(Rejected(stage, "worker_failed", "the process died with exit code 1", URL))


def test_a_crawl_that_uses_none_ends_without_any() -> None:
    before = set(active_children())
    PageWorkers(1, 5).close()
    assert set(active_children()) <= before


def test_a_crawl_without_the_extension_is_told() -> None:
    with pytest.raises(CrawlError, match=r"newscorpus\.fetch\.workers\.PageWorkers"):
        workers_of(get_crawler())


@pytest.mark.parametrize(("setting", "value"), [("NEWSCORPUS_WORKERS", "0.5"), ("NEWSCORPUS_PAGE_SECONDS", 0)])
def test_wrong_settings_are_refused(setting: str, value: object) -> None:
    settings = {"NEWSCORPUS_WORKERS": 1, "NEWSCORPUS_PAGE_SECONDS": 5, setting: value}
    with pytest.raises(CrawlError, match=f"^setting {setting} is "):
        PageWorkers.from_crawler(get_crawler(settings_dict=settings))
