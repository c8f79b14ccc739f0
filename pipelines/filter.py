"""Second step: is the article good enough, and in a language that is wanted?"""

from dataclasses import replace
from typing import Any, Self

from scrapy.crawler import Crawler

from newscorpus.addon.items import Candidate
from newscorpus.data import Rejected

from .work import judge
from .workers import Workers


class FilterPipeline:
    """Adds its language to a `Candidate`, or makes a `Rejected` of it."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the step of a crawl."""
        return cls(Workers.of(crawler))

    async def process_item(self, item: Any) -> Any:
        """Judge an article; hand on everything else."""
        if not isinstance(item, Candidate):
            return item
        verdict = await self._workers.run("filter", item.article.url, judge, item.article, item.languages)
        if isinstance(verdict, Rejected):
            return verdict
        return replace(item, language=verdict.language, language_score=verdict.score)
