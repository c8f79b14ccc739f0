"""Crawl portals: discover pages, and yield the candidates for articles."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property, partial
from http import HTTPStatus
from typing import Any, Self

import msgspec
from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.http import HtmlResponse, Response
from scrapy.spidermiddlewares.httperror import HttpError
from scrapy.statscollectors import StatsCollector
from twisted.python.failure import Failure

from newscorpus.data import Evidence, Page, Rejected
from newscorpus.discover.entries import Listing, read_any, read_list
from newscorpus.discover.frontier import Frontier, SeenContents
from newscorpus.discover.period import ALWAYS
from newscorpus.discover.planner import FetchPlanner, Plan
from newscorpus.discover.revisits import Revisit, find_clock_set_back, judge_again, requeue_failed, requeue_known
from newscorpus.fetch.middlewares.robots import RobotsMiddleware
from newscorpus.fetch.options import check_settings
from newscorpus.fetch.plugin import PAGES, REVISITED, UNCHANGED, WRONG_GUESSES
from newscorpus.fetch.scheduler import leave_refusing, scheduler_of
from newscorpus.fetch.visits import Postponed, Visit, fetch_rejection, make_page, visit_of
from newscorpus.fetch.workers import PageWorkers, workers_of
from newscorpus.page.judgement import Judgement, PageLinks, Rules, read_page
from newscorpus.page.source_page import SourcePage, page_of_portal
from newscorpus.portal.access import read_access
from newscorpus.portal.addresses import AddressTrust, FetchKind, is_further
from newscorpus.store.ledger import Ledger
from newscorpus.store.ledger.revisits import next_interval

from .arguments import PortalArguments, check_promises, loopback_hosts, portal_policies, portal_settings, read_arguments
from .requests import fetch_parts, make_request

Output = SourcePage | Rejected | Request

GONE = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.GONE})

JUDGED_SECONDS = 0.05
"""Interval at which a page that may exceed the limit checks whether earlier pages are judged."""


class ArticleLimit:
    """Limits the rows of the intake, over all crawls of a corpus.

    A limit of 0 means none.
    """

    def __init__(self, crawler: Crawler, limit: int) -> None:
        self._crawler = crawler
        self._limit = limit
        self._ending: asyncio.Future[None] | None = None

    @property
    def is_reached(self) -> bool:
        """Whether the limit is reached."""
        return 0 < self._limit <= scheduler_of(self._crawler).articles()[0]

    def end_crawl(self) -> None:
        """End the crawl if the limit is reached."""
        if self.is_reached and self._ending is None:
            self._ending = asyncio.ensure_future(self._crawler.engine.close_spider_async(reason="limit"))

    async def has_room(self, visit: Visit) -> bool:
        """Whether the article of a visit may be kept; waits until enough pages in progress are judged."""
        scheduler = scheduler_of(self._crawler)
        while self._limit and not self.is_reached:
            if sum(scheduler.articles()) < self._limit:
                break
            await asyncio.sleep(JUDGED_SECONDS)
        visit.may_keep = visit.may_keep or not self.is_reached
        return not self.is_reached


class RevisitClock:
    """Schedules the next visit of each address by whether the last one brought anything new."""

    def __init__(self, ledger: Ledger, stats: StatsCollector) -> None:
        self._ledger = ledger
        self._stats = stats

    def is_unchanged(self, response: Response, *, is_article: bool = False) -> bool:
        """Whether the site reports no change, or sent an article with the same bytes as last time."""
        visit = visit_of(response)
        if not visit.serial or visit.from_archive:
            return False
        last = self._ledger.revisits.last(visit.url) if is_article else None
        is_same = last is not None and last.status == HTTPStatus.OK and last.signature == visit.signature
        visit.unchanged = response.status == HTTPStatus.NOT_MODIFIED or is_same
        if visit.unchanged:
            self._stats.inc_value(UNCHANGED)
            if not is_article:
                self.set_next(visit, changed=False)
        return visit.unchanged

    def set_next(self, visit: Visit, *, changed: bool, depth: int = 0) -> None:
        """Schedule the next visit by whether this one brought anything new."""
        if not visit.from_archive:
            last = self._ledger.revisits.last(visit.url)
            interval = next_interval(last.interval if last else 0.0, changed=changed, depth=depth)
            self._ledger.revisits.schedule(visit.url, time.time(), interval)


def asked_address(response: Response) -> str:
    """Return the address requested first, before redirects."""
    return str(response.meta.get("redirect_urls", [response.url])[0])


def depth_of(response: Response) -> int:
    """Return the number of links followed to get there."""
    return int(response.meta.get("depth", 0))


class PortalSpider(Spider):
    """Crawls portals: `scrapy crawl portal -a portal=NAME[,NAME]|all`, with the arguments of `arguments.USAGE`.

    Yields a `SourcePage` for every article found and a `Rejected` for every address refused or failed.
    """

    name = "portal"
    limit: ArticleLimit

    def __init__(self, arguments: PortalArguments) -> None:
        super().__init__()
        self.arguments = arguments
        self.portals = arguments.portals
        self.portal_names = tuple(portal.name for portal in arguments.portals)
        self.loopback = loopback_hosts(arguments.portals)
        self.policies = portal_policies(arguments.portals, arguments.period, datetime.now(UTC).date())
        self.access = read_access(arguments.portals)

    @classmethod
    def from_crawler(cls, crawler: Crawler, *_args: Any, **kwargs: Any) -> Self:
        """Make the spider of a crawl, and derive settings from its portals.

        Raises:
            CrawlError: an argument or setting is wrong.
            PortalError: a portal file is wrong.
        """
        check_settings(crawler.settings)
        arguments = read_arguments(kwargs)
        crawler.settings.update(portal_settings(arguments, crawler.settings), priority="spider")
        check_promises(crawler.settings)
        spider = super().from_crawler(crawler, arguments)
        spider.limit = ArticleLimit(crawler, arguments.limit)
        crawler.signals.connect(spider.limit.end_crawl, signals.item_scraped)
        return spider

    @cached_property
    def _ledger(self) -> Ledger:
        return scheduler_of(self.crawler).ledger

    @cached_property
    def _workers(self) -> PageWorkers:
        return workers_of(self.crawler)

    @cached_property
    def _planners(self) -> dict[str, FetchPlanner]:
        now, ledger, period = datetime.now(UTC), self._ledger, self.arguments.period
        began = now.isoformat(timespec="seconds") if self.arguments.revisit else ""
        contents, count = SeenContents(ledger), self.crawler.stats.inc_value
        frontiers = [Frontier(portal, now.date(), ledger, self.loopback, period) for portal in self.arguments.portals]
        return {
            frontier.portal.name: FetchPlanner(frontier.portal, frontier, ledger, contents, period, count, began)
            for frontier in frontiers
        }

    @cached_property
    def _clock(self) -> RevisitClock:
        return RevisitClock(self._ledger, self.crawler.stats)

    async def start(self) -> AsyncIterator[Output]:
        """Request the addresses listed, or else the feeds, sitemaps, start pages and archive of every portal.

        Known addresses are requeued on a revisit, after a temporary failure, or when the period has changed.
        """
        if self.limit.is_reached:
            raise CloseSpider("limit")
        given, names = self.arguments, self.portal_names
        n = requeue_failed(self._ledger, names)
        for portal in () if given.urls else given.portals:
            if again := judge_again(self._ledger, portal, given.period, datetime.now(UTC).date()):
                message, n_again = again
                self.logger.info("%s", message)
                n += n_again
        if given.revisit:
            if warning := find_clock_set_back(self._ledger, datetime.now(UTC)):
                self.logger.warning("%s", warning)
            n += requeue_known(self._ledger, names, given.revisit)
        self.crawler.stats.inc_value(REVISITED, n)
        if given.revisit is Revisit.DUE:
            leave_refusing(self.crawler)
        for output in self._begin():
            yield output

    async def parse_list(self, response: Response, source: str, form: str) -> AsyncIterator[Output]:
        """Request the addresses in a feed or a sitemap."""
        if self._clock.is_unchanged(response):
            for dropped in self._end_archive(response, source, form, leads_on=False):
                yield dropped
            return
        listing = await self._workers.read(response.url, partial(read_list, form, make_page(response)))
        if isinstance(listing, Rejected):
            yield listing
            return
        leads_on = False
        async for output in self._follow(visit_of(response), source, self._listed(response, source, listing)):
            leads_on = leads_on or isinstance(output, Request)
            yield output
        for dropped in self._end_archive(response, source, form, leads_on=leads_on):
            yield dropped

    async def parse_guess(self, response: Response, source: str) -> AsyncIterator[Output]:
        """Request the addresses in a feed or a sitemap; if the answer is a page instead, judge that."""
        if self._clock.is_unchanged(response):
            return
        found = await self._workers.read(response.url, partial(read_any, make_page(response)))
        if isinstance(found, Rejected):
            yield found
        elif found:
            async for output in self._follow(visit_of(response), source, self._listed(response, source, found)):
                yield output
        else:
            self.crawler.stats.inc_value(WRONG_GUESSES)
            self._clock.set_next(visit_of(response), changed=False)
            if isinstance(response, HtmlResponse) and self._planners[source].may_be_page(asked_address(response)):
                async for output in self.parse_page(response, source, FetchKind.MAYBE_LIST, []):
                    yield output

    async def parse_probe(self, response: Response, source: str) -> None:
        """Remember the site's page for missing addresses, if it answers 200 (soft 404)."""
        if isinstance(response, HtmlResponse):
            links = await self._workers.read(response.url, partial(read_page, make_page(response)))
            probe = response.request.url if response.request else ""
            if isinstance(links, PageLinks):
                self._planners[source].contents.remember_missing(probe, links)

    async def parse_page(
        self, response: Response, source: str, kind: str, evidence: list[dict[str, str]]
    ) -> AsyncIterator[Output]:
        """Yield a candidate for an article, and request the links of the page."""
        visit, is_article = visit_of(response), kind == FetchKind.ARTICLE
        if self.limit.is_reached:
            visit.postponed = True
            return
        if self._clock.is_unchanged(response, is_article=is_article):
            for dropped in self._end_archive(response, source, kind, leads_on=False):
                yield dropped
            return
        if not isinstance(response, HtmlResponse):
            yield Rejected("fetch", "not_html", f"content type {response.headers.get('Content-Type')!r}", response.url)
            return
        page = make_page(response, msgspec.convert(evidence, tuple[Evidence, ...]))
        trust = self._trust(response, source, page, is_article=is_article)
        following = visit.stored.following if visit.stored else ()
        given = page_of_portal(page, self._planners[source].portal, following, trust)
        may_be_article = (trust is not AddressTrust.SECTION or is_article) and not visit.links_only
        period = self.arguments.period
        days = None if period == ALWAYS else (period.since, period.until)
        rules = Rules(self._workers.recipe, True, days) if may_be_article else Rules(None, reads_links=True)
        visit.judgement = asyncio.ensure_future(self._workers.judge(given, rules))
        judged = await visit.judgement
        tried: tuple[str, ...] = ()
        if isinstance(judged.outcome, Rejected) and (judged.wall or not may_be_article):
            yield judged.outcome
        elif may_be_article:
            if not await self.limit.has_room(visit):
                visit.postponed = True
                return
            outputs, tried = await self._article(response, source, given, judged, rules)
            for output in outputs:
                yield output
        plan = self._links(response, source, judged.links, tried, kind)
        async for output in self._follow(visit, source, iter([plan]), None if is_article else depth_of(response)):
            yield output

    def _listed(self, response: Response, source: str, listing: Listing) -> Iterator[Plan]:
        """Plan the entries of a list in parts; of a list read again from the archive, skip known URLs."""
        planner, depth, is_old = self._planners[source], depth_of(response) + 1, visit_of(response).stored is not None
        return planner.listing(listing, response.url, depth, is_old=is_old)

    async def _follow(
        self, visit: Visit, source: str, plans: Iterator[Plan], depth: int | None = 0
    ) -> AsyncIterator[Output]:
        """Request the planned addresses; yield to the event loop between two plans.

        Then schedule the next visit of the page or list, which is `depth` links away, by whether there was anything to
        fetch; with None no visit is scheduled.
        """
        changed = False
        for plan in plans:
            for output in self._requests(source, plan):
                changed = changed or isinstance(output, Request)
                yield output
            await asyncio.sleep(0)
        if depth is not None:
            self._clock.set_next(visit, changed=changed, depth=depth)

    def has_met(self, url: str, asked: str) -> bool:
        """Whether the document at `url` is known already, apart from the redirect from `asked`."""
        return self._ledger.knows(url, asked)

    def failed(self, failure: Failure) -> Iterator[Rejected]:
        """Reject a failed fetch; a postponed request stays queued. An archive that does not exist brings no article."""
        if isinstance(failure.value, Postponed):
            return
        request: Request = failure.request  # type: ignore[attr-defined]
        yield fetch_rejection(failure.value, request.meta.get("redirect_urls", [request.url])[0])
        if isinstance(failure.value, HttpError) and failure.value.response.status in GONE:
            visit = visit_of(request)
            yield from self._end_archive(failure.value.response, visit.portal, visit.kind, leads_on=False)

    def guess_failed(self, failure: Failure) -> None:
        """Count a guessed address that failed; it is not rejected, since no page named it."""
        if not isinstance(failure.value, Postponed):
            self.crawler.stats.inc_value(WRONG_GUESSES)
            self._clock.set_next(visit_of(failure.request), changed=False)  # type: ignore[attr-defined]

    def _trust(self, response: Response, source: str, page: Page, *, is_article: bool) -> AddressTrust:
        """Return the trust in an address; a page found to be a section before is not judged again."""
        last = None if is_article else self._ledger.revisits.last(asked_address(response))
        if not is_article and (depth_of(response) == 0 or (last and last.reason == "section")):
            return AddressTrust.SECTION
        return self._planners[source].frontier.find_trust(page.url, page.evidence)

    async def _article(
        self, response: Response, source: str, given: SourcePage, judged: Judgement, rules: Rules
    ) -> tuple[list[Output], tuple[str, ...]]:
        """Return an article with its further pages, or its rejection; and the addresses tried as further pages."""
        visit, planner, page = visit_of(response), self._planners[source], given.page
        if refusal := planner.refuse_day(page.url, judged.links):
            return [refusal], ()
        ends: list[Rejected] = []
        if judged.outcome is None:
            judge = partial(self._workers.judge, rules=replace(rules, days=None))
            try:
                given, end = await fetch_parts(self.crawler.engine.download_async, judge, planner.portal, given, judged)
            except Postponed:
                visit.postponed = True
                return [], ()
            ends = [end] if end else []
        parts = given.following
        tried = (*(part.url for part in parts), *(end.url for end in ends))
        redirected = response.meta.get("redirect_urls", [""])[0]
        plan = planner.refuse_article(page, judged.links, given.trust, depth_of(response), redirected)
        if refused := list(self._requests(source, plan)):
            return [*refused, *ends], tried
        if given.articles:
            joined = replace(given, page=replace(page, body=b""), following=())  # already extracted
            visit.judgement = asyncio.ensure_future(self._workers.judge(joined, Rules(rules.recipe)))
        self.crawler.stats.inc_value(PAGES)
        further = (Rejected("discovery", "part_of_another", f"of {page.url}", part.url) for part in parts)
        return [given, *further, *ends], tried

    def _links(self, response: Response, source: str, links: PageLinks, tried: tuple[str, ...], kind: str) -> Plan:
        """Plan the links of a page; on a start page also feeds and sitemaps, on a page about feeds its feeds.

        No links are followed from addresses that the user listed.
        """
        if self.arguments.urls:
            return
        planner, depth, is_listing = self._planners[source], depth_of(response), kind != FetchKind.ARTICLE
        if depth == 0 and not visit_of(response).stored:
            robots = self.crawler.get_downloader_middleware(RobotsMiddleware)
            sitemaps = robots.sitemaps(response.url) if robots else ()
            yield from planner.start_page(response.url, links, sitemaps)
        if kind == FetchKind.MAYBE_LIST and depth <= 1:
            yield from planner.feeds(links.lists)
        leads_on = goes_on = False
        if depth == 0 or not planner.contents.is_repeated(response.url, links):
            listing = asked_address(response) if is_listing else ""
            if listing and planner.portal.limits.max_depth is None and is_further(listing):
                depth = response.meta["depth"] = min(depth, planner.frontier.bounds.max_depth - 1)
            for planned in planner.links(links, depth + 1, (*tried, response.url), listing):
                leads_on = leads_on or planner.may_bring_article(planned)
                goes_on = goes_on or planner.may_go_on(planned)
                yield planned
        yield from self._end_archive(response, source, kind, leads_on=leads_on, goes_on=goes_on)

    def _end_archive(
        self, response: Response, source: str, kind: str, *, leads_on: bool, goes_on: bool = False
    ) -> Iterator[Rejected]:
        """Count an archive page as read, unless the user named it or it comes from the archive of the crawl."""
        if kind != FetchKind.ARTICLE and depth_of(response) and not visit_of(response).stored:
            frontier = self._planners[source].frontier
            yield from frontier.end_archive(asked_address(response), leads_on=leads_on, goes_on=goes_on)

    def _begin(self) -> Iterator[Output]:
        """Request each address listed, for the first portal that covers it; or else the portals' starting points."""
        if not self.arguments.urls:
            for name, planner in self._planners.items():
                yield from self._requests(name, planner.beginnings())
        for url in self.arguments.urls:
            name = next((portal.name for portal in self.arguments.portals if portal.covers(url)), "")
            if name:
                yield from self._requests(name, self._planners[name].named(url))
            else:
                yield Rejected("discovery", "offsite", "no portal of this crawl covers it", url)

    def _requests(self, source: str, plan: Plan) -> Iterator[Rejected | Request]:
        """Turn a portal's plan into requests."""
        for planned in plan:
            if isinstance(planned, Rejected):
                yield planned
            else:
                yield make_request(self._planners[source].portal, planned, self)
