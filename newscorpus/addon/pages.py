"""Turn what spiders yield into pages for the pipelines.

A spider yields a `SourcePage`, a `Page` or a response for a page that may hold an article, or a `Rejected`.
"""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

from scrapy.http import Response

from newscorpus.data import Evidence, Page
from newscorpus.recipe import SourcePage
from newscorpus.urls import site_key

PERSONAL = frozenset({b"Set-Cookie"})
"""Response headers that are about the visitor, not about the page."""


def make_page(response: Response, evidence: tuple[Evidence, ...] = ()) -> Page:
    """The page that `response` brought, fetched now."""
    headers = {
        name.decode("latin-1").lower(): b", ".join(response.headers.getlist(name)).decode("latin-1")
        for name in response.headers
        if name not in PERSONAL
    }
    return Page(response.url, response.body, headers, datetime.now(UTC).isoformat(timespec="seconds"), evidence)


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
