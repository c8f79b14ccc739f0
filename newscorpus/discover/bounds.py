"""Bound a crawl of a portal by its file, or else by the period."""

from dataclasses import dataclass
from datetime import date
from typing import Self

from newscorpus.discover.period import Period
from newscorpus.portal.portal import PortalLimits

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
        days = _whole_years(period, today) * DAYS_A_YEAR
        pages = PAGES + days * PAGES_A_DAY if limits.max_pages is None else limits.max_pages
        return cls(
            pages,
            DEPTH + days * DEPTH_A_DAY if limits.max_depth is None else limits.max_depth,
            SITEMAPS + days * SITEMAPS_A_DAY,
            max(pages, PAGES) * BYTES_A_PAGE if limits.max_bytes is None else limits.max_bytes,
        )


def _whole_years(period: Period, today: date) -> int:
    """Return the calendar years from `since` until today; 0 without `since`."""
    return 0 if period.since == date.min else max(0, today.year - period.since.year + 1)
