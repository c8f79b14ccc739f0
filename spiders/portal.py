"""The spider of the portals: it finds pages and hands them on."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Self

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.http import HtmlResponse, Response
from twisted.python.failure import Failure

from newscorpus.addon.counts import PAGES
from newscorpus.addon.items import FetchedPage
from newscorpus.addon.options import check_settings
from newscorpus.addon.refused import Postponed
from newscorpus.addon.scheduler import ledger_of
from newscorpus.addon.visits import current_visit
from newscorpus.crawl.ledger import Ledger
from newscorpus.data import Evidence, Page, Rejected
from newscorpus.portals.schema import Portal
from newscorpus.urls import document_address

from .arguments import Arguments, read_arguments
from .failures import fetch_rejection
from .frontier import Frontier, Target
from .judge import Kind, judge
from .links import PageLinks, read_links
from .listing import Form, Listing
from .lists import read_list
from .pages import make_page
from .requests import first_address, list_request, page_request, read_evidence
from .surroundings import loopback_hosts, portal_manners, portal_settings

Output = FetchedPage | Rejected | Request

MAX_SITEMAPS = 1_000
"""Most sitemaps of a portal that are read because an index names them; one may name 50,000."""


class PortalSpider(Spider):
    """Crawls portals: `scrapy crawl portal -a portal=NAME[,NAME]|all [-a limit=N] [-a base=URL] [-a urls=FILE]`.

    Yields a `FetchedPage` for every article found and a `Rejected` for every address that was refused or failed.

    Args:
        arguments: what was asked for.
    """

    name = "portal"

    def __init__(self, arguments: Arguments) -> None:
        super().__init__()
        self.arguments = arguments
        self.portal_names = tuple(portal.name for portal in arguments.portals)
        self.loopback = loopback_hosts(arguments.portals)
        self.manners = portal_manners(arguments.portals)
        self._portals = {portal.name: portal for portal in arguments.portals}

    @classmethod
    def from_crawler(cls, crawler: Crawler, *_args: Any, **kwargs: Any) -> Self:
        """Make the spider of a crawl, and set what depends on its portals.

        Raises:
            CrawlError: an argument or setting is wrong.
            PortalError: a portal file is wrong.
        """
        check_settings(crawler.settings)
        arguments = read_arguments(kwargs)
        for name, value in portal_settings(arguments, crawler.settings).items():
            crawler.settings.set(name, value, priority="spider")
        return super().from_crawler(crawler, arguments)

    @cached_property
    def _ledger(self) -> Ledger:
        return ledger_of(self.crawler)

    @cached_property
    def _frontiers(self) -> dict[str, Frontier]:
        today = datetime.now(UTC).date()
        return {name: Frontier(portal, today, self._ledger, self.loopback) for name, portal in self._portals.items()}

    async def start(self) -> AsyncIterator[Output]:
        """Begin with the addresses listed; without any, with feeds, sitemaps and start pages of every portal.

        What was asked for before, in this run or in one that was broken off, is not asked for again.
        """
        if self._is_enough():
            raise CloseSpider("limit")
        for output in self._listed() if self.arguments.urls else self._beginnings():
            yield output

    async def parse_list(self, response: Response, source: str, form: Form) -> AsyncIterator[Output]:
        """Ask for what a feed or a sitemap names."""
        listing = await asyncio.to_thread(read_list, form, response.body, response.url)
        if isinstance(listing, Rejected):
            yield listing
            return
        for output in self._follow_list(response, self._portals[source], listing):
            yield output

    async def parse_page(
        self, response: Response, source: str, kind: str, evidence: list[dict[str, str]]
    ) -> AsyncIterator[Output]:
        """Hand on an article, and ask for what the page links to."""
        visit = current_visit()
        if self._is_enough():
            if visit:
                visit.postpone()
            return
        if not isinstance(response, HtmlResponse):
            yield Rejected("fetch", "not_html", f"content type {response.headers.get('Content-Type')!r}", response.url)
            return
        portal = self._portals[source]
        page = make_page(response, read_evidence(evidence) + _stated_by(portal))
        links = await asyncio.to_thread(read_links, page)
        if kind == Kind.ARTICLE and not self._is_enough():
            yield self._article(response, portal, page, links, visit.serial if visit else 0)
        for url in () if self.arguments.urls else links.links:
            for output in self._ask(portal, url, _depth(response) + 1):
                yield output
        if self._is_enough():
            raise CloseSpider("limit")

    def has_met(self, url: str, asked: str) -> bool:
        """Whether the document at `url` was met already, otherwise than by a redirect from `asked`."""
        return self._ledger.knows(url, asked)

    def failed(self, failure: Failure) -> Iterator[Rejected]:
        """Say why a fetch brought nothing; a request that is postponed stays queued."""
        if isinstance(failure.value, Postponed):
            return
        request: Request = failure.request  # type: ignore[attr-defined]
        yield fetch_rejection(failure.value, first_address(request))

    def _article(
        self, response: Response, portal: Portal, page: Page, links: PageLinks, serial: int
    ) -> FetchedPage | Rejected:
        """The article, unless its document was handed on before or its address led to something else."""
        redirected = "redirect_urls" in response.meta
        if redirected and not self.arguments.urls and judge(page.url, portal) is not Kind.ARTICLE:
            return Rejected("discovery", "no_article", f"redirected to {page.url}", response.meta["redirect_urls"][0])
        if not self._ledger.claim(document_address(page.url, links.canonical), serial):
            return Rejected("discovery", "duplicate_address", f"of {links.canonical or page.url}", page.url)
        self.crawler.stats.inc_value(PAGES)
        return FetchedPage(page, portal.name, portal.languages, portal.template)

    def _is_enough(self) -> bool:
        return 0 < self.arguments.limit <= self._ledger.documents()

    def _listed(self) -> Iterator[Output]:
        """The addresses of the list, each of the first portal that covers it."""
        for url in self.arguments.urls:
            portal = next((portal for portal in self.arguments.portals if portal.covers(url)), None)
            if portal is None:
                yield Rejected("discovery", "offsite", "no portal of this crawl covers it", url)
            else:
                yield from self._ask(portal, url, 0, Kind.ARTICLE)

    def _beginnings(self) -> Iterator[Output]:
        for portal in self.arguments.portals:
            for form, urls in ((Form.FEED, portal.feeds), (Form.SITEMAP, portal.sitemaps)):
                yield from (list_request(portal, url, form, self.parse_list, self.failed) for url in urls)
            for url in portal.start:
                yield from self._ask(portal, url, 0, Kind.SECTION)

    def _follow_list(self, response: Response, portal: Portal, listing: Listing) -> Iterator[Output]:
        if listing.broken:
            yield Rejected("discovery", "broken_entry", f"{listing.broken} without an address", response.url)
        yield from (self._sitemap(portal, url) for url in listing.children)
        for entry in listing.entries:
            # What a feed or a news sitemap describes is an article, unless the portal knows its own by the address.
            kind = Kind.ARTICLE if entry.evidence and not portal.articles else None
            yield from self._ask(portal, entry.url, _depth(response) + 1, kind, entry.evidence)

    def _sitemap(self, portal: Portal, url: str) -> Request | Rejected:
        """The request for a sitemap that an index names."""
        if not portal.covers(url):
            return Rejected("discovery", "offsite", "sitemap of another site", url)
        if self._ledger.counted("sitemaps", portal.name) >= MAX_SITEMAPS:
            return Rejected("discovery", "too_many_sitemaps", f"more than {MAX_SITEMAPS}", url)
        self._ledger.count(portal.name, "sitemaps")
        return list_request(portal, url, Form.SITEMAP, self.parse_list, self.failed)

    def _ask(
        self, portal: Portal, url: str, depth: int, kind: Kind | None = None, evidence: tuple[Evidence, ...] = ()
    ) -> Iterator[Request | Rejected]:
        """The request for an address, or its refusal; nothing for one that was met before or lies elsewhere."""
        outcome = self._frontiers[portal.name].admit(url, depth, kind)
        if isinstance(outcome, Target):
            yield page_request(
                portal,
                outcome.url,
                outcome.kind,
                depth=depth,
                evidence=evidence,
                callback=self.parse_page,
                errback=self.failed,
            )
        elif outcome is not None:
            yield outcome


def _stated_by(portal: Portal) -> tuple[Evidence, ...]:
    """What the portal file says of each of its documents: the language, if it has but one."""
    return (Evidence("language", portal.languages[0], "portal"),) if len(portal.languages) == 1 else ()


def _depth(response: Response) -> int:
    depth: int = response.meta.get("depth", 0)
    return depth
