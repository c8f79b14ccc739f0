"""Decide how long to wait before a site is asked again, and when to leave it alone.

Each function takes a `SiteState` and what happened, and gives the next one. Times are seconds since the epoch.
"""

import sys
from dataclasses import dataclass, replace
from datetime import UTC
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Protocol

from newscorpus.config import PolitenessConfig


class QuietTimes(Protocol):
    """Times at which a site is not asked."""

    def until(self, now: float) -> float:
        """When the quiet time that holds at `now` ends; `now` itself where none does."""


@dataclass(frozen=True, slots=True)
class PolitenessPolicy:
    """How politely one site is treated."""

    delay_seconds: float  # least pause between the starts of two requests, by the portal file
    max_bytes: int = sys.maxsize  # most bytes of bodies asked of the site in one run
    quiet: QuietTimes | None = None  # when it is not asked; None: asked at any time


@dataclass(frozen=True, slots=True)
class SiteState:
    """What a crawl knows of one site."""

    delay_seconds: float  # pause between the starts of two requests; at least that of the policy
    floor_seconds: float  # least pause, raised by a Crawl-delay
    refused: tuple[str, ...] = ()  # addresses refused in a row, each once, no more than matter
    pauses: int = 0  # pauses in a row, without a page in between
    rests_until: float = 0.0  # the site is not asked before
    n_bytes: int = 0  # bytes of bodies in this run
    given_up: str = ""  # why the site is not asked any more in this run, snake_case; "" where it is


@dataclass(frozen=True, slots=True)
class Observation:
    """What one request showed of its site."""

    url: str  # that was asked
    status: int  # of HTTP; 0 where no answer came
    retry_after: float | None = None  # seconds the site asks us to wait; None where it names none
    latency_seconds: float = 0.0  # time to the answer's headers
    n_bytes: int = 0  # of the body
    vital: bool = False  # nothing else may be asked without an answer; so for robots.txt


def first_state(policy: PolitenessPolicy) -> SiteState:
    """The state of a site that was not asked yet."""
    return SiteState(policy.delay_seconds, policy.delay_seconds)


def rests_until(state: SiteState, policy: PolitenessPolicy, now: float) -> float:
    """Until when the site rests; not after `now` where it does not."""
    return max(state.rests_until, policy.quiet.until(now) if policy.quiet else now)


def with_crawl_delay(state: SiteState, seconds: float, config: PolitenessConfig) -> SiteState:
    """The state with the Crawl-delay of a robots.txt; a site that asks for too long a delay is given up."""
    if seconds > config.max_crawl_delay_seconds:
        return replace(state, given_up="crawl_delay")
    floor = max(state.floor_seconds, seconds)
    return replace(state, floor_seconds=floor, delay_seconds=max(state.delay_seconds, floor))


def observe(
    state: SiteState, seen: Observation, now: float, policy: PolitenessPolicy, config: PolitenessConfig
) -> SiteState:
    """The state after a request: faster, slower, resting, or given up."""
    counted = replace(state, n_bytes=state.n_bytes + seen.n_bytes)
    if counted.n_bytes >= policy.max_bytes and not counted.given_up:
        counted = replace(counted, given_up="byte_budget")
    slowed = replace(counted, delay_seconds=_throttled(state, seen, config))
    if not is_refusal(seen.status):
        return replace(slowed, refused=(), pauses=0)
    return _refused(slowed, seen, now, config)


def is_refusal(status: int) -> bool:
    """Whether an answer (0: none) says that the site does not want to, or cannot, serve us now."""
    refusals = {0, HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS}
    return status in refusals or status >= HTTPStatus.INTERNAL_SERVER_ERROR


def _throttled(state: SiteState, seen: Observation, config: PolitenessConfig) -> float:
    """Scrapy's AutoThrottle at one request at a time: the pause follows the latency, and errors never shorten it.

    A site without any delay, which is one's own, has none.
    """
    if seen.status == 0 or state.floor_seconds == 0:
        return state.delay_seconds
    latency = seen.latency_seconds
    wanted = max(latency, (state.delay_seconds + latency) / 2)
    delay = max(state.floor_seconds, min(wanted, config.max_delay_seconds))
    return delay if seen.status == HTTPStatus.OK else max(delay, state.delay_seconds)


def _refused(state: SiteState, seen: Observation, now: float, config: PolitenessConfig) -> SiteState:
    """The site rests when it asks for it, when robots.txt is out of reach, or after too many refusals in a row."""
    refused = (*(url for url in state.refused if url != seen.url), seen.url)[-config.max_refusals :]
    known = replace(state, refused=refused)
    asks = seen.status == HTTPStatus.TOO_MANY_REQUESTS or seen.retry_after is not None
    if not (asks or seen.vital or len(refused) >= config.max_refusals):
        return known
    if now < state.rests_until:  # the answer to what was asked before the pause began
        return known
    if (seen.retry_after or 0.0) > config.max_pause_seconds:
        return replace(known, given_up="retry_after")
    if state.pauses >= config.max_pauses:
        return replace(known, given_up="robots_unavailable" if seen.vital else "refused")
    doubled = min(config.first_pause_seconds * 2**state.pauses, config.max_pause_seconds)
    seconds = max(doubled, seen.retry_after or 0.0)
    return replace(known, pauses=state.pauses + 1, rests_until=now + seconds)


def read_retry_after(value: str, now: float) -> float | None:
    """Seconds that `value` asks to wait (RFC 9110, section 10.2.3: a number or a date); None where it is neither."""
    value = value.strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        date = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - now)
