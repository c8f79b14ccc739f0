"""How long a crawl of a period will take, said before and when a feed tells more."""

import logging
from datetime import date, timedelta

import pytest

from newscorpus.data import Evidence
from newscorpus.discovery.forecast import Forecasts, articles_a_day
from newscorpus.discovery.listing import Listing, ListingEntry
from newscorpus.discovery.period import ALWAYS, Period

TODAY = date(2026, 11, 23)
YEAR = Period(since=date(2025, 11, 24))


def feed(*articles: int) -> Listing:
    """So many articles on each day up to today."""
    days = (TODAY - timedelta(days=back) for back, n in enumerate(articles) for _ in range(n))
    return Listing(tuple(ListingEntry("u", (Evidence("published", day.isoformat(), "feed"),)) for day in days))


def test_a_crawl_is_foretold_by_its_pace_and_by_its_feed(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        forecasts = Forecasts({"vesti": 1.25}, YEAR, TODAY)
        forecasts.begin()
        for listing in (Listing((ListingEntry("u"),)), feed(3, 20, 20, 7), feed(3, 90, 7), feed(3)):
            forecasts.learn("vesti", listing)
    pace = "vesti: 365 days since 2025-11-24, 1.25 s from one request to the next"
    assert caplog.messages == [
        f"{pace}: 100 articles a day, which is a guess, take 13 hours",
        f"{pace}: 20 articles a day, by its feed, take 3 hours",
    ]


@pytest.mark.parametrize("period", [ALWAYS, Period(until=TODAY), Period(since=date(2027, 1, 1))])
def test_nothing_is_foretold_without_a_first_day(period: Period, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        forecasts = Forecasts({"vesti": 1.25}, period, TODAY)
        forecasts.begin()
        forecasts.learn("vesti", feed(3, 20, 7))
    assert caplog.messages == []


def test_days_of_which_a_feed_names_a_part_do_not_count() -> None:
    assert articles_a_day(feed(2, 50, 40, 1)) == 45
    assert articles_a_day(feed(2, 5)) == 3.5
    assert articles_a_day(feed(9)) == 0
    assert articles_a_day(Listing()) == 0
