"""Fetch the captures of a portal's articles from somebody else's web archive, by its CDX index."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote, urlencode, urlsplit

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.http import Response
from twisted.python.failure import Failure

from newscorpus.addon.counts import PAGES
from newscorpus.addon.fetching.guards import Postponed, fetch_rejection
from newscorpus.addon.options import check_settings
from newscorpus.addon.pages import make_page
from newscorpus.addon.scheduler import scheduler_of
from newscorpus.crawl.addresses import host_and_port, is_loopback
from newscorpus.crawl.archive.read import read_capture
from newscorpus.crawl.archive.values import ArchiveError, Capture
from newscorpus.crawl.cdx import IndexedCapture, count_pages, read_index
from newscorpus.data import ArchiveCapture, Rejected
from newscorpus.discovery.addresses import FetchKind, find_kind, plain_address
from newscorpus.discovery.period import Period
from newscorpus.errors import CrawlError
from newscorpus.portals.portal import Portal
from newscorpus.stored.archives import page_of_capture

from .arguments import check_promises, corpus_settings, named_agent, named_portals, read_period, refuse_unknown

KNOWN = ("portal", "index", "captures", "since", "until", "fresh")
USAGE = (
    "usage: scrapy crawl cdx -a portal=NAME[,NAME] -a index=ADDRESS -a captures=ADDRESS"
    " [-a since=YYYY-MM-DD] [-a until=YYYY-MM-DD] [-a fresh=1]"
)
FILE, STAMP, URL = "{file}", "{time}", "{url}"


@dataclass(frozen=True, slots=True)
class WebArchive:
    """Where somebody else's archive is asked."""

    index: str  # address of its CDX server
    captures: str  # address of a capture: with {file} of a WARC file, else with {time} and {url} of a page as it was

    def request(self, capture: IndexedCapture) -> tuple[str, dict[str, str]]:
        """The address that gives a capture, and the headers that go with it."""
        if FILE not in self.captures:
            return self.captures.replace(STAMP, capture.stamp).replace(URL, capture.url), {}
        last = capture.offset + capture.length - 1
        # Servers of files pay no heed to the query; by it the ledger tells the captures of one file apart.
        place = f"{self.captures.replace(FILE, quote(capture.file))}?bytes={capture.offset}-{last}"
        return place, {"Range": f"bytes={capture.offset}-{last}", "Accept-Encoding": "identity"}

    def name(self, capture: IndexedCapture) -> str:
        """Whose archive it is: the collection of Common Crawl, else the host that gives the capture."""
        return capture.collection or urlsplit(self.captures).hostname or ""


