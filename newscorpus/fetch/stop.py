"""End a crawl at once when it is told to: by SIGTERM, or by a second Ctrl-C.

The first Ctrl-C is Scrapy's: what is under way comes to its end. At once means that what is done is committed, what is
under way stays queued, and nothing is built.
"""

import asyncio
import logging
import os
import signal
import sys
import threading
from multiprocessing import active_children
from types import FrameType

from scrapy import signals
from scrapy.crawler import Crawler

from newscorpus.fetch.closing import CorpusExtension
from newscorpus.fetch.report import ProgressExtension
from newscorpus.fetch.scheduler import scheduler_of

STOPPED = 4
"""Exit code of a crawl that a signal ended before it was done; 3 is that of a check that failed."""

PATIENCE_SECONDS = 1.5
"""How long the end may take; then the process dies as if it were killed, which the ledger is made for."""

logger = logging.getLogger(__name__)


class StopSignals:
    """Takes the signals that stop a crawl, after Scrapy has taken them."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._loop = asyncio.get_event_loop()
        self._is_open = self._is_ending = False
        crawler.signals.connect(self.spider_opened, signals.spider_opened)

    def spider_opened(self) -> None:
        """Note that there is something to write down."""
        self._is_open = True

    def install(self) -> None:
        """Take the signals; in the main thread, when Scrapy's handlers are there."""
        scrapys = signal.getsignal(signal.SIGINT)

        def interrupted(number: int, frame: FrameType | None) -> None:
            if callable(scrapys):
                scrapys(number, frame)  # which sets handlers of its own for what comes next
            for each in (signal.SIGTERM, signal.SIGINT):
                signal.signal(each, self.end_at_once)

        signal.signal(signal.SIGINT, interrupted)
        signal.signal(signal.SIGTERM, self.end_at_once)

    def end_at_once(self, number: int, _frame: FrameType | None = None) -> None:
        """End the process: in good order as soon as the event loop is free, or else after some patience."""
        if self._is_ending:
            return
        self._is_ending = True
        watch = threading.Timer(PATIENCE_SECONDS, os._exit, (STOPPED,))
        watch.daemon = True
        watch.start()
        self._loop.call_soon_threadsafe(self._end, signal.Signals(number).name)

    def _end(self, name: str) -> None:
        try:
            self._write_down(name)
        except Exception:
            logger.exception("The crawl did not end in good order; the next start puts it right")
        finally:
            for child in active_children():
                child.kill()
            logging.shutdown()
            sys.stderr.flush()
            os._exit(STOPPED)

    def _write_down(self, name: str) -> None:
        if not (self._is_open and self._crawler.spider):
            return
        if progress := self._crawler.get_extension(ProgressExtension):
            progress.spider_closed()
        scheduler_of(self._crawler).break_off()
        if corpus := self._crawler.get_extension(CorpusExtension):
            corpus.report(self._crawler.spider, "shutdown", {})
        logger.info("Stopped at once by %s: nothing was built; the same command goes on", name)
