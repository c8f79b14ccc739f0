"""Obey robots.txt; no setting turns this off."""

import asyncio
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from http import HTTPStatus
from typing import Self
from urllib.parse import urlsplit

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest, StopDownload
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK

from newscorpus.config import Limits, PolitenessConfig
from newscorpus.fetch.middlewares.politeness import NOT_NOW, PolitenessMiddleware
from newscorpus.fetch.plugin import CrawlComponent
from newscorpus.fetch.visits import VISIT, Postponed, Purpose, Refused, Visit, visit_of
from newscorpus.page.rights import MAX_BYTES, Robots, is_reachable, read_robots
from newscorpus.urls import web_address

PRIORITY = 2_000
"""Priority of the request for a robots.txt: before all others of the site."""

MAX_ATTEMPTS = 3
"""Maximum attempts at a host that never answers, while others of its site do."""


class RobotsMiddleware(CrawlComponent):
    """Obeys robots.txt (RFC 9309): forbidden requests are refused, and nothing is requested while it is unreachable.

    Replaces Scrapy's own, which treats server errors as permission and ignores Crawl-delay. `clock` is monotonic.
    """

    def __init__(self, crawler: Crawler, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(crawler)
        self._clock = clock
        self._hosts: dict[str, tuple[asyncio.Task[Robots], float]] = {}
        """By host: the fetch of its rules, and when they expire."""
        self._answered: defaultdict[str, set[str]] = defaultdict(set)
        """By site: the hosts that answered in this run."""
        self._attempts: Counter[str] = Counter()
        """By host: number of attempts."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the middleware of a crawl."""
        made = super().from_crawler(crawler)
        crawler.signals.connect(made.stop_at_limit, signals.bytes_received)
        return made

    async def process_request(self, request: Request) -> None:
        """Let `request` pass, or refuse it.

        Raises:
            Refused: reason "robots_disallowed", or "robots_unavailable" if only this host of the site is unreachable.
            Postponed: robots.txt stays unreachable.
        """
        visit = visit_of(request)
        if visit.purpose is Purpose.ROBOTS:
            request.meta.update({"download_maxsize": 0, "download_warnsize": 0})  # `stop_at_limit` truncates it
            visit.n_received = 0
            visit.is_one_of_several = self._is_one_of_several(_root(request.url), request.meta["download_slot"])
            return
        robots = await self._robots(request)
        if not robots.allow(request.url):
            self._crawler.stats.inc_value("robotstxt/forbidden")
            raise Refused("robots_disallowed", "robots.txt forbids it")
        visit.rights = robots.rights

    def stop_at_limit(self, data: bytes, request: Request) -> None:
        """Count the bytes received of a robots.txt.

        Raises:
            StopDownload: the limit is reached; the rest is not read.
        """
        visit = visit_of(request)
        if visit.purpose is not Purpose.ROBOTS:
            return
        visit.n_received += len(data)
        request.meta["download_maxsize"] = Limits().max_bytes  # from here on, of the decompressed body
        if visit.n_received > MAX_BYTES:
            raise StopDownload(fail=False)

    def sitemaps(self, url: str) -> tuple[str, ...]:
        """Return the absolute addresses of sitemaps in the robots.txt of the host of `url`, if it is known."""
        root = _root(url)
        task, _ = self._hosts.get(root, (None, 0.0))
        known = task and task.done() and not task.cancelled() and not task.exception()
        named = task.result().sitemaps if task and known else ()
        return tuple(filter(None, (web_address(f"{root}/", sitemap) for sitemap in named)))

    async def _robots(self, request: Request) -> Robots:
        """Return the rules of the host; concurrent requests wait for one fetch."""
        root = _root(request.url)
        cached = self._hosts.get(root)
        if cached is None or cached[1] < self._clock():
            holds_until = self._clock() + PolitenessConfig().robots_seconds
            cached = self._hosts[root] = (asyncio.ensure_future(self._fetch(root, request)), holds_until)
        try:
            return await asyncio.shield(cached[0])
        except Exception:
            if self._hosts.get(root) is cached:  # the next request tries again
                del self._hosts[root]
            raise

    async def _fetch(self, root: str, request: Request) -> Robots:
        """Fetch robots.txt; the politeness middleware retries it while it is unreachable."""
        slot = self._crawler.engine.downloader.get_slot_key(request)
        response = await self._download(root, slot)
        robots = read_robots(response.body if response.status == HTTPStatus.OK else b"")
        politeness = self._crawler.get_downloader_middleware(PolitenessMiddleware)
        if robots.crawl_delay and politeness:
            politeness.keep_crawl_delay(slot, robots.crawl_delay)
        return robots

    async def _download(self, root: str, slot: str) -> Response:
        """Fetch the robots.txt of a host.

        Raises:
            Postponed: it is unreachable.
            Refused: reason "robots_unavailable": it is unreachable, and this host never answered while another host of
                the site did; only pages of this host are refused.
        """
        url = f"{root}/robots.txt"
        if self._attempts[root] >= MAX_ATTEMPTS and self._is_one_of_several(root, slot):
            raise Refused("robots_unavailable", f"no answer to {url}")
        self._attempts[root] += 1
        self._crawler.stats.inc_value("robotstxt/request_count")
        meta = {"download_slot": slot, VISIT: Visit(purpose=Purpose.ROBOTS), "dont_retry": True}
        asking = Request(url, NO_CALLBACK, headers={"Accept-Encoding": "identity"}, priority=PRIORITY, meta=meta)
        try:
            response = await self._crawler.engine.download_async(asking)
        except NOT_NOW as error:
            if self._is_one_of_several(root, slot):
                raise Refused("robots_unavailable", f"{type(error).__name__}, {url}") from error
            raise
        except Postponed:
            raise
        except IgnoreRequest:  # too many redirects count as no robots.txt (RFC 9309, 2.3.1.2)
            response = Response(url, status=HTTPStatus.NOT_FOUND)
        self._crawler.stats.inc_value(f"robotstxt/response_status_count/{response.status}")
        if not is_reachable(response.status):
            kind = Refused if self._is_one_of_several(root, slot) else Postponed
            raise kind("robots_unavailable", f"status {response.status} of {url}")
        self._answered[slot].add(root)
        return response

    def _is_one_of_several(self, root: str, slot: str) -> bool:
        """Whether a host has not answered in this run, and another one of its site has."""
        return bool(self._answered[slot]) and root not in self._answered[slot]


def _root(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
