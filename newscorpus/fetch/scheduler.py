"""Use the ledger as Scrapy's scheduler: a request is a row, done in one transaction with all that its page brought."""

import asyncio
import gc
import heapq
import logging
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from itertools import count
from pathlib import Path
from typing import Self

from scrapy import Request, Spider
from scrapy.core.scheduler import BaseScheduler
from scrapy.crawler import Crawler
from scrapy.utils.asyncio import create_looping_call
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.defer import Deferred

from newscorpus.errors import CrawlError
from newscorpus.fetch import counts
from newscorpus.fetch.designs import DesignWatch
from newscorpus.fetch.middlewares.archive import STORED_AT, Archive
from newscorpus.fetch.middlewares.politeness import ASKED_AGAIN, RETRIES, PolitenessMiddleware
from newscorpus.fetch.options import corpus_folder
from newscorpus.fetch.plugin import end_unwritable, hints_of
from newscorpus.fetch.stored import VISIT, conditional, pack, unpack
from newscorpus.fetch.visits import Visit, current_visit
from newscorpus.store.ledger import Ledger, LedgerError, Link

ABOUT = "newscorpus"
"""Key of `Request.meta`: {"source": name of the portal, "kind": what the page is fetched for}."""

PORTAL_LEASES = 2
"""Most requests of a portal in the downloader at a time: one is sent, and the next one is at hand."""

UNFINISHED_PER_WORKER = 4
"""Answers that may wait for the pipelines before another request is sent: what the death of the process costs.
A worker takes one page at a time; the others are at hand while the next ones are fetched."""

BEHIND = 1_000_000
"""By which the priority falls with each failure: behind all that did not fail so often."""

TICK_SECONDS = 0.2
CHECKPOINT_SECONDS = 10.0
"""Longest time that a power failure costs."""

logger = logging.getLogger(__name__)


def scheduler_of(crawler: Crawler) -> "LedgerScheduler":
    """The scheduler of a crawl.

    Raises:
        CrawlError: it is another one.
    """
    scheduler = crawler.engine.scheduler
    if not isinstance(scheduler, LedgerScheduler):
        raise CrawlError("setting SCHEDULER: newscorpus needs newscorpus.fetch.scheduler.LedgerScheduler")
    return scheduler


def leave_refusing(crawler: Crawler) -> None:
    """Ask nothing of the sites that have refused for days, until their time has come."""
    if politeness := crawler.get_downloader_middleware(PolitenessMiddleware):
        politeness.leave_alone(scheduler_of(crawler).ledger.sites.refusing(time.time()))


