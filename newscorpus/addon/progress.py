"""How a crawl goes, while it goes: a line a portal in a terminal, lines in the log otherwise."""

import logging
import sys
import time
from datetime import datetime
from typing import Any, Self

from rich.console import Console
from rich.live import Live
from rich.table import Table
from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.utils.asyncio import create_looping_call

from newscorpus.addon.plugin import hints_of
from newscorpus.addon.politeness import PolitenessMiddleware
from newscorpus.addon.scheduler import LedgerScheduler
from newscorpus.crawl.ledger import Ledger

LIVE_SECONDS = 1.0
LOG_SECONDS = 60.0
COLUMNS = ("portal", "kept", "rejected", "queued", "pages/min", "")

logger = logging.getLogger(__name__)


class ProgressExtension:
    """Shows how each portal of a crawl does: once a second in a terminal, once a minute in the log.

    Args:
        crawler: the crawl.
        console: standard error.
    """

    def __init__(self, crawler: Crawler, console: Console) -> None:
        self._crawler = crawler
        self._console = console
        self._portals: tuple[str, ...] = ()
        self._began = 0.0
        self._fetched: dict[str, int] = {}
        self._live: Live | None = None
        self._handlers: list[Any] = []
        self._showing = create_looping_call(self._show)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the extension of a crawl."""
        extension = cls(crawler, Console(stderr=True))
        crawler.signals.connect(extension.spider_opened, signals.spider_opened)
        crawler.signals.connect(extension.spider_closed, signals.spider_closed)
        return extension

    def spider_opened(self, spider: Spider) -> None:
        """Begin to show."""
        ledger = self._ledger()
        if ledger is None:
            return
        self._portals = (spider.name,) if (names := hints_of(spider).portal_names) is None else names
        self._began = time.monotonic()
        self._fetched = {portal: ledger.counted("fetched", portal) for portal in self._portals}
        if self._console.is_terminal:
            self._begin_live()
        self._showing.start(LIVE_SECONDS if self._live else LOG_SECONDS, now=False)

    def spider_closed(self) -> None:
        """Leave the terminal as it was."""
        if self._portals:
            self._showing.stop()
        if self._live:
            self._live.stop()
            for handler in self._handlers:
                handler.setStream(sys.stderr)

    def _begin_live(self) -> None:
        """Draw at the foot of the terminal; what is logged goes above it."""
        self._handlers = [
            handler
            for handler in logging.getLogger().handlers
            if isinstance(handler, logging.StreamHandler) and handler.stream is sys.stderr
        ]
        self._live = Live(console=self._console, auto_refresh=False, transient=True, redirect_stdout=False)
        self._live.start()
        for handler in self._handlers:
            handler.setStream(sys.stderr)  # which is the drawing's now

    def _show(self) -> None:
        ledger = self._ledger()
        rows = [self._row(ledger, portal) for portal in self._portals] if ledger else []
        if self._live:
            self._live.update(_table(rows), refresh=True)
            return
        for portal, kept, rejected, queued, rate, state in rows:
            logger.info("%s: %s kept, %s rejected, %s queued, %s pages a minute%s", portal, kept, rejected, queued,
                        rate, f"; {state}" if state else "")  # fmt: skip

    def _row(self, ledger: Ledger, portal: str) -> tuple[str, ...]:
        minutes = max(1.0, time.monotonic() - self._began) / 60
        rate = (ledger.counted("fetched", portal) - self._fetched[portal]) / minutes
        figures = (ledger.counted("kept", portal), ledger.rejected(portal), ledger.queued(portal), round(rate))
        return (portal, *map(str, figures), self._state(portal))

    def _state(self, portal: str) -> str:
        """Why nothing is asked of a portal; "" where it is."""
        politeness = self._crawler.get_downloader_middleware(PolitenessMiddleware)
        if politeness is None:
            return ""
        if reason := politeness.given_up(portal):
            return f"given up: {reason}"
        until = politeness.rests_until(portal)
        return f"rests until {datetime.fromtimestamp(until):%H:%M:%S}" if until else ""  # noqa: DTZ006 -- the user's clock

    def _ledger(self) -> Ledger | None:
        scheduler = self._crawler.engine.scheduler
        return scheduler.ledger if isinstance(scheduler, LedgerScheduler) else None


def _table(rows: list[tuple[str, ...]]) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in COLUMNS:
        table.add_column(name, justify="left" if name in {"portal", ""} else "right")
    for row in rows:
        table.add_row(*row)
    return table
