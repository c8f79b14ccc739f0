"""Render the pages of portals with `render = true` in a browser.

The browser opens no connections: the crawl hands it the fetched page and fetches what its scripts request, so that
robots.txt, delays, guards and the archive apply to every request.
"""

import asyncio
import os
import shutil
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse, Response
from scrapy.http.request import NO_CALLBACK

from newscorpus.config import Limits
from newscorpus.errors import CrawlError
from newscorpus.fetch.plugin import hints_of, stat
from newscorpus.fetch.visits import FAILURES, VISIT, Postponed, Purpose, Refused, Visit, plain_headers, visit_of
from newscorpus.portal.portal import Portal

if TYPE_CHECKING:
    from playwright.async_api import Browser, Route

RENDER_SECONDS = 120
"""Time limit for a page: sixty requests at the usual delay, and a browser on a busy machine."""
MAX_REQUESTS = 60
"""Maximum requests of the scripts of a page; front pages of big portals make about a hundred, most for adverts."""
KEPT_BYTES = 50_000_000
"""Maximum bytes of scripts cached for later pages."""
TYPES = frozenset({"script", "xhr", "fetch"})
"""Types of requests that are sent; pictures, styles, fonts and frames add no text."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
"""Browsers to use if installed; otherwise that of `playwright install chromium`."""
NO_NETWORK = (
    *("--host-resolver-rules=MAP * ~NOTFOUND", "--proxy-server=http://127.0.0.1:1", "--proxy-bypass-list=<-loopback>"),
    *("--disable-background-networking", "--force-webrtc-ip-handling-policy=disable_non_proxied_udp"),
)
"""Options that keep the browser off the network, localhost included."""
NOT_HANDED_ON = frozenset({"content-encoding", "content-length", "transfer-encoding", "connection", "set-cookie"})
"""Headers not passed to the browser: bodies are decompressed, and pages share no cookies."""


class RenderMiddleware:
    """Downloader middleware, after redirects and decompression: replaces a page by its rendered markup.

    A page that cannot be rendered is refused with the reason "render_failed".
    """

    def __init__(self, crawler: Crawler, portals: dict[str, Portal]) -> None:
        self._crawler = crawler
        self._portals = portals
        self._launching = asyncio.Lock()
        self._driver: Any = None
        self._browser: Browser | None = None
        self._scripts: dict[str, Response] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the middleware of a crawl.

        Raises:
            NotConfigured: no portal of the crawl is rendered.
            CrawlError: the package is missing.
        """
        portals = {portal.name: portal for portal in hints_of(crawler.spider).portals if portal.render}
        if not portals:
            raise NotConfigured
        try:
            import playwright.async_api  # noqa: F401, PLC0415 -- an extra
        except ImportError as error:
            why = f"portal {next(iter(portals))}: render = true takes pip install 'newscorpus[render]'"
            raise CrawlError(why) from error
        made = cls(crawler, portals)
        crawler.signals.connect(made.close, signals.spider_closed)
        return made

    def process_request(self, request: Request) -> None:
        """Remove validators: scripts may fill an unchanged page with new content."""
        if request.meta.get("download_slot") in self._portals:
            for name in ("If-None-Match", "If-Modified-Since"):
                request.headers.pop(name, None)

    async def process_response(self, request: Request, response: Response) -> Response:
        """Render a page.

        Raises:
            Refused: reason "render_failed" or "too_large".
            Postponed: the site is not asked any more in this run.
        """
        portal = self._portals.get(request.meta.get("download_slot", ""))
        is_page = isinstance(response, HtmlResponse) and response.status == 200
        visit = visit_of(request)
        if portal is None or not is_page or visit.stored or visit.purpose not in {Purpose.PAGE, Purpose.PART}:
            return response
        body = (await self._render(portal, response)).encode("utf-8", "replace")
        if len(body) > Limits().max_bytes:
            raise Refused("too_large", f"{len(body)} bytes when rendered")
        self._crawler.stats.inc_value(stat("rendered", portal.name, "pages"))
        headers = response.headers.copy()
        headers["Content-Type"] = "text/html; charset=utf-8"
        return response.replace(body=body, headers=headers, encoding="utf-8")

    async def close(self) -> None:
        """End the browser."""
        from playwright.async_api import Error  # noqa: PLC0415 -- an extra

        with suppress(Error):  # it ended by itself
            if self._browser:
                await self._browser.close()
        if self._driver:
            await self._driver.stop()

    async def _render(self, portal: Portal, response: Response) -> str:
        """Return the markup of a page once its scripts are idle or out of time."""
        from playwright.async_api import Error  # noqa: PLC0415 -- an extra

        page_of = PageRequests(self._crawler, portal, response, self._scripts)
        try:
            async with asyncio.timeout(RENDER_SECONDS):
                browser = await self.launched()
                agent = self._crawler.settings.get("USER_AGENT")
                context = await browser.new_context(user_agent=agent, service_workers="block", accept_downloads=False)
                try:
                    await context.route("**/*", page_of.answer)
                    await context.route_web_socket("**/*", lambda socket: socket.close())
                    page = await context.new_page()
                    await page.goto(response.url, wait_until="domcontentloaded", timeout=0)
                    with suppress(TimeoutError):
                        async with asyncio.timeout(RENDER_SECONDS / 2):
                            await page.wait_for_load_state("networkidle", timeout=0)
                    markup = await page.content()
                finally:
                    await context.close()
        except (Error, TimeoutError) as error:
            if page_of.postponed:
                raise page_of.postponed from error
            raise Refused("render_failed", str(error).partition("\n")[0] or f"over {RENDER_SECONDS} s") from error
        if page_of.postponed:
            raise page_of.postponed
        return markup

    async def launched(self) -> "Browser":
        """Return the browser; restart it if it has ended."""
        from playwright.async_api import async_playwright  # noqa: PLC0415 -- an extra

        async with self._launching:
            if self._driver is None:
                self._driver = await async_playwright().start()
            if self._browser is None or not self._browser.is_connected():
                program = next(filter(None, map(shutil.which, BROWSERS)), None)
                is_root = os.geteuid() == 0  # Chromium's sandbox is for others
                options = {"executable_path": program, "chromium_sandbox": not is_root, "args": list(NO_NETWORK)}
                self._browser = await self._driver.chromium.launch(**options)
            return self._browser


