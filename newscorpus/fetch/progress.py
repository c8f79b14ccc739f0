"""Show the progress of a crawl: once a second in a terminal, once a minute in the log."""

import logging
import sys
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Self

from rich.console import Console
from rich.live import Live
from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.utils.asyncio import create_looping_call

from newscorpus.fetch.middlewares.politeness import PolitenessMiddleware
from newscorpus.fetch.options import corpus_folder
from newscorpus.fetch.plugin import hints_of
from newscorpus.fetch.scheduler import LedgerScheduler
from newscorpus.store.ledger import Ledger
from newscorpus.terminal import make_table

LIVE_SECONDS = 1.0
LOG_SECONDS = 60.0
COLUMNS = ("portal", "kept", "rejected", "queued", "pages/min", "")

MOST_NAMED = 5
"""Portals that are named when a crawl begins."""

logger = logging.getLogger(__name__)


def _time_after(seconds: float) -> str:
    """Return the time of day in so many seconds, by the user's clock."""
    return f"{datetime.now() + timedelta(seconds=seconds):%H:%M:%S}"  # noqa: DTZ005 -- the user's


class ProgressExtension:
    """Shows the progress of each portal."""

    def __init__(self, crawler: Crawler, console: Console, repeat: Callable[..., Any] = create_looping_call) -> None:
        self._crawler = crawler
        self._console = console
        self._ledger: Ledger | None = None
        self._portals: tuple[str, ...] = ()
        self._began = 0.0
        self._fetched: dict[str, int] = {}
        self._live: Live | None = None
        self._handlers: list[Any] = []
        self._showing = repeat(self._show)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the extension of a crawl."""
        extension = cls(crawler, Console(stderr=True))
        crawler.signals.connect(extension.spider_opened, signals.spider_opened)
        crawler.signals.connect(extension.spider_closed, signals.spider_closed)
        return extension

    def spider_opened(self, spider: Spider) -> None:
        """Log the folder of the corpus, the user agent and the delays, and start the display."""
        scheduler, settings, hints = self._crawler.engine.scheduler, self._crawler.settings, hints_of(spider)
        if not isinstance(scheduler, LedgerScheduler):
            return
        self._ledger, self._began = scheduler.ledger, time.monotonic()
        self._portals = (spider.name,) if hints.portal_names is None else hints.portal_names
        self._fetched = {portal: self._ledger.counts.of("fetched", portal) for portal in self._portals}
        policies = [hints.policies.get(portal) for portal in self._portals]
        delays = [one.delay_seconds if one else settings.getfloat("DOWNLOAD_DELAY") for one in policies]
        pauses = [f"{name} {seconds:g} s" for name, seconds in zip(self._portals, delays, strict=True) if seconds]
        more = f" and {len(pauses) - MOST_NAMED:,} more" if len(pauses) > MOST_NAMED else ""
        logger.info(
            "Crawl into %s as %s; pause between requests: %s%s",
            *(corpus_folder(settings).absolute(), settings.get("USER_AGENT")),
            *(", ".join(pauses[:MOST_NAMED]) or "none", more),
        )
        for name, access in hints.access.items():
            logger.info("%s is asked with what its file carries of your own: %s", name, access.names)
        if self._console.is_terminal:  # draw at its bottom, and log above
            handlers = logging.getLogger().handlers
            self._handlers = [
                one for one in handlers if isinstance(one, logging.StreamHandler) and one.stream is sys.stderr
            ]
            self._live = Live(console=self._console, auto_refresh=False, transient=True, redirect_stdout=False)
            self._live.start()
            for handler in self._handlers:
                handler.setStream(sys.stderr)  # now that of the display
        self._showing.start(LIVE_SECONDS if self._live else LOG_SECONDS, now=False)

    def spider_closed(self) -> None:
        """Restore the terminal."""
        if self._portals:
            self._showing.stop()
        if self._live:
            self._live.stop()
            for handler in self._handlers:
                handler.setStream(sys.stderr)

    def _show(self) -> None:
        if self._ledger is None:
            return
        counts, queue, rows = self._ledger.counts, self._ledger.queue, []
        minutes = max(1.0, time.monotonic() - self._began) / 60
        for portal in self._portals:
            rate = (counts.of("fetched", portal) - self._fetched[portal]) / minutes
            figures = (counts.of("kept", portal), counts.rejected(portal), queue.size(portal), round(rate))
            rows.append((portal, *map(str, figures), self._state(self._ledger, portal)))
        if self._live:
            self._live.update(make_table(COLUMNS, rows, len(COLUMNS) - 2), refresh=True)
            return
        for portal, kept, rejected, queued, pages, state in rows:
            logger.info("%s: %s kept, %s rejected, %s queued, %s pages a minute%s", portal, kept, rejected, queued,
                        pages, f"; {state}" if state else "")  # fmt: skip

    def _state(self, ledger: Ledger, portal: str) -> str:
        """Return why a portal is not being crawled; "" if it is."""
        politeness = self._crawler.get_downloader_middleware(PolitenessMiddleware)
        if politeness is None:
            return ""
        if reason := politeness.given_up(portal):
            return f"given up: {reason}"
        if seconds := politeness.rest_seconds(portal):
            return f"rests until {_time_after(seconds)}"
        n_waiting = ledger.queue.waiting(portal)
        if not 0 < n_waiting == ledger.queue.size(portal):
            return ""
        url, ready_at = ledger.queue.next_waiting(portal)
        until = _time_after(ready_at - time.monotonic())
        return f"waits until {until} to ask {n_waiting:,} failed pages again, first {url}"
