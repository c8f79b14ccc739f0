"""What lies outside the days asked for, told without a fetch; and the bounds of a crawl."""

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newscorpus.data import Evidence
from newscorpus.discover.entries import ListingEntry, read_day
from newscorpus.discover.period import ALWAYS, DEPTH, PAGES, CrawlBounds, Period
from newscorpus.portal.portal import PortalLimits

MARCH = Period(date(2024, 3, 1), date(2024, 3, 31))
URL = "https://vesti.example/a-story"


def entry(url: str = URL, published: str = "", modified: str = "") -> ListingEntry:
    evidence = (Evidence("published", published, "sitemap"),) if published else ()
    return ListingEntry(url, evidence, modified)


INSIDE = [
    entry(),
    entry(published="2024-03-31T23:30:00+01:00"),
    entry(published="Fri, 01 Mar 2024 08:00:00 +0100"),
    entry(published="2024-03-02", modified="2024-05-01"),
    entry(modified="2024-05-01"),
    entry(published="yesterday"),
    entry(published="1970-01-01T01:00:00+01:00", modified="0001-01-01T00:00:00"),
    entry("https://vesti.example/2024/03/09/a-story"),
    entry("https://vesti.example/2024/03/a-story"),
    entry("https://vesti.example/2024-03/a-story"),
]
OUTSIDE = [
    entry(published="2024-04-01T00:30:00+01:00"),
    entry(published="Thu, 29 Feb 2024 08:00:00 +0100", modified="2024-03-05"),
    entry(modified="2024-02-28"),
    entry("https://vesti.example/2024/04/01/a-story"),
    entry("https://vesti.example/2023/03/a-story"),
]


def test_entries_of_the_period() -> None:
    assert list(filter(MARCH.may_hold, [*INSIDE, *OUTSIDE])) == INSIDE


@pytest.mark.parametrize(
    ("path", "modified", "may"),
    [
        ("/maps/2024-03.xml", "", True),
        ("/maps/2024-03.xml", "2024-04-01", True),
        ("/maps/2024_04.xml", "", False),
        ("/maps/202402.xml", "", False),
        ("/maps/2024.xml", "", True),
        ("/maps/2023.xml", "2024-05-01", False),
        ("/maps/7.xml", "2024-02-01", False),
        ("/maps/7.xml", "2026-01-01", True),
        ("/maps/7.xml", "1970-01-01T00:00:00Z", True),
        ("/maps/7.xml", "", True),
    ],
)
def test_which_sitemaps_may_list_it(path: str, modified: str, may: bool) -> None:
    child = ListingEntry(f"https://vesti.example{path}", (), modified)
    assert MARCH.sitemaps([child]) == ((child,) if may else ())


@pytest.mark.parametrize(
    ("named", "kept"),
    [
        ({"sitemap-2001.xml": "", "sitemap-17.xml": ""}, 2),
        ({"sitemap-2001.xml": "", "sitemap-2101.xml": ""}, 2),
        ({"sitemap-2001.xml": "", "sitemap-2050.xml": "2024-05-01"}, 2),
        ({"sitemap-2001.xml": "", "news-17.xml": ""}, 1),
        ({"sitemap-2001.xml": "", "sitemap-2023.xml": "2024-05-01", "sitemap-2024.xml": ""}, 1),
        ({"posts-2023-1.xml": "", "posts-2024-1.xml": "", "posts-2024-17.xml": ""}, 2),
        ({"m202301.xml": "", "m202403.xml": ""}, 1),
        ({"m202301.xml": "", "m204713.xml": ""}, 2),
    ],
)
def test_numbers_of_sitemaps_are_years_where_no_other_says_otherwise(named: dict[str, str], kept: int) -> None:
    children = [ListingEntry(f"https://vesti.example/{name}", (), modified) for name, modified in named.items()]
    assert len(MARCH.sitemaps(children)) == kept


def test_all_days_hold_everything() -> None:
    assert ALWAYS.may_hold(entry(published="1999-01-01"))
    assert ALWAYS.covers(MARCH)
    assert not MARCH.covers(ALWAYS)
    assert MARCH.covers(Period(date(2024, 3, 5), date(2024, 3, 5)))
    assert not MARCH.covers(Period(date(2024, 3, 5), date(2024, 4, 1)))


@given(st.text())
def test_never_raises(text: str) -> None:
    read_day(text)
    MARCH.may_hold(entry(f"https://vesti.example/{text}", text, text))
    MARCH.sitemaps([entry(f"https://vesti.example/{text}", modified=text)])


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
