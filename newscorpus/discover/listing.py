"""Hold what a feed or a sitemap names, the newest first."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime
from email.utils import parsedate_to_datetime

from newscorpus.data import Evidence
from newscorpus.page.fields.dates import parse_moment
from newscorpus.portal.addresses import latest_date

BATCH = 100
"""Entries worked on at a time, which takes 10 ms: other work waits that long."""

UNKNOWN = date(1970, 1, 1)
"""What sites write where they know no day, as their clocks begin here; some write earlier ones."""


@dataclass(frozen=True, slots=True)
class ListingEntry:
    """One document that a list names."""

    url: str  # absolute address
    evidence: tuple[Evidence, ...] = ()  # what the list says of the document
    modified: str = ""  # when the list says it changed, as written; "" where it does not say
    headline: int = 0  # hash of the headline, and of a feed's description, that the list shows; 0 where it shows none

    @property
    def published(self) -> date | None:
        """The day of publication, as the list says; None where it does not."""
        return next((read_day(claim.value) for claim in self.evidence if claim.field == "published"), None)

    @property
    def day(self) -> date | None:
        """The latest day that is known of the document: when it was published, when it changed, or of its address."""
        return self.published or read_day(self.modified) or latest_date(self.url)


@dataclass(frozen=True, slots=True)
class Listing:
    """A feed or sitemap, read."""

    entries: tuple[ListingEntry, ...] = ()  # the documents named, in order
    children: tuple[ListingEntry, ...] = ()  # further sitemaps
    broken: int = 0  # number of entries without a usable address
    beyond: int = 0  # number of entries that were not read, since there are too many

    def newest_first(self) -> "Listing":
        """The same in the order of days, of each the given one; first what names none."""
        return replace(self, entries=_by_day(self.entries), children=_by_day(self.children))

    def parts(self) -> Iterator["Listing"]:
        """The same in parts of `BATCH` entries, at least one."""
        yield replace(self, entries=(), children=())
        for at in range(0, len(self.children), BATCH):
            yield Listing(children=self.children[at : at + BATCH])
        for at in range(0, len(self.entries), BATCH):
            yield Listing(self.entries[at : at + BATCH])


def _by_day(entries: tuple[ListingEntry, ...]) -> tuple[ListingEntry, ...]:
    return tuple(sorted(entries, key=lambda entry: entry.day or date.max, reverse=True))


def read_day(text: str) -> date | None:
    """Read a date, ISO 8601 or as in mail headers, as the day in the zone it names; None for anything else."""
    moment: datetime | None = parse_moment(text)
    if moment is None and text:
        try:
            moment = parsedate_to_datetime(text)
        except ValueError:
            return None
    return moment.date() if moment and moment.date() > UNKNOWN else None
