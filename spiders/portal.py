"""The spider of the portals: it finds pages and hands them on."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from typing import Any, Self

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.http import HtmlResponse, Response
from twisted.python.failure import Failure

from newscorpus.addon.counts import PAGES
from newscorpus.addon.items import FetchedPage
from newscorpus.addon.options import check_settings
from newscorpus.data import Evidence, Page, Rejected
from newscorpus.portals.schema import Portal

from .arguments import Arguments, read_arguments
from .failures import fetch_rejection
from .frontier import Frontier, Target
from .judge import Kind, judge
from .links import PageLinks, read_links
from .listing import Form, Listing
from .lists import read_list
from .pages import document_of, make_page
from .requests import first_address, list_request, page_request
from .surroundings import loopback_hosts, portal_manners, portal_settings

Output = FetchedPage | Rejected | Request

MAX_SITEMAPS = 1_000
"""Most sitemaps read in a crawl for each portal; an index may name 50,000."""


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
        today = datetime.now(UTC).date()
        self._frontiers = {portal.name: Frontier(portal, today, self.loopback) for portal in arguments.portals}
        self._documents: set[str] = set()
        self._sitemaps_left = MAX_SITEMAPS * len(arguments.portals)

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

    async def start(self) -> AsyncIterator[Output]:
        """Begin with the addresses listed; without any, with feeds, sitemaps and start pages of every portal."""
        for output in self._listed() if self.arguments.urls else self._beginnings():
            yield output

    async def parse_list(self, response: Response, source: str, form: Form) -> AsyncIterator[Output]:
        """Ask for what a feed or a sitemap names."""
        listing = await asyncio.to_thread(read_list, form, response.body, response.url)
        if isinstance(listing, Rejected):
            yield listing
            return
        for output in self._follow_list(response, self._frontiers[source].portal, listing):
            yield output

    async def parse_page(
        self, response: Response, source: str, kind: Kind, evidence: tuple[Evidence, ...]
    ) -> AsyncIterator[Output]:
        """Hand on an article, and ask for what the page links to."""
        if self._is_enough():
            return
        if not isinstance(response, HtmlResponse):
            yield Rejected("fetch", "not_html", f"content type {response.headers.get('Content-Type')!r}", response.url)
            return
        portal = self._frontiers[source].portal
        page = make_page(response, evidence + _stated_by(portal))
        links = await asyncio.to_thread(read_links, page)
        if kind is Kind.ARTICLE and not self._is_enough():
            yield self._article(response, portal, page, links)
        if self._is_enough():
            raise CloseSpider("limit")
        for url in () if self.arguments.urls else links.links:
            for output in self._ask(portal, url, _depth(response) + 1):
                yield output

    def has_met(self, url: str) -> bool:
        """Whether a portal has met the document at `url` already."""
        return any(frontier.has_met(url) for frontier in self._frontiers.values())

    def failed(self, failure: Failure) -> Iterator[Rejected]:
        """Say why a fetch brought nothing."""
        request: Request = failure.request  # type: ignore[attr-defined]
        yield fetch_rejection(failure.value, first_address(request))

    def _article(self, response: Response, portal: Portal, page: Page, links: PageLinks) -> FetchedPage | Rejected:
        """The article, unless its document was handed on before or its address led to something else."""
        redirected = "redirect_urls" in response.meta
        if redirected and not self.arguments.urls and judge(page.url, portal) is not Kind.ARTICLE:
            return Rejected("discovery", "no_article", f"redirected to {page.url}", response.meta["redirect_urls"][0])
        document = document_of(page.url, links.canonical)
        if document in self._documents:
            return Rejected("discovery", "duplicate_address", f"of {links.canonical or page.url}", page.url)
        self._documents.add(document)
        self.crawler.stats.inc_value(PAGES)
        return FetchedPage(page, portal.name, portal.languages, portal.template)

    def _is_enough(self) -> bool:
        return 0 < self.arguments.limit <= len(self._documents)

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
        if self._sitemaps_left == 0:
            return Rejected("discovery", "too_many_sitemaps", f"more than {MAX_SITEMAPS}", url)
        self._sitemaps_left -= 1
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