class PageRequests:
    """Answers the requests of a browser while it renders one page.

    The page itself comes from the crawl; scripts and data of the portal's hosts are fetched; all else is refused: other
    hosts, frames, pictures, forms.
    """

    def __init__(self, crawler: Crawler, portal: Portal, page: Response, scripts: dict[str, Response]) -> None:
        self._crawler = crawler
        self._portal = portal
        self._page = page
        self._scripts = scripts
        self._left = MAX_REQUESTS
        self._is_open = False
        self.postponed: Postponed | None = None
        """Set if the site was given up meanwhile; the page is incomplete then."""

    async def answer(self, route: "Route") -> None:
        """Answer or abort one request of the browser."""
        from playwright.async_api import Error  # noqa: PLC0415 -- an extra

        found = await self._find(route)
        with suppress(Error):  # the page was closed meanwhile
            if found is None:
                await route.abort()
                return
            named = plain_headers(found).items()
            headers = {name: value for name, value in named if name not in NOT_HANDED_ON}
            await route.fulfill(status=found.status, headers=headers, body=found.body)

    async def _find(self, route: "Route") -> Response | None:
        asked = route.request
        if asked.is_navigation_request():
            is_first, self._is_open = not self._is_open, True
            return self._page if is_first else None
        if asked.method != "GET" or asked.resource_type not in TYPES or not self._portal.covers(asked.url):
            return None
        if asked.url in self._scripts:
            return self._scripts[asked.url]
        self._left -= 1
        found = await self._fetch(asked.url) if self._left >= 0 else None
        is_script = found and asked.resource_type == "script" and found.status == 200
        if found and is_script and sum(len(one.body) for one in (*self._scripts.values(), found)) < KEPT_BYTES:
            self._scripts[asked.url] = found
        return found

    async def _fetch(self, url: str) -> Response | None:
        name = self._portal.name
        visit = Visit(purpose=Purpose.SCRIPT, domains=self._portal.domains)
        meta = {"download_slot": name, VISIT: visit}
        request = Request(url, NO_CALLBACK, headers={"Accept": "*/*", "Referer": self._page.url}, meta=meta)
        self._crawler.stats.inc_value(stat("rendered", name, "requests"))
        try:
            found: Response = await self._crawler.engine.download_async(request)
        except Postponed as error:
            self.postponed = error
            return None
        except FAILURES:
            self._crawler.stats.inc_value(stat("rendered", name, "refused"))
            return None
        return found
