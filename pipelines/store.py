"""Store what became of each page: as a row of the intake, or as a line of the rejections."""

from typing import Any

from scrapy.exceptions import DropItem

from newscorpus.addon import counts
from newscorpus.addon.plugin import CrawlComponent
from newscorpus.addon.scheduler import LedgerScheduler, scheduler_of
from newscorpus.addon.visits import current_visit
from newscorpus.config import BuildConfig
from newscorpus.corpus.intake import Row, encode_header, journal_line
from newscorpus.corpus.lines import encode_line
from newscorpus.crawl.ledger import REJECTIONS, LedgerError, Series, UrlOutcome
from newscorpus.data import Record, Rejected
from newscorpus.layout import INTAKE_SEGMENT

INTAKE = Series(INTAKE_SEGMENT, encode_header(BuildConfig().signature))


class StorePipeline(CrawlComponent):
    """Hands rows and rejections to the visit that brought them, which writes them when it ends; counts both.

    Passes a `Record` on.
    """

    def process_item(self, item: Any) -> Any:
        """Store a row or a rejection; hand on everything else.

        Raises:
            DropItem: a rejection, stored.
        """
        match item:
            case Rejected():
                self._reject(item)
            case Row():
                return self._keep(item)
        return item

    def _keep(self, row: Row) -> Record:
        record, line = row.record, encode_line(row)
        outcome = UrlOutcome(reason="kept", revision=record.revision, n_words=record.n_words)
        if visit := current_visit():
            visit.bring(INTAKE, line, outcome)
        else:
            self._write(line, outcome, record.source)
        self._crawler.stats.inc_value(counts.KEPT)
        self._crawler.stats.inc_value(counts.WORDS, record.n_words)
        return record

    def _reject(self, rejected: Rejected) -> None:
        line = journal_line(rejected)
        outcome = UrlOutcome(rejected.stage, rejected.reason, rejected.detail)
        visit = current_visit()
        if visit and visit.is_about(rejected.url):
            visit.bring(REJECTIONS, line, outcome)
        elif not self._refuse(rejected.url, line, outcome):
            raise DropItem(f"known: {rejected.url}")
        self._crawler.stats.inc_value(counts.rejected(rejected.stage, rejected.reason))
        raise DropItem(f"{rejected.stage}/{rejected.reason} {rejected.url}")

    def _refuse(self, url: str, line: bytes, outcome: UrlOutcome) -> bool:
        """Note why an address that a page names is not asked for, unless it has a fate already."""
        visit, scheduler = current_visit(), self._scheduler
        portal, found_on = (visit.portal, visit.serial) if visit else ("", 0)
        try:
            return scheduler.ledger.refuse(url, outcome, REJECTIONS, line, portal, found_on)
        except LedgerError as error:
            scheduler.give_up(error)
            return False

    def _write(self, line: bytes, outcome: UrlOutcome, portal: str) -> None:
        """Write an article that came of no request."""
        scheduler = self._scheduler
        with scheduler.guarded():
            scheduler.ledger.append(INTAKE, line)
            scheduler.ledger.tally(portal, outcome)

    @property
    def _scheduler(self) -> LedgerScheduler:
        return scheduler_of(self._crawler)
