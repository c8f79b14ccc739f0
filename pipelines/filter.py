"""Second step: may the article be used, is it good enough, and in a language that is wanted?"""

from dataclasses import replace
from typing import Any, Self

from scrapy.crawler import Crawler

from newscorpus.addon.options import quality_config, rights_policy
from newscorpus.addon.pages import Candidate
from newscorpus.config import QualityConfig
from newscorpus.corpus.quality.judge import changed_settings
from newscorpus.crawl.robots import RightsPolicy, judge_rights
from newscorpus.data import Rejected
from newscorpus.recipe import admit

from .workers import Workers

QUALITY_STAT = "newscorpus/quality"
"""What the filters and masks were told beside the defaults, for the report of the crawl."""


class FilterPipeline:
    """Adds language and flags to a `Candidate`, or makes a `Rejected` of it."""

    def __init__(self, workers: Workers, rights: RightsPolicy, quality: QualityConfig = QualityConfig()) -> None:
        self._workers = workers
        self._rights = rights
        self._quality = quality

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Read the settings.

        Raises:
            CrawlError: one of them is wrong.
        """
        quality = quality_config(crawler.settings)
        if changed := changed_settings(quality):
            crawler.stats.set_value(QUALITY_STAT, changed)
        return cls(Workers.of(crawler), rights_policy(crawler.settings), quality)

    async def process_item(self, item: Any) -> Any:
        """Judge an article; hand on everything else."""
        if not isinstance(item, Candidate):
            return item
        if rejected := judge_rights(item.article.fields.rights, self._rights, item.article.url):
            return rejected
        article, languages = item.article, item.languages
        found = await self._workers.run("filter", article.url, admit, article, languages, self._quality)
        if isinstance(found, Rejected):
            return found
        return replace(item, article=found.article, language=found.language, language_score=found.language_score)
