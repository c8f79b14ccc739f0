"""Standings with a site: each event gives the next one, at times that the test names."""

from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newscorpus.config import PolitenessConfig
from newscorpus.fetch.middlewares.pauses import (
    Observation,
    PolitenessPolicy,
    SiteState,
    is_in_doubt,
    is_refusal,
    observe,
    read_retry_after,
    rest_seconds,
    retry_seconds,
    with_crawl_delay,
)

CONFIG = PolitenessConfig(max_refusals=3, recent_answers=4, first_pause_seconds=10, max_pause_seconds=100, max_pauses=5)
POLICY = PolitenessPolicy(delay_seconds=2.0, max_bytes=1000)
FRESH = SiteState(POLICY.delay_seconds, POLICY.delay_seconds)
NOW = 1_000.0

observed = partial(observe, policy=POLICY, config=CONFIG)


def refuse(state: SiteState, url: str, now: float = NOW, status: int = 403, **more: Any) -> SiteState:
    return observed(state, Observation(url, status, **more), now)


def refused_times(times: int, status: int = 403) -> SiteState:
    state = FRESH
    for number in range(times):
        state = refuse(state, f"/{number}", status=status)
    return state


def test_which_answers_are_refusals() -> None:
    assert [status for status in (0, 200, 301, 304, 401, 403, 404, 410, 429, 500, 502, 599) if is_refusal(status)] == [
        *(0, 403, 429, 500, 502, 599)
    ]


@pytest.mark.parametrize("status", [0, 403, 500])
def test_too_many_addresses_refused_in_a_row_bring_a_pause(status: int) -> None:
    assert refused_times(2, status).rests_until == 0
    assert refused_times(3, status).rests_until == NOW + 10


def test_one_address_refused_again_and_again_is_a_broken_page_not_a_refusing_site() -> None:
    state = FRESH
    for _ in range(9):
        state = refuse(state, "/broken", status=503)
    assert state.rests_until == 0


def test_failures_count_by_their_share_of_the_last_answers() -> None:
    answers = ["/a", "", "/b", "", "", "", "/c", "/d"]
    state = FRESH
    for number, url in enumerate(answers):
        state = refuse(state, url) if url else observed(state, Observation(f"/{number}", 404), NOW)
    assert (state.rests_until, state.pauses) == (0, 0)  # never more than two of four
    state = refuse(state, "/e")
    assert state.rests_until == NOW + 10


def test_a_site_that_still_shows_a_page_does_not_rest_for_dead_ones() -> None:
    state = observed(FRESH, Observation("/there", 200, is_page=True), NOW)
    for number in range(4):
        state = refuse(state, f"/{number}")
    assert (state.proof, is_in_doubt(state, CONFIG), state.rests_until) == ("/there", True, 0)
    cleared = observed(state, Observation("/there", 200, is_page=True, vital="refused"), NOW)
    assert not is_in_doubt(cleared, CONFIG)
    resting = refuse(state, "/there", status=500, vital="refused")
    assert resting.rests_until == NOW + 10


@pytest.mark.parametrize("seen", [Observation("/", 200), Observation("/gone", 404, is_page=True)])
def test_what_proves_nothing_is_no_proof(seen: Observation) -> None:
    assert observed(FRESH, seen, NOW).proof == ""


def test_an_address_is_left_alone_for_longer_with_each_failure() -> None:
    assert [retry_seconds(n, PolitenessConfig()) for n in (1, 2, 3, 9)] == [15, 60, 240, 3600]


def test_pauses_double_up_to_a_bound_and_then_the_site_is_given_up() -> None:
    state, now, pauses = refused_times(3), NOW, [10.0]
    for number in range(CONFIG.max_pauses - 1):
        now = state.rests_until
        state = refuse(state, f"/again-{number}", now)
        pauses.append(state.rests_until - now)
    assert pauses == [10, 20, 40, 80, 100]
    assert state.given_up == ""
    assert refuse(state, "/once-more", state.rests_until).given_up == "refused"


def test_after_a_pause_one_more_refusal_brings_the_next_and_one_page_ends_it() -> None:
    rested = refused_times(3)
    assert refuse(rested, "/0", rested.rests_until).pauses == 2
    assert observed(rested, Observation("/a", 200), rested.rests_until).pauses == 0


