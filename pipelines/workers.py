"""The worker processes of a crawl, shared by its pipelines."""

import logging
from collections.abc import Callable
from concurrent.futures import BrokenExecutor
from functools import partial
from typing import ParamSpec, Self, TypeVar

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider, NotConfigured

from newscorpus.addon.counts import FAILED
from newscorpus.addon.options import positive
from newscorpus.data import Rejected
from newscorpus.errors import CrawlError
from newscorpus.published.registry import NAMES

from .pool import WorkerPool
from .work import prepare

P = ParamSpec("P")
T = TypeVar("T")

logger = logging.getLogger(__name__)


class Workers:
    """Extension that runs the work on pages in processes of their own, so that fetching goes on.

    Scrapy counts a response as active until its items have passed the pipelines, and fetches nothing while more than
    SCRAPER_SLOT_MAX_ACTIVE_SIZE bytes of them wait: when the workers cannot keep up, the crawl waits for them.

    Args:
        crawler: the crawl.
        size: number of processes.
        seconds: longest time for one step of one page.
        extractor: name of the extractor, loaded by every process at its start.
    """

    def __init__(self, crawler: Crawler, size: int, seconds: float, extractor: str) -> None:
        self.extractor = extractor
        self._crawler = crawler
        self._pool = WorkerPool(size, seconds, partial(prepare, extractor))

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
        workers = cls(crawler, max(1, int(size)), seconds, extractor)
        crawler.signals.connect(workers.close, signals.spider_closed)
        return workers

    @classmethod
    def of(cls, crawler: Crawler) -> Self:
        """The workers of a crawl.

        Raises:
            NotConfigured: the extension is not enabled.
        """
        workers = crawler.get_extension(cls)
        if workers is None:
            raise NotConfigured("needs the extension newscorpus.pipelines.workers.Workers")
        return workers

    async def start(self) -> None:
        """Start the processes.

        Raises:
            CloseSpider: the extractor cannot be loaded; the log says why.
        """
        try:
            await self._pool.start()
        except (ImportError, OSError, ValueError, BrokenExecutor) as error:
            logger.error("The extractor %s cannot be loaded: %s", self.extractor, error)  # noqa: TRY400 -- one line
            self._crawler.stats.set_value(FAILED, "extractor")
            raise CloseSpider("extractor_failed") from error

    def close(self) -> None:
        """End the processes."""
        self._pool.close()

    async def run(
        self, stage: str, url: str, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> T | Rejected:
        """The result of `function` on the page at `url`, or a rejection where it took too long or failed."""
        try:
            return await self._pool.run(function, *args, **kwargs)
        except TimeoutError:
            return Rejected(stage, "timeout", "took too long", url)
        except BrokenExecutor as error:
            return Rejected(stage, "worker_failed", f"the process died: {error}", url)
        except Exception as error:  # a fault of ours, whatever it is: the page is lost, the crawl is not
            logger.exception("%s failed on %s", stage, url)
            return Rejected(stage, "worker_failed", f"{type(error).__name__}: {error}", url)
