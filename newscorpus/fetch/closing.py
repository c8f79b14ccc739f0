"""Open corpus and log of a crawl when it begins, and ask before one is removed; build, report, alarm when it ends."""

import asyncio
import json
import logging
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from scrapy import Spider, signals
from scrapy.crawler import Crawler

from newscorpus.corpus.reextract import Applied, Archived
from newscorpus.errors import CorpusError, CrawlError
from newscorpus.fetch.alarms import RAISED, AlarmCommand, CrawlAlarm
from newscorpus.fetch.options import corpus_folder, switch, worker_count
from newscorpus.fetch.plugin import FAILED, KEPT, KEPT_IN_ALL, LEFT, PAGES, hints_of, stat
from newscorpus.fetch.workers import workers_of
from newscorpus.files import exclusive, replace_file
from newscorpus.layout import (
    BUILD_LOCK,
    CRAWL_LOCK,
    CRAWL_REPORT,
    FILES,
    INTAKE,
    LEDGER,
    OWN,
    REMOVING,
    archived_files,
    refuse_strangers,
    remove_own,
)
from newscorpus.page.recipe import REVIEWED
from newscorpus.store.crawl_log import CrawlLog
from newscorpus.store.intake import segments
from newscorpus.store.ledger import Ledger, LedgerError
from newscorpus.store.ledger.addresses import ledger_files
from newscorpus.store.ledger.portals import iso
from newscorpus.store.ledger.status import (
    ENDS,
    MOST_LOST,
    PortalLoss,
    PortalStatus,
    low_share,
    status,
    status_lines,
    unreached,
)
from newscorpus.store.reasons import advice
from newscorpus.tokens import counted
from newscorpus.workers import ByName

if TYPE_CHECKING:
    from newscorpus.corpus.build import BuildReport

STOPPED = frozenset({"shutdown", "cannot_write", "extractor_failed"})
"""Close reasons after which no page is judged again: the user waits for the end, or it is impossible."""

LOCKS = {CRAWL_LOCK: "crawl", BUILD_LOCK: "build"}
"""Locks held while a corpus is removed, and the work that each excludes."""

DOUBTFUL = "quality/low_confidence"
"""Reason for documents that a build excludes as probably wrong."""

NOTHING_LEFT = "nothing is left to fetch; -a revisit=due fetches changed pages again, revisit=all every list"

REJECTIONS = "newscorpus/rejected/"

REPORTED = (
    "newscorpus/", "downloader/", "dupefilter/", "httpcompression/", "retry/", "robotstxt/", "spider_exceptions/"
)  # fmt: skip
"""Prefixes of the stats that go into the report."""

finish_removal: Callable[[Path], object] = ByName("newscorpus.corpus.remove:finish_removal")
use_profiles: Callable[[Archived], Applied] = ByName("newscorpus.corpus.profiles:use_profiles")
build: "Callable[[Path], BuildReport]" = ByName("newscorpus.corpus.build:build")
"""Loaded where they are needed: they take as long as all else that a crawl loads."""

logger = logging.getLogger(__name__)


