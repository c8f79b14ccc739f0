"""One site as the downloader sees it: how things stand, and whose turn it is.

The Scrapy side of politeness: one request of a site at a time, none before its time, none while the site rests.
"""

import asyncio
import logging
import random
import time
from collections.abc import Callable, Mapping
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
from newscorpus.config import PolitenessConfig
from newscorpus.crawl.politeness import (
    Heard,
    Manners,
    Standing,
    first_standing,
    hear,
    is_refusal,
    read_retry_after,
    rests_until,
    with_crawl_delay,
)


@dataclass(slots=True, eq=False)
class Site:
    """One download slot. Times are seconds since the epoch.

    Attributes:
        name: of the slot; for the portal spider, of the portal.
        manners: what the site may expect.
        standing: how things stand.
        turn: held by the request that is under way.
        holder: that request.
        last_start: when the last request went out; 0 before the first.
        next_start: the next one does not go out before.
    """

    name: str
    manners: Manners
    standing: Standing = field(init=False)
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    holder: Request | None = None
    last_start: float = 0.0
    next_start: float = 0.0

    def __post_init__(self) -> None:
        self.standing = first_standing(self.manners)

    def begin(self, request: Request, now: float, stretch: float) -> None:
        """`request` goes out; the delay to the next one is stretched by a factor."""
        self.holder = request
        self.last_start = now
        self.next_start = now + stretch * self.standing.delay_seconds

    def end(self, request: Request) -> None:
        """`request` is over, if it was under way: it is the next one's turn."""
        if self.holder is request:
            self.holder = None
            self.turn.release()

    def settle(self, standing: Standing) -> None:
        """Take over a new standing; a longer delay counts from the last start on."""
        self.standing = standing
        self.next_start = max(self.next_start, self.last_start + standing.delay_seconds)


ROBOTS = "newscorpus_robots"
"""Key of `Request.meta`: this is the request for a robots.txt."""

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


