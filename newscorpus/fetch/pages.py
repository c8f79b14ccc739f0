"""Turn what spiders yield into pages for the pipelines, and their failures into rejections.

A spider yields a `SourcePage`, a `Page` or a response for a page that may hold an article, or a `Rejected`.
"""

from collections.abc import AsyncIterator
from typing import Any

from scrapy.exceptions import CloseSpider
from scrapy.http import Response

from newscorpus.data import Evidence, Page, Rejected
from newscorpus.fetch import counts
from newscorpus.fetch.middlewares.guards import plain_headers
from newscorpus.fetch.plugin import CrawlComponent
from newscorpus.fetch.scheduler import scheduler_of
from newscorpus.fetch.visits import FAILED_STAGE, current_visit, fetch_time
from newscorpus.page.source_page import SourcePage
from newscorpus.store.archive.values import PERSONAL
from newscorpus.store.intake import journal_line
from newscorpus.store.ledger import REJECTIONS, LedgerError, UrlOutcome
from newscorpus.urls import site_key


def make_page(response: Response, evidence: tuple[Evidence, ...] = ()) -> Page:
    """The page that `response` brought."""
    public = {name: value for name, value in plain_headers(response).items() if name not in PERSONAL}
    return Page(response.url, response.body, public, fetch_time(response), evidence)


class PagesMiddleware:
    """Spider middleware, close to the spider: takes a response or a `Page` for a page that may hold an article.

    Its source is the name of the site.
    """

    async def process_spider_output(
        self,
        response: Response,  # noqa: ARG002 -- Scrapy passes it by this name
        result: AsyncIterator[Any],
    ) -> AsyncIterator[Any]:
        """Hand on what the spider gave; responses and pages become a `SourcePage`."""
        async for output in result:
            yield as_source_page(output)


def as_source_page(output: Any) -> Any:
    """The `SourcePage` of a response or a `Page`; anything else as it is."""
    page = make_page(output) if isinstance(output, Response) else output
    return SourcePage(page, site_key(page.url)) if isinstance(page, Page) else output


class CallbackFailuresMiddleware(CrawlComponent):
    """Spider middleware: rejects a page whose callback failed, and ends the crawl if the ledger cannot be written."""

    def process_spider_exception(self, response: Response, exception: Exception) -> tuple[()] | None:
        """None: Scrapy logs the error as ever; nothing is logged for a ledger that the crawl has given up."""
        if isinstance(exception, LedgerError):
            scheduler_of(self._crawler).give_up(exception)
            return ()
        if not isinstance(exception, CloseSpider) and (visit := current_visit()):
            failed = Rejected(FAILED_STAGE, "callback_failed", f"{type(exception).__name__}: {exception}", response.url)
            visit.bring(REJECTIONS, journal_line(failed), UrlOutcome.of(failed))
            self._crawler.stats.inc_value(counts.rejected(failed.stage, failed.reason))
        return None
