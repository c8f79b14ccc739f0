"""Run `scrapy crawl` with an exit code that tells how it went, and stop at once on SIGTERM or a second Ctrl-C.

The first Ctrl-C is Scrapy's: requests in progress are completed. A stop at once commits finished work, leaves the rest
queued and builds nothing.
"""

import argparse
import asyncio
import logging
import os
import signal
import sys
import threading
from asyncio import Task
from collections.abc import Iterable
from multiprocessing import active_children
from pathlib import Path
from types import FrameType
from typing import NoReturn

from scrapy import signals
from scrapy.cmdline import execute
from scrapy.commands import crawl
from scrapy.crawler import Crawler
from scrapy.exceptions import UsageError
from scrapy.settings import Settings
from scrapy.utils.conf import arglist_to_dict
from scrapy.utils.project import get_project_settings

import newscorpus.settings
from newscorpus.errors import STOPPED, ArgumentError, CorpusError, CrawlError
from newscorpus.fetch.closing import CorpusExtension
from newscorpus.fetch.plugin import FAILED, KEPT, KEPT_IN_ALL, LEFT, add_settings
from newscorpus.fetch.progress import ProgressExtension
from newscorpus.fetch.scheduler import scheduler_of
from newscorpus.resources import project_folder

QUIET = ("scrapy.utils.log", "scrapy.addons", "scrapy.middleware", "scrapy.crawler", "scrapy.core.engine")
"""Loggers of versions, settings and components, a hundred lines per crawl; shown only with LOG_LEVEL=DEBUG."""

PATIENCE_SECONDS = 1.5
"""Time limit for a stop; after it the process dies as if killed, which the ledger survives."""

logger = logging.getLogger(__name__)


class Command(crawl.Command):
    """Scrapy's own command, with exit code 0 done, 1 failed, 2 wrong usage, 4 stopped; see docs/crawling.md.

    Wrong usage is reported in one line, without a traceback.
    """

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read the options, and hide most of Scrapy's own log unless its level is DEBUG."""
        super().process_options(args, opts)
        if self.settings is not None and self.settings.get("LOG_LEVEL") != "DEBUG":
            for name in QUIET:  # by a filter, since Scrapy later resets all levels
                logging.getLogger(name).addFilter(lambda record: record.levelno > logging.INFO)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the spider that `args` names."""
        if len(args) != 1 or self.crawler_process is None:
            raise UsageError
        crawler = self._create_crawler(args[0])
        task = self.crawler_process.crawl(crawler, **opts.spargs)
        asyncio.get_event_loop().call_soon(StopSignals(crawler).install)  # after Scrapy has set its handlers
        self.crawler_process.start()
        error = task.exception() if isinstance(task, Task) and task.done() and not task.cancelled() else None
        if isinstance(error, ArgumentError | CorpusError | OSError):
            program = "newscorpus" if Path(sys.argv[0]).stem == "newscorpus" else "scrapy"
            sys.stderr.write(f"{program} crawl: error: {error}\n")
            self.exitcode = 2 if isinstance(error, ArgumentError) else 1
            return
        if error is not None:
            raise error
        stats = crawler.stats.get_stats()
        left, failed, reason = stats.get(LEFT), stats.get(FAILED), stats.get("finish_reason")
        if reason == "shutdown" and left and not failed:
            self.exitcode = STOPPED
        else:
            kept = stats.get(KEPT) or stats.get(KEPT_IN_ALL)
            self.exitcode = 0 if kept and reason and not left and not failed else 1


def crawl_portals(names: str, arguments: Iterable[str], values: Iterable[str]) -> NoReturn:
    """Run `scrapy crawl portal` from any folder, and exit as it does; the first line names the folder of the corpus.

    `names` is the argument `portal`; further arguments and settings have the form NAME=VALUE.

    Raises:
        CrawlError: an argument or setting has no value.
    """
    for pair in (*arguments, *values):
        if "=" not in pair:
            raise CrawlError(f"{pair!r} is not of the form NAME=VALUE")
    settings = project_settings()
    settings.setdict(arglist_to_dict(list(values)), priority="cmdline")
    given = (text for pair in (*arguments, f"portal={names}") for text in ("-a", pair))
    execute(["scrapy", "crawl", "portal", *given], settings)
    raise AssertionError("Scrapy exits")


def project_settings() -> Settings:
    """Return the settings of the Scrapy project around the current folder, or ours, with our spiders and components."""
    if project_folder() is None:
        os.environ.setdefault("SCRAPY_SETTINGS_MODULE", newscorpus.settings.__name__)
    settings = get_project_settings()
    modules = settings.getlist("SPIDER_MODULES")
    settings.set("SPIDER_MODULES", dict.fromkeys((*modules, *newscorpus.settings.SPIDER_MODULES)), "project")
    settings.set("COMMANDS_MODULE", __name__, "project")
    add_settings(settings)
    return settings


class StopSignals:
    """Handles the signals that stop a crawl, after Scrapy has set its own handlers."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._loop = asyncio.get_event_loop()
        self._is_open = self._is_ending = False
        crawler.signals.connect(self.spider_opened, signals.spider_opened)

    def spider_opened(self) -> None:
        """Note that there is work to commit."""
        self._is_open = True

    def install(self) -> None:
        """Set the handlers; call it in the main thread."""
        scrapys = signal.getsignal(signal.SIGINT)

        def interrupted(number: int, frame: FrameType | None) -> None:
            if not self._is_open:  # Scrapy would finish the opening, and close a crawl that never ran
                self.end_at_once(number)
            elif callable(scrapys):
                scrapys(number, frame)  # sets handlers for the next signal
            for each in (signal.SIGTERM, signal.SIGINT):
                signal.signal(each, self.end_at_once)

        signal.signal(signal.SIGINT, interrupted)
        signal.signal(signal.SIGTERM, self.end_at_once)

    def end_at_once(self, number: int, _frame: FrameType | None = None) -> None:
        """End the process: cleanly as soon as the event loop is free, or else after `PATIENCE_SECONDS`."""
        if self._is_ending:
            return
        self._is_ending = True
        watch = threading.Timer(PATIENCE_SECONDS, os._exit, (STOPPED,))
        watch.daemon = True
        watch.start()
        self._loop.call_soon_threadsafe(self._end, signal.Signals(number).name)

    def _end(self, name: str) -> None:
        try:
            if self._is_open and self._crawler.spider:
                if progress := self._crawler.get_extension(ProgressExtension):
                    progress.spider_closed()
                scheduler_of(self._crawler).break_off()
                if corpus := self._crawler.get_extension(CorpusExtension):
                    corpus.report(self._crawler.spider, "shutdown", {})
                logger.info("Stopped at once by %s: nothing was built; the same command goes on", name)
        except Exception:
            logger.exception("The crawl did not end in good order; the next start puts it right")
        finally:
            for child in active_children():
                child.kill()
            logging.shutdown()
            sys.stderr.flush()
            os._exit(STOPPED)
