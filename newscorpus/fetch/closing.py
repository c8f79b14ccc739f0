"""Open the corpus of a crawl when it begins, after asking where one is to be removed; build and report when it ends."""

import asyncio
import logging
import sys
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any, Self

from rich.console import Console
from scrapy import Spider, signals
from scrapy.crawler import Crawler

from newscorpus.corpus.build import build
from newscorpus.corpus.profiles import use_profiles
from newscorpus.corpus.reextract import Archived
from newscorpus.corpus.remove import finish_removal
from newscorpus.errors import CorpusError, CrawlError
from newscorpus.fetch.counts import FAILED, JUDGED_AGAIN, KEPT, KEPT_IN_ALL, LEFT, politeness
from newscorpus.fetch.options import corpus_folder, switch, worker_count
from newscorpus.fetch.plugin import hints_of
from newscorpus.fetch.report import (
    NOTHING_LEFT,
    REJECTIONS,
    CrawlReport,
    by_portal,
    reported,
    show_portals,
    why_nothing,
    write_report,
)
from newscorpus.fetch.workers import workers_of
from newscorpus.files import exclusive
from newscorpus.layout import (
    BUILD_LOCK,
    CRAWL_LOCK,
    FILES,
    INTAKE,
    OWN,
    archived_files,
    refuse_strangers,
    remove_own,
)
from newscorpus.page.recipe import REVIEWED
from newscorpus.store.ledger import Ledger, LedgerError
from newscorpus.store.ledger.addresses import ledger_files
from newscorpus.store.ledger.status import PortalStatus, status, unreached
from newscorpus.store.reasons import advice

STOPPED = frozenset({"shutdown", "cannot_write", "extractor_failed"})
"""Close reasons after which no page is judged again: the user waits for the end, or it is impossible."""

LOCKS = {CRAWL_LOCK: "crawl", BUILD_LOCK: "build"}
"""What is held while a corpus is removed, and for which work."""

DOUBTFUL = "quality/low_confidence"
"""Reason for documents that a build excludes as probably wrong."""

logger = logging.getLogger(__name__)


