"""Process pages: from a page to the row of its article, or to a rejection."""

import asyncio
import logging
from functools import partial
from typing import Any, Self

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider

from newscorpus.addon.counts import FAILED, template_rule
from newscorpus.addon.options import positive, quality_config, rights_policy
from newscorpus.corpus.quality.judge import changed_settings
from newscorpus.errors import CrawlError
from newscorpus.portals.template import RuleTally
from newscorpus.published.registry import NAMES
from newscorpus.recipe import JudgedPage, Recipe, SourcePage, extractor_of, judge_page, lost_page, tally_rules
from newscorpus.workers import Lost, WorkerPool

QUALITY_STAT = "newscorpus/quality"
"""Where the settings of filters and masks differ from the defaults, for the report of the crawl."""

logger = logging.getLogger(__name__)


class ProcessPipeline:
    """Makes a `Row` or a `Rejected` of a `SourcePage`, in processes of its own, so that fetching goes on.

    Scrapy counts a response as active until its items have passed the pipelines, and fetches nothing while more than
    SCRAPER_SLOT_MAX_ACTIVE_SIZE bytes of them wait: when the processes cannot keep up, the crawl waits for them.

    Args:
        crawler: the crawl.
        recipe: how pages become rows.
        size: number of processes.
        seconds: longest time for one page.
    """

    def __init__(self, crawler: Crawler, recipe: Recipe, size: int, seconds: float) -> None:
        self.recipe = recipe
        self._crawler = crawler
        self._tally = RuleTally()
        self._pool = WorkerPool(partial(judge_page, recipe), size, seconds, prepare=partial(extractor_of, recipe))

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Read the settings.

        Raises:
            CrawlError: one of them is wrong.
        """
        settings = crawler.settings
        size, seconds = positive(settings, "NEWSCORPUS_WORKERS"), positive(settings, "NEWSCORPUS_PAGE_SECONDS")
        extractor = settings["NEWSCORPUS_EXTRACTOR"]
        if extractor not in NAMES:
            raise CrawlError(f"setting NEWSCORPUS_EXTRACTOR is {extractor!r}; known: {', '.join(NAMES)}")
        quality = quality_config(settings)
        if changed := changed_settings(quality):
            crawler.stats.set_value(QUALITY_STAT, changed)
        made = cls(crawler, Recipe(extractor, rights_policy(settings), quality), max(1, int(size)), seconds)
        crawler.signals.connect(made.close, signals.spider_closed)
        return made

    async def open_spider(self) -> None:
        """Start the processes before the first page comes.

        Raises:
            CloseSpider: the extractor cannot be loaded; the log says why.
        """
        try:
            await asyncio.to_thread(self._pool.start)
        except (ImportError, OSError, ValueError, EOFError) as error:
            logger.error("The extractor %s cannot be loaded: %s", self.recipe.extractor, error)  # noqa: TRY400 -- one line
            self._crawler.stats.set_value(FAILED, "extractor")
            raise CloseSpider("extractor_failed") from error

    def close(self) -> None:
        """End the processes, and say which rules of templates did not do what they are for."""
        self._pool.close()
        for warning in self._tally.warnings():
            logger.warning("%s", warning)

    async def process_item(self, item: Any) -> Any:
        """Process a page; hand on everything else."""
        if not isinstance(item, SourcePage):
            return item
        result: JudgedPage | Lost = await asyncio.wrap_future(self._pool.submit(item))
        if isinstance(result, Lost):
            return lost_page(item, result)
        for name, n in tally_rules(self._tally, item, result).items():
            self._crawler.stats.inc_value(template_rule(name), n)
        return result.outcome
