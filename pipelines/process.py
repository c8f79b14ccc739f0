"""Turn pages into rows or rejections."""

import asyncio
import logging
from dataclasses import asdict, replace
from typing import Any, Self

from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider

from newscorpus.config import QualityConfig
from newscorpus.fetch.options import corpus_folder, recipe_of, switch
from newscorpus.fetch.plugin import FAILED, stat
from newscorpus.fetch.visits import Delivery
from newscorpus.fetch.workers import workers_of
from newscorpus.page.judgement import Rules, RuleTally
from newscorpus.page.recipe import Recipe
from newscorpus.page.source_page import SourcePage
from newscorpus.portal.profile import NO_PROFILES, Profiles, profiles_of
from newscorpus.store.redesigns import look_of

QUALITY_STAT = "newscorpus/quality"
"""Stat with the settings of filters and masks that differ from the defaults."""

logger = logging.getLogger(__name__)


class ProcessPipeline:
    """Turns a `SourcePage` into a `Row` or a `Rejected`: the judgement of its visit, or one by the worker processes."""

    def __init__(self, crawler: Crawler, recipe: Recipe, profiles: Profiles = NO_PROFILES) -> None:
        self.recipe = recipe
        self._crawler = crawler
        self._tally = RuleTally()
        self._workers = workers_of(crawler)
        self._workers.recipe, self._workers.profiles = recipe, profiles

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Read the settings; raise `CrawlError` if one is wrong."""
        settings = crawler.settings
        recipe = recipe_of(settings)
        quality, default = recipe.quality or QualityConfig(), asdict(QualityConfig())
        if changed := {name: value for name, value in asdict(quality).items() if value != default[name]}:
            crawler.stats.set_value(QUALITY_STAT, changed)
        profiles = profiles_of(corpus_folder(settings)) if switch(settings, "NEWSCORPUS_PROFILE") else NO_PROFILES
        return cls(crawler, recipe, profiles)

    async def open_spider(self) -> None:
        """Start the worker processes before the first page arrives.

        Raises:
            CloseSpider: the extractor cannot be loaded; the log says why.
        """
        try:
            await asyncio.to_thread(self._workers.pool.start)
        except (ImportError, OSError, ValueError, EOFError) as error:
            logger.error("The extractor %s cannot be loaded: %s", self.recipe.extractor, error)  # noqa: TRY400 -- one line
            self._crawler.stats.set_value(FAILED, "extractor")
            raise CloseSpider("extractor_failed") from error

    def close_spider(self) -> None:
        """Warn about template rules that had no effect."""
        for warning in self._tally.warnings():
            logger.warning("%s", warning)

    async def process_item(self, item: Any) -> Any:
        """Process a page; pass on everything else."""
        if not (isinstance(item, Delivery) and isinstance(item.item, SourcePage)):
            return item
        page, visit = item.item, item.visit
        judged = await ((visit and visit.judgement) or self._workers.judge(page, Rules(self.recipe)))
        if visit:
            visit.look = look_of(page, judged)
        for name, n in self._tally.add(page, judged).items():
            self._crawler.stats.inc_value(stat("template", name), n)
        return replace(item, item=judged.decided)
