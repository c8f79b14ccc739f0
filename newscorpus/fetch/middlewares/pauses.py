"""Decide how long to wait between requests to a site, and when to give it up.

Each function takes a `SiteState` and an event, and returns the next state. Times are seconds of a monotonic clock,
except in `QuietTimes` and in dates sent by a site.
"""

import sys
from dataclasses import dataclass, replace
from datetime import UTC
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Protocol

from newscorpus.config import PolitenessConfig


class QuietTimes(Protocol):
    """Times without requests to a site, in seconds since the epoch."""

    def until(self, now: float) -> float:
        """Return the end of the quiet time at `now`; `now` itself outside quiet times."""


@dataclass(frozen=True, slots=True)
class PolitenessPolicy:
    """How politely one site is treated."""

    delay_seconds: float  # minimum delay between the starts of two requests, by the portal file
    max_bytes: int = sys.maxsize  # maximum bytes of bodies from the site in one run
    quiet: QuietTimes | None = None  # quiet times; None: no quiet times


@dataclass(frozen=True, slots=True)
class SiteState:
    """State of one site in a crawl."""

    delay_seconds: float  # pause between the starts of two requests; at least that of the policy
    floor_seconds: float  # minimum delay, raised by a Crawl-delay
    recent: tuple[tuple[str, bool], ...] = ()  # the addresses asked last, each once, and whether each was refused
    proof: str = ""  # a page that the site answered: when others fail, it tells whether the site does; "": none yet
    pauses: int = 0  # pauses in a row, without a page in between
    rests_until: float = 0.0  # the site is not asked before
    n_bytes: int = 0  # bytes of bodies in this run
    given_up: str = ""  # why the site is not asked any more in this run, snake_case; "" where it is


@dataclass(frozen=True, slots=True)
class Observation:
    """Result of one request, as evidence about its site."""

    url: str  # that was asked
    status: int  # of HTTP; 0 where no answer came
    retry_after: float | None = None  # seconds the site asks us to wait; None where it names none
    latency_seconds: float = 0.0  # time to the answer's headers
    n_bytes: int = 0  # of the body
    is_page: bool = False  # it is HTML, and no front page, which many a site shows even while it has no other
    vital: str = ""  # why the site is given up in the end if this one is refused; "" where others may be asked instead

    @property
    def demands_rest(self) -> bool:
        """Whether the refusal concerns the site, not the page."""
        is_asked = self.status == HTTPStatus.TOO_MANY_REQUESTS or self.retry_after is not None
        return is_refusal(self.status) and (is_asked or bool(self.vital))


def first_state(policy: PolitenessPolicy) -> SiteState:
    """Return the initial state of a site."""
    return SiteState(policy.delay_seconds, policy.delay_seconds)


def rest_seconds(state: SiteState, policy: PolitenessPolicy, now: float, date: float) -> float:
    """For how long the site still rests, at `now`, which is `date` in seconds since the epoch; 0 where it does not."""
    quiet = policy.quiet.until(date) - date if policy.quiet else 0.0
    return max(0.0, state.rests_until - now, quiet)


def is_in_doubt(state: SiteState, config: PolitenessConfig) -> bool:
    """Whether so many of the last addresses were refused that it may be the site that refuses, and not the pages."""
    return sum(refused for _, refused in state.recent) >= config.max_refusals


def with_crawl_delay(state: SiteState, seconds: float, config: PolitenessConfig) -> SiteState:
    """Apply the Crawl-delay of a robots.txt; a site with too long a delay is given up."""
    if seconds > config.max_crawl_delay_seconds:
        return replace(state, given_up="crawl_delay")
    floor = max(state.floor_seconds, seconds)
    return replace(state, floor_seconds=floor, delay_seconds=max(state.delay_seconds, floor))


def observe(
    state: SiteState, seen: Observation, now: float, policy: PolitenessPolicy, config: PolitenessConfig
) -> SiteState:
    """Return the state after a request: faster, slower, resting, or given up."""
    counted = replace(state, n_bytes=state.n_bytes + seen.n_bytes)
    if counted.n_bytes >= policy.max_bytes and not counted.given_up:
        counted = replace(counted, given_up="byte_budget")
    refused = is_refusal(seen.status)
    others = () if seen.vital and not refused else (pair for pair in counted.recent if pair[0] != seen.url)
    recent = (*others, (seen.url, refused))[-config.recent_answers :]
    slowed = replace(counted, delay_seconds=_throttled(state, seen, config), recent=recent)
    if not refused:
        is_proof = seen.is_page and seen.status == HTTPStatus.OK
        return replace(slowed, pauses=0, proof=seen.url if is_proof else state.proof)
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
    """The site rests when it asks for it, when something vital is refused, or when nothing clears it of a doubt."""
    if not (seen.demands_rest or (is_in_doubt(state, config) and not state.proof)):
        return state
    if now < state.rests_until:  # the answer to what was asked before the pause began
        return state
    if (seen.retry_after or 0.0) > config.max_pause_seconds:
        return replace(state, given_up="retry_after")
    if state.pauses >= config.max_pauses:
        return replace(state, given_up=seen.vital or "refused")
    doubled = min(config.first_pause_seconds * 2**state.pauses, config.max_pause_seconds)
    seconds = max(doubled, seen.retry_after or 0.0)
    return replace(state, pauses=state.pauses + 1, rests_until=now + seconds)


def retry_seconds(failures: int, config: PolitenessConfig) -> float:
    """Return the delay before a retry of an address that has failed so many times, at least once."""
    return min(config.first_pause_seconds * config.retry_growth ** (failures - 2), config.max_pause_seconds)


def read_retry_after(value: str, now: float) -> float | None:
    """Parse a Retry-After (RFC 9110, section 10.2.3: a number or a date) as seconds; None if it is neither.

    `now` is in seconds since the epoch, by the clock that the date refers to.
    """
    value = value.strip()
    if value.isascii() and value.isdigit():
        return float(value)
    date = read_date(value)
    return None if date is None else max(0.0, date - now)


def read_date(value: str) -> float | None:
    """The date of a header of HTTP in seconds since the epoch; None where it is none."""
    try:
        date = parsedate_to_datetime(value)
    except (ValueError, OverflowError):  # the latter for numbers of many digits
        return None
    return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
