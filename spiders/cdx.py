"""Fetch captures of a portal's articles from a third-party web archive, by a CDX index or a list of files."""

import asyncio
import re
import zlib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from http import HTTPStatus
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote, urlencode, urlsplit

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.http import Response
from twisted.python.failure import Failure

from newscorpus.data import ArchiveCapture, Rejected
from newscorpus.discover.period import Period
from newscorpus.discover.revisits import requeue_failed
from newscorpus.errors import CrawlError
from newscorpus.fetch.options import check_settings
from newscorpus.fetch.plugin import PAGES, REVISITED
from newscorpus.fetch.scheduler import scheduler_of
from newscorpus.fetch.visits import Postponed, fetch_rejection, make_page
from newscorpus.page.source_page import SourcePage
from newscorpus.portal.addresses import FetchKind, find_kind, plain_address
from newscorpus.portal.portal import Portal, archive_page, archive_pages
from newscorpus.store.archive.cdx import MAX_LIST_BYTES, IndexedCapture, count_pages, file_day, read_files, read_index
from newscorpus.store.archive.read import read_block
from newscorpus.store.archive.values import ByteRange, Capture
from newscorpus.store.pages import page_of_capture
from newscorpus.urls import host_and_port, is_loopback

from .arguments import check_promises, corpus_settings, named_agent, named_portals, read_period, refuse_unknown

USAGE = (
    "usage: scrapy crawl cdx -a portal=NAME[,NAME] -a index=ADDRESS|-a list=ADDRESS|FILE -a captures=ADDRESS"
    " [-a since=YYYY-MM-DD] [-a until=YYYY-MM-DD] [-a fresh=1]"
)
FILE, STAMP, URL = "{file}", "{time}", "{url}"

BLOCK_BYTES = 2**24
"""Bytes of a WARC file per request; the longest page accepted has 20 MB, compressed a fifth of that."""

MAX_HELD_BYTES = 2**26
"""Maximum uncompressed bytes of pages taken from a block: four times its length. The rest is requested again."""

LENGTH = re.compile(rb"/(\d+)$")
"""Length of the whole file in `Content-Range`."""


@dataclass(frozen=True, slots=True)
class WebArchive:
    """The addresses of a third-party web archive."""

    captures: str  # address of a capture: a WARC file, with {file}, or an original page, with {time} and {url}
    index: str = ""  # address of its CDX server; "" if `files` is given
    files: str = ""  # address or path of a list of its WARC files, perhaps with {year} and {month}; "" with an index

    @classmethod
    def read(cls, given: Mapping[str, str], period: Period) -> Self:
        """Read the arguments `index`, `list` and `captures`.

        Raises:
            CrawlError: one is missing or wrong.
        """
        archive = cls(*(given.get(name, "") for name in ("captures", "index", "list")))
        if bool(archive.index) == bool(archive.files):
            raise CrawlError(f"one of the arguments 'index' and 'list' is needed; {USAGE}")
        if not archive.captures:
            raise CrawlError(f"argument 'captures' is missing; {USAGE}")
        plays_back = archive.index and STAMP in archive.captures and URL in archive.captures
        if FILE not in archive.captures and not plays_back:
            choice = "" if archive.files else f", or {STAMP} and {URL},"
            raise CrawlError(f"argument 'captures' is {archive.captures!r}; expected {FILE}{choice} in it")
        try:
            is_pattern = "{" in archive.files and bool(archive_page(archive.files, date.max))
        except ValueError as error:
            raise CrawlError(f"argument 'list': {error}") from error
        if is_pattern and period.since == date.min:
            raise CrawlError("argument 'list' has {year} in it; name the first day by -a since=YYYY-MM-DD")
        if missing := [name for name in archive.lists(period) if "://" not in name and not Path(name).is_file()]:
            raise CrawlError(f"argument 'list': {missing[0]}: no such file")
        return archive

    @property
    def addresses(self) -> tuple[str, ...]:
        """The addresses in the arguments."""
        return tuple(url for url in (self.index, self.files, self.captures) if "://" in url)

    @property
    def loopback(self) -> frozenset[str]:
        """`host:port` of the addresses on localhost."""
        return frozenset(host_and_port(url) for url in self.addresses if is_loopback(url))

    def lists(self, period: Period) -> Iterator[str]:
        """Return the lists of files captured in a period: one, or one for each month or year, latest first."""
        if "{" not in self.files:
            return iter([self.files] if self.files else [])
        last = min(period.until, datetime.now(UTC).date())
        return archive_pages(self.files, period.since - timedelta(days=1), last)

    def request(self, capture: IndexedCapture) -> tuple[str, dict[str, str]]:
        """Return the address and the headers of the request for a capture."""
        if FILE not in self.captures:
            return self.captures.replace(STAMP, capture.stamp).replace(URL, capture.url), {}
        last = capture.offset + capture.length - 1
        # File servers ignore the query; the ledger distinguishes the captures of one file by it.
        place = f"{self.captures.replace(FILE, quote(capture.file))}?bytes={capture.offset}-{last}"
        return place, {"Range": f"bytes={capture.offset}-{last}", "Accept-Encoding": "identity"}

    def name(self, capture: IndexedCapture) -> str:
        """Return the name of the archive: the Common Crawl collection, or else the host of the captures."""
        return capture.collection or urlsplit(self.captures).hostname or ""


