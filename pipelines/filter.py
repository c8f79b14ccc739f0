"""Second step: may the article be used, is it good enough, and in a language that is wanted?"""

from dataclasses import replace
from typing import Any, Self

from scrapy.crawler import Crawler

from newscorpus.addon.items import Candidate
from newscorpus.addon.options import rights_policy
from newscorpus.crawl.rights import RightsPolicy, judge_rights
from newscorpus.data import Rejected
from newscorpus.jobs.steps import judge

from .workers import Workers


class FilterPipeline:
    """Adds its language to a `Candidate`, or makes a `Rejected` of it."""

    def __init__(self, workers: Workers, rights: RightsPolicy) -> None:
        self._workers = workers
        self._rights = rights

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Read the settings.

        Raises:
            CrawlError: one of them is wrong.
        """
        return cls(Workers.of(crawler), rights_policy(crawler.settings))

    async def process_item(self, item: Any) -> Any:
        """Judge an article; hand on everything else."""
        if not isinstance(item, Candidate):
            return item
        if rejected := judge_rights(item.article.fields.rights, self._rights, item.article.url):
            return rejected
        verdict = await self._workers.run("filter", item.article.url, judge, item.article, item.languages)
        if isinstance(verdict, Rejected):
            return verdict
        return replace(item, language=verdict.language, language_score=verdict.score)
