"""How far a crawl goes: by the portal's file, else by the days asked for."""

from dataclasses import replace
from datetime import date

from newscorpus.discover.bounds import DEPTH, PAGES, CrawlBounds
from newscorpus.discover.period import ALWAYS, Period
from newscorpus.portal.portal import PortalLimits

TODAY = date(2026, 11, 23)
FIVE_YEARS = Period(since=date(2021, 11, 24))


def test_a_first_day_lifts_what_the_file_leaves_open() -> None:
    plain, lifted = (CrawlBounds.fit(PortalLimits(), period, TODAY) for period in (ALWAYS, FIVE_YEARS))
    assert (plain.max_pages, plain.max_depth, plain.max_bytes) == (PAGES, DEPTH, 20_000_000_000)
    assert lifted.max_pages > 600_000, "300,000 articles and their listings"
    assert lifted.max_depth > 30_000, "a section of ten articles a page, each page linked from the one before"
    assert lifted.max_sitemaps > 1_826, "one a day"
    assert lifted.max_bytes > 300_000 * 200_000


def test_a_limit_of_the_file_holds() -> None:
    bounds = CrawlBounds.fit(PortalLimits(500, 0, 10**6), FIVE_YEARS, TODAY)
    assert (bounds.max_pages, bounds.max_depth, bounds.max_bytes) == (500, 0, 10**6)


def test_the_next_day_goes_by_the_same_bounds_and_days_to_come_add_none() -> None:
    today, tomorrow = (CrawlBounds.fit(PortalLimits(), FIVE_YEARS, TODAY.replace(day=day)) for day in (23, 24))
    assert today == tomorrow
    to_come = CrawlBounds.fit(PortalLimits(), replace(ALWAYS, since=date(2030, 1, 1)), TODAY)
    assert to_come.max_pages == PAGES
