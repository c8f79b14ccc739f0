"""Store the outcome of each page: a row of the intake, or a line of the rejections."""

from typing import Any

from scrapy.exceptions import DropItem

from newscorpus.data import Rejected
from newscorpus.fetch.plugin import KEPT, CrawlComponent, stat
from newscorpus.fetch.scheduler import LedgerScheduler, scheduler_of
from newscorpus.fetch.visits import Delivery, Visit
from newscorpus.page.rows import Row, encode_row
from newscorpus.store.intake import journal_line
from newscorpus.store.ledger import REJECTIONS, ROWS, LedgerError, UrlOutcome


class StorePipeline(CrawlComponent):
    """Adds rows and rejections to their visit, which writes them when it ends; counts both.

    Passes a `Record` on.
    """

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
                    visit.bring(ROWS, line, outcome)
                else:  # no request brought it
                    with self._scheduler.guarded():
                        self._scheduler.ledger.append(ROWS, line)
                        self._scheduler.ledger.counts.tally(record.source, outcome)
                self._crawler.stats.inc_value(KEPT)
                self._crawler.stats.inc_value(stat("words"), record.n_words)
                return record
        return item

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
