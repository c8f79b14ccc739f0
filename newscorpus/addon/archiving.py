"""What brings the archive its responses and pages."""

from collections.abc import AsyncIterator
from dataclasses import asdict
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any, Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Headers, Response
from scrapy.http.request import NO_CALLBACK

from newscorpus.addon.archive import Archive
from newscorpus.addon.items import FetchedPage
from newscorpus.crawl.archive.values import Capture, Exchange, Origin
from newscorpus.crawl.archive.values import Headers as Pairs

PLACE = "newscorpus_archive"
"""Key of `Response.meta`: [file relative to the corpus, offset, length] of the page that was handed on."""


class _ArchiveMiddleware:
    """What both middlewares share.

    Args:
        archive: of the crawl.
    """

    def __init__(self, archive: Archive) -> None:
        self._archive = archive

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the middleware of a crawl.

        Raises:
            NotConfigured: the archive is off.
        """
        archive = crawler.get_extension(Archive)
        if archive is None:
            raise NotConfigured
        return cls(archive)


class ArchiveResponsesMiddleware(_ArchiveMiddleware):
    """Downloader middleware, close to the network: the body is still as it came.

    What the spider will see is held until then; redirects, errors and robots.txt are written at once.
    """

    async def process_response(self, request: Request, response: Response) -> Response:
        """Archive an answer, or hold it."""
        if not request.url.startswith("http"):
            return response
        exchange = _exchange(request, response)
        if response.status == HTTPStatus.OK and request.callback is not NO_CALLBACK:
            self._archive.hold(request, exchange)
        else:
            await self._archive.write(exchange)
        return response


class ArchivePagesMiddleware(_ArchiveMiddleware):
    """Spider middleware: it sees which response gave which page, before the pipelines do.

    A page is written with its response; a response that gave none is written when its callback has ended or failed.
    """

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Archive the response and its pages; what the spider gave passes through."""
        exchange = self._archive.take(response.request)
        written = False
        try:
            async for output in result:
                if exchange and isinstance(output, FetchedPage):
                    response.meta[PLACE] = await self._archive.write(exchange, _capture(response, output))
                    written = True
                yield output
        finally:
            if exchange and not written:
                await self._archive.write(exchange)


def _exchange(request: Request, response: Response) -> Exchange:
    return Exchange(
        url=response.url,
        date=datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z"),
        status=response.status,
        headers=_pairs(response.headers),
        body=response.body,
        method=request.method,
        request_headers=_pairs(request.headers),
        request_body=request.body,
        protocol=response.protocol or "HTTP/1.1",
        ip=str(response.ip_address or ""),
    )


def _pairs(headers: Headers) -> Pairs:
    return tuple(
        (name.decode("latin-1"), value.decode("latin-1")) for name in headers for value in headers.getlist(name)
    )


def _capture(response: Response, fetched: FetchedPage) -> Capture:
    origin = Origin(
        source=fetched.source,
        languages=fetched.languages,
        template=asdict(fetched.template) if fetched.template else None,
        via=(response.request.headers.get("Referer") or b"").decode("latin-1") if response.request else "",
        depth=response.meta.get("depth", 0),
        redirects=tuple(response.meta.get("redirect_urls", ())),
    )
    return Capture(fetched.page, fetched.following, origin)
