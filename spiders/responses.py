"""Judge what came back: why a fetch failed, whether an answer is news, and which pages follow the first one."""

import time
from collections.abc import Awaitable, Callable
from functools import partial
from http import HTTPStatus

from scrapy import Request
from scrapy.http import Response
from scrapy.statscollectors import StatsCollector

from newscorpus.config import Limits, RevisitConfig
from newscorpus.data import Page, Rejected
from newscorpus.discover.period import ALWAYS, Period
from newscorpus.discover.reading import ReadPage, read_and_judge
from newscorpus.fetch.counts import UNCHANGED
from newscorpus.fetch.middlewares.guards import FAILURES, Postponed, fetch_rejection
from newscorpus.fetch.pages import make_page
from newscorpus.fetch.visits import current_visit
from newscorpus.page.links import MAX_PARTS, PageReading, continues, next_part, read_page
from newscorpus.page.recipe import Recipe
from newscorpus.page.source_page import SourcePage
from newscorpus.page.walls import NEEDS_SCRIPT
from newscorpus.portal.portal import Portal
from newscorpus.store.ledger import Ledger
from newscorpus.store.ledger.revisits import next_interval

from .requests import part_request


def asked_address(response: Response) -> str:
    """The address that was asked for first, before redirects."""
    return str(response.meta.get("redirect_urls", [response.url])[0])


def depth_of(response: Response) -> int:
    """Links followed to get there."""
    return int(response.meta.get("depth", 0))


class RevisitClock:
    """Notes for each answer whether it brought anything new, and sets the time of the next visit by that."""

    def __init__(self, ledger: Ledger, stats: StatsCollector, config: RevisitConfig) -> None:
        self._ledger = ledger
        self._stats = stats
        self._config = config

    def is_unchanged(self, response: Response, *, is_article: bool = False) -> bool:
        """Whether the site says that nothing changed, or sent an article with the same bytes as last time."""
        visit = current_visit()
        if visit is None or not visit.serial or visit.from_archive:
            return False
        last = self._ledger.revisits.last(visit.url) if is_article else None
        is_same = last is not None and last.status == HTTPStatus.OK and last.signature == visit.signature
        visit.unchanged = response.status == HTTPStatus.NOT_MODIFIED or is_same
        if visit.unchanged:
            self._stats.inc_value(UNCHANGED)
            if not is_article:
                self.set_next(changed=False)
        return visit.unchanged

    def set_next(self, *, changed: bool, depth: int = 0) -> None:
        """Set the time of the next visit, by whether this one brought anything new."""
        visit = current_visit()
        if visit and not visit.from_archive:
            last = self._ledger.revisits.last(visit.url)
            interval = next_interval(last.interval if last else 0.0, changed=changed, depth=depth, config=self._config)
            self._ledger.revisits.schedule(visit.url, time.time(), interval)


Download = Callable[[Request], Awaitable[Response]]
Read = Callable[[str, Callable[[], PageReading]], Awaitable[PageReading | Rejected]]
ReadOrReject = Callable[[str, Callable[[], ReadPage], str], Awaitable[ReadPage | Rejected]]


async def read_fetched(
    read: ReadOrReject, recipe: Recipe | None, given: SourcePage, period: Period
) -> tuple[ReadPage, Rejected | None]:
    """Read a page and judge it; one that cannot be judged is read once more, for its links alone.

    Args:
        read: as `PageWorkers.read`.
        recipe: as for `read_and_judge`, like the next two.
        given: the page.
        period: the days of articles.

    Returns:
        What was read, which may be nothing, and the wall that stands in place of the page, or why no process came to
        an end with it. A wall's own links lead to nothing of the site's.
    """
    stage = "extract" if recipe else "discovery"
    found = await read(given.page.url, partial(read_and_judge, recipe, given, period), stage)
    if not isinstance(found, Rejected):
        is_closed = found.wall is not None and found.wall.reason != NEEDS_SCRIPT
        return (ReadPage(PageReading()) if is_closed else found), found.wall
    again = await read(given.page.url, partial(read_and_judge, None, given, ALWAYS), "discovery") if recipe else found
    return ReadPage(PageReading()) if isinstance(again, Rejected) else again, found


async def fetch_parts(
    download: Download,
    read: Read,
    portal: Portal,
    first: Page,
    reading: PageReading,
    max_bytes: int = Limits().max_bytes,
) -> tuple[tuple[Page, ...], Rejected | None]:
    """Fetch the pages that follow the first one of an article; say why there are no more where a link promised one.

    Args:
        download: fetches now.
        read: calls what reads the page of an address, or says why it could not.
        portal: of the article.
        first: its first page.
        reading: of that page.
        max_bytes: of all pages together: a text that is joined is as long as one page may be.

    Raises:
        Postponed: the site is not asked any more in this run.
    """
    parts: list[Page] = []
    beginning, seen = reading, {(reading.signature, reading.letters)}
    while len(parts) + 1 < MAX_PARTS and (url := next_part(first.url, len(parts) + 2, reading.part_links)):
        try:
            response = await download(part_request(portal, url))
        except Postponed:
            raise
        except FAILURES as error:
            return tuple(parts), fetch_rejection(error, url)
        if response.status != HTTPStatus.OK:
            return tuple(parts), Rejected("fetch", f"http_{response.status}", f"page of {first.url}", url)
        part = make_page(response)
        found = await read(url, partial(read_page, part))
        if isinstance(found, Rejected):
            return tuple(parts), found
        reading = found
        if not continues(beginning, reading, first.url):
            break
        if (reading.signature, reading.letters) in seen or not reading.signature:
            return tuple(parts), Rejected("discovery", "same_content", f"as a page before it, of {first.url}", url)
        if sum(len(page.body) for page in (first, *parts, part)) > max_bytes:
            return tuple(parts), Rejected("fetch", "too_large", f"with the pages before it, of {first.url}", url)
        seen.add((reading.signature, reading.letters))
        parts.append(part)
    return tuple(parts), None