def test_what_was_asked_before_a_pause_does_not_lengthen_it() -> None:
    resting = refused_times(3)
    assert refuse(resting, "/late", NOW + 1).rests_until == resting.rests_until


@pytest.mark.parametrize(("status", "retry_after", "pause"), [(429, None, 10), (429, 30.0, 30), (503, 1.0, 10)])
def test_a_site_that_asks_for_a_pause_gets_it_at_once(status: int, retry_after: float | None, pause: float) -> None:
    state = observed(FRESH, Observation("/a", status, retry_after), NOW)
    assert state.rests_until == NOW + pause
    assert observed(FRESH, Observation("/a", status, 101.0), NOW).given_up == "retry_after", "too long"


def test_robots_out_of_reach_pause_the_site_at_once_and_in_the_end_give_it_up() -> None:
    state, now = FRESH, NOW
    for _ in range(CONFIG.max_pauses + 1):
        assert state.given_up == ""
        state = observed(state, Observation("/robots.txt", 503, vital="robots_unavailable"), now)
        now = state.rests_until
    assert state.given_up == "robots_unavailable"


def test_the_delay_follows_the_latency_and_never_falls_below_the_portals() -> None:
    slow = observed(FRESH, Observation("/a", 200, latency_seconds=8), NOW)
    assert slow.delay_seconds == 8
    faster = observed(slow, Observation("/b", 200, latency_seconds=1), NOW)
    assert faster.delay_seconds == 4.5
    for _ in range(20):
        faster = observed(faster, Observation("/c", 200, latency_seconds=0.01), NOW)
    assert faster.delay_seconds == POLICY.delay_seconds
    assert observed(FRESH, Observation("/d", 200, latency_seconds=1000), NOW).delay_seconds == CONFIG.max_delay_seconds


@pytest.mark.parametrize("status", [0, 302, 404, 500])
def test_errors_and_redirects_never_shorten_the_delay(status: int) -> None:
    slow = replace(FRESH, delay_seconds=8.0)
    assert observed(slow, Observation("/a", status, latency_seconds=0.01), NOW).delay_seconds == 8


def test_crawl_delay_becomes_the_floor_and_one_too_long_gives_the_site_up() -> None:
    state = with_crawl_delay(FRESH, 5.0, CONFIG)
    assert (state.floor_seconds, state.delay_seconds) == (5, 5)
    assert observed(state, Observation("/a", 200, latency_seconds=0.1), NOW).delay_seconds == 5
    assert with_crawl_delay(FRESH, 0.5, CONFIG).delay_seconds == 2
    assert with_crawl_delay(FRESH, CONFIG.max_crawl_delay_seconds + 1, CONFIG).given_up == "crawl_delay"


def test_quiet_times_are_rest() -> None:
    night: Any = SimpleNamespace(until=lambda now: max(now, 5_000.0))
    policy = replace(POLICY, quiet=night)
    assert rest_seconds(FRESH, policy, NOW, date=4_000) == 1_000
    assert rest_seconds(FRESH, policy, NOW, date=6_000) == 0
    assert rest_seconds(replace(FRESH, rests_until=NOW + 9_000), policy, NOW, date=4_000) == 9_000


DATE = datetime(2026, 11, 18, 10, 26, 40, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (" 0 ", 0.0),
        ("Wed, 18 Nov 2026 10:27:40 GMT", 60.0),
        ("Wed, 18 Nov 2026 10:27:40", 60.0),
        ("Wed, 18 Nov 2026 11:27:40 +0100", 60.0),
        ("Wed, 18 Nov 2020 10:27:40 GMT", 0.0),
        *((value, None) for value in ("", "soon", "-5", "1.5", "²", "Wed, 99 Nov 2026 10:27:40 GMT")),
        ("Wed, 18 Nov 2026 10:27:40 +99999999999999999999", None),
        ("Wed, 18 Nov 99999999999999999999 10:27:40 GMT", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(value: str, seconds: float | None) -> None:
    assert read_retry_after(value, DATE) == seconds


@given(st.text())
def test_no_retry_after_raises(value: str) -> None:
    found = read_retry_after(value, DATE)
    assert found is None or found >= 0