class CorpusExtension:
    """Builds the corpus, writes `crawl-report.json` and raises alarms when the spider closes; keeps the log."""

    ledger: Ledger
    """Opened by `from_crawler`; the scheduler uses and closes it."""

    def __init__(
        self, crawler: Crawler, corpus: Path, *, builds: bool, profiles: bool, on_alarm: Sequence[str] = ()
    ) -> None:
        self._crawler = crawler
        self._corpus = corpus
        self._builds = builds
        self._profiles = profiles
        self._alarms = AlarmCommand(on_alarm, corpus)
        self._log: CrawlLog | None = None
        self._started = iso(time.time())
        self._is_open = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Read the settings, and open the ledger, since Scrapy would hide a later refusal behind other errors.

        Raises:
            CrawlError: no corpus folder is set, or the user keeps the corpus in it.
            CorpusError: another crawl is at work in it, its ledger cannot be used, or a removal cannot be completed.
        """
        corpus = corpus_folder(crawler.settings)
        fresh, is_new = crawler.settings.get("NEWSCORPUS_FRESH"), not (corpus / LEDGER).is_file()
        if fresh:
            begin_anew(corpus, fresh)
        if (corpus / REMOVING).is_file():
            finish_removal(corpus)
        adopts, builds, profiles = (
            switch(crawler.settings, f"NEWSCORPUS_{name}") for name in ("ADOPT", "BUILD", "PROFILE")
        )
        on_alarm = crawler.settings.getlist("NEWSCORPUS_ON_ALARM")
        extension = cls(crawler, corpus, builds=builds, profiles=profiles, on_alarm=on_alarm)
        extension.ledger = Ledger.open(corpus, adopts=adopts)
        standing = "is new" if is_new else "begins anew" if fresh else "goes on"
        sys.stderr.write(f"The corpus {standing}: {corpus.absolute()}\n")
        extension._log = CrawlLog(corpus, crawler.settings["LOG_LEVEL"])
        logging.getLogger().addHandler(extension._log)
        if not profiles:
            extension.ledger.profiles.forget()
        crawler.signals.connect(extension.spider_opened, signals.spider_opened)
        crawler.signals.connect(extension.spider_closed, signals.spider_closed)
        crawler.signals.connect(extension.engine_stopped, signals.engine_stopped)
        crawler.signals.connect(extension._alarms.raise_alarm, RAISED)
        return extension

    def spider_opened(self) -> None:
        """Note that the crawl holds the corpus; how an earlier one ended is no longer true."""
        self._is_open = True
        with suppress(OSError):  # none is there, or the report of this crawl will name the error
            (self._corpus / CRAWL_REPORT).unlink()

    async def spider_closed(self, spider: Spider, reason: str) -> None:
        """Judge pages again and build, in a thread, and report; do nothing if the crawl never began."""
        if self._is_open:
            if self._profiles and reason not in STOPPED:
                await asyncio.to_thread(self._use_profiles, spider)
            built = await asyncio.to_thread(self._build) if self._builds else {}
            self.report(spider, reason, built)

    async def engine_stopped(self) -> None:
        """Wait for the commands of alarms, and close the log."""
        await self._alarms.close()
        if self._log:
            logging.getLogger().removeHandler(self._log)
            self._log.close()

    def report(self, spider: Spider, reason: str, built: Mapping[str, Any]) -> None:
        """Report how the crawl went, in the terminal, in the log and in `crawl-report.json`.

        `built` is the report of the build: empty if none ran, {"error": ...} if it failed.
        """
        stats = self._crawler.stats.get_stats()
        ends = self._ends(spider, reason, stats)
        try:
            statuses, missing = status(self._corpus, ends=ends), unreached(self._corpus)
        except LedgerError as error:
            logger.error("No figures by portal: %s", error)  # noqa: TRY400 -- the message says all
            statuses, missing = [], {}
        statuses = [one for one in statuses if one.portal]
        if reason == "finished" and statuses:
            self._check_starts(ends, stats, missing)
        if reason in {"finished", "shutdown"}:
            left = (one for one in statuses if one.portal in ends and one.end != "byte_budget")
            self._crawler.stats.set_value(LEFT, sum(one.queued + one.leased for one in left))
        told = {
            "portals": hints_of(spider).portal_names or (),
            "started": self._started,
            "finished": iso(time.time()),
            "reason": reason,
            "stats": {name: value for name, value in sorted(stats.items()) if name.startswith(REPORTED)},
            "build": built,
            "by_portal": {one.portal: asdict(one) for one in statuses},
        }
        try:
            self._corpus.mkdir(parents=True, exist_ok=True)
            replace_file(self._corpus / CRAWL_REPORT, json.dumps(told, ensure_ascii=False, indent=2).encode() + b"\n")
        except OSError as error:
            logger.error("Cannot write the report: %s: %s", error.filename, error.strerror)  # noqa: TRY400 -- as above
            self._crawler.stats.set_value(FAILED, "report")
        show_portals(statuses)
        if kept := max(stats.get(KEPT, 0), stats.get(KEPT_IN_ALL, 0)):
            published = ""
            if "kept" in built:
                repeated = f"{sum(built['duplicates'].values())} as duplicates or earlier texts"
                published = f"; {built['kept']} published, {built['low_confidence']} left out as doubtful, {repeated}"
            is_done = not (stats.get("downloader/request_count") or any(one.queued for one in statuses))
            why = f"; {NOTHING_LEFT}" if is_done else ""
            text = "Kept %d articles of %d pages fetched; %d are in the intake of %s%s%s"
            logger.info(text, stats.get(KEPT, 0), stats.get(PAGES, 0), kept, self._corpus, published, why)
        else:
            logger.error("Kept no article: %s", why_nothing(stats, statuses))
        losses = [(one.portal, loss) for one in statuses for loss in one.losses]
        n_doubtful = built.get("low_confidence", 0)
        if n_doubtful > MOST_LOST * kept:
            losses.append(("", PortalLoss(DOUBTFUL, n_doubtful, kept, ())))
        for line in advice(self._corpus, losses):
            logger.info("Worth doing: %s", line)
        failed = stats.get(FAILED) or ("" if kept else f"kept no article: {why_nothing(stats, statuses)}")
        crawled = [one for one in statuses if one.portal in ends]
        for alarm in last_alarms(crawled, stats, failed) if reason != "shutdown" else ():  # a person is there
            self._alarms.raise_alarm(alarm)

    def _ends(self, spider: Spider, reason: str, stats: Mapping[str, Any]) -> dict[str, str]:
        """Return why each portal was given up or cut short, by its name; "" if its crawl was complete."""
        hints, now, ends = hints_of(spider), time.time(), {}
        for portal in hints.portal_names or (spider.name,):
            policy = hints.policies.get(portal)
            is_quiet = policy is not None and policy.quiet is not None and policy.quiet.until(now) > now
            stopped = "quiet_hours" if reason == "shutdown" and is_quiet else reason.replace("finished", "")
            ends[portal] = stats.get(stat("politeness", portal, "given_up"), stopped)
        return ends

    def _check_starts(self, ends: Mapping[str, str], stats: Mapping[str, Any], unfetched: Mapping[str, str]) -> None:
        """Fail the crawl if nothing could be fetched, or none of the start pages of a portal."""
        missing = {portal: why for portal, why in unfetched.items() if portal in ends}
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
        """Judge pages again with the profiles of their portals."""
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
            self._crawler.stats.set_value(stat("judged_again"), n)

    def _build(self) -> dict[str, Any]:
        if not segments(self._corpus / INTAKE):
            return {}
        try:
            built = build(self._corpus)
            for line in built.damage:
                logger.warning("%s", line)
            return asdict(built)
        except CorpusError as error:
            logger.error("Build failed: %s", error)  # noqa: TRY400 -- the message says all; no traceback for the user
            self._crawler.stats.set_value(FAILED, "build")
            return {"error": str(error)}


def last_alarms(found: Iterable[PortalStatus], stats: Mapping[str, Any], failed: str) -> Iterator[CrawlAlarm]:
    """Return the alarms at the end of a crawl of portals; `failed` says why all of it failed, "" if it did not."""
    if failed:
        yield CrawlAlarm("failed", "", f"the crawl failed: {failed}")
    for one in found:
        if why := stats.get(stat("politeness", one.portal, "given_up")):
            yield CrawlAlarm("given_up", one.portal, f"{one.portal} was given up: {ENDS.get(why, why)}")
        yield from (CrawlAlarm("fewer_rows", one.portal, line) for line in low_share(one.portal, one.coverage))


def show_portals(found: Sequence[PortalStatus]) -> None:
    """Show the figures of each portal, in the log or bare in a terminal; log what is missing."""
    show = (lambda line: sys.stderr.write(f"{line}\n")) if sys.stderr.isatty() else partial(logger.info, "%s")
    for line in status_lines(found) if found else ():
        show(line)
    for one in found if any(one.kept for one in found) else ():
        if not one.kept:
            rejected = f"rejected: {counted(one.rejected)}" if one.rejected else ""
            why = "; ".join(filter(None, (ENDS.get(one.end, one.end), rejected)))
            logger.warning("Kept nothing of %s: %s", one.portal, why or "nothing was found")
    for one in found:
        for line in (*one.shortfalls(), *map(str, one.redesigns)):
            logger.warning("%s", line)


def why_nothing(stats: Mapping[str, Any], found: Iterable[PortalStatus]) -> str:
    """Return in one line why a crawl kept nothing: what it rejected, or else what earlier crawls rejected."""
    now = Counter({name.removeprefix(REJECTIONS): n for name, n in stats.items() if name.startswith(REJECTIONS)})
    before, queued = Counter[str](), 0
    for one in found:
        before += Counter(one.rejected)
        queued += one.queued
    left = {name.split("/")[-2]: why for name, why in sorted(stats.items()) if name.endswith("/given_up")}
    reasons = [f"{portal} was given up: {why}" for portal, why in left.items()]
    if rejected := now or before:
        reasons.insert(0, f"{'rejected' if now else 'rejected earlier'}: {counted(rejected)}")
    if queued:
        reasons.append(f"{queued} addresses are still queued")
    elif before and not now:
        reasons.append(NOTHING_LEFT)
    responses = f"{stats.get('downloader/response_count', 0)} responses"
    return "; ".join([responses, *(reasons or ["no page was taken for an article"])])


def begin_anew(corpus: Path, fresh: str) -> None:
    """Remove the corpus in a folder, and no other file in it; ask at the terminal unless `fresh` is "yes".

    Raises:
        CrawlError: there is no terminal, or the answer was no.
        CorpusError: the corpus contains links or files of others, or a crawl or a build is at work there.
        OSError: it cannot be removed.
    """
    there = [path for name in (*OWN, *FILES) if (path := corpus / name).exists()]
    if not there:
        return
    known = ledger_files(corpus) or None
    refuse_strangers(corpus, known=known)
    if fresh != "yes":
        if not sys.stdin.isatty():
            raise CrawlError(f"argument 'fresh' would remove the corpus in {corpus}; say -a fresh=yes to do so unasked")
        sys.stderr.write(f"Remove {', '.join(path.name for path in there)} in {corpus}? [y/N] ")
        sys.stderr.flush()
        if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
            raise CrawlError(f"{corpus} stays as it is")
    with ExitStack() as held:
        for name, work in LOCKS.items():
            held.enter_context(exclusive(corpus / name, work))
        remove_own(corpus, known)