class CdxSpider(Spider):
    """Fetches captures: `scrapy crawl cdx`, with the arguments of `USAGE`; of each article the oldest one.

    Yields a `SourcePage` for every capture, and a `Rejected` for what is none. The pages of the index and the captures
    are requests that the ledger remembers.
    """

    name = "cdx"
    custom_settings = {"NEWSCORPUS_ARCHIVE": False}  # noqa: RUF012 -- Scrapy's own name and type

    def __init__(self, archive: WebArchive, portals: tuple[Portal, ...], period: Period) -> None:
        super().__init__()
        self._archive = archive
        self._portals = portals
        self._period = period
        self.loopback = frozenset(host_and_port(url) for url in (archive.index, archive.captures) if is_loopback(url))

    @classmethod
    def from_crawler(cls, crawler: Crawler, *_args: Any, **kwargs: Any) -> Self:
        """Make the spider of a crawl, and set what depends on its arguments.

        Raises:
            CrawlError: an argument or setting is wrong, or takes away what sites are promised.
            PortalError: a portal file is wrong.
        """
        check_settings(crawler.settings)
        refuse_unknown(kwargs, KNOWN, USAGE)
        archive = _read_archive(kwargs)
        agent = named_agent((archive.index, archive.captures), crawler.settings)
        portals = named_portals(kwargs.get("portal", "").strip())
        settings = corpus_settings(cls.name, kwargs.get("fresh", ""), crawler.settings)
        crawler.settings.update(settings | {"USER_AGENT": agent}, priority="spider")
        check_promises(crawler.settings)
        return super().from_crawler(crawler, archive, portals, read_period(kwargs))

    async def start(self) -> AsyncIterator[Request]:
        """Ask how long the index of each domain is; what is there was captured on the first day asked for, or later."""
        since = {} if self._period == Period(until=self._period.until) else {"from": f"{self._period.since:%Y%m%d}"}
        for domain in (domain for portal in self._portals for domain in portal.domains):
            query = {"url": domain, "matchType": "domain", "output": "json", **since}
            yield self._ask(query | {"showNumPages": "true"}, self.parse_count, {"query": query})

    def parse_count(self, response: Response, query: dict[str, str]) -> Iterator[Request | Rejected]:
        """Ask for every page of the index."""
        try:
            n_pages = count_pages(response.text)
        except ValueError as error:
            yield Rejected("discovery", "broken_index", str(error), response.url)
            return
        yield from (self._ask(query | {"page": str(number)}, self.parse_index) for number in range(n_pages))

    def parse_index(self, response: Response) -> Iterator[Request | Rejected]:
        """Ask for the captures of articles that a page of the index names, each article once."""
        ledger, n_broken = scheduler_of(self.crawler).ledger, 0
        for capture in read_index(response.text):
            if capture is None:
                n_broken += 1
            elif self._is_wanted(capture) and ledger.reserve(plain_address(capture.url), self.name, FetchKind.ARTICLE):
                address, headers = self._archive.request(capture)
                given = {"url": capture.url, "stamp": capture.stamp, "file": capture.file}
                yield Request(address, self.parse_capture, headers=headers, errback=self.failed, cb_kwargs=given)
        self.crawler.stats.inc_value("newscorpus/cdx/passed_over", n_broken)

    async def parse_capture(self, response: Response, url: str, stamp: str, file: str) -> AsyncIterator[Any]:
        """Hand on the page of a capture, with its source and its time."""
        indexed = IndexedCapture(url, stamp, file)
        source = ArchiveCapture(self._archive.name(indexed), indexed.time)
        if not file:
            page = replace(make_page(response), url=url, fetched=indexed.time, capture=source)
            found: Capture | Rejected = Capture(page)
        else:
            found = await asyncio.to_thread(_read_record, response.body, url)
        if isinstance(found, Rejected):
            yield found
            return
        self.crawler.stats.inc_value(PAGES)
        page = replace(found.page, capture=replace(source, time=found.page.fetched or source.time))
        yield page_of_capture(replace(found, page=page), self._portals)

    def failed(self, failure: Failure) -> Iterator[Rejected]:
        """Say why a fetch brought nothing; a request that is postponed stays queued."""
        if not isinstance(failure.value, Postponed):
            yield fetch_rejection(failure.value, failure.request.url)  # type: ignore[attr-defined]

    def _ask(self, query: dict[str, str], callback: Any, given: dict[str, Any] | None = None) -> Request:
        return Request(f"{self._archive.index}?{urlencode(query)}", callback, errback=self.failed, cb_kwargs=given)

    def _is_wanted(self, capture: IndexedCapture) -> bool:
        portal = next((one for one in self._portals if one.covers(capture.url)), None)
        if portal is None or portal.is_ignored(capture.url) or not self._period.may_hold_address(capture.url):
            return False
        has_place = bool(capture.file) == (FILE in self._archive.captures)
        return has_place and find_kind(capture.url, portal) is FetchKind.ARTICLE


def _read_archive(given: Mapping[str, str]) -> WebArchive:
    index, captures = given.get("index", ""), given.get("captures", "")
    if not index or not captures:
        raise CrawlError(f"argument {'captures' if index else 'index'!r} is missing; {USAGE}")
    if FILE not in captures and not (STAMP in captures and URL in captures):
        raise CrawlError(f"argument 'captures' is {captures!r}; expected {FILE}, or {STAMP} and {URL}, in it")
    return WebArchive(index, captures)


def _read_record(body: bytes, url: str) -> Capture | Rejected:
    """The page of a record of a WARC file, as it came."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "record.warc.gz"
        path.write_bytes(body)
        try:
            return read_capture(path, 0)
        except ArchiveError:
            return Rejected("archive", "broken_record", "no record of a page came", url)