class CdxSpider(Spider):
    """Fetches captures: `scrapy crawl cdx`, with the arguments of `USAGE`.

    An index gives the oldest capture of each article; a list of files is read block by block for all pages of the
    portals. Yields a `SourcePage` for every capture, and a `Rejected` for every failure. Requests for index pages,
    captures and blocks are stored in the ledger.
    """

    name = "cdx"
    custom_settings = {"NEWSCORPUS_ARCHIVE": False}  # noqa: RUF012 -- Scrapy's own name and type

    def __init__(self, archive: WebArchive, portals: tuple[Portal, ...], period: Period) -> None:
        super().__init__()
        self._archive = archive
        self._portals = portals
        self._period = period
        self.loopback = archive.loopback

    @classmethod
    def from_crawler(cls, crawler: Crawler, *_args: Any, **kwargs: Any) -> Self:
        """Make the spider of a crawl, and derive settings from its arguments.

        Raises:
            CrawlError: an argument or setting is wrong, or breaks the politeness promised to sites.
            PortalError: a portal file is wrong.
        """
        check_settings(crawler.settings)
        refuse_unknown(kwargs, USAGE)
        period = read_period(kwargs)
        archive = WebArchive.read(kwargs, period)
        agent = named_agent(archive.addresses, crawler.settings)
        portals = named_portals(kwargs.get("portal", "").strip())
        settings = corpus_settings(cls.name, kwargs.get("fresh", ""), crawler.settings)
        crawler.settings.update(settings | {"USER_AGENT": agent}, priority="spider")
        check_promises(crawler.settings)
        return super().from_crawler(crawler, archive, portals, period)

    async def start(self) -> AsyncIterator[Request | Rejected]:
        """Request the lists of files, or the length of each domain's index; retry earlier failures.

        An index is queried for captures from the first day of the period on.
        """
        self.crawler.stats.inc_value(REVISITED, requeue_failed(scheduler_of(self.crawler).ledger, (self.name,)))
        for name in self._archive.lists(self._period):
            if "://" in name:
                yield Request(name, self.parse_list, errback=self.failed, meta={"download_maxsize": MAX_LIST_BYTES})
            else:
                for request in self._first_blocks(await asyncio.to_thread(Path(name).read_bytes), name):
                    yield request
        if self._archive.files:
            return
        since = {} if self._period == Period(until=self._period.until) else {"from": f"{self._period.since:%Y%m%d}"}
        for domain in (domain for portal in self._portals for domain in portal.domains):
            query = {"url": domain, "matchType": "domain", "output": "json", **since}
            yield self._query(query | {"showNumPages": "true"}, self.parse_count, {"query": query})

    def parse_count(self, response: Response, query: dict[str, str]) -> Iterator[Request | Rejected]:
        """Request every page of the index."""
        try:
            n_pages = count_pages(response.text)
        except ValueError as error:
            yield Rejected("discovery", "broken_index", str(error), response.url)
            return
        yield from (self._query(query | {"page": str(number)}, self.parse_index) for number in range(n_pages))

    def parse_index(self, response: Response) -> Iterator[Request | Rejected]:
        """Request the captures of articles on a page of the index, each article once."""
        ledger, n_broken = scheduler_of(self.crawler).ledger, 0
        for capture in read_index(response.text):
            if capture is None:
                n_broken += 1
                continue
            portal = self._portal_of(capture.url)
            has_place = bool(capture.file) or FILE not in self._archive.captures
            is_article = portal and has_place and find_kind(capture.url, portal) is FetchKind.ARTICLE
            if is_article and ledger.reserve(plain_address(capture.url), self.name, FetchKind.ARTICLE):
                address, headers = self._archive.request(capture)
                given = {
                    "url": capture.url,
                    "stamp": capture.stamp,
                    "file": capture.file if FILE in self._archive.captures else "",
                }
                yield Request(address, self.parse_capture, headers=headers, errback=self.failed, cb_kwargs=given)
        self.crawler.stats.inc_value("newscorpus/cdx/passed_over", n_broken)

    def parse_list(self, response: Response) -> Iterator[Request | Rejected]:
        """Request the files in a list."""
        yield from self._first_blocks(response.body, response.url)

    async def parse_block(self, response: Response, file: str, offset: int) -> AsyncIterator[Any]:
        """Yield the pages of the portals in a block of a WARC file, and request the next block."""
        if response.status != HTTPStatus.PARTIAL_CONTENT:
            yield _no_ranges(response, response.url)
            return
        length = LENGTH.search(response.headers.get("Content-Range") or b"")
        end = offset + len(response.body)
        block = ByteRange(file, offset, len(response.body))
        is_last = end >= int(length[1]) if length else len(response.body) < BLOCK_BYTES
        part, following = await asyncio.to_thread(_read_part, response.body, block, self._portal_of, is_last=is_last)
        for found in part:
            yield found if isinstance(found, Rejected) else self._page(found, IndexedCapture("", "", file))
        if following:
            yield self._block(file, following)

    async def parse_capture(self, response: Response, url: str, stamp: str, file: str) -> AsyncIterator[Any]:
        """Yield the page of a capture, with its source and time."""
        indexed = IndexedCapture(url, stamp, file)
        if not file:
            found: Capture | Rejected = Capture(
                replace(make_page(response), url=url, fetched=indexed.time, evidence=())
            )
        elif response.status != HTTPStatus.PARTIAL_CONTENT:
            found = _no_ranges(response, url)
        else:
            records = read_block(response.body, ByteRange(file, 0, len(response.body)), is_last=True)
            missing = Rejected("archive", "broken_record", "no record of a page came", url)
            _, found = await asyncio.to_thread(next, records, (0, missing))
            found = replace(found, url=url) if isinstance(found, Rejected) else found
        yield found if isinstance(found, Rejected) else self._page(found, indexed)

    def failed(self, failure: Failure) -> Iterator[Rejected]:
        """Reject a failed fetch; a postponed request stays queued."""
        if not isinstance(failure.value, Postponed):
            yield fetch_rejection(failure.value, failure.request.url)  # type: ignore[attr-defined]

    def _query(self, query: dict[str, str], callback: Any, given: dict[str, Any] | None = None) -> Request:
        return Request(f"{self._archive.index}?{urlencode(query)}", callback, errback=self.failed, cb_kwargs=given)

    def _first_blocks(self, listed: bytes, url: str) -> Iterator[Request | Rejected]:
        """Request the first block of each file in a list that may have captures of the period.

        A file begins at the time in its name, and holds captures of some hours.
        """
        try:
            days = {file: file_day(file) for file in read_files(listed)}
        except zlib.error as error:
            yield Rejected("discovery", "broken_index", str(error), url)
            return
        for file, day in days.items():
            if day is None or self._period.meets(day, day + timedelta(days=1)):
                yield self._block(file, 0)

    def _block(self, file: str, offset: int) -> Request:
        """Request a block of a file; files already begun come first."""
        address, headers = self._archive.request(IndexedCapture("", "", file, offset, BLOCK_BYTES))
        given = {"file": file, "offset": offset}
        return Request(
            address, self.parse_block, headers=headers, errback=self.failed, cb_kwargs=given, priority=min(offset, 1)
        )

    def _page(self, found: Capture, indexed: IndexedCapture) -> SourcePage:
        """Make a page with its source and time."""
        self.crawler.stats.inc_value(PAGES)
        source = ArchiveCapture(self._archive.name(indexed), found.page.fetched or indexed.time)
        return page_of_capture(replace(found, page=replace(found.page, capture=source)), self._portals)

    def _portal_of(self, url: str) -> Portal | None:
        """Return the portal that covers an address; None if it ignores it or the period excludes it."""
        portal = next((one for one in self._portals if one.covers(url)), None)
        wanted = portal and not portal.is_ignored(url) and self._period.may_hold_address(url)
        return portal if wanted else None


def _no_ranges(response: Response, url: str) -> Rejected:
    return Rejected("fetch", f"http_{response.status}", "the server gives no parts of files", url)


def _read_part(
    body: bytes, block: ByteRange, portal_of: Callable[[str], Portal | None], *, is_last: bool
) -> tuple[list[Capture | Rejected], int]:
    """Return the wanted pages of a block, and the offset of the next block; 0 at the end of the file."""
    part: list[Capture | Rejected] = []
    n_held, following = 0, block.offset
    for after, found in read_block(body, block, is_last=is_last):
        if n_held > MAX_HELD_BYTES:
            return part, following
        following = after
        if isinstance(found, Capture) and portal_of(found.page.url):
            n_held += len(found.page.body)
            part.append(found)
        elif isinstance(found, Rejected) and (found.reason == "broken_record" or portal_of(found.url)):
            part.append(found)
    if is_last:
        return part, 0
    return part, following if following > block.offset else block.offset + len(body)
