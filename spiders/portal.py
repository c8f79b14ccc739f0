"""The spider of the portals: it finds pages and hands them on."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, date, datetime
from functools import cached_property
from typing import Any, Self

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.http import HtmlResponse, Response
from twisted.python.failure import Failure

from newscorpus.addon.counts import PAGES, WRONG_GUESSES
from newscorpus.addon.guards import Postponed
from newscorpus.addon.options import check_settings
from newscorpus.addon.pages import FetchedPage, make_page
from newscorpus.addon.robots import RobotsMiddleware
from newscorpus.addon.scheduler import ledger_of
from newscorpus.addon.visits import current_visit
from newscorpus.config import RevisitConfig
from newscorpus.crawl.ledger import Ledger
from newscorpus.data import Page, Rejected
from newscorpus.discovery.addresses import Kind, judge
from newscorpus.discovery.frontier import Contents, Frontier, missing_page
from newscorpus.discovery.links import PageLinks, read_links
from newscorpus.discovery.listing import Form
from newscorpus.discovery.lists import read_any, read_list
from newscorpus.discovery.period import ALWAYS, published_day
from newscorpus.portals.portal import archive_pages
from newscorpus.portals.schema import Portal
from newscorpus.recipe import of_portal
from newscorpus.urls import document_address

from .again import Again
from .arguments import Arguments, read_arguments
from .asker import Asker
from .parts import fetch_parts, fetch_rejection
from .requests import Calls, first_address, list_request, read_evidence
from .surroundings import check_promises, loopback_hosts, portal_manners, portal_settings

Output = FetchedPage | Rejected | Request


class PortalSpider(Spider):
    """Crawls portals: `scrapy crawl portal -a portal=NAME[,NAME]|all`, with the arguments of `arguments.USAGE`.

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
        check_promises(crawler.settings)
        return super().from_crawler(crawler, arguments)

    @cached_property
    def _ledger(self) -> Ledger:
        return ledger_of(self.crawler)

    @cached_property
    def _askers(self) -> dict[str, Asker]:
        calls = Calls(self.parse_page, self.parse_list, self.parse_guess, self.failed, self.guess_failed)
        today, ledger, stats = datetime.now(UTC).date(), self._ledger, self.crawler.stats
        return {
            name: Asker(
                portal, Frontier(portal, today, ledger, self.loopback), ledger, self.arguments.period, calls, stats
            )
            for name, portal in self._portals.items()
        }

    @cached_property
    def _again(self) -> Again:
        return Again(self._ledger, self.crawler.stats, RevisitConfig())

    @cached_property
    def _contents(self) -> Contents:
        return Contents(self._ledger)

    async def start(self) -> AsyncIterator[Output]:
        """Begin with the addresses listed; without any, with feeds, sitemaps, start pages and archive of every portal.

        What was asked for before is asked for again on a revisit, where it failed for the time being, and where other
        days are asked for.
        """
        if self._is_enough():
            raise CloseSpider("limit")
        self._again.retry(self.portal_names)
        if not self.arguments.urls:
            self._again.keep_to(self.arguments.period, self.portal_names)
        if self.arguments.revisit:
            self._again.revive(self.arguments.revisit, self.portal_names)
        for output in self._listed() if self.arguments.urls else self._beginnings():
            yield output

    async def parse_list(self, response: Response, source: str, form: Form) -> AsyncIterator[Output]:
        """Ask for what a feed or a sitemap names."""
        if self._again.is_unchanged(response):
            return
        listing = await asyncio.to_thread(read_list, form, response.body, response.url)
        if isinstance(listing, Rejected):
            yield listing
            return
        outputs = self._askers[source].listing(listing, response.url, _depth(response) + 1)
        for output in self._again.noting_news(outputs):
            yield output

    async def parse_guess(self, response: Response, source: str) -> AsyncIterator[Output]:
        """Ask for what a feed or a sitemap names, if the answer is one; of a page about feeds, for these."""
        if self._again.is_unchanged(response):
            return
        listing = await asyncio.to_thread(read_any, response.body, response.url)
        outputs: Iterator[Output]
        if listing:
            outputs = self._askers[source].listing(listing, response.url, _depth(response) + 1)
        else:
            self.crawler.stats.inc_value(WRONG_GUESSES)
            outputs = self._askers[source].feeds(await self._lists_on(response))
        for output in self._again.noting_news(outputs):
            yield output

    async def parse_probe(self, response: Response, source: str) -> None:  # noqa: ARG002 -- as the others
        """Remember what the site shows for a page that it cannot have, and yet answers."""
        if isinstance(response, HtmlResponse):
            links = await asyncio.to_thread(read_links, make_page(response))
            self._contents.remember_missing(response.request.url if response.request else "", links.signature)

    async def parse_page(
        self, response: Response, source: str, kind: str, evidence: list[dict[str, str]]
    ) -> AsyncIterator[Output]:
        """Hand on an article, and ask for what the page links to."""
        visit = current_visit()
        if self._is_enough():
            if visit:
                visit.postpone()
            return
        if self._again.is_unchanged(response, is_article=kind == Kind.ARTICLE):
            return
        if not isinstance(response, HtmlResponse):
            yield Rejected("fetch", "not_html", f"content type {response.headers.get('Content-Type')!r}", response.url)
            return
        asker = self._askers[source]
        page = make_page(response, read_evidence(evidence))
        links = await asyncio.to_thread(read_links, page)
        parts: frozenset[str] = frozenset()
        if kind == Kind.ARTICLE and not self._is_enough():
            outputs, parts = await self._whole(response, asker, page, links)
            for output in outputs:
                yield output
        if not self.arguments.urls:
            named = self._named(response, asker, links, parts)
            for output in named if kind == Kind.ARTICLE else self._again.noting_news(named, _depth(response)):
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

    def guess_failed(self, failure: Failure) -> None:
        """Count a guess that led nowhere: nobody promised a page there."""
        if not isinstance(failure.value, Postponed):
            self.crawler.stats.inc_value(WRONG_GUESSES)
            self._again.note(changed=False)

    async def _whole(
        self, response: Response, asker: Asker, page: Page, links: PageLinks
    ) -> tuple[list[Output], frozenset[str]]:
        """An article with the pages that follow it, or why there is none; and the addresses tried as such pages."""
        if refusal := await self._out_of_period(page):
            return [refusal], frozenset()
        try:
            parts, end = await fetch_parts(self.crawler.engine.download_async, asker.portal, page, links)
        except Postponed:
            if visit := current_visit():
                visit.postpone()
            return [], frozenset()
        ends = [end] if end else []
        outputs = [*self._article(response, asker, page, links, parts), *ends]
        return outputs, frozenset([*(part.url for part in parts), *(end.url for end in ends)])

    def _article(
        self, response: Response, asker: Asker, page: Page, links: PageLinks, parts: tuple[Page, ...]
    ) -> Iterator[Output]:
        """The article, unless its document was handed on before or its address led to something else."""
        visit, portal = current_visit(), asker.portal
        redirected = "redirect_urls" in response.meta
        if redirected and not self.arguments.urls and judge(page.url, portal) is not Kind.ARTICLE:
            first = response.meta["redirect_urls"][0]
            yield Rejected("discovery", "no_article", f"redirected to {page.url}", first)
        elif refusal := self._contents.refusal(page.url, links.signature):
            yield refusal
        elif links.version and document_address(page.url, links.canonical) != document_address(page.url, ""):
            yield from asker.page(links.canonical, _depth(response), Kind.ARTICLE)
            yield Rejected("discovery", "other_version", f"of {links.canonical}", page.url)
        elif not self._ledger.claim(document_address(page.url, links.canonical), visit.serial if visit else 0):
            yield Rejected("discovery", "duplicate_address", f"of {links.canonical or page.url}", page.url)
        else:
            self.crawler.stats.inc_value(PAGES)
            yield of_portal(page, portal, parts)
            yield from (Rejected("discovery", "part_of_another", f"of {page.url}", part.url) for part in parts)

    async def _out_of_period(self, page: Page) -> Rejected | None:
        """The refusal of an article that turns out not to be of the days asked for; one without a date passes."""
        period = self.arguments.period
        day = await asyncio.to_thread(published_day, page) if period != ALWAYS else None
        if day is None or period.meets(day, day):
            return None
        return Rejected("discovery", "out_of_period", f"published {day}", page.url)

    def _named(self, response: Response, asker: Asker, links: PageLinks, parts: frozenset[str]) -> Iterator[Output]:
        """What a page points to: other pages, and on a start page feeds and sitemaps."""
        depth = _depth(response)
        if depth == 0:
            yield from asker.probe(missing_page(response.url), self.parse_probe)
            robots = self.crawler.get_downloader_middleware(RobotsMiddleware)
            yield from asker.lists(response.url, links.lists, robots.sitemaps(response.url) if robots else ())
        for url in links.links:
            if url not in parts:
                yield from asker.page(url, depth + 1)

    async def _lists_on(self, response: Response) -> tuple[str, ...]:
        """Feeds that a page names to which a start page pointed as if it were one itself."""
        if not isinstance(response, HtmlResponse) or _depth(response) > 1:
            return ()
        return (await asyncio.to_thread(read_links, make_page(response))).lists

    def _is_enough(self) -> bool:
        return 0 < self.arguments.limit <= self._ledger.documents()

    def _listed(self) -> Iterator[Output]:
        """The addresses of the list, each of the first portal that covers it."""
        for url in self.arguments.urls:
            portal = next((portal for portal in self.arguments.portals if portal.covers(url)), None)
            if portal is None:
                yield Rejected("discovery", "offsite", "no portal of this crawl covers it", url)
            else:
                yield from self._askers[portal.name].page(url, 0, Kind.ARTICLE)

    def _beginnings(self) -> Iterator[Output]:
        for asker in self._askers.values():
            portal = asker.portal
            for form, urls in ((Form.FEED, portal.feeds), (Form.SITEMAP, portal.sitemaps)):
                yield from (list_request(portal, url, form, asker.calls) for url in urls)
            for url in (*portal.start, *self._archive(portal)):
                yield from asker.page(url, 0, Kind.SECTION)

    def _archive(self, portal: Portal) -> Iterator[str]:
        """The pages of the portal's archive for the days asked for; none where no first day is."""
        period, today = self.arguments.period, datetime.now(UTC).date()
        if portal.archive and period.since > date.min:
            yield from archive_pages(portal.archive, period.since, min(period.until, today))


def _depth(response: Response) -> int:
    depth: int = response.meta.get("depth", 0)
    return depth
