"""Decide by date what a crawl of certain days need not fetch."""

import re
from calendar import monthrange
from dataclasses import dataclass, replace
from datetime import date
from urllib.parse import urlsplit

from newscorpus.discovery.listing import ListingEntry, read_day
from newscorpus.extraction.fields.dating import read_address

MONTH = re.compile(r"(?<!\d)((?:19|20)\d\d)[-/_.]?(0[1-9]|1[0-2])(?!\d)")
YEAR = re.compile(r"(?<!\d)((?:19|20)\d\d)(?!\d)")


@dataclass(frozen=True, slots=True)
class Period:
    """The days from `since` to `until`, both included."""

    since: date = date.min
    until: date = date.max

    def meets(self, first: date, last: date) -> bool:
        """Whether one of the days from `first` to `last` belongs to the period."""
        return first <= self.until and last >= self.since

    def takes(self, day: date | None) -> bool:
        """Whether an article of that day is wanted; one without a day is."""
        return day is None or self.meets(day, day)

    def covers(self, other: "Period") -> bool:
        """Whether every day of `other` belongs to the period."""
        return self.since <= other.since and other.until <= self.until

    def may_hold(self, entry: ListingEntry) -> bool:
        """Whether a document may be of the period, by what a list says of it and by its address.

        The day of publication decides. Without one, a document that was last changed before the period began is too
        old; one that was changed later may be of any day.
        """
        if day := entry.published:
            return self.meets(day, day)
        modified = read_day(entry.modified)
        return self.may_hold_address(entry.url) and not (modified and modified < self.since)

    def may_hold_address(self, url: str) -> bool:
        """Whether a document may be of the period, by its address alone: its day, or its month as a directory."""
        if day := next((read_day(claim.value) for claim in read_address(url)), None):
            return self.meets(day, day)
        found = re.search(r"/((?:19|20)\d\d)/(0[1-9]|1[0-2])/", urlsplit(url).path)
        return not found or self._meets_month(int(found[1]), int(found[2]))

    def may_lead_to(self, url: str) -> bool:
        """Whether a listing may lead to the period, by its address: that of a later day may, by the day before."""
        return replace(self, until=date.max).may_hold_address(url)

    def may_list(self, child: ListingEntry) -> bool:
        """Whether a sitemap that an index names may list documents of the period.

        A sitemap changes when a document is added: one that last changed before the period began lists none of its
        documents. Many sitemaps have their month or year in their address.
        """
        modified = read_day(child.modified)
        if modified and modified < self.since:
            return False
        path = urlsplit(child.url).path
        if found := MONTH.search(path):
            return self._meets_month(int(found[1]), int(found[2]))
        if found := YEAR.search(path):
            return self.meets(date(int(found[1]), 1, 1), date(int(found[1]), 12, 31))
        return True

    def _meets_month(self, year: int, month: int) -> bool:
        return self.meets(date(year, month, 1), date(year, month, monthrange(year, month)[1]))


ALWAYS = Period()
"""All days."""
