"""What travels from a spider through the pipelines.

A spider yields a `FetchedPage` or a `Rejected`. Each step of the pipelines turns what it knows into the next value or
into a `Rejected`, and hands on what it does not know; the last step writes both down.

What spiders yield, as pages for the pipelines.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from scrapy.http import Response

from newscorpus.data import Article, Evidence, Page
from newscorpus.recipe import FetchedPage
from newscorpus.urls import site_key

__all__ = ["Candidate", "FetchedPage"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """An article on its way into the corpus; each step adds what it found.

    Attributes:
        article: the article.
        source: name of the portal.
        languages: as on the page.
        language: by the language filter.
        language_score: of the detector, 0..1.
        signature: of the text, as bytes.
    """

    article: Article
    source: str
    languages: tuple[str, ...] = ()
    language: str = ""
    language_score: float = 0.0
    signature: bytes = b""

    def __str__(self) -> str:
        return f"article {self.article.url}"


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
        """Hand on what the spider gave; responses and pages become a `FetchedPage`."""
        async for output in result:
            yield fetched_page(output)


def fetched_page(output: Any) -> Any:
    """The `FetchedPage` of a response or a `Page`; anything else as it is."""
    page = make_page(output) if isinstance(output, Response) else output
    return FetchedPage(page, site_key(page.url)) if isinstance(page, Page) else output
