"""First step: from the page to the article."""

from typing import Any, Self

from scrapy.crawler import Crawler

from newscorpus.addon.pages import Candidate, FetchedPage
from newscorpus.data import Rejected
from newscorpus.recipe import extract

from .workers import Workers


class ExtractPipeline:
    """Makes a `Candidate` of a `FetchedPage`, or a `Rejected` where no main text is found."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the step of a crawl."""
        return cls(Workers.of(crawler))

    async def open_spider(self) -> None:
        """Start the worker processes before the first page comes."""
        await self._workers.start()

    async def process_item(self, item: Any) -> Any:
        """Extract a page; hand on everything else."""
        if not isinstance(item, FetchedPage):
            return item
        article = await self._workers.run("extract", item.page.url, extract, item, self._workers.extractor)
        return article if isinstance(article, Rejected) else Candidate(article, item.source, item.languages)
