"""Standings with a site: each event gives the next one, at times that the test names."""

from dataclasses import replace
from functools import partial

import pytest

from newscorpus.config import PolitenessConfig
from newscorpus.crawl.politeness import (
    Heard,
    Manners,
    Standing,
    first_standing,
    hear,
    is_refusal,
    rests_until,
    with_crawl_delay,
)

CONFIG = PolitenessConfig(max_refusals=3, first_pause_seconds=10, max_pause_seconds=100, max_pauses=5)
MANNERS = Manners(delay_seconds=2.0, max_bytes=1000)
FRESH = first_standing(MANNERS)
NOW = 1_000.0

heard_of = partial(hear, manners=MANNERS, config=CONFIG)


def refuse(standing: Standing, url: str, now: float = NOW, status: int = 403, **more: float) -> Standing:
    return heard_of(standing, Heard(url, status, **more), now)  # type: ignore[arg-type]


def refused_times(times: int, status: int = 403) -> Standing:
    standing = FRESH
    for number in range(times):
        standing = refuse(standing, f"/{number}", status=status)
    return standing


@pytest.mark.parametrize("status", [0, 403, 429, 500, 502, 503, 599])
def test_refusals(status: int) -> None:
    assert is_refusal(status)


@pytest.mark.parametrize("status", [200, 301, 304, 401, 404, 410])
def test_no_refusals(status: int) -> None:
    assert not is_refusal(status)


@pytest.mark.parametrize("status", [0, 403, 500])
def test_too_many_addresses_refused_in_a_row_bring_a_pause(status: int) -> None:
    assert refused_times(2, status).rests_until == 0
    assert refused_times(3, status).rests_until == NOW + 10


def test_one_address_refused_again_and_again_is_a_broken_page_not_a_refusing_site() -> None:
    standing = FRESH
    for _ in range(9):
        standing = refuse(standing, "/broken", status=503)
    assert standing.rests_until == 0


def test_an_answer_in_between_forgets_the_refusals() -> None:
    standing = heard_of(refused_times(2), Heard("/found", 404), NOW)
    assert (standing.refused, standing.pauses) == ((), 0)


def test_pauses_double_up_to_a_bound_and_then_the_site_is_given_up() -> None:
    standing, now, pauses = refused_times(3), NOW, [10.0]
    for number in range(CONFIG.max_pauses - 1):
        now = standing.rests_until
        standing = refuse(standing, f"/again-{number}", now)
        pauses.append(standing.rests_until - now)
    assert pauses == [10, 20, 40, 80, 100]
    assert standing.given_up == ""
    assert refuse(standing, "/once-more", standing.rests_until).given_up == "refused"


def test_after_a_pause_one_more_refusal_brings_the_next_and_one_page_ends_it() -> None:
    rested = refused_times(3)
    assert refuse(rested, "/0", rested.rests_until).pauses == 2
    assert heard_of(rested, Heard("/a", 200), rested.rests_until).pauses == 0


def test_what_was_asked_before_a_pause_does_not_lengthen_it() -> None:
    resting = refused_times(3)
    assert refuse(resting, "/late", NOW + 1).rests_until == resting.rests_until


@pytest.mark.parametrize(("status", "retry_after", "pause"), [(429, None, 10), (429, 30.0, 30), (503, 1.0, 10)])
def test_a_site_that_asks_for_a_pause_gets_it_at_once(status: int, retry_after: float | None, pause: float) -> None:
    standing = heard_of(FRESH, Heard("/a", status, retry_after), NOW)
    assert standing.rests_until == NOW + pause


def test_a_site_that_asks_for_too_long_a_pause_is_given_up() -> None:
    assert heard_of(FRESH, Heard("/a", 503, 101.0), NOW).given_up == "retry_after"


def test_robots_out_of_reach_pause_the_site_at_once_and_in_the_end_give_it_up() -> None:
    standing, now = FRESH, NOW
    for _ in range(CONFIG.max_pauses + 1):
        assert standing.given_up == ""
        standing = heard_of(standing, Heard("/robots.txt", 503, vital=True), now)
        now = standing.rests_until
    assert standing.given_up == "robots_unavailable"


def test_the_delay_follows_the_latency_and_never_falls_below_the_portals() -> None:
    slow = heard_of(FRESH, Heard("/a", 200, latency_seconds=8), NOW)
    assert slow.delay_seconds == 8
    faster = heard_of(slow, Heard("/b", 200, latency_seconds=1), NOW)
    assert faster.delay_seconds == 4.5
    for _ in range(20):
        faster = heard_of(faster, Heard("/c", 200, latency_seconds=0.01), NOW)
    assert faster.delay_seconds == MANNERS.delay_seconds
    assert heard_of(FRESH, Heard("/d", 200, latency_seconds=1000), NOW).delay_seconds == CONFIG.max_delay_seconds


@pytest.mark.parametrize("status", [0, 302, 404, 500])
def test_errors_and_redirects_never_shorten_the_delay(status: int) -> None:
    slow = replace(FRESH, delay_seconds=8.0)
    assert heard_of(slow, Heard("/a", status, latency_seconds=0.01), NOW).delay_seconds == 8


def test_crawl_delay_becomes_the_floor_and_one_too_long_gives_the_site_up() -> None:
    standing = with_crawl_delay(FRESH, 5.0, CONFIG)
    assert (standing.floor_seconds, standing.delay_seconds) == (5, 5)
    assert heard_of(standing, Heard("/a", 200, latency_seconds=0.1), NOW).delay_seconds == 5
    assert with_crawl_delay(FRESH, 0.5, CONFIG).delay_seconds == 2
    assert with_crawl_delay(FRESH, CONFIG.max_crawl_delay_seconds + 1, CONFIG).given_up == "crawl_delay"


def test_a_spent_byte_budget_gives_the_site_up() -> None:
    standing = heard_of(FRESH, Heard("/a", 200, n_bytes=600), NOW)
    assert standing.given_up == ""
    assert heard_of(standing, Heard("/b", 200, n_bytes=600), NOW).given_up == "byte_budget"


def test_quiet_times_are_rest() -> None:
    class Night:
        def until(self, now: float) -> float:
            return max(now, 5_000.0)

    manners = replace(MANNERS, quiet=Night())
    assert rests_until(FRESH, manners, NOW) == 5_000
    assert rests_until(FRESH, manners, 6_000.0) == 6_000
    assert rests_until(replace(FRESH, rests_until=9_000.0), manners, NOW) == 9_000
