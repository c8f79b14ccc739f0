"""Say beforehand how long it takes to fetch the articles of a period, at the pace that a site is asked."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from newscorpus.discovery.listing import Listing
from newscorpus.discovery.period import Period

SUPPOSED_A_DAY = 100
"""Articles of a portal of which nothing is known yet."""

HOURS_A_DAY = 24
MOST_HOURS = 48
"""Above them time is told in days."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Forecast:
    """How long the crawl of a portal will take, for its articles alone; sections and sitemaps come on top."""

    portal: str  # its name
    since: date
    days: int  # of the period
    seconds: float  # from one request to the next
    articles: float  # a day
    is_supposed: bool = True  # nothing is known of the portal yet

    def __str__(self) -> str:
        hours = self.days * self.articles * self.seconds / 3600
        time = f"{hours:,.0f} hours" if hours < MOST_HOURS else f"{hours / HOURS_A_DAY:,.0f} days"
        articles = f"{self.articles:,.0f} articles a day" + (
            ", which is a guess" if self.is_supposed else ", by its feed"
        )
        pace = f"{self.days:,} days since {self.since}, {self.seconds:g} s from one request to the next"
        return f"{self.portal}: {pace}: {articles}, take {time}"


class Forecasts:
    """Logs the forecast of each portal of a crawl when it begins, and once more when a feed tells more.

    Args:
        pauses: seconds from one request to the next, by name of the portal.
        period: the days asked for; nothing is foretold where no first one is named, or it is still to come.
        today: the day of the crawl.
    """

    def __init__(self, pauses: Mapping[str, float], period: Period, today: date) -> None:
        days = (min(period.until, today) - period.since).days + 1
        is_bounded = period.since > date.min and days > 0
        self._known = {
            name: Forecast(name, period.since, days, seconds, SUPPOSED_A_DAY)
            for name, seconds in pauses.items()
            if is_bounded
        }

    def begin(self) -> None:
        """Log what is foretold by the pace alone."""
        for one in self._known.values():
            logger.info("%s", one)

    def learn(self, portal: str, listing: Listing) -> None:
        """Log what the first feed of a portal foretells that names articles of several days."""
        known, articles = self._known.get(portal), articles_a_day(listing)
        if known and known.is_supposed and articles:
            self._known[portal] = replace(known, articles=articles, is_supposed=False)
            logger.info("%s", self._known[portal])


def articles_a_day(listing: Listing) -> float:
    """How many articles a day a feed names; 0 where it names none of two days, each with its day of publication.

    The first day, of which it may name a part, and the last, which is not over, do not count where there are others.
    """
    days = sorted(day for entry in listing.entries if (day := entry.published))
    inner: Sequence[date] = [day for day in days if days[0] < day < days[-1]]
    if inner:
        return len(inner) / ((days[-1] - days[0]).days - 1)
    return len(days) / 2 if days and days[0] < days[-1] else 0.0
