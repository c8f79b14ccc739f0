"""Third step: the signature by which `build` finds duplicates when all articles are there."""

from dataclasses import replace
from typing import Any, Self

from scrapy.crawler import Crawler

from newscorpus.addon.pages import Candidate
from newscorpus.data import Rejected
from newscorpus.dedup.signature import sign

from .workers import Workers


class DeduplicatePipeline:
    """Adds its signature to a `Candidate`. What is a duplicate is not decided here, where the order would decide."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the step of a crawl."""
        return cls(Workers.of(crawler))

    async def process_item(self, item: Any) -> Any:
        """Sign an article; hand on everything else."""
        if not isinstance(item, Candidate):
            return item
        signature = await self._workers.run("deduplicate", item.article.url, sign, item.article.text)
        return signature if isinstance(signature, Rejected) else replace(item, signature=signature)
