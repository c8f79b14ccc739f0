"""Use the ledger as Scrapy's scheduler: a request is a row; it and its results are committed together."""

import asyncio
import gc
import heapq
import logging
import sqlite3
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from itertools import count
from pathlib import Path
from typing import Any, Self

from scrapy import Request, Spider
from scrapy.core.scheduler import BaseScheduler
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.http import Response
from scrapy.utils.asyncio import create_looping_call
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.defer import Deferred

from newscorpus.data import Rejected
from newscorpus.errors import CrawlError
from newscorpus.fetch.alarms import RAISED, CrawlAlarm
from newscorpus.fetch.closing import CorpusExtension
from newscorpus.fetch.middlewares.archive import Archive
from newscorpus.fetch.middlewares.politeness import RETRIES, PolitenessMiddleware
from newscorpus.fetch.options import corpus_folder, worker_count
from newscorpus.fetch.plugin import KEPT_IN_ALL, CrawlComponent, end_unwritable, hints_of, stat
from newscorpus.fetch.visits import FAILED_STAGE, Delivery, Visit, conditional, pack, unpack, visit_of
from newscorpus.store.intake import journal_line
from newscorpus.store.ledger import REJECTIONS, Lease, Ledger, LedgerError, Link, UrlOutcome
from newscorpus.store.redesigns import PortalWatch

LIST_PRIORITY = 1_000
"""Feeds and sitemaps come first, since their metadata of a document is stored with its request."""
LAST_PRIORITY = -500_000
"""Speculative requests come after the deepest section and before retries, and wait for requests in progress."""
PORTAL_LEASES = 2
"""Maximum requests of a portal in the downloader: one in progress, and the next one ready."""

UNFINISHED_PER_WORKER = 4
"""Maximum responses per worker that wait for the pipelines during further requests; a crash loses at most these."""

BEHIND = 1_000_000
"""Decrease of the priority with each failure: retries come after all requests that failed less often."""

TICK_SECONDS = 0.2
CHECKPOINT_SECONDS = 10.0
"""A power failure loses at most this much work."""

logger = logging.getLogger(__name__)


def scheduler_of(crawler: Crawler) -> "LedgerScheduler":
    """Return the scheduler of a crawl; raise `CrawlError` if it is not a `LedgerScheduler`."""
    scheduler = crawler.engine.scheduler
    if not isinstance(scheduler, LedgerScheduler):
        raise CrawlError("setting SCHEDULER: newscorpus needs newscorpus.fetch.scheduler.LedgerScheduler")
    return scheduler


def leave_refusing(crawler: Crawler) -> None:
    """Skip sites that have refused for days, until their next attempt is due."""
    if politeness := crawler.get_downloader_middleware(PolitenessMiddleware):
        politeness.leave_alone(scheduler_of(crawler).ledger.sites.refusing(time.time()))


