"""Read pages and lists in worker processes, so that none blocks the crawl."""

import asyncio
from collections.abc import Callable
from functools import cached_property, partial
from operator import call
from typing import Any, Self, TypeVar

from scrapy import signals
from scrapy.crawler import Crawler

from newscorpus.data import Rejected
from newscorpus.errors import CrawlError
from newscorpus.fetch.options import positive, worker_count
from newscorpus.page.judgement import NO_LINKS, Judgement, Rules, judge, prepare
from newscorpus.page.recipe import Recipe, add_profile
from newscorpus.page.source_page import SourcePage
from newscorpus.portal.profile import NO_PROFILES, Profiles
from newscorpus.workers import Lost, WorkerPool

R = TypeVar("R")


class PageWorkers:
    """Extension with the worker processes of a crawl, which read lists and judge pages.

    If they cannot keep up, the crawl waits: Scrapy counts a response as active until its items have passed the
    pipelines, and fetches nothing while more than SCRAPER_SLOT_MAX_ACTIVE_SIZE bytes are active. A size of 0 means work
    in the process of the crawl.
    """

    def __init__(self, size: int, seconds: float) -> None:
        self.recipe: Recipe | None = None
        """How pages become rows; None: pages are read for their links only. Set before the start."""
        self.profiles: Profiles = NO_PROFILES
        """Profiles of the portals, by their names. Set before the start."""
        self._size = size
        self._seconds = seconds

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Read the settings; raise `CrawlError` if one is wrong."""
        settings = crawler.settings
        made = cls(worker_count(settings), positive(settings, "NEWSCORPUS_PAGE_SECONDS"))
        crawler.signals.connect(made.close, signals.spider_closed)
        return made

    @cached_property
    def pool(self) -> WorkerPool[Callable[[], Any], Any]:
        """The processes, which load the models when they start."""
        before = partial(prepare, self.recipe) if self.recipe else None
        return WorkerPool(call, self._size, self._seconds, before)

    async def run(self, task: Callable[[], R]) -> R | Lost:
        """Call `task`, which must be picklable, in the next free process."""
        result: R | Lost = await asyncio.wrap_future(self.pool.submit(task))
        return result

    async def read(self, url: str, task: Callable[[], R]) -> R | Rejected:
        """Like `run`, but return a rejection of `url` if no process could finish it."""
        found = await self.run(task)
        return Rejected("discovery", found.reason, found.detail, url) if isinstance(found, Lost) else found

    async def judge(self, page: SourcePage, rules: Rules) -> Judgement:
        """Judge a page; if no process can finish it, read it once more for its links only."""
        profiled = add_profile(self.recipe, self.profiles, page) if self.recipe else page
        found = await self.run(partial(judge, profiled, rules))
        if not isinstance(found, Lost):
            return found
        lost = Rejected("extract" if rules.recipe else "discovery", found.reason, found.detail, page.page.url)
        if not (rules.recipe and rules.reads_links):
            return Judgement(lost)
        again = await self.run(partial(judge, page, Rules(None, reads_links=True)))
        return Judgement(lost, NO_LINKS if isinstance(again, Lost) else again.links)

    def close(self) -> None:
        """End the processes."""
        self.pool.close()


def workers_of(crawler: Crawler) -> PageWorkers:
    """Return the workers of a crawl; raise `CrawlError` if the extension is disabled."""
    workers = crawler.get_extension(PageWorkers)
    if workers is None:
        raise CrawlError("setting EXTENSIONS: newscorpus needs newscorpus.fetch.workers.PageWorkers")
    return workers
