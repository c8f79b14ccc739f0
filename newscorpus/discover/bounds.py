"""Bound a crawl of a portal: what its file leaves open, the days asked for decide."""

from dataclasses import dataclass
from datetime import date
from typing import Self

from newscorpus.discover.period import Period
from newscorpus.portal.portal import PortalLimits

PAGES = 10_000
"""Pages of a crawl that asks for no day; they take some three hours at one a second."""

PAGES_A_DAY = 1_000
"""Pages for each day asked for: the portals of news agencies publish some hundreds of articles a day."""

DEPTH = 8
"""Links one after the other; a section, its pages and an article need three, the rest is slack."""

DEPTH_A_DAY = 100
"""Pages of a section for each day, each of which may be linked from the one before alone: ten articles on each."""

SITEMAPS = 1_000
SITEMAPS_A_DAY = 4
"""Sitemaps that an index or a robots.txt names (an index may name 50,000); some sites make one or more a day."""

BYTES_A_PAGE = 2_000_000
"""Ten times what a page takes."""

DAYS_A_YEAR = 366


@dataclass(frozen=True, slots=True)
class CrawlBounds:
    """How far a crawl of a portal goes, for all that nobody can foresee: a site that makes up pages without end."""

    max_pages: int  # most pages fetched, anew in each revisit
    max_depth: int  # most links followed one after the other from a start page
    max_sitemaps: int  # most sitemaps read because an index or a robots.txt names them
    max_bytes: int  # most bytes of bodies, as they are sent, in one run

    @classmethod
    def fit(cls, limits: PortalLimits, period: Period, today: date) -> Self:
        """Take the limits of a portal's file; those that it does not state fit the days back to `period.since`.

        Days count as whole years, so that a crawl that is repeated each day goes by the same bounds.
        """
        days = _whole_years(period, today) * DAYS_A_YEAR
        pages = PAGES + days * PAGES_A_DAY if limits.max_pages is None else limits.max_pages
        return cls(
            pages,
            DEPTH + days * DEPTH_A_DAY if limits.max_depth is None else limits.max_depth,
            SITEMAPS + days * SITEMAPS_A_DAY,
            max(pages, PAGES) * BYTES_A_PAGE if limits.max_bytes is None else limits.max_bytes,
        )


def _whole_years(period: Period, today: date) -> int:
    """Calendar years from the first day asked for until today; 0 where no first day is named."""
    return 0 if period.since == date.min else max(0, today.year - period.since.year + 1)
