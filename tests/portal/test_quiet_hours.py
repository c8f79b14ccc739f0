from datetime import UTC, datetime

import pytest

from newscorpus.portal.portal import PolitenessSection, read_quiet_hours


def at(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("now", "end"),
    [
        ("2026-11-20T20:59", "2026-11-20T20:59"),
        ("2026-11-20T21:00", "2026-11-21T05:00"),
        ("2026-11-21T00:30", "2026-11-21T05:00"),
        ("2026-11-21T05:00", "2026-11-21T05:00"),
        ("2026-07-20T20:30", "2026-07-21T04:00"),  # summer time
        ("2026-03-28T22:00", "2026-03-29T04:00"),  # the night in which it begins
    ],
)
def test_a_span_over_midnight_by_the_clock_of_a_zone(now: str, end: str) -> None:
    hours = read_quiet_hours(PolitenessSection("22:00-06:00", "Europe/Prague"))
    assert hours is not None
    assert hours.until(at(now)) == at(end)


def test_a_span_within_a_day() -> None:
    hours = read_quiet_hours(PolitenessSection("12:00-13:30"))
    assert hours is not None
    assert hours.until(at("2026-11-20T12:15")) == at("2026-11-20T13:30")
    assert hours.until(at("2026-11-20T14:00")) == at("2026-11-20T14:00")


@pytest.mark.parametrize("text", ["22-6", "22:00", "25:00-06:00", "22:00-06:60", "06:00-06:00", "22:00 - 06:00"])
def test_what_is_no_span_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"quiet_hours: .*expected a span such as '22:00-06:00'"):
        read_quiet_hours(PolitenessSection(text))


@pytest.mark.parametrize("zone", ["", "Prague", "../UTC", "Europe"])
def test_what_is_no_zone_is_refused(zone: str) -> None:
    with pytest.raises(ValueError, match=r"time_zone: .*is no zone"):
        read_quiet_hours(PolitenessSection("22:00-06:00", zone))


def test_a_portal_without_quiet_hours_is_asked_at_any_time() -> None:
    assert read_quiet_hours(PolitenessSection()) is None
