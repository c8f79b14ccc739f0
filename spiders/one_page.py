"""Fetch one page outside a crawl, with the middlewares and refusals of a crawl."""

from collections.abc import AsyncIterator, Callable, Collection, Mapping
from typing import Any

from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import HtmlResponse, Response
from twisted.python.failure import Failure

import newscorpus.settings
from newscorpus.data import Page, Rejected
from newscorpus.fetch.options import user_agent
from newscorpus.fetch.visits import fetch_rejection, make_page

MEMORY: Mapping[str, Any] = {
    "SCHEDULER": "scrapy.core.scheduler.Scheduler",
    "DUPEFILTER_CLASS": "scrapy.dupefilters.BaseDupeFilter",  # redirects may lead back to the page
    "SPIDER_MIDDLEWARES": {},
    "EXTENSIONS": {},
    "ITEM_PIPELINES": {},
    "DOWNLOADER_MIDDLEWARES": newscorpus.settings.DOWNLOADER_MIDDLEWARES
    | {"newscorpus.fetch.middlewares.politeness.PolitenessMiddleware": None},
    "DOWNLOAD_DELAY": 0,
    "RETRY_ENABLED": False,
    "LOG_ENABLED": False,
}
"""Settings that differ from those of a crawl: nothing is written, and one page needs no delays or retries."""


class OnePageSpider(Spider):
    """Fetches one page.

    `keep` takes the page, or its rejection (stage "fetch"); `loopback` has the `host:port` on localhost that may be
    fetched.
    """

    name = "one_page"

    def __init__(self, url: str, keep: Callable[[Page | Rejected], None], loopback: Collection[str]) -> None:
        super().__init__()
        self.loopback = frozenset(loopback)
        self._url = url
        self._keep = keep

    async def start(self) -> AsyncIterator[Request]:
        """Request the page."""
        try:
            yield Request(self._url, errback=self.failed)
        except ValueError as error:
            self._keep(Rejected("fetch", "bad_address", str(error), self._url))

    def parse(self, response: Response) -> None:
        """Keep the page, if it is HTML."""
        page = make_page(response)
        kind = page.headers.get("content-type", "")
        is_html = isinstance(response, HtmlResponse)
        self._keep(page if is_html else Rejected("fetch", "not_html", f"content type {kind!r}", response.url))

    def failed(self, failure: Failure) -> None:
        """Keep the rejection."""
        self._keep(fetch_rejection(failure.value, self._url))


def fetch_page(
    url: str, contact: str, loopback: Collection[str] = (), settings: Mapping[str, Any] = {}
) -> Page | Rejected:
    """Fetch the page at `url`, following redirects, or return a rejection (stage "fetch"). Call once per process.

    `loopback` has the `host:port` on localhost that may be fetched; `settings` override those of Scrapy.
    """
    found: list[Page | Rejected] = []
    ours = {name: value for name, value in vars(newscorpus.settings).items() if name.isupper()}
    process = AsyncCrawlerProcess({**ours, **MEMORY, "USER_AGENT": user_agent(contact), **settings})
    crawl = process.crawl(OnePageSpider, url=url, keep=found.append, loopback=loopback)
    process.start(install_signal_handlers=False)  # Ctrl-C ends the command at once
    crawl.result()
    return found[0]
