"""End a crawl with the last article that it is to keep."""

import asyncio

from scrapy.crawler import Crawler

from newscorpus.fetch.scheduler import scheduler_of
from newscorpus.fetch.visits import current_visit

JUDGED_SECONDS = 0.05
"""How often a page that the limit may have no room for looks whether those before it are judged."""


class ArticleLimit:
    """Bounds the rows of the intake, over the life of a corpus.

    Args:
        crawler: the crawl.
        limit: the most rows; 0: any number.
    """

    def __init__(self, crawler: Crawler, limit: int) -> None:
        self._crawler = crawler
        self._limit = limit
        self._ending: asyncio.Future[None] | None = None

    @property
    def is_reached(self) -> bool:
        """Whether no other row is wanted."""
        return 0 < self._limit <= scheduler_of(self._crawler).articles()[0]

    def end_crawl(self) -> None:
        """End the crawl if the limit is reached."""
        if self.is_reached and self._ending is None:
            self._ending = asyncio.ensure_future(self._crawler.engine.close_spider_async(reason="limit"))

    async def has_room(self) -> bool:
        """Whether the current visit's article may be kept: known when enough of those under way are judged."""
        scheduler = scheduler_of(self._crawler)
        while self._limit and not self.is_reached:
            if sum(scheduler.articles()) < self._limit:
                break
            await asyncio.sleep(JUDGED_SECONDS)
        visit = current_visit()
        if visit and not self.is_reached:
            visit.may_keep = True
        return not self.is_reached


def postpone() -> None:
    """Have the current visit made again by the next crawl."""
    if visit := current_visit():
        visit.postponed = True
