"""The header Retry-After.

How things stand with a site: how long to wait before it is asked again, and when it is left alone.

Pure: each function takes a `Standing` and what happened, and gives the next one. Times are seconds since the epoch.

How long to wait before a feed, a sitemap or a section is asked for again.
"""

import sys
from dataclasses import dataclass, replace
from datetime import UTC
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Protocol

from newscorpus.config import PolitenessConfig, RevisitConfig


def read_retry_after(value: str, now: float) -> float | None:
    """Seconds that `value` asks to wait (RFC 9110, section 10.2.3: a number or a date); None where it is neither.

    Args:
        value: of the header; "" where there is none.
        now: seconds since the epoch.
    """
    value = value.strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        date = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - now)


class Quiet(Protocol):
    """Times at which a site is not asked."""

    def until(self, now: float) -> float:
        """When the quiet time that holds at `now` ends; `now` itself where none does."""


@dataclass(frozen=True, slots=True)
class Manners:
    """What one site may expect of the crawl.

    Attributes:
        delay_seconds: least pause between the starts of two requests, by the portal file.
        max_bytes: most bytes of bodies asked of the site in one run.
        quiet: when it is not asked; None: asked at any time.
    """

    delay_seconds: float
    max_bytes: int = sys.maxsize
    quiet: Quiet | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """How things stand with one site.

    Attributes:
        delay_seconds: pause between the starts of two requests; at least that of the manners.
        floor_seconds: least pause, raised by a Crawl-delay.
        refused: addresses refused in a row, each once, no more than matter.
        pauses: pauses in a row, without a page in between.
        rests_until: the site is not asked before.
        n_bytes: bytes of bodies in this run.
        given_up: why the site is not asked any more in this run, snake_case; "" where it is.
    """

    delay_seconds: float
    floor_seconds: float
    refused: tuple[str, ...] = ()
    pauses: int = 0
    rests_until: float = 0.0
    n_bytes: int = 0
    given_up: str = ""


@dataclass(frozen=True, slots=True)
class Heard:
    """What came of one request.

    Attributes:
        url: that was asked.
        status: of HTTP; 0 where no answer came.
        retry_after: seconds the site asks us to wait; None where it names none.
        latency_seconds: time to the answer's headers.
        n_bytes: of the body.
        vital: without an answer nothing else may be asked: robots.txt.
    """

    url: str
    status: int
    retry_after: float | None = None
    latency_seconds: float = 0.0
    n_bytes: int = 0
    vital: bool = False


def first_standing(manners: Manners) -> Standing:
    """How things stand before anything was asked."""
    return Standing(manners.delay_seconds, manners.delay_seconds)


def rests_until(standing: Standing, manners: Manners, now: float) -> float:
    """Until when the site rests; not after `now` where it does not."""
    return max(standing.rests_until, manners.quiet.until(now) if manners.quiet else now)


def with_crawl_delay(standing: Standing, seconds: float, config: PolitenessConfig) -> Standing:
    """`standing` with the Crawl-delay of a robots.txt kept; a site that asks for too long a one is given up."""
    if seconds > config.max_crawl_delay_seconds:
        return replace(standing, given_up="crawl_delay")
    floor = max(standing.floor_seconds, seconds)
    return replace(standing, floor_seconds=floor, delay_seconds=max(standing.delay_seconds, floor))


def hear(standing: Standing, heard: Heard, now: float, manners: Manners, config: PolitenessConfig) -> Standing:
    """How things stand after a request: faster, slower, resting, or given up."""
    counted = replace(standing, n_bytes=standing.n_bytes + heard.n_bytes)
    if counted.n_bytes >= manners.max_bytes and not counted.given_up:
        counted = replace(counted, given_up="byte_budget")
    slowed = replace(counted, delay_seconds=_throttled(standing, heard, config))
    if not is_refusal(heard.status):
        return replace(slowed, refused=(), pauses=0)
    return _refused(slowed, heard, now, config)


def is_refusal(status: int) -> bool:
    """Whether an answer (0: none) says that the site does not want to, or cannot, serve us now."""
    refusals = {0, HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS}
    return status in refusals or status >= HTTPStatus.INTERNAL_SERVER_ERROR


def _throttled(standing: Standing, heard: Heard, config: PolitenessConfig) -> float:
    """Scrapy's AutoThrottle at one request at a time: the pause follows the latency, and errors never shorten it.

    A site without any delay, which is one's own, has none.
    """
    if heard.status == 0 or standing.floor_seconds == 0:
        return standing.delay_seconds
    latency = heard.latency_seconds
    wanted = max(latency, (standing.delay_seconds + latency) / 2)
    delay = max(standing.floor_seconds, min(wanted, config.max_delay_seconds))
    return delay if heard.status == HTTPStatus.OK else max(delay, standing.delay_seconds)


def _refused(standing: Standing, heard: Heard, now: float, config: PolitenessConfig) -> Standing:
    """The site rests when it asks for it, when robots.txt is out of reach, or after too many refusals in a row."""
    refused = (*(url for url in standing.refused if url != heard.url), heard.url)[-config.max_refusals :]
    known = replace(standing, refused=refused)
    asks = heard.status == HTTPStatus.TOO_MANY_REQUESTS or heard.retry_after is not None
    if not (asks or heard.vital or len(refused) >= config.max_refusals):
        return known
    if now < standing.rests_until:  # the answer to what was asked before the pause began
        return known
    if (heard.retry_after or 0.0) > config.max_pause_seconds:
        return replace(known, given_up="retry_after")
    if standing.pauses >= config.max_pauses:
        return replace(known, given_up="robots_unavailable" if heard.vital else "refused")
    doubled = min(config.first_pause_seconds * 2**standing.pauses, config.max_pause_seconds)
    seconds = max(doubled, heard.retry_after or 0.0)
    return replace(known, pauses=standing.pauses + 1, rests_until=now + seconds)


def next_interval(before: float, *, changed: bool, depth: int, config: RevisitConfig) -> float:
    """Seconds to the next visit: half the last interval where something was new, twice as long where nothing was.

    Args:
        before: the last interval, seconds; 0 at the first visit.
        depth: links followed to get there; the farther away a page, the longer its first interval.
        changed: the visit brought an address, or a change of one, that was not known.
        config: the bounds.
    """
    if not before:
        return min(config.first_seconds * config.depth_factor**depth, config.max_seconds)
    wanted = before / 2 if changed else before * 2
    return min(max(wanted, config.min_seconds), config.max_seconds)