class PolitenessMiddleware:
    """Gives every site its pauses: delay with jitter, Crawl-delay, Retry-After, back-off, quiet hours, byte budget.

    A site is a download slot. A spider names the manners of its slots in an attribute `manners`; for others
    DOWNLOAD_DELAY holds. A site that refuses again and again is given up for the run: what would still be asked of it
    is `Postponed`, and stays queued.

    Args:
        crawler: the crawl.
        default: manners towards a site that the spider does not name.
        config: numbers that hold for all sites.
        jitter: a pause is drawn from between the delay and (1 + 2 * jitter) times the delay.
        clock: gives seconds since the epoch.
    """

    def __init__(
        self,
        crawler: Crawler,
        default: Manners,
        config: PolitenessConfig,
        jitter: float,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._crawler = crawler
        self._default = default
        self._config = config
        self._jitter = jitter
        self._clock = clock
        self._sites: dict[str, Site] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Read the settings.

        Raises:
            CrawlError: one of them is wrong.
        """
        settings = crawler.settings
        config = replace(PolitenessConfig(), first_pause_seconds=positive(settings, "NEWSCORPUS_PAUSE_SECONDS"))
        default = Manners(settings.getfloat("DOWNLOAD_DELAY"))
        return cls(crawler, default, config, settings.getfloat("DOWNLOAD_DELAY_JITTER"))

    def rests(self, slot: str) -> bool:
        """Whether a site is to be left alone at the moment, by more than its delay."""
        return bool(self._site(slot).standing.given_up or self.rests_until(slot))

    def rests_until(self, slot: str) -> float:
        """When a site that rests is asked again, seconds since the epoch; 0 for one that does not rest."""
        site, now = self._site(slot), self._clock()
        until = rests_until(site.standing, site.manners, now)
        return until if until > now else 0.0

    def given_up(self, slot: str) -> str:
        """Why a site is not asked any more in this run, snake_case; "" where it is."""
        return self._site(slot).standing.given_up

    def keep_crawl_delay(self, slot: str, seconds: float) -> None:
        """Keep the Crawl-delay that a robots.txt states, or give the site up."""
        site = self._site(slot)
        self._note(site, "crawl_delay_seconds", seconds)
        self._settle(site, with_crawl_delay(site.standing, seconds, self._config), f"Crawl-delay {seconds:g} s")

    async def process_request(self, request: Request) -> None:
        """Let `request` wait for its turn.

        Raises:
            Postponed: the site is given up, or the crawl ends before the turn comes.
        """
        site = self._site(self._slot_of(request))
        await site.turn.acquire()
        try:
            await self._wait(site, request)
        except BaseException:
            site.turn.release()
            raise
        now = self._clock()
        if site.last_start:
            gap = round(now - site.last_start, 3)
            self._crawler.stats.min_value(politeness(site.name, "least_gap_seconds"), gap)
        site.begin(request, now, stretch=random.uniform(1, 1 + 2 * self._jitter))  # noqa: S311 -- no secret

    def process_response(self, request: Request, response: Response) -> Request | Response:
        """Learn from the answer; a request that is refused while the site comes to rest is asked again afterwards."""
        refused = is_refusal(response.status)
        retry_after = (response.headers.get("Retry-After") or b"").decode("latin-1")
        heard = Heard(
            request.url,
            response.status,
            read_retry_after(retry_after, self._clock()) if refused else None,
            float(request.meta.get("download_latency", 0.0)),
            len(response.body),
            vital=ROBOTS in request.meta,
        )
        asked = "" if heard.retry_after is None else f" with Retry-After {heard.retry_after:.0f} s"
        return self._learn(request, heard, f"status {response.status}{asked}") or response

    def process_exception(self, request: Request, exception: Exception) -> Request | None:
        """Learn from a site that does not answer as from one that refuses."""
        if isinstance(exception, NO_ANSWER):
            vital = ROBOTS in request.meta and isinstance(exception, NOT_NOW)
            return self._learn(request, Heard(request.url, 0, vital=vital), type(exception).__name__)
        self._site(self._slot_of(request)).end(request)
        return None

    def _learn(self, request: Request, heard: Heard, why: str) -> Request | None:
        """Take in what came of `request`; the request to be asked again, where it is."""
        site = self._site(self._slot_of(request))
        if site.holder is not request:  # another middleware answered in place of the site
            return None
        now = self._clock()
        self._settle(site, hear(site.standing, heard, now, site.manners, self._config), f"{why}, {request.url}")
        site.end(request)
        asked = request.meta.get(ASKED_AGAIN, 0)
        rests = bool(site.standing.given_up) or site.standing.rests_until > now
        if not (rests and is_refusal(heard.status)) or asked >= self._config.max_pauses:
            return None
        self._crawler.stats.inc_value(politeness(site.name, "asked_again"))
        return request.replace(dont_filter=True, meta=request.meta | {ASKED_AGAIN: asked + 1})

    async def _wait(self, site: Site, request: Request) -> None:
        while True:
            if site.standing.given_up:
                raise Postponed("given_up", f"{site.name} is given up for this run: {site.standing.given_up}")
            now = self._clock()
            seconds = max(site.next_start, rests_until(site.standing, site.manners, now)) - now
            if seconds <= 0:
                return
            if self._is_closing() and (PART not in request.meta or self.rests_until(site.name)):
                raise Postponed("closing", "the crawl ended before it was the turn of this request")
            await asyncio.sleep(min(seconds, STEP_SECONDS))

    def _settle(self, site: Site, standing: Standing, why: str) -> None:
        """Take over a new standing, and say what became worse."""
        before = site.standing
        site.settle(standing)
        self._note(site, "delay_seconds", round(standing.delay_seconds, 3))
        self._note(site, "bytes", standing.n_bytes)
        if standing.given_up and not before.given_up:
            self._note(site, "given_up", standing.given_up)
            logger.warning("%s is given up for this run, %s: %s", site.name, standing.given_up, why)
        elif standing.rests_until > before.rests_until:
            seconds = standing.rests_until - self._clock()
            self._crawler.stats.inc_value(politeness(site.name, "pauses"))
            self._crawler.stats.inc_value(politeness(site.name, "paused_seconds"), round(seconds))
            logger.warning("%s rests for %.0f s: %s", site.name, seconds, why)

    def _note(self, site: Site, what: str, value: float | str) -> None:
        self._crawler.stats.set_value(politeness(site.name, what), value)

    def _site(self, slot: str) -> Site:
        if slot not in self._sites:
            named: Mapping[str, Manners] = getattr(self._crawler.spider, "manners", {})
            self._sites[slot] = Site(slot, named.get(slot, self._default))
        return self._sites[slot]

    def _slot_of(self, request: Request) -> str:
        return self._crawler.engine.downloader.get_slot_key(request)

    def _is_closing(self) -> bool:
        slot = self._crawler.engine._slot  # noqa: SLF001 -- Scrapy tells nobody that it has begun to close
        return slot is None or slot.closing is not None
