"""Define what feeds and sitemaps hold."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime
from email.utils import parsedate_to_datetime

from newscorpus.data import Evidence, Page, Rejected
from newscorpus.page.fields.dates import parse_moment
from newscorpus.portal.addresses import latest_date
from newscorpus.workers import ByName

BATCH = 100
"""Entries processed at a time, which blocks other work for 10 ms."""

UNKNOWN = date(1970, 1, 1)
"""Placeholder of sites for unknown dates (the Unix epoch); some write earlier dates."""

MAX_BYTES = 52_428_800
"""Longest uncompressed sitemap (sitemaps.org protocol: 50 MB); feeds stay far below."""


@dataclass(frozen=True, slots=True)
class ListingEntry:
    """One entry of a list."""

    url: str  # absolute address
    evidence: tuple[Evidence, ...] = ()  # metadata of the document in the list
    modified: str = ""  # time of the last modification, as written in the list; "" if missing
    headline: int = 0  # hash of the headline, and of a feed's description, in the list; 0 without a headline
    has_own_change: bool = False  # the sitemap does not give most of its entries the same day

    @property
    def published(self) -> date | None:
        """The day of publication in the list, or None."""
        return next((read_day(claim.value) for claim in self.evidence if claim.field == "published"), None)

    @property
    def day(self) -> date | None:
        """The day of publication, else of modification, else in the address."""
        return self.published or read_day(self.modified) or latest_date(self.url)


@dataclass(frozen=True, slots=True)
class Listing:
    """A parsed feed or sitemap."""

    entries: tuple[ListingEntry, ...] = ()  # documents, in order
    children: tuple[ListingEntry, ...] = ()  # further sitemaps
    broken: int = 0  # number of entries without a usable address
    beyond: int = 0  # number of entries beyond the maximum, not read

    def newest_first(self) -> "Listing":
        """Sort by day, latest first, keeping the order within a day; entries without a date come first."""
        entries, children = (
            tuple(sorted(of, key=lambda entry: entry.day or date.max, reverse=True))
            for of in (self.entries, self.children)
        )
        return replace(self, entries=entries, children=children)

    def parts(self) -> Iterator["Listing"]:
        """Split into parts of `BATCH` entries; the first part has no entries, only the counts."""
        yield replace(self, entries=(), children=())
        for at in range(0, len(self.children), BATCH):
            yield Listing(children=self.children[at : at + BATCH])
        for at in range(0, len(self.entries), BATCH):
            yield Listing(self.entries[at : at + BATCH])


def read_day(text: str) -> date | None:
    """Parse a date (ISO 8601 or RFC 5322) as the day in its own time zone; None for anything else."""
    moment: datetime | None = parse_moment(text)
    if moment is None and text:
        try:
            moment = parsedate_to_datetime(text)
        except ValueError:
            return None
    return moment.date() if moment and moment.date() > UNKNOWN else None


read_list: Callable[[str, Page], Listing | Rejected] = ByName("newscorpus.discover.lists:read_list")
read_any: Callable[[Page], Listing | None] = ByName("newscorpus.discover.lists:read_any")
"""Functions for processes that let their workers read lists."""