class CorpusExtension:
    """Builds the corpus and writes `crawl-report.json` when the spider closes."""

    def __init__(self, crawler: Crawler, corpus: Path, *, builds: bool, profiles: bool) -> None:
        self._crawler = crawler
        self._corpus = corpus
        self._builds = builds
        self._profiles = profiles
        self._started = _now()
        self._is_open = False
        self._console = Console(stderr=True)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Read the settings, and try the corpus now: later, Scrapy would hide a refusal behind failures of its own.

        Raises:
            CrawlError: no corpus folder is set, or the corpus in it is not to be removed.
            LedgerError: another crawl is at work in it, or its ledger cannot be used.
        """
        corpus = corpus_folder(crawler.settings)
        if fresh := crawler.settings.get("NEWSCORPUS_FRESH"):
            begin_anew(corpus, fresh)
        try:
            finish_removal(corpus)
        except CorpusError as error:
            raise CrawlError(str(error)) from error
        adopts, builds, profiles = (
            switch(crawler.settings, f"NEWSCORPUS_{name}") for name in ("ADOPT", "BUILD", "PROFILE")
        )
        with Ledger.open(corpus, adopts=adopts) as ledger:
            if not profiles:
                ledger.profiles.forget()
        extension = cls(crawler, corpus, builds=builds, profiles=profiles)
        crawler.signals.connect(extension.spider_opened, signals.spider_opened)
        crawler.signals.connect(extension.spider_closed, signals.spider_closed)
        return extension

    def spider_opened(self) -> None:
        """Note that the crawl holds the corpus."""
        self._is_open = True

    async def spider_closed(self, spider: Spider, reason: str) -> None:
        """Judge pages again, build, in a thread of its own, and report; leave the corpus of no crawl alone."""
        if self._is_open:
            if self._profiles and reason not in STOPPED:
                await asyncio.to_thread(self._use_profiles, spider)
            built = await asyncio.to_thread(self._build) if self._builds else {}
            self.report(spider, reason, built)

    def report(self, spider: Spider, reason: str, built: Mapping[str, Any]) -> None:
        """Say how the crawl went, in the terminal, in the log and in `crawl-report.json`."""
        stats = self._crawler.stats.get_stats()
        ends = self._ends(spider, reason, stats)
        statuses = self._statuses(ends)
        figures = by_portal(statuses, stats, ends)
        if reason == "finished" and figures:
            self._check_starts(ends, stats)
        if reason in {"finished", "shutdown"}:
            left = (figures[portal] for portal, end in ends.items() if portal in figures and end != "byte_budget")
            self._crawler.stats.set_value(LEFT, sum(one["queued"] + one["leased"] for one in left))
        portals = hints_of(spider).portal_names or ()
        report = CrawlReport(portals, self._started, _now(), reason, reported(stats), built, figures)
        try:
            write_report(self._corpus, report)
        except OSError as error:
            logger.error("Cannot write the report: %s: %s", error.filename, error.strerror)  # noqa: TRY400 -- as below
            self._crawler.stats.set_value(FAILED, "report")
        show_portals(self._console, figures, statuses)
        self._show(stats, figures, built)

    def _show(self, stats: Mapping[str, Any], figures: dict[str, dict[str, Any]], built: Mapping[str, Any]) -> None:
        """Say in the log what was kept, or why nothing was, and what is worth doing."""
        if kept := max(stats.get(KEPT, 0), stats.get(KEPT_IN_ALL, 0)):
            is_done = not (stats.get("downloader/request_count") or any(one["queued"] for one in figures.values()))
            why = f"; {NOTHING_LEFT}" if is_done else ""
            text = "Kept %d articles; %d are in the intake of %s%s%s"
            logger.info(text, stats.get(KEPT, 0), kept, self._corpus, _published(built), why)
        else:
            logger.error("Kept no article: %s", why_nothing(stats, figures))
        lost = Counter({DOUBTFUL: built.get("low_confidence", 0)})
        for loss in chain.from_iterable(one["losses"] for one in figures.values()):
            lost[loss["reason"]] += loss["n"]
        for line in advice(lost):
            logger.info("Worth doing: %s", line)

    def _statuses(self, ends: Mapping[str, str]) -> list[PortalStatus]:
        try:
            return status(self._corpus, ends=ends)
        except LedgerError as error:
            logger.error("No figures by portal: %s", error)  # noqa: TRY400 -- the message says all
            return []

    def _ends(self, spider: Spider, reason: str, stats: Mapping[str, Any]) -> dict[str, str]:
        """Return why each portal was given up or cut short, by its name; "" if its crawl was complete."""
        hints, now, ends = hints_of(spider), time.time(), {}
        for portal in hints.portal_names or (spider.name,):
            policy = hints.policies.get(portal)
            is_quiet = policy is not None and policy.quiet is not None and policy.quiet.until(now) > now
            stopped = "quiet_hours" if reason == "shutdown" and is_quiet else reason.replace("finished", "")
            ends[portal] = stats.get(politeness(portal, "given_up"), stopped)
        return ends

    def _check_starts(self, ends: Mapping[str, str], stats: Mapping[str, Any]) -> None:
        """Let the crawl fail where nothing could be fetched, or none of the pages that a portal begins with."""
        missing = {portal: why for portal, why in unreached(self._corpus).items() if portal in ends}
        for portal, why in missing.items():
            because = f"given up, {ends[portal]}" if ends[portal] else why
            logger.error("No start page of %s could be fetched: %s", portal, because)
        failed = [name.removeprefix(REJECTIONS) for name in stats if name.startswith(f"{REJECTIONS}fetch/")]
        if failed and not missing and not stats.get("downloader/response_count", 0):
            logger.error("Nothing could be fetched: %s", ", ".join(sorted(failed)))
        elif not missing:
            return
        self._crawler.stats.set_value(FAILED, "start")

    def _use_profiles(self, spider: Spider) -> None:
        """Judge the pages again that were judged without what the other pages of their portal say."""
        recipe, portals = workers_of(self._crawler).recipe, tuple(hints_of(spider).portals)
        files = archived_files(self._corpus)
        if recipe is None or recipe.extractor not in REVIEWED or not portals or not files:
            return
        jobs = worker_count(self._crawler.settings)
        try:
            applied = use_profiles(Archived(self._corpus, files, recipe, portals, jobs))
        except (OSError, ValueError) as error:
            logger.error("No profiles of the portals: %s", error)  # noqa: TRY400 -- the message says all
            self._crawler.stats.set_value(FAILED, "profiles")
            return
        if n := sum(applied.outcomes.values()):
            logger.info("Judged %d pages again with what the other pages of their portal say", n)
            self._crawler.stats.set_value(JUDGED_AGAIN, n)

    def _build(self) -> dict[str, Any]:
        if not (self._corpus / INTAKE).is_dir():
            return {}
        try:
            built = build(self._corpus)
            for line in built.damage():
                logger.warning("%s", line)
            return asdict(built)
        except CorpusError as error:
            logger.error("Build failed: %s", error)  # noqa: TRY400 -- the message says all; no traceback for the user
            self._crawler.stats.set_value(FAILED, "build")
            return {"error": str(error)}


def _published(built: Mapping[str, Any]) -> str:
    """Describe the output of the build, to append to a sentence; "" if it wrote nothing."""
    if "kept" not in built:
        return ""
    doubtful, repeated = built["low_confidence"], sum(built["duplicates"].values())
    return f"; {built['kept']} published, {doubtful} left out as doubtful, {repeated} as duplicates or earlier texts"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def begin_anew(corpus: Path, fresh: str) -> None:
    """Remove the corpus in a folder, and nothing else that lies there.

    Args:
        corpus: the folder.
        fresh: "yes" removes without asking; anything else asks at the terminal.

    Raises:
        CrawlError: there is no terminal to ask at, or the answer was no; or links or files of others are among it.
        LedgerError: a crawl, a build or a change of the archive is at work there.
        OSError: it cannot be removed.
    """
    there = [path for name in (*OWN, *FILES) if (path := corpus / name).exists()]
    if not there:
        return
    known = ledger_files(corpus) or None
    refuse_strangers(corpus, CrawlError, known=known)
    if fresh != "yes" and not _agreed(corpus, there):
        raise CrawlError(f"{corpus} stays as it is")
    with ExitStack() as held:
        for name, work in LOCKS.items():
            held.enter_context(exclusive(corpus / name, work, LedgerError))
        remove_own(corpus, known)


def _agreed(corpus: Path, there: list[Path]) -> bool:
    if not sys.stdin.isatty():
        raise CrawlError(f"argument 'fresh' would remove the corpus in {corpus}; say -a fresh=yes to do so unasked")
    sys.stderr.write(f"Remove {', '.join(path.name for path in there)} in {corpus}? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}
