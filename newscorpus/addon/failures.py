"""What becomes of a page whose callback raised an error: it is no page that was read."""

from typing import Self

from scrapy.crawler import Crawler
from scrapy.http import Response

from newscorpus.addon import counts
from newscorpus.addon.scheduler import scheduler_of
from newscorpus.addon.visits import REJECTIONS, current_visit
from newscorpus.corpus.intake import journal_line
from newscorpus.crawl.ledger import LedgerError, UrlOutcome
from newscorpus.data import Rejected


class CallbackFailuresMiddleware:
    """Spider middleware: notes a page as failed, and ends the crawl where the ledger could not be written.

    Args:
        crawler: the crawl.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the middleware of a crawl."""
        return cls(crawler)

    def process_spider_exception(self, response: Response, exception: Exception) -> tuple[()] | None:
        """None: Scrapy logs the error as ever; nothing is logged for a ledger that the crawl has given up."""
        if isinstance(exception, LedgerError):
            scheduler_of(self._crawler).give_up(exception)
            return ()
        if visit := current_visit():
            failed = Rejected("spider", "callback_failed", f"{type(exception).__name__}: {exception}", response.url)
            visit.bring(REJECTIONS, journal_line(failed), UrlOutcome(failed.stage, failed.reason, failed.detail))
            self._crawler.stats.inc_value(counts.rejected(failed.stage, failed.reason))
        return None
