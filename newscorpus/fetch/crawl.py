"""Run `scrapy crawl` with an exit code that shows how it went."""

import argparse
import asyncio
import logging
import os
import sys
from asyncio import Task
from collections.abc import Iterable
from pathlib import Path
from typing import NoReturn

from scrapy.cmdline import execute
from scrapy.commands import crawl
from scrapy.exceptions import UsageError
from scrapy.settings import Settings
from scrapy.statscollectors import StatsCollector
from scrapy.utils.conf import arglist_to_dict
from scrapy.utils.project import get_project_settings

import newscorpus.settings
from newscorpus.errors import CorpusError, CrawlError, PortalError
from newscorpus.fetch.counts import FAILED, KEPT, KEPT_IN_ALL, LEFT
from newscorpus.fetch.options import corpus_folder, default_corpus
from newscorpus.fetch.plugin import add_settings
from newscorpus.fetch.stop import STOPPED, StopSignals
from newscorpus.layout import LEDGER
from newscorpus.resources import project_folder
from newscorpus.store.ledger import LedgerError

QUIET = ("scrapy.utils.log", "scrapy.addons", "scrapy.middleware", "scrapy.crawler", "scrapy.core.engine")
"""Loggers whose lines on versions, settings and components, a hundred a crawl, are shown with LOG_LEVEL=DEBUG alone."""


class Command(crawl.Command):
    """Scrapy's own command, except for its end: 0 done, 1 failed, 2 wrong usage, 4 stopped; see docs/crawling.md.

    Wrong usage is reported in one line, without a traceback.
    """

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read the options, and choose by the level of the log what of Scrapy's own lines is shown."""
        super().process_options(args, opts)
        if self.settings is not None and self.settings.get("LOG_LEVEL") != "DEBUG":
            for name in QUIET:  # by a filter, since Scrapy sets all levels again when it begins
                logging.getLogger(name).addFilter(lambda record: record.levelno > logging.INFO)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the spider that `args` names."""
        if len(args) != 1 or self.crawler_process is None:
            raise UsageError
        crawler = self._create_crawler(args[0])
        task = self.crawler_process.crawl(crawler, **opts.spargs)
        asyncio.get_event_loop().call_soon(StopSignals(crawler).install)  # runs when Scrapy has set its own handlers
        self.crawler_process.start()
        error = task.exception() if isinstance(task, Task) and task.done() and not task.cancelled() else None
        if isinstance(error, CrawlError | PortalError | LedgerError | CorpusError | OSError):
            program = "newscorpus" if Path(sys.argv[0]).stem == "newscorpus" else "scrapy"
            sys.stderr.write(f"{program} crawl: error: {error}\n")
            self.exitcode = 2 if isinstance(error, CrawlError | PortalError) else 1
        elif error is not None:
            raise error
        else:
            self.exitcode = _exit_code(crawler.stats)


def crawl_portals(names: str, arguments: Iterable[str], values: Iterable[str]) -> NoReturn:
    """Run `scrapy crawl portal` from any folder, and exit as it does; the first line says where the corpus lies.

    Args:
        names: the argument `portal`.
        arguments: further ones, as NAME=VALUE.
        values: settings that go before those of the project, as NAME=VALUE.

    Raises:
        CrawlError: an argument or a setting has no value, or it is not clear which corpus is meant.
    """
    for pair in (*arguments, *values):
        if "=" not in pair:
            raise CrawlError(f"{pair!r} is not of the form NAME=VALUE")
    settings = project_settings()
    settings.setdict(arglist_to_dict(list(values)), priority="cmdline")
    corpus = corpus_folder(settings) if settings.get("NEWSCORPUS_CORPUS") else default_corpus(names)
    begins_anew = arglist_to_dict(list(arguments)).get("fresh") or settings.get("NEWSCORPUS_FRESH")
    standing = "is new" if not (corpus / LEDGER).is_file() else "begins anew" if begins_anew else "goes on"
    sys.stderr.write(f"The corpus {standing}: {corpus.absolute()}\n")
    given = (text for pair in (*arguments, f"portal={names}") for text in ("-a", pair))
    execute(["scrapy", "crawl", "portal", *given], settings)
    raise AssertionError("Scrapy exits")


def project_settings() -> Settings:
    """Read the settings of the Scrapy project above, with our spiders and components; ours where there is none."""
    if project_folder() is None:
        os.environ.setdefault("SCRAPY_SETTINGS_MODULE", newscorpus.settings.__name__)
    settings = get_project_settings()
    modules = settings.getlist("SPIDER_MODULES")
    settings.set("SPIDER_MODULES", dict.fromkeys((*modules, *newscorpus.settings.SPIDER_MODULES)), "project")
    settings.set("COMMANDS_MODULE", __name__, "project")
    add_settings(settings)
    return settings


def _exit_code(stats: StatsCollector) -> int:
    """How the crawl ended: well, in failure (nothing kept, or a site given up), or stopped before it was done."""
    kept, left = stats.get_value(KEPT) or stats.get_value(KEPT_IN_ALL), stats.get_value(LEFT)
    reason = stats.get_value("finish_reason")
    if reason == "shutdown" and left and not stats.get_value(FAILED):
        return STOPPED
    return 0 if kept and reason and not left and not stats.get_value(FAILED) else 1
