"""Quiet hours, and the pages of a portal's archive by day."""

from datetime import UTC, date, datetime

import pytest

from newscorpus.portal.portal import PolitenessSection, archive_page, archive_pages, read_quiet_hours

FIRST, LAST = date(2024, 11, 29), date(2025, 1, 2)


def test_a_page_a_day_a_month_or_a_year_newest_first() -> None:
    pages = list(archive_pages("https://x.example/a/{year}/{month:02}/{day:02}", FIRST, LAST))
    assert (pages[0], pages[-1]) == ("https://x.example/a/2025/01/02", "https://x.example/a/2024/11/29")
    assert len(pages) == len(set(pages)) == 35
    for pattern, parts in (("{month}-{year}", ("1-2025", "12-2024", "11-2024")), ("{year}", ("2025", "2024"))):
        found = list(archive_pages(f"https://x.example/{pattern}", FIRST, LAST))
        assert found == [f"https://x.example/{part}" for part in parts]
    assert list(archive_pages("https://x.example/{year}", LAST, FIRST)) == []


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("https://x.example/{month}", "names no"),
        ("https://x.example/{year}/{week}", "{week} is not known"),
        ("https://x.example/{year.real}", "{year.real} is not known"),
        ("https://x.example/{year!r}", "is not known"),
        ("https://x.example/{year:099999999}", "is not known"),
        ("https://x.example/{year}/{", "a brace too many"),
        ("https://x.example/{}", "is not known"),
    ],
)
def test_broken_patterns(pattern: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        archive_page(pattern, FIRST)


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


def test_a_span_within_a_day_and_none() -> None:
    hours = read_quiet_hours(PolitenessSection("12:00-13:30"))
    assert hours is not None
    assert hours.until(at("2026-11-20T12:15")) == at("2026-11-20T13:30")
    assert hours.until(at("2026-11-20T14:00")) == at("2026-11-20T14:00")
    assert read_quiet_hours(PolitenessSection()) is None


@pytest.mark.parametrize(
    ("text", "zone", "message"),
    [
        *((text, "UTC", "quiet_hours: .*such as '22:00-06:00'") for text in ("22-6", "22:00", "25:00-06:00")),
        *((text, "UTC", "quiet_hours: ") for text in ("22:00-06:60", "06:00-06:00", "22:00 - 06:00")),
        *(("22:00-06:00", zone, "time_zone: .*is no zone") for zone in ("", "Prague", "../UTC", "Europe")),
    ],
)
def test_wrong_quiet_hours_are_refused(text: str, zone: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_quiet_hours(PolitenessSection(text, zone))
