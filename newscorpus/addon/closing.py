"""The corpus of a crawl: tried before it begins; built when it ends, and reported on."""

import asyncio
import logging
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from rich.console import Console
from scrapy import Spider, signals
from scrapy.crawler import Crawler

from newscorpus.addon.counts import FAILED, KEPT, KEPT_IN_ALL
from newscorpus.addon.fresh import begin_anew
from newscorpus.addon.options import corpus_folder, switch
from newscorpus.addon.report import NOTHING_LEFT, CrawlReport, by_portal, tell, told, why_nothing, write_report
from newscorpus.corpus.errors import CorpusError
from newscorpus.crawl.ledger import Ledger, LedgerError
from newscorpus.jobs.build import build
from newscorpus.jobs.status import PortalStatus, status

logger = logging.getLogger(__name__)


class CorpusExtension:
    """Builds the corpus and writes `crawl-report.json` when the spider closes.

    Args:
        crawler: the crawl.
        corpus: folder of the corpus.
        builds: whether to build.
    """

    def __init__(self, crawler: Crawler, corpus: Path, *, builds: bool) -> None:
        self._crawler = crawler
        self._corpus = corpus
        self._builds = builds
        self._started = _now()
        self._is_open = False
        self._console = Console(stderr=True)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Read the settings, and try the corpus: later, Scrapy would wrap a refusal in failures of its own.

        Raises:
            CrawlError: no corpus folder is set, or the corpus in it is not to be removed.
            LedgerError: another crawl is at work in it, or its ledger cannot be used.
        """
        corpus = corpus_folder(crawler.settings)
        if fresh := crawler.settings.get("NEWSCORPUS_FRESH"):
            begin_anew(corpus, fresh)
        Ledger.open(corpus).close()
        extension = cls(crawler, corpus, builds=switch(crawler.settings, "NEWSCORPUS_BUILD"))
        crawler.signals.connect(extension.spider_opened, signals.spider_opened)
        crawler.signals.connect(extension.spider_closed, signals.spider_closed)
        return extension

    def spider_opened(self) -> None:
        """The corpus is ours: nobody else crawls into it."""
        self._is_open = True

    async def spider_closed(self, spider: Spider, reason: str) -> None:
        """Build, in a thread of its own, and report; where the crawl never began, leave the corpus alone."""
        if not self._is_open:
            return
        built = await asyncio.to_thread(self._build) if self._builds else {}
        stats = self._crawler.stats.get_stats()
        portals = getattr(spider, "portal_names", ())
        figures = by_portal(self._statuses(), stats)
        report = CrawlReport(portals, self._started, _now(), reason, told(stats), built, figures)
        try:
            write_report(self._corpus, report)
        except OSError as error:
            logger.error("Cannot write the report: %s: %s", error.filename, error.strerror)  # noqa: TRY400 -- as below
            self._crawler.stats.set_value(FAILED, "report")
        tell(self._console, figures)
        if kept := max(stats.get(KEPT, 0), stats.get(KEPT_IN_ALL, 0)):
            why = "" if stats.get("downloader/request_count", 0) else f"; {NOTHING_LEFT}"
            logger.info("Kept %d articles; %d are in the intake of %s%s", stats.get(KEPT, 0), kept, self._corpus, why)
        else:
            logger.error("Kept no article: %s", why_nothing(stats, figures))

    def _statuses(self) -> list[PortalStatus]:
        try:
            return status(self._corpus)
        except LedgerError as error:
            logger.error("No figures by portal: %s", error)  # noqa: TRY400 -- the message says all
            return []

    def _build(self) -> dict[str, Any]:
        if not (self._corpus / "intake").is_dir():
            return {}
        try:
            return asdict(build(self._corpus))
        except CorpusError as error:
            logger.error("Build failed: %s", error)  # noqa: TRY400 -- the message says all; no traceback for the user
            self._crawler.stats.set_value(FAILED, "build")
            return {"error": str(error)}


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