class LedgerScheduler(BaseScheduler):
    """Stores requests in the ledger, gives them out portal by portal, and notes when all that came of one is done.

    Redirects, and requests that JSON cannot hold, are kept in memory; a page that is under way when the process
    dies is asked for again from its first address.
    """

    ledger: Ledger

    def __init__(self, crawler: Crawler, corpus: Path) -> None:
        self._crawler = crawler
        self._corpus = corpus
        self._visits: dict[int, Visit] = {}
        self._memory: list[tuple[float, int, int, Visit]] = []
        """When each may be sent, its priority, a number that keeps the order, and the visit."""
        self._numbers = count(1)
        self._checkpoint: asyncio.Future[None] | None = None
        self._broken = False
        self._is_open = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Read the settings.

        Raises:
            CrawlError: no corpus folder is set.
        """
        return cls(crawler, corpus_folder(crawler.settings))

    def open(self, spider: Spider) -> None:
        """Open the ledger.

        Raises:
            LedgerError: another crawl is at work in the corpus, or the ledger cannot be used.
        """
        self.ledger = Ledger.open(self._corpus)
        if archive := self._crawler.get_extension(Archive):
            archive.join(self.ledger)
        self.ledger.sites.forget()
        self._designs = DesignWatch(self.ledger)
        self._is_open = True
        # Modules make half a million objects; looking through them for garbage would hold the event loop up for 0.1 s.
        gc.freeze()
        self._spider = spider
        self._politeness = self._crawler.get_downloader_middleware(PolitenessMiddleware)
        if self._politeness:
            for portal in hints_of(spider).portal_names or ():
                self._politeness.trust(portal, self.ledger.revisits.last_kept(portal))
        self._lease_limit = (
            PORTAL_LEASES
            if hints_of(spider).portal_names is not None
            else self._crawler.settings.getint("CONCURRENT_REQUESTS")
        )
        self._unfinished_limit = UNFINISHED_PER_WORKER * max(1, self._crawler.settings.getint("NEWSCORPUS_WORKERS"))
        self._ticking = create_looping_call(self._tick)
        self._ticking.start(TICK_SECONDS, now=False)
        self._syncing = create_looping_call(self._sync)
        self._syncing.start(CHECKPOINT_SECONDS, now=False)

    def close(self, reason: str) -> Deferred[None] | None:  # noqa: ARG002 -- Scrapy calls it so
        """Write down what is done, and let the ledger go."""
        return deferred_from_coro(self._close()) if self._is_open else None

    def has_pending_requests(self) -> bool:
        """Whether a request waits on a portal that is not given up."""
        with self.guarded():
            if self._settle():
                self.ledger.commit()
        return not self._broken and (bool(self._memory) or self.ledger.queue.pending(self._is_given_up))

    def enqueue_request(self, request: Request) -> bool:
        """Store a request; False for one whose document was met before."""
        visit = self._visits.get(request.meta.get(VISIT, 0))
        stored = False
        with self.guarded():
            if visit and not visit.entered:
                self._go_on(visit, request)
                stored = True
            else:
                request.meta.pop(VISIT, None)
                stored = self._add(request)
        return stored

    def next_request(self) -> Request | None:
        """The request to send now; None where there is none, or none may be sent yet."""
        visit: Visit | None = None
        with self.guarded():
            settled = self._settle()
            is_ready = bool(self._memory) and self._memory[0][0] <= time.monotonic()
            visit = heapq.heappop(self._memory)[-1] if is_ready else self._lease()
            if settled or visit:  # what is sent is known to be under way, also when the process dies
                self.ledger.commit()
        return self._send(visit) if visit and not self._broken else None

    def articles(self) -> tuple[int, int]:
        """Rows of the intake, with those that pages under way have brought; and pages that may still bring one."""
        brought = [visit.has_article for visit in self._visits.values() if visit.may_keep and not visit.postponed]
        return self.ledger.counts.of("kept") + brought.count(True), brought.count(None)

    def give_up(self, error: LedgerError) -> None:
        """End the crawl: what cannot be written down should not be fetched."""
        if not self._broken:
            self._broken = True
            self._ending = end_unwritable(self._crawler, f"Cannot write the corpus: {error}")

    def break_off(self) -> None:
        """Write down what is done, queue what is under way, and take nothing more."""
        if not self._is_open:
            return
        with self.guarded():
            self._settle()
            for visit in self._visits.values():
                if visit.serial:
                    self.ledger.queue.release(visit.serial)
            self.ledger.commit()
            self._crawler.stats.set_value(counts.KEPT_IN_ALL, self.ledger.counts.of("kept"))
        self._is_open = False
        self._broken = True

    def _add(self, request: Request) -> bool:
        if self.ledger.removals.covers(request.url):
            self._crawler.stats.inc_value(counts.REMOVED)
            return False
        about = request.meta.get(ABOUT, {})
        portal = about.get("source") or self._spider.name
        packed = pack(request, self._spider)
        if packed is None:
            self._crawler.stats.inc_value(counts.IN_MEMORY)
            if self._crawler.stats.get_value(counts.IN_MEMORY) == 1:
                logger.warning(
                    "%s cannot be stored as JSON; it and its like are lost when the crawl is killed", request
                )
        elif self.ledger.add(self._link(request, portal, about.get("kind", ""), packed), again=request.dont_filter):
            self._crawler.stats.inc_value("scheduler/enqueued")
            return True
        elif not request.dont_filter:
            self._crawler.stats.inc_value("dupefilter/filtered")
            return False
        visit = Visit(portal, request)
        visit.watch(self._spider)
        self._remember(visit)
        return True

    def _link(self, request: Request, portal: str, kind: str, packed: bytes) -> Link:
        fingerprint = self._crawler.request_fingerprinter.fingerprint(request)
        page = current_visit()
        return Link(
            key=int.from_bytes(fingerprint[:8], "big", signed=True),
            url=request.url,
            portal=portal,
            kind=kind,
            depth=request.meta.get("depth", 0),
            found_on=page.serial if page else 0,
            priority=request.priority,
            request=packed,
        )

    def _go_on(self, visit: Visit, request: Request) -> None:
        """Queue the next request of a visit: a redirect at once, one that failed behind all others, after a while."""
        is_redirect = request.url != visit.request.url
        visit.request = request
        if is_redirect:
            self._remember(visit)
            return
        counted = {key: request.meta[key] for key in (RETRIES, ASKED_AGAIN) if key in request.meta}
        again = visit.first.replace(meta=visit.first.meta | counted, priority=visit.first.priority - BEHIND)
        ready_at = self._politeness.ready_at(again) if self._politeness else 0.0
        packed = pack(again, self._spider) if visit.serial else None
        if packed is None:
            visit.request = request.replace(priority=again.priority)
            self._remember(visit, ready_at)
        else:
            self.ledger.queue.release(visit.serial, priority=again.priority, request=packed, ready_at=ready_at)
            del self._visits[request.meta[VISIT]]

    def _remember(self, visit: Visit, ready_at: float = 0.0) -> None:
        heapq.heappush(self._memory, (ready_at, -visit.request.priority, next(self._numbers), visit))

    def _send(self, visit: Visit) -> Request:
        number = visit.request.meta.setdefault(VISIT, next(self._numbers))
        self._visits[number] = visit
        self._crawler.stats.inc_value("scheduler/dequeued")
        return visit.request

    def _lease(self) -> Visit | None:
        under_way = Counter(visit.portal for visit in self._visits.values() if not visit.entered)
        unfinished = len(self._visits) - under_way.total()  # answers that wait for the pipelines
        is_behind = unfinished >= max(self._unfinished_limit, self._lease_limit)
        portal = None if is_behind else self._choose(under_way)
        if portal is None:
            return None
        doubted = bool(self._politeness and self._politeness.in_doubt(portal))
        lease = self.ledger.queue.lease(portal, at_random=doubted)  # neighbours may be dead together
        if lease is None:
            return None
        request = unpack(lease.request, lease.url, lease.priority, self._spider)
        if lease.from_archive:
            request.meta[STORED_AT] = (lease.archive_file, lease.archive_offset)
        else:
            request = conditional(request, lease)
        visit = Visit(
            *(lease.portal, request, lease.serial),
            from_archive=bool(lease.from_archive),
            links_only=bool(lease.links_only),
            is_repeat=lease.status == HTTPStatus.OK,
        )
        visit.watch(self._spider)
        return visit

    def _choose(self, under_way: Counter[str]) -> str | None:
        """The portal with the fewest requests under way, of those that may be asked."""
        free = (
            portal
            for portal in self.ledger.queue.portals()
            if under_way[portal] < self._lease_limit and not (self._politeness and self._politeness.rests(portal))
        )
        return min(free, key=lambda portal: under_way[portal], default=None)

    def _is_given_up(self, portal: str) -> bool:
        return bool(self._politeness and self._politeness.given_up(portal))

    def _settle(self) -> bool:
        """Write down the visits that are done, if any; the caller commits."""
        slot = self._crawler.engine.scraper.slot
        active = slot.active if slot else set()
        done = [number for number, visit in self._visits.items() if visit.entered and visit.request not in active]
        for number in done:
            visit = self._visits.pop(number)
            visit.end(self.ledger)
            # A page that comes again may be one that changed, and say so: that is no redesign.
            if visit.look and not (visit.postponed or visit.from_archive or visit.is_repeat):
                self._designs.note(visit.look)
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
            self.ledger.transaction.trim()

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
            self._crawler.stats.set_value(counts.KEPT_IN_ALL, self.ledger.counts.of("kept"))
        with self.guarded():
            self.ledger.close()

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Where the ledger cannot write, end the crawl."""
        try:
            yield
        except LedgerError as error:
            self.give_up(error)
