"""The processes of a crawl: what they bring, and what becomes of that over which they are lost."""

import asyncio
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

URL = "http://example.org/feed.xml"


def read(seconds: float, task: Any, **more: Any) -> Any:
    workers = PageWorkers(1, seconds)
    try:
        return asyncio.run(workers.read(URL, task, **more))
    finally:
        workers.close()


def test_a_list_is_read_in_another_process() -> None:
    feed = Page(URL, b"<rss><item><link>http://example.org/a</link></item></rss>")
    assert read(30, partial(read_list, "feed", feed)) == read_list("feed", feed)


@pytest.mark.parametrize("stage", ["discovery", "extract"])
def test_what_takes_too_long_is_rejected(stage: str) -> None:
    lost = Rejected(stage, "timeout", "took longer than 0.5 seconds", URL)
    assert read(0.5, partial(time.sleep, 60), stage=stage) == lost


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
