"""Send one request to a site at a time, none before its time, and none while the site rests."""

import asyncio
import logging
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
)
from scrapy.http import Response

from newscorpus.addon.counts import politeness
from newscorpus.addon.guards import Postponed
from newscorpus.addon.options import positive
from newscorpus.addon.plugin import hints_of
from newscorpus.config import PolitenessConfig
from newscorpus.crawl.politeness import (
    Observation,
    PolitenessPolicy,
    SiteState,
    first_state,
    is_refusal,
    observe,
    read_retry_after,
    rests_until,
    with_crawl_delay,
)

ROBOTS = "newscorpus_robots"
"""Key of `Request.meta`: this is the request for a robots.txt, of which so many bytes have come."""

PART = "newscorpus_part"
"""Key of `Request.meta`: a page under way waits for this one, which therefore is asked for though the crawl ends,
unless the site rests."""

ASKED_AGAIN = "newscorpus_asked_again"
"""Key of `Request.meta`: how often the request went back into the queue because the site came to rest."""

STEP_SECONDS = 1.0
"""How often a waiting request looks whether the crawl is ending."""

NO_ANSWER = (CannotResolveHostError, DownloadConnectionRefusedError, DownloadFailedError, DownloadTimeoutError)
NOT_NOW = (DownloadFailedError, DownloadTimeoutError)
"""Failures of a robots.txt that may pass, and until then forbid the site. A host that is not there has no pages."""

logger = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class DownloadSlot:
    """One site as the downloader sees it. Times are seconds since the epoch."""

    name: str  # of the slot; for the portal spider, of the portal
    policy: PolitenessPolicy  # how politely the site is treated
    state: SiteState  # what is known of the site
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)  # held by the request that is under way
    holder: Request | None = None  # that request
    last_start: float = 0.0  # when the last request went out; 0 before the first
    next_start: float = 0.0  # the next one does not go out before


