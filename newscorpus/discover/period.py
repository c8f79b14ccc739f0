"""Decide by date what a crawl of a period need not fetch, and bound the crawl by the period or the portal's file."""

import re
from calendar import monthrange
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Self
from urllib.parse import urlsplit

from newscorpus.discover.entries import ListingEntry, read_day
from newscorpus.page.fields.dates import read_address
from newscorpus.portal.addresses import shape_of
from newscorpus.portal.portal import PortalLimits

MONTH = re.compile(r"(?<!\d)((?:19|20)\d\d)[-/_.]?(0[1-9]|1[0-2])(?!\d)")
YEAR = re.compile(r"(?<!\d)((?:19|20)\d\d)(?!\d)")

PAGES = 10_000
"""Pages of a crawl without a period; they take some three hours at one a second."""

PAGES_A_DAY = 1_000
"""Pages per day of the period: the portals of news agencies publish some hundreds of articles a day."""

DEPTH = 8
"""Maximum depth; a section, its pages and an article need three links, the rest is slack."""

DEPTH_A_DAY = 100
"""Pages of a section per day, with ten articles each; each may be linked only from the page before."""

SITEMAPS = 1_000
SITEMAPS_A_DAY = 4
"""Sitemaps from indexes and robots.txt (an index may list 50,000); some sites make one or more a day."""

BYTES_A_PAGE = 2_000_000
"""Ten times what a page takes."""

DAYS_A_YEAR = 366


@dataclass(frozen=True, slots=True)
class Period:
    """The days from `since` to `until`, both included."""

    since: date = date.min
    until: date = date.max

    def meets(self, first: date, last: date) -> bool:
        """Whether any day from `first` to `last` belongs to the period."""
        return first <= self.until and last >= self.since

    def takes(self, day: date | None) -> bool:
        """Whether an article of that day is wanted; articles without a date are."""
        return day is None or self.meets(day, day)

    def covers(self, other: "Period") -> bool:
        """Whether every day of `other` belongs to the period."""
        return self.since <= other.since and other.until <= self.until

    def may_hold(self, entry: ListingEntry) -> bool:
        """Whether a document may be of the period, by its entry in a list and its address.

        The day of publication decides. Without one, a document last modified before the period is too old; one modified
        later may be of any day.
        """
        if day := entry.published:
            return self.meets(day, day)
        return self.may_hold_address(entry.url) and not self._is_over(read_day(entry.modified))

    def may_hold_address(self, url: str) -> bool:
        """Whether a document may be of the period, by its address alone: its day, or its month as a directory."""
        days = days_of(url)
        return days is None or self.meets(*days)

    def may_lead_to(self, url: str) -> bool:
        """Whether a listing may lead to the period, by its address; later days link to the day before."""
        return replace(self, until=date.max).may_hold_address(url)

    def newest_earlier_listings(self, listing: str, urls: Iterable[str]) -> frozenset[str]:
        """Return the links from `listing` to the latest day before the period, per URL shape; the period may follow.

        Empty for a listing of the period or later, which links to the days before. On a listing of a day before the
        period, only links to later days count.
        """
        own, latest = days_of(listing), dict[str, tuple[tuple[date, date], str]]()
        if own and self.may_lead_to(listing):
            return frozenset()
        for url in urls:
            days = days_of(url)
            if days and days[1] < self.since and (own is None or days[0] > own[0]):
                shape = shape_of(url)
                latest[shape] = max(latest.get(shape, (days, url)), (days, url))
        return frozenset(url for _, url in latest.values())

    def sitemaps(self, named: Sequence[ListingEntry]) -> tuple[ListingEntry, ...]:
        """Return the sitemaps of an index that may list documents of the period.

        A sitemap changes when a document is added, so one last modified before the period has none of its documents.
        Many have a month or year in their address; but if one of the same shape has another number there, or was
        modified before that year, the numbers merely count sitemaps.
        """
        days = {entry.url: _days_listed(entry) for entry in named}
        counted = {shape_of(url) for url, of in days.items() if of is None}
        return tuple(
            entry
            for entry in named
            if not self._is_over(read_day(entry.modified))
            and ((of := days[entry.url]) is None or shape_of(entry.url) in counted or self.meets(*of))
        )

    def _is_over(self, modified: date | None) -> bool:
        """Whether a document last modified on that day is older than the period."""
        return modified is not None and modified < self.since


ALWAYS = Period()
"""All days."""


@dataclass(frozen=True, slots=True)
class CrawlBounds:
    """Bounds of a crawl of a portal, against sites that generate endless pages."""

    max_pages: int  # maximum pages fetched, renewed in each revisit
    max_depth: int  # maximum links from a start page
    max_sitemaps: int  # maximum sitemaps read from indexes and robots.txt
    max_bytes: int  # maximum bytes of bodies as sent, in one run

    @classmethod
    def fit(cls, limits: PortalLimits, period: Period, today: date) -> Self:
        """Take the limits of a portal's file; missing ones are derived from the days since `period.since`.

        Days count as whole years, so that a daily crawl keeps the same bounds.
        """
        years = 0 if period.since == date.min else max(0, today.year - period.since.year + 1)
        days = years * DAYS_A_YEAR
        pages = PAGES + days * PAGES_A_DAY if limits.max_pages is None else limits.max_pages
        return cls(
            pages,
            DEPTH + days * DEPTH_A_DAY if limits.max_depth is None else limits.max_depth,
            SITEMAPS + days * SITEMAPS_A_DAY,
            max(pages, PAGES) * BYTES_A_PAGE if limits.max_bytes is None else limits.max_bytes,
        )


def days_of(url: str) -> tuple[date, date] | None:
    """Return the first and last day in an address: a day, or a month as a directory; None without a date."""
    if day := next((read_day(claim.value) for claim in read_address(url)), None):
        return day, day
    found = re.search(r"/((?:19|20)\d\d)/(0[1-9]|1[0-2])/", urlsplit(url).path)
    return _month(int(found[1]), int(found[2])) if found else None


def _days_listed(sitemap: ListingEntry) -> tuple[date, date] | None:
    """Return the month or year in a sitemap's address; None without one, or if the sitemap was modified before it."""
    path = urlsplit(sitemap.url).path
    if found := MONTH.search(path):
        days = _month(int(found[1]), int(found[2]))
    elif found := YEAR.search(path):
        days = date(int(found[1]), 1, 1), date(int(found[1]), 12, 31)
    else:
        return None
    modified = read_day(sitemap.modified)
    return None if modified and modified < days[0] else days


def _month(year: int, month: int) -> tuple[date, date]:
    return date(year, month, 1), date(year, month, monthrange(year, month)[1])
