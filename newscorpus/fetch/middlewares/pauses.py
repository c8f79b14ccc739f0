"""Decide how long to wait between requests to a site, and when to give it up.

Each function takes a `SiteState` and an event, and returns the next state. Times are seconds of a monotonic clock,
except in `QuietHours` and in dates sent by a site.
"""

import sys
from dataclasses import dataclass, replace
from datetime import UTC
from email.utils import parsedate_to_datetime
from http import HTTPStatus

from newscorpus.config import PolitenessConfig
from newscorpus.portal.portal import QuietHours


@dataclass(frozen=True, slots=True)
class PolitenessPolicy:
    """How politely one site is treated."""

    delay_seconds: float  # minimum delay between the starts of two requests, by the portal file
    max_bytes: int = sys.maxsize  # maximum bytes of bodies from the site in one run
    quiet: QuietHours | None = None


@dataclass(frozen=True, slots=True)
class SiteState:
    """State of one site in a crawl."""

    delay_seconds: float  # pause between the starts of two requests; at least that of the policy
    floor_seconds: float  # minimum delay, raised by a Crawl-delay
    recent: tuple[tuple[str, bool], ...] = ()  # the last distinct addresses, and whether each was refused
    proof: str = ""  # a page that the site has answered, to probe it when others fail; "": none yet
    pauses: int = 0  # consecutive pauses without a page in between
    rests_until: float = 0.0  # earliest time of the next request
    n_bytes: int = 0  # bytes of bodies in this run
    given_up: str = ""  # why the site was given up for this run, snake_case; "" if it was not


@dataclass(frozen=True, slots=True)
class Observation:
    """Result of one request, as evidence about its site."""

    url: str  # requested address
    status: int  # of HTTP; 0 without an answer
    retry_after: float | None = None  # seconds to wait, as the site states; None if it does not
    latency_seconds: float = 0.0  # time to the answer's headers
    n_bytes: int = 0  # of the body
    is_page: bool = False  # it is HTML, and no front page, which many sites still show when they refuse all else
    vital: str = ""  # reason for giving the site up if this request is repeatedly refused; "" if others may be sent

    @property
    def demands_rest(self) -> bool:
        """Whether the refusal concerns the site, not the page."""
        is_asked = self.status == HTTPStatus.TOO_MANY_REQUESTS or self.retry_after is not None
        return is_refusal(self.status) and (is_asked or bool(self.vital))


def rest_seconds(state: SiteState, policy: PolitenessPolicy, now: float, date: float) -> float:
    """Return the remaining seconds of back-off or quiet time; `now` is `date` in seconds since the epoch."""
    quiet = policy.quiet.until(date) - date if policy.quiet else 0.0
    return max(0.0, state.rests_until - now, quiet)


def is_in_doubt(state: SiteState, config: PolitenessConfig) -> bool:
    """Whether so many of the last addresses were refused that the site itself may refuse."""
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
    """Return the state after a request."""
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
    """Whether a status (0: no answer) means that the site will not or cannot serve us now."""
    refusals = {0, HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS}
    return status in refusals or status >= HTTPStatus.INTERNAL_SERVER_ERROR


def _throttled(state: SiteState, seen: Observation, config: PolitenessConfig) -> float:
    """Follow the latency, as Scrapy's AutoThrottle does for one request at a time; errors never shorten the delay.

    A delay of 0, for a site of one's own, stays 0.
    """
    if seen.status == 0 or state.floor_seconds == 0:
        return state.delay_seconds
    latency = seen.latency_seconds
    wanted = max(latency, (state.delay_seconds + latency) / 2)
    delay = max(state.floor_seconds, min(wanted, config.max_delay_seconds))
    return delay if seen.status == HTTPStatus.OK else max(delay, state.delay_seconds)


def _refused(state: SiteState, seen: Observation, now: float, config: PolitenessConfig) -> SiteState:
    """Back off if the site asks for it, if a vital request is refused, or if a doubtful site has no probe."""
    if not (seen.demands_rest or (is_in_doubt(state, config) and not state.proof)):
        return state
    if now < state.rests_until:  # the answer to a request sent before the pause
        return state
    if (seen.retry_after or 0.0) > config.max_pause_seconds:
        return replace(state, given_up="retry_after")
    if state.pauses >= config.max_pauses:
        return replace(state, given_up=seen.vital or "refused")
    doubled = min(config.first_pause_seconds * 2**state.pauses, config.max_pause_seconds)
    seconds = max(doubled, seen.retry_after or 0.0)
    return replace(state, pauses=state.pauses + 1, rests_until=now + seconds)


def retry_seconds(failures: int, config: PolitenessConfig) -> float:
    """Return the delay before a retry of an address after `failures`, at least 1."""
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
    """Parse the date of an HTTP header as seconds since the epoch; None if it is none."""
    try:
        date = parsedate_to_datetime(value)
    except (ValueError, OverflowError):  # the latter for numbers of many digits
        return None
    return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