class PolitenessMiddleware:
    """Gives every site its pauses: delay with jitter, Crawl-delay, Retry-After, back-off, quiet hours, byte budget.

    A site is a download slot. A spider names the policies of its slots (`SpiderHints.policies`); for others
    DOWNLOAD_DELAY holds. A site that refuses again and again is given up for the run: what would still be asked of it
    is `Postponed`, and stays queued.

    Args:
        crawler: the crawl.
        default: policy for a site that the spider does not name.
        config: numbers that hold for all sites.
        jitter: a pause is drawn from between the delay and (1 + 2 * jitter) times the delay.
        clock: gives seconds since the epoch.
    """

    def __init__(
        self,
        crawler: Crawler,
        default: PolitenessPolicy,
        config: PolitenessConfig,
        jitter: float,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._crawler = crawler
        self._default = default
        self._config = config
        self._jitter = jitter
        self._clock = clock
        self._slots: dict[str, DownloadSlot] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Read the settings.

        Raises:
            CrawlError: one of them is wrong.
        """
        settings = crawler.settings
        config = replace(PolitenessConfig(), first_pause_seconds=positive(settings, "NEWSCORPUS_PAUSE_SECONDS"))
        default = PolitenessPolicy(settings.getfloat("DOWNLOAD_DELAY"))
        return cls(crawler, default, config, settings.getfloat("DOWNLOAD_DELAY_JITTER"))

    def rests(self, name: str) -> bool:
        """Whether a site is to be left alone at the moment, by more than its delay."""
        return bool(self.given_up(name) or self.rests_until(name))

    def rests_until(self, name: str) -> float:
        """When a site that rests is asked again, seconds since the epoch; 0 for one that does not rest."""
        slot, now = self._slot(name), self._clock()
        until = rests_until(slot.state, slot.policy, now)
        return until if until > now else 0.0

    def given_up(self, name: str) -> str:
        """Why a site is not asked any more in this run, snake_case; "" where it is."""
        return self._slot(name).state.given_up

    def keep_crawl_delay(self, name: str, seconds: float) -> None:
        """Keep the Crawl-delay that a robots.txt states, or give the site up."""
        slot = self._slot(name)
        self._count(slot, "crawl_delay_seconds", seconds)
        self._update(slot, with_crawl_delay(slot.state, seconds, self._config), f"Crawl-delay {seconds:g} s")

    async def process_request(self, request: Request) -> None:
        """Let `request` wait for its turn.

        Raises:
            Postponed: the site is given up, or the crawl ends before the turn comes.
        """
        slot = self._slot_of(request)
        await slot.turn.acquire()
        try:
            await self._wait(slot, request)
        except BaseException:
            slot.turn.release()
            raise
        now = self._clock()
        if slot.last_start:
            gap = round(now - slot.last_start, 3)
            self._crawler.stats.min_value(politeness(slot.name, "least_gap_seconds"), gap)
        stretch = random.uniform(1, 1 + 2 * self._jitter)  # noqa: S311 -- no secret
        slot.holder, slot.last_start, slot.next_start = request, now, now + stretch * slot.state.delay_seconds

    def process_response(self, request: Request, response: Response) -> Request | Response:
        """Learn from the answer; a request that is refused while the site comes to rest is asked again afterwards."""
        retry_after = (response.headers.get("Retry-After") or b"").decode("latin-1")
        observation = Observation(
            request.url,
            response.status,
            read_retry_after(retry_after, self._clock()) if is_refusal(response.status) else None,
            float(request.meta.get("download_latency", 0.0)),
            len(response.body),
            vital=ROBOTS in request.meta,
        )
        seconds = observation.retry_after
        asked = "" if seconds is None else f" with Retry-After {seconds:.0f} s"
        return self._learn(request, observation, f"status {response.status}{asked}") or response

    def process_exception(self, request: Request, exception: Exception) -> Request | None:
        """Learn from a site that does not answer as from one that refuses."""
        if isinstance(exception, NO_ANSWER):
            vital = ROBOTS in request.meta and isinstance(exception, NOT_NOW)
            return self._learn(request, Observation(request.url, 0, vital=vital), type(exception).__name__)
        self._end(self._slot_of(request), request)
        return None

    def _learn(self, request: Request, observation: Observation, why: str) -> Request | None:
        """Update the site's state; gives the request if it is to be asked again."""
        slot = self._slot_of(request)
        if slot.holder is not request:  # another middleware answered in place of the site
            return None
        now = self._clock()
        self._update(slot, observe(slot.state, observation, now, slot.policy, self._config), f"{why}, {request.url}")
        self._end(slot, request)
        asked = request.meta.get(ASKED_AGAIN, 0)
        rests = bool(slot.state.given_up) or slot.state.rests_until > now
        if not (rests and is_refusal(observation.status)) or asked >= self._config.max_pauses:
            return None
        self._crawler.stats.inc_value(politeness(slot.name, "asked_again"))
        return request.replace(dont_filter=True, meta=request.meta | {ASKED_AGAIN: asked + 1})

    async def _wait(self, slot: DownloadSlot, request: Request) -> None:
        while True:
            if slot.state.given_up:
                raise Postponed("given_up", f"{slot.name} is given up for this run: {slot.state.given_up}")
            now = self._clock()
            seconds = max(slot.next_start, rests_until(slot.state, slot.policy, now)) - now
            if seconds <= 0:
                return
            if self._is_closing() and (PART not in request.meta or self.rests_until(slot.name)):
                raise Postponed("closing", "the crawl ended before it was the turn of this request")
            await asyncio.sleep(min(seconds, STEP_SECONDS))

    def _end(self, slot: DownloadSlot, request: Request) -> None:
        """Let the next request have its turn, if this one was under way."""
        if slot.holder is request:
            slot.holder = None
            slot.turn.release()

    def _update(self, slot: DownloadSlot, state: SiteState, why: str) -> None:
        """Set a new state, and log what became worse; a longer delay counts from the last start on."""
        before, slot.state = slot.state, state
        slot.next_start = max(slot.next_start, slot.last_start + state.delay_seconds)
        self._count(slot, "delay_seconds", round(state.delay_seconds, 3))
        self._count(slot, "bytes", state.n_bytes)
        if state.given_up and not before.given_up:
            self._count(slot, "given_up", state.given_up)
            logger.warning("%s is given up for this run, %s: %s", slot.name, state.given_up, why)
        elif state.rests_until > before.rests_until:
            seconds = state.rests_until - self._clock()
            self._crawler.stats.inc_value(politeness(slot.name, "pauses"))
            self._crawler.stats.inc_value(politeness(slot.name, "paused_seconds"), round(seconds))
            logger.warning("%s rests for %.0f s: %s", slot.name, seconds, why)

    def _count(self, slot: DownloadSlot, what: str, value: float | str) -> None:
        self._crawler.stats.set_value(politeness(slot.name, what), value)

    def _slot(self, name: str) -> DownloadSlot:
        if name not in self._slots:
            policy = hints_of(self._crawler.spider).policies.get(name, self._default)
            self._slots[name] = DownloadSlot(name, policy, first_state(policy))
        return self._slots[name]

    def _slot_of(self, request: Request) -> DownloadSlot:
        return self._slot(self._crawler.engine.downloader.get_slot_key(request))

    def _is_closing(self) -> bool:
        slot = self._crawler.engine._slot  # noqa: SLF001 -- Scrapy has no public sign that it has begun to close
        return slot is None or slot.closing is not None
