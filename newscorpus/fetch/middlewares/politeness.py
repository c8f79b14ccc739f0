"""Send one request to a site at a time, respecting its delay and back-off."""

import asyncio
import logging
import random
import re
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
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
from scrapy.http.request import NO_CALLBACK

from newscorpus.config import PolitenessConfig
from newscorpus.fetch.middlewares.pauses import (
    Observation,
    PolitenessPolicy,
    SiteState,
    is_in_doubt,
    is_refusal,
    observe,
    read_date,
    read_retry_after,
    rest_seconds,
    retry_seconds,
    with_crawl_delay,
)
from newscorpus.fetch.options import positive
from newscorpus.fetch.plugin import hints_of, stat
from newscorpus.fetch.visits import FAILURES, VISIT, Postponed, Purpose, Visit, visit_of
from newscorpus.store.ledger.portals import SitePace, iso

AWAITED = frozenset({Purpose.PART, Purpose.SCRIPT})
"""Requests that a page in progress waits for; they are sent even while the crawl ends, unless the site rests."""

RETRIES = "retry_times"
"""Scrapy's key of `Request.meta`: number of retries after failures of the page."""

STEP_SECONDS = 1.0
"""Interval at which a waiting request checks whether the crawl is ending."""

NO_ANSWER = (CannotResolveHostError, DownloadConnectionRefusedError, DownloadFailedError, DownloadTimeoutError)
NOT_NOW = (DownloadFailedError, DownloadTimeoutError)
"""Temporary failures of a robots.txt, which forbid the site meanwhile. An unknown host has no pages."""

REFUSED = frozenset({"refused", "retry_after"})
"""Reasons for giving up a site that refuses to be crawled."""

FRONT = re.compile(r"^[^/]*//[^/?#]*/?$")
"""Addresses of front pages."""

logger = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class DownloadSlot:
    """State of one site in the downloader. Times are seconds by the middleware's clock."""

    name: str  # of the slot; for the portal spider, of the portal
    policy: PolitenessPolicy  # how politely the site is treated
    state: SiteState
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)  # held by the request in progress
    holder: Request | None = None  # the request in progress
    last_start: float = 0.0  # when the last request was sent; 0 before the first
    next_start: float = 0.0  # earliest time of the next request
    proving: asyncio.Task[None] | None = None  # the probe in progress
    why: str = ""  # why the site rests or was given up


