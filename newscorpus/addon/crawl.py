"""Run `scrapy crawl` with an exit code that shows how it went."""

import argparse
import sys
from asyncio import Task

from scrapy.commands import crawl
from scrapy.exceptions import UsageError
from scrapy.statscollectors import StatsCollector

from newscorpus.addon.counts import FAILED, KEPT, KEPT_IN_ALL
from newscorpus.crawl.ledger import LedgerError
from newscorpus.errors import CrawlError, PortalError


class Command(crawl.Command):
    """Scrapy's own command, except for its end: 0 done, 1 nothing kept, failed or cut short, 2 wrong usage.

    Wrong usage is reported in one line, without a traceback.
    """

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the spider that `args` names."""
        if len(args) != 1 or self.crawler_process is None:
            raise UsageError
        crawler = self._create_crawler(args[0])
        task = self.crawler_process.crawl(crawler, **opts.spargs)
        self.crawler_process.start()
        error = task.exception() if isinstance(task, Task) and task.done() and not task.cancelled() else None
        if isinstance(error, CrawlError | PortalError | LedgerError | OSError):
            sys.stderr.write(f"scrapy crawl: error: {error}\n")
            self.exitcode = 2 if isinstance(error, CrawlError | PortalError) else 1
        elif error is not None:
            raise error
        elif not _went_well(crawler.stats):
            self.exitcode = 1


def _went_well(stats: StatsCollector) -> bool:
    """Whether the crawl came to its end, with something kept, in this run or before, and nothing failed."""
    kept = stats.get_value(KEPT) or stats.get_value(KEPT_IN_ALL)
    return bool(kept) and not stats.get_value(FAILED) and bool(stats.get_value("finish_reason"))
