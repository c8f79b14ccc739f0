"""A newspaper with a long past on loopback: `python past.py ARTICLES DAYS WAY [--calendar]`.

Prints its address as a JSON list, and serves until it is killed; `/_log` and `/_count` as in `newspapers`. Its articles
are found in one way alone: by the pages of a section, each linked from the one before (`sections`), by the days of an
archive, each linked from the day after (`days`), or by an index of sitemaps (`sitemaps`); or by such pages and days
that begin with the oldest, each of which names the following one alone (`sections-forward`, `days-forward`). Beside
them may lie a calendar that has no beginning.
"""

import asyncio
import sys
from datetime import UTC, date, datetime, timedelta

from newspapers import PAGE_LENGTH, Answer, Newspaper, _links, _page, full, serve

XML = "application/xml"
DATED = '<script type="application/ld+json">{{"@type": "NewsArticle", "datePublished": "{day}"}}</script>'


class PastNewspaper(Newspaper):  # type: ignore[misc]
    """One host, whose articles lie evenly over the days up to today; number 0 is the newest."""

    def __init__(self, articles: int, days: int, way: str, *, has_calendar: bool) -> None:
        super().__init__(0, articles, full)
        self._days = days
        self._way, _, self._direction = way.partition("-")
        self._has_calendar = has_calendar
        self._today = datetime.now(UTC).date()

    def answer(self, path: str) -> Answer:
        """Status, content type and body."""
        kind, _, rest = path.strip("/").partition("/")
        if path == "/":
            first = self._today - timedelta(days=self._days - 1 if self._direction else 0)
            ways = {"sections": "/news/?page=1", "days": f"/archive/{first:%Y/%m/%d}/"}
            calendar = "/calendar/0/" if self._has_calendar else None
            return _page(_links(filter(None, (ways.get(self._way), calendar))))
        if kind.startswith("story-of-the-day-"):
            number = int(kind.removeprefix("story-of-the-day-").removesuffix(".html"))
            return _page(self._write(0, number, DATED.format(day=self._day_of(number)), ""))
        if kind == "news" and self._way == "sections":
            return self._section(int(rest.removeprefix("?page=")))
        if kind == "archive" and self._way == "days":
            return self._archive(date(*map(int, rest.split("/"))))
        if kind == "calendar":  # so many months back, and the days of each
            month, _, day = rest.partition("/")
            days = (f"/calendar/{month}/{number}/" for number in range(1, 29))
            return _page(_links([] if day else [f"/calendar/{int(month) + 1}/", *days]))
        return self._sitemap(path) if self._way == "sitemaps" else (404, "text/html", b"gone")

    def _section(self, page: int) -> Answer:
        places = range((page - 1) * PAGE_LENGTH, min(page * PAGE_LENGTH, self._articles))
        stories = [self._articles - 1 - place if self._direction else place for place in places]
        following = [f"/news/?page={page + 1}"] if page * PAGE_LENGTH < self._articles else []
        return _page(_links([*map(_story, stories), *following]))

    def _archive(self, day: date) -> Answer:
        stories = map(_story, self._of_days(day, day))
        other = day + timedelta(days=1 if self._direction else -1)
        return _page(_links([*stories, *([f"/archive/{other:%Y/%m/%d}/"] if other <= self._today else [])]))

    def _sitemap(self, path: str) -> Answer:
        if path == "/robots.txt":
            return 200, "text/plain", f"User-agent: *\nAllow: /\nSitemap: {self.base}/index.xml\n".encode()
        if path == "/index.xml":
            months = sorted({f"{self._today - timedelta(days=back):%Y-%m}" for back in range(self._days)})
            places = "".join(f"<sitemap><loc>{self.base}/sitemap-{month}.xml</loc></sitemap>" for month in months)
            return 200, XML, f"<sitemapindex>{places}</sitemapindex>".encode()
        if path.startswith("/sitemap-"):
            first = date.fromisoformat(f"{path.removeprefix('/sitemap-').removesuffix('.xml')}-01")
            last = (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)
            places = "".join(
                f"<url><loc>{self.base}{_story(story)}</loc></url>" for story in self._of_days(first, last)
            )
            return 200, XML, f"<urlset>{places}</urlset>".encode()
        return 404, "text/html", b"gone"

    def _day_of(self, story: int) -> date:
        return self._today - timedelta(days=story * self._days // self._articles)

    def _of_days(self, first: date, last: date) -> range:
        """The articles of some days, the newest first."""
        begin, end = ((self._today - last).days, (self._today - first).days + 1)
        return range(*(min(max(-(-back * self._articles // self._days), 0), self._articles) for back in (begin, end)))


def _story(number: int) -> str:
    return f"/story-of-the-day-{number:06}.html"


if __name__ == "__main__":
    articles, days, way, *options = sys.argv[1:]
    asyncio.run(serve([PastNewspaper(int(articles), int(days), way, has_calendar="--calendar" in options)]))