class PolitenessMiddleware:
    """Applies the delay with jitter, Crawl-delay, Retry-After, back-off, quiet hours and byte budget of every site.

    A site is a download slot. A spider names the policies of its slots (`SpiderHints.policies`); for others
    DOWNLOAD_DELAY holds. A site that refuses repeatedly is given up for the run: its requests are `Postponed` and stay
    queued.

    Args:
        crawler: the crawl.
        default: policy for a site that the spider does not name.
        config: thresholds for all sites.
        jitter: pauses are uniform between the delay and (1 + 2 * jitter) times the delay.
        clock: monotonic clock, in seconds.
        date: seconds since the epoch.
        sleep: waits for some seconds.
    """

    def __init__(
        self,
        crawler: Crawler,
        default: PolitenessPolicy,
        config: PolitenessConfig,
        jitter: float,
        clock: Callable[[], float] = time.monotonic,
        date: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._crawler = crawler
        self._default = default
        self._config = config
        self._jitter = jitter
        self._clock, self._date, self._sleep = clock, date, sleep
        self._slots: dict[str, DownloadSlot] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Read the settings; raise `CrawlError` if one is wrong."""
        settings = crawler.settings
        config = replace(PolitenessConfig(), first_pause_seconds=positive(settings, "NEWSCORPUS_PAUSE_SECONDS"))
        default = PolitenessPolicy(settings.getfloat("DOWNLOAD_DELAY"))
        return cls(crawler, default, config, settings.getfloat("DOWNLOAD_DELAY_JITTER"))

    def rests(self, name: str) -> bool:
        """Whether a site must not be contacted now for more than its delay."""
        return bool(self.given_up(name) or self.rest_seconds(name))

    def rest_seconds(self, name: str) -> float:
        """Return the remaining seconds of a site's back-off; 0 without one."""
        slot = self._slot(name)
        return rest_seconds(slot.state, slot.policy, self._clock(), self._date())

    def ready_at(self, request: Request) -> float:
        """Return the earliest time of a retry, by the clock of `time.monotonic`."""
        failures = request.meta.get(RETRIES, 0) + bool(visit_of(request).asked_again)
        return self._clock() + retry_seconds(failures, self._config)

    def trust(self, name: str, url: str) -> None:
        """Take a page fetched in an earlier run as the probe of whether a site still answers."""
        slot = self._slot(name)
        slot.state = replace(slot.state, proof=url)

    def in_doubt(self, name: str) -> bool:
        """Whether the site itself may be refusing, rather than single pages."""
        return is_in_doubt(self._slot(name).state, self._config)

    def given_up(self, name: str) -> str:
        """Return why a site was given up in this run, snake_case; "" if it was not."""
        return self._slot(name).state.given_up

    def paces(self) -> Iterator[SitePace]:
        """Return the current delay and back-off of each site."""
        now = self._date()
        for slot in self._slots.values():
            quiet_until = slot.policy.quiet.until(now) if slot.policy.quiet else 0.0
            until, why = max((now + slot.state.rests_until - self._clock(), slot.why), (quiet_until, "quiet hours"))
            rests = until > now and not slot.state.given_up
            why = slot.why if slot.state.given_up else why if rests else ""
            delay = round(slot.state.delay_seconds, 1)
            yield SitePace(slot.name, delay, iso(until) if rests else "", slot.state.given_up, why)

    def leave_alone(self, sites: Mapping[str, str]) -> None:
        """Give up some sites for this run; the argument maps names of sites to reasons."""
        for name, why in sites.items():
            slot = self._slot(name)
            self._update(slot, replace(slot.state, given_up="left_alone"), why)

    def refused(self) -> Iterator[tuple[str, bool]]:
        """Return the sites contacted in this run, and whether each was given up because it refused."""
        return ((slot.name, slot.state.given_up in REFUSED) for slot in self._slots.values() if slot.last_start)

    def keep_crawl_delay(self, name: str, seconds: float) -> None:
        """Apply the Crawl-delay of a robots.txt, or give the site up."""
        slot = self._slot(name)
        self._count(slot, "crawl_delay_seconds", seconds)
        self._update(slot, with_crawl_delay(slot.state, seconds, self._config), f"Crawl-delay {seconds:g} s")

    async def process_request(self, request: Request) -> None:
        """Wait until the site may be contacted.

        Raises:
            Postponed: the site is given up, or the crawl ends first.
        """
        slot = self._slot_of(request)
        while not _vital(request) and slot.state.proof and is_in_doubt(slot.state, self._config):
            if slot.proving is None or slot.proving.done():  # several requests may wait for one probe
                slot.proving = asyncio.ensure_future(self._probe(slot))
            await asyncio.shield(slot.proving)
        await slot.turn.acquire()
        try:
            await self._wait(slot, request)
        except BaseException:
            slot.turn.release()
            raise
        now = self._clock()
        if slot.last_start:
            gap = round(now - slot.last_start, 3)
            self._crawler.stats.min_value(stat("politeness", slot.name, "least_gap_seconds"), gap)
        stretch = random.uniform(1, 1 + 2 * self._jitter)  # noqa: S311 -- no secret
        slot.holder, slot.last_start, slot.next_start = request, now, now + stretch * slot.state.delay_seconds

    def process_response(self, request: Request, response: Response) -> Request | Response:
        """Update the state of the site; requeue a refused request if the site backs off."""
        seconds = None
        if is_refusal(response.status):  # a date in Retry-After refers to the site's own clock, if it tells the time
            names = ("Retry-After", "Date")
            stated, date = ((response.headers.get(name) or b"").decode("latin-1") for name in names)
            seconds = read_retry_after(stated, read_date(date) or self._date())
        observation = Observation(
            request.url,
            response.status,
            seconds,
            float(request.meta.get("download_latency", 0.0)),
            len(response.body),
            is_page=b"html" in (response.headers.get("Content-Type") or b"") and not FRONT.search(request.url),
            vital=_vital(request),
        )
        asked = "" if seconds is None else f" with Retry-After {seconds:.0f} s"
        return self._learn(request, observation, f"status {response.status}{asked}") or response

    def process_exception(self, request: Request, exception: Exception) -> Request | None:
        """Treat a site that does not answer like one that refuses."""
        if isinstance(exception, NO_ANSWER):
            may_pass = visit_of(request).purpose is not Purpose.ROBOTS or isinstance(exception, NOT_NOW)
            observation = Observation(request.url, 0, vital=_vital(request) if may_pass else "")
            return self._learn(request, observation, type(exception).__name__)
        self._end(self._slot_of(request), request)
        return None

    async def _probe(self, slot: DownloadSlot) -> None:
        """Fetch a page that the site has answered before, to tell dead pages from a site that refuses.

        Raises:
            Postponed: the site refuses repeatedly.
        """
        meta = {"download_slot": slot.name, VISIT: Visit(purpose=Purpose.PROBE), "dont_retry": True}
        self._crawler.stats.inc_value(stat("politeness", slot.name, "proofs"))
        try:
            await self._crawler.engine.download_async(Request(slot.state.proof, NO_CALLBACK, meta=meta))
        except Postponed:
            raise
        except FAILURES as error:
            logger.debug("%s: %s proves nothing: %s", slot.name, slot.state.proof, error)
        if is_in_doubt(slot.state, self._config):  # no answer from the site itself
            slot.state = replace(slot.state, proof="")

    def _learn(self, request: Request, observation: Observation, why: str) -> Request | None:
        """Update the site's state; return the request if it is to be sent again."""
        slot = self._slot_of(request)
        if slot.holder is not request:  # another middleware answered in place of the site
            return None
        now = self._clock()
        self._update(slot, observe(slot.state, observation, now, slot.policy, self._config), f"{why}, {request.url}")
        self._end(slot, request)
        visit = visit_of(request)
        rests = bool(slot.state.given_up) or slot.state.rests_until > now
        most = self._config.max_pauses if observation.demands_rest else 1
        if not (rests and is_refusal(observation.status)) or visit.asked_again >= most:
            return None
        self._crawler.stats.inc_value(stat("politeness", slot.name, "asked_again"))
        visit.asked_again += 1
        return request.replace(dont_filter=True)

    async def _wait(self, slot: DownloadSlot, request: Request) -> None:
        while True:
            if slot.state.given_up:
                raise Postponed("given_up", f"{slot.name} is given up for this run: {slot.state.given_up}")
            rest = self.rest_seconds(slot.name)
            seconds = max(slot.next_start - self._clock(), rest)
            if seconds <= 0:
                return
            if self._is_closing() and (visit_of(request).purpose not in AWAITED or rest):
                raise Postponed("closing", "the crawl ended before it was the turn of this request")
            await self._sleep(min(seconds, STEP_SECONDS))

    def _end(self, slot: DownloadSlot, request: Request) -> None:
        """Release the turn if this request holds it."""
        if slot.holder is request:
            slot.holder = None
            slot.turn.release()

    def _update(self, slot: DownloadSlot, state: SiteState, why: str) -> None:
        """Set a new state, and log back-off and giving up; a longer delay counts from the last request."""
        before, slot.state = slot.state, state
        slot.next_start = max(slot.next_start, slot.last_start + state.delay_seconds)
        self._count(slot, "delay_seconds", round(state.delay_seconds, 3))
        self._count(slot, "bytes", state.n_bytes)
        if state.given_up and not before.given_up:
            slot.why = why
            self._count(slot, "given_up", state.given_up)
            logger.warning("%s is given up for this run, %s: %s", slot.name, state.given_up, why)
        elif state.rests_until > before.rests_until:
            seconds = state.rests_until - self._clock()
            slot.why = why
            self._crawler.stats.inc_value(stat("politeness", slot.name, "pauses"))
            self._crawler.stats.inc_value(stat("politeness", slot.name, "paused_seconds"), round(seconds))
            logger.warning("%s rests for %.0f s: %s", slot.name, seconds, why)

    def _count(self, slot: DownloadSlot, what: str, value: float | str) -> None:
        self._crawler.stats.set_value(stat("politeness", slot.name, what), value)

    def _slot(self, name: str) -> DownloadSlot:
        if name not in self._slots:
            policy = hints_of(self._crawler.spider).policies.get(name, self._default)
            self._slots[name] = DownloadSlot(name, policy, SiteState(policy.delay_seconds, policy.delay_seconds))
        return self._slots[name]

    def _slot_of(self, request: Request) -> DownloadSlot:
        return self._slot(self._crawler.engine.downloader.get_slot_key(request))

    def _is_closing(self) -> bool:
        slot = self._crawler.engine._slot  # noqa: SLF001 -- Scrapy has no public sign that it has begun to close
        return slot is None or slot.closing is not None


def _vital(request: Request) -> str:
    """Return why a site is given up that repeatedly refuses this request; "" if others may still be sent."""
    visit = visit_of(request)
    if visit.purpose is Purpose.ROBOTS:
        return "" if visit.is_one_of_several else "robots_unavailable"
    return "refused" if visit.purpose is Purpose.PROBE else ""
