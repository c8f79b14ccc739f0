"""Store the outcome of each page: a row of the intake, or a line of the rejections."""

import asyncio
import logging
from itertools import islice
from typing import Any, Self

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem

from newscorpus.config import BuildConfig
from newscorpus.corpus.restore import Restoration, count_rows, held_pages
from newscorpus.data import Rejected
from newscorpus.fetch.options import corpus_folder, worker_count
from newscorpus.fetch.plugin import KEPT, CrawlComponent, stat
from newscorpus.fetch.scheduler import LedgerScheduler, scheduler_of
from newscorpus.fetch.visits import Delivery, Visit
from newscorpus.fetch.workers import workers_of
from newscorpus.layout import INTAKE_SEGMENT
from newscorpus.page.judgement import Rules
from newscorpus.page.rows import Row, encode_row
from newscorpus.portal.schema import readable_portals
from newscorpus.store.intake import encode_header, journal_line
from newscorpus.store.ledger import REJECTIONS, Ledger, LedgerError, Series, UrlOutcome
from newscorpus.workers import UNDER_WAY

INTAKE = Series(INTAKE_SEGMENT, encode_header(BuildConfig().signature))

logger = logging.getLogger(__name__)


class StorePipeline(CrawlComponent):
    """Adds rows and rejections to their visit, which writes them when it ends; counts both.

    Passes a `Record` on.
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the pipeline of a crawl."""
        made = cls(crawler)
        crawler.signals.connect(made.spider_opened, signals.spider_opened)
        return made

    async def spider_opened(self) -> None:
        """Restore lost rows of the intake from the archive, before any page is fetched again."""
        if self._scheduler.ledger.losses:
            with self._scheduler.guarded():
                await self._restore(self._scheduler.ledger)

    def process_item(self, item: Any) -> Any:
        """Store a row or a rejection; pass on everything else.

        Raises:
            DropItem: the item is a rejection; it is stored.
        """
        match item:
            case Delivery(visit, Rejected() as rejected):
                self._reject(visit, rejected)
            case Delivery(visit, Row(record=record) as row):
                line, outcome = encode_row(row), UrlOutcome.of(record)
                if visit:
                    visit.bring(INTAKE, line, outcome)
                else:  # no request brought it
                    with self._scheduler.guarded():
                        self._scheduler.ledger.append(INTAKE, line)
                        self._scheduler.ledger.counts.tally(record.source, outcome)
                self._crawler.stats.inc_value(KEPT)
                self._crawler.stats.inc_value(stat("words"), record.n_words)
                return record
        return item

    async def _restore(self, ledger: Ledger) -> None:
        corpus, workers = corpus_folder(self._crawler.settings), workers_of(self._crawler)
        if workers.recipe is None:
            return
        rules = Rules(workers.recipe)
        restoration = Restoration(corpus, ledger, readable_portals(), await asyncio.to_thread(held_pages, corpus))
        pages, n = restoration.pages(), UNDER_WAY * max(1, worker_count(self._crawler.settings))
        while sources := list(islice(pages, n)):
            found = await asyncio.gather(*(workers.judge(source.page, rules) for source in sources))
            for source, judged in zip(sources, found, strict=True):
                restoration.store(source, judged.decided)
        ledger.settle_losses(await asyncio.to_thread(count_rows, corpus, ledger.portal_names()))
        logger.warning("Rows of the intake were lost; restored from the archive: %d", restoration.restored)

    def _reject(self, visit: Visit | None, rejected: Rejected) -> None:
        line = journal_line(rejected)
        outcome = UrlOutcome.of(rejected)
        if visit and visit.is_about(rejected.url):
            visit.bring(REJECTIONS, line, outcome)
        else:  # an address found on the page; its earlier outcome, if any, is kept
            portal, found_on = (visit.portal, visit.serial) if visit else ("", 0)
            try:
                is_new = self._scheduler.ledger.refuse(rejected.url, outcome, REJECTIONS, line, portal, found_on)
            except LedgerError as error:
                self._scheduler.give_up(error)
                is_new = False
            if not is_new:
                raise DropItem(f"known: {rejected.url}")
        self._crawler.stats.inc_value(stat("rejected", rejected.stage, rejected.reason))
        raise DropItem(f"{rejected.stage}/{rejected.reason} {rejected.url}")

    @property
    def _scheduler(self) -> LedgerScheduler:
        return scheduler_of(self._crawler)
