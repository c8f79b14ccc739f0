"""The days that a crawl is about, and what lies outside them without having to be fetched."""

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from newscorpus.data import Page, Rejected
from newscorpus.discovery.listing import Entry
from newscorpus.extraction.decode import decode
from newscorpus.extraction.fields.dates import parse_moment
from newscorpus.extraction.fields.dating import read_address
from newscorpus.extraction.fields.reading import read_fields
from newscorpus.extraction.parse import parse

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

    def covers(self, other: "Period") -> bool:
        """Whether every day of `other` belongs to the period."""
        return self.since <= other.since and other.until <= self.until

    def may_hold(self, entry: Entry) -> bool:
        """Whether a document may be of the period, by what a list says of it and by its address.

        The day of publication decides. What was last changed before the period was published before it; what was
        changed later may be of any day.
        """
        published = next((claim.value for claim in entry.evidence if claim.field == "published"), "")
        if day := read_day(published):
            return self.meets(day, day)
        modified = read_day(entry.modified)
        return self.may_hold_address(entry.url) and not (modified and modified < self.since)

    def may_hold_address(self, url: str) -> bool:
        """Whether a document may be of the period, by its address alone: its day, or its month as a directory."""
        if day := next((read_day(claim.value) for claim in read_address(url)), None):
            return self.meets(day, day)
        found = re.search(r"/((?:19|20)\d\d)/(0[1-9]|1[0-2])/", urlsplit(url).path)
        return not found or self._meets_month(int(found[1]), int(found[2]))

    def may_list(self, child: Entry) -> bool:
        """Whether a sitemap that an index names may list documents of the period.

        It is changed when a document is added, and so after the period began if it holds one of its documents; many
        are named after their month or year.
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


def published_day(page: Page) -> date | None:
    """The day on which a page says, or shows, that it was published; None where it does not."""
    text = decode(page)
    root = text if isinstance(text, Rejected) else parse(text, page.url)
    return None if isinstance(root, Rejected) else read_day(read_fields(root, page).fields.published)


def read_day(text: str) -> date | None:
    """The day that a list names, ISO 8601 or as in mail, in the zone that it names; None for what is none."""
    moment: datetime | None = parse_moment(text)
    if moment is None and text:
        try:
            moment = parsedate_to_datetime(text)
        except ValueError:
            return None
    return moment.date() if moment else None