class LedgerScheduler(BaseScheduler):
    """Stores requests in the ledger, leases them portal by portal, and commits each with its results.

    Redirects, and requests that JSON cannot hold, are kept in memory; a page in progress during a crash is fetched
    again from its first address.
    """

    ledger: Ledger

    def __init__(self, crawler: Crawler, corpus: Path) -> None:
        self._crawler = crawler
        self._corpus = corpus
        self._visits: dict[Visit, None] = {}
        """In the order in which they were sent."""
        self._memory: list[tuple[float, int, int, Visit]] = []
        """Heap of: earliest time to send, negated priority, sequence number, visit."""
        self._numbers = count(1)
        self._checkpoint: asyncio.Future[None] | None = None
        self._broken = False
        self._is_open = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Read the settings; raise `CrawlError` if no corpus folder is set."""
        return cls(crawler, corpus_folder(crawler.settings))

    def open(self, spider: Spider) -> None:
        """Take the ledger that the extension opened, or open it where a project disabled the extension.

        Raises:
            CorpusError: another crawl uses the corpus, or the ledger is unusable.
        """
        corpus = self._crawler.get_extension(CorpusExtension)
        self.ledger = corpus.ledger if corpus else Ledger.open(self._corpus)
        if archive := self._crawler.get_extension(Archive):
            archive.join(self.ledger)
        self.ledger.sites.forget()
        self._watches: dict[str, PortalWatch] = {}
        self._is_open = True
        # Modules make half a million objects; collecting garbage among them would block the event loop for 0.1 s.
        gc.freeze()
        self._spider = spider
        self._politeness = self._crawler.get_downloader_middleware(PolitenessMiddleware)
        portals, settings = hints_of(spider).portal_names, self._crawler.settings
        if self._politeness:
            for portal in portals or ():
                self._politeness.trust(portal, self.ledger.revisits.last_kept(portal))
        self._lease_limit = settings.getint("CONCURRENT_REQUESTS") if portals is None else PORTAL_LEASES
        self._unfinished_limit = max(UNFINISHED_PER_WORKER * max(1, worker_count(settings)), self._lease_limit)
        self._ticking = create_looping_call(self._tick)
        self._ticking.start(TICK_SECONDS, now=False)
        self._syncing = create_looping_call(self._sync)
        self._syncing.start(CHECKPOINT_SECONDS, now=False)

    def close(self, reason: str) -> Deferred[None] | None:  # noqa: ARG002 -- Scrapy calls it so
        """Commit finished visits, and close the ledger."""
        return deferred_from_coro(self._close()) if self._is_open else None

    def has_pending_requests(self) -> bool:
        """Whether requests are pending for a portal that is not given up."""
        with self.guarded():
            if self._settle():
                self.ledger.commit()
        politeness = self._politeness
        given_up = (lambda portal: bool(politeness.given_up(portal))) if politeness else (lambda _portal: False)
        return not self._broken and (bool(self._memory) or self.ledger.queue.pending(given_up))

    def enqueue_request(self, request: Request) -> bool:
        """Store a request; return False for a duplicate."""
        visit, stored = visit_of(request), False
        with self.guarded():
            if visit in self._visits and not visit.entered:
                self._go_on(visit, request)
                stored = True
            else:
                stored = self._add(visit, request)
        return stored

    def next_request(self) -> Request | None:
        """Return the request to send now; None if none is pending or may be sent yet."""
        visit: Visit | None = None
        with self.guarded():
            settled = self._settle()
            is_ready = bool(self._memory) and self._memory[0][0] <= time.monotonic()
            visit = heapq.heappop(self._memory)[-1] if is_ready else self._lease()
            if settled or visit:  # a crash must find the lease of a sent request
                self.ledger.commit()
        if visit is None or self._broken:
            return None
        self._visits[visit] = None
        self._crawler.stats.inc_value("scheduler/dequeued")
        return visit.request

    def articles(self) -> tuple[int, int]:
        """Return the number of rows of the intake, including uncommitted ones, and of pages that may still add one."""
        brought = [visit.has_article for visit in self._visits if visit.may_keep and not visit.postponed]
        return self.ledger.counts.of("kept") + brought.count(True), brought.count(None)

    def give_up(self, error: LedgerError) -> None:
        """End the crawl, since results can no longer be written."""
        if not self._broken:
            self._broken = True
            self._ending = end_unwritable(self._crawler, f"Cannot write the corpus: {error}")

    def break_off(self) -> None:
        """Commit finished visits, requeue those in progress, and accept no more requests."""
        if not self._is_open:
            return
        with self.guarded():
            self._settle()
            for visit in self._visits:
                if visit.serial:
                    self.ledger.queue.release(visit.serial)
            self.ledger.commit()
            self._crawler.stats.set_value(KEPT_IN_ALL, self.ledger.counts.of("kept"))
        self._is_open = False
        self._broken = True

    def _add(self, visit: Visit, request: Request) -> bool:
        if self.ledger.removals.covers(request.url):
            self._crawler.stats.inc_value(stat("removed"))
            return False
        visit.portal = visit.portal or self._spider.name
        packed = pack(request, self._spider)
        if packed is None:
            self._crawler.stats.inc_value(stat("kept_in_memory"))
            if self._crawler.stats.get_value(stat("kept_in_memory")) == 1:
                logger.warning(
                    "%s cannot be stored as JSON; it and its like are lost when the crawl is killed", request
                )
        else:
            fingerprint = self._crawler.request_fingerprinter.fingerprint(request)
            link = Link(
                key=int.from_bytes(fingerprint[:8], "big", signed=True),
                url=request.url,
                portal=visit.portal,
                kind=visit.kind,
                depth=request.meta.get("depth", 0),
                found_on=visit.found_on,
                priority=request.priority,
                request=packed,
            )
            if self.ledger.add(link, again=request.dont_filter):
                self._crawler.stats.inc_value("scheduler/enqueued")
                return True
            if not request.dont_filter:
                self._crawler.stats.inc_value("dupefilter/filtered")
                return False
        visit.begin(request)
        self._remember(visit)
        return True

    def _go_on(self, visit: Visit, request: Request) -> None:
        """Queue the next request of a visit: a redirect at once, a retry after all others and a delay."""
        is_redirect = request.url != visit.request.url
        visit.request = request
        if is_redirect:
            self.ledger.expect(request.url, visit.serial)
            self._remember(visit)
            return
        counted = {RETRIES: request.meta[RETRIES]} if RETRIES in request.meta else {}
        again = visit.first.replace(meta=visit.first.meta | counted, priority=visit.first.priority - BEHIND)
        ready_at = self._politeness.ready_at(again) if self._politeness else 0.0
        packed = pack(again, self._spider) if visit.serial else None
        if packed is None:
            visit.request = request.replace(priority=again.priority)
            self._remember(visit, ready_at)
        else:
            self.ledger.queue.release(visit.serial, priority=again.priority, request=packed, ready_at=ready_at)
            del self._visits[visit]

    def _remember(self, visit: Visit, ready_at: float = 0.0) -> None:
        heapq.heappush(self._memory, (ready_at, -visit.request.priority, next(self._numbers), visit))

    def _lease(self) -> Visit | None:
        in_progress = Counter(visit.portal for visit in self._visits if not visit.entered)
        unfinished = len(self._visits) - in_progress.total()  # responses that wait for the pipelines
        lease = None if unfinished >= self._unfinished_limit else self._lease_of(in_progress)
        if lease is None:
            return None
        request = unpack(lease.request, lease.url, lease.priority, self._spider)
        visit = visit_of(request)
        visit.portal, visit.serial, visit.last_fetch = lease.portal, lease.serial, lease.fetched
        visit.links_only, visit.is_repeat = bool(lease.links_only), lease.status == HTTPStatus.OK
        if lease.from_archive:
            visit.from_archive, visit.stored_at = True, (lease.archive_file, lease.archive_offset)
        else:
            request = conditional(request, lease)
        visit.begin(request)
        return visit

    def _lease_of(self, in_progress: Counter[str]) -> Lease | None:
        """Lease the next address, from the available portal with the fewest requests in progress.

        Pages wait for the feeds and sitemaps in progress, which describe them. Speculative requests wait for all
        others, since a page in progress may link to something more urgent.
        """
        lists = {visit.portal for visit in self._visits if visit.first.priority >= LIST_PRIORITY}
        others = {visit.portal for visit in self._visits if visit.first.priority > LAST_PRIORITY}
        for portal in sorted(self.ledger.queue.portals(), key=lambda portal: in_progress[portal]):
            if in_progress[portal] < self._lease_limit and not (self._politeness and self._politeness.rests(portal)):
                doubted = bool(self._politeness and self._politeness.in_doubt(portal))
                above = LIST_PRIORITY - 1 if portal in lists else LAST_PRIORITY if portal in others else None
                # At random if the portal is in doubt: neighbouring addresses may all be dead.
                if lease := self.ledger.queue.lease(portal, at_random=doubted, above=above):
                    return lease
        return None

    def _settle(self) -> bool:
        """Write finished visits; the caller commits. Return whether there were any."""
        slot = self._crawler.engine.scraper.slot
        active = slot.active if slot else set()
        done = [visit for visit in self._visits if visit.entered and visit.request not in active]
        for visit in done:
            del self._visits[visit]
            visit.end(self.ledger)
            look, looks = visit.look, self.ledger.looks
            # A revisited page may have changed without a redesign.
            if look is None or visit.postponed or visit.from_archive or visit.is_repeat:
                continue
            if look.portal not in self._watches:
                self._watches[look.portal] = PortalWatch(looks.last(look.portal))
            looks.add(look)
            if alarm := self._watches[look.portal].add(look):  # once per redesign
                looks.add_alarm(alarm)
                logger.warning("%s", alarm)
                raised = CrawlAlarm("redesign", alarm.portal, str(alarm))
                self._crawler.signals.send_catch_log(RAISED, alarm=raised)
        return bool(done)

    def _note_sites(self) -> None:
        self.ledger.sites.note(self._politeness.paces() if self._politeness else ())

    def _tick(self) -> None:
        if self._broken:
            return
        with self.guarded():
            self._settle()
            self._note_sites()
            self.ledger.queue.wake(time.monotonic())
            self.ledger.commit()
            self.ledger.transaction.reset_log()

    def _sync(self) -> None:
        if not self._broken and (self._checkpoint is None or self._checkpoint.done()):
            self._checkpoint = asyncio.ensure_future(self._write_checkpoint())

    async def _write_checkpoint(self) -> None:
        try:
            await asyncio.to_thread(self.ledger.transaction.checkpoint())
        except (OSError, sqlite3.Error) as error:
            self.give_up(LedgerError(f"{self._corpus}: {error}"))

    async def _close(self) -> None:
        self._is_open = False
        self._ticking.stop()
        self._syncing.stop()
        if self._checkpoint:
            await self._checkpoint
        with self.guarded():
            self._settle()
            self._note_sites()
            if self._politeness:
                self.ledger.sites.end_run(self._politeness.refused(), time.time())
            self._crawler.stats.set_value(KEPT_IN_ALL, self.ledger.counts.of("kept"))
        with self.guarded():
            self.ledger.close()

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """End the crawl if the ledger cannot be written."""
        try:
            yield
        except LedgerError as error:
            self.give_up(error)


class VisitMiddleware(CrawlComponent):
    """Spider middleware next to the spider: attaches its output to the visit of the response.

    A page whose callback failed is rejected; if the ledger cannot be written, the crawl ends.
    """

    def process_spider_input(self, response: Response) -> None:
        """Record that the spider has the response."""
        visit_of(response).enter(response)

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Pass on the output of the spider."""
        visit = visit_of(response)
        async for output in result:
            yield visit.hand_on(output)

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Pass on the output of the spider's `start`, which has no visit."""
        nobody = Visit()
        async for output in start:
            begun = nobody.hand_on(output)
            yield Delivery(None, begun.item) if isinstance(begun, Delivery) else begun

    def process_spider_exception(self, response: Response, exception: Exception) -> tuple[()] | None:
        """Reject the page, and leave the error to Scrapy's log; on a `LedgerError`, end the crawl instead."""
        if isinstance(exception, LedgerError):
            scheduler_of(self._crawler).give_up(exception)
            return ()
        if not isinstance(exception, CloseSpider):
            failed = Rejected(FAILED_STAGE, "callback_failed", f"{type(exception).__name__}: {exception}", response.url)
            visit_of(response).bring(REJECTIONS, journal_line(failed), UrlOutcome.of(failed))
            self._crawler.stats.inc_value(stat("rejected", failed.stage, failed.reason))
        return None
