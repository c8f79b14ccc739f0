"""The archive of a crawl: every response as it came, and every page as it was handed on.

What brings the archive its responses and pages.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from http import HTTPStatus
from importlib.metadata import version
from typing import Any, Self
from weakref import WeakKeyDictionary

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Headers, Response
from scrapy.http.request import NO_CALLBACK

from newscorpus.addon.counts import ARCHIVED, FAILED
from newscorpus.addon.options import corpus_folder, positive, switch
from newscorpus.addon.visits import current_visit
from newscorpus.config import Limits
from newscorpus.crawl.archive.encode import encode
from newscorpus.crawl.archive.values import Capture, Exchange, Origin
from newscorpus.crawl.archive.values import Headers as Pairs
from newscorpus.crawl.archive.writer import ArchiveWriter
from newscorpus.recipe import SourcePage

INLINE_BYTES = 50_000
"""Longest body that is encoded at once, which takes a millisecond; for longer ones another thread is worth its cost."""

logger = logging.getLogger(__name__)


class Archive:
    """Extension that writes the archive; its middlewares bring it the responses.

    Args:
        crawler: the crawl.
        writer: of the files.
    """

    def __init__(self, crawler: Crawler, writer: ArchiveWriter) -> None:
        self._crawler = crawler
        self._writer = writer
        self._held: WeakKeyDictionary[Request, Exchange] = WeakKeyDictionary()
        self._committed: dict[str, int] = {}
        self._ending: asyncio.Future[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Read the settings.

        Raises:
            NotConfigured: the archive is off.
            CrawlError: a setting is wrong.
        """
        if not switch(crawler.settings, "NEWSCORPUS_ARCHIVE"):
            raise NotConfigured
        max_bytes = int(positive(crawler.settings, "NEWSCORPUS_ARCHIVE_FILE_BYTES"))
        software = f"newscorpus/{version('newscorpus')}"
        archive = cls(crawler, ArchiveWriter(corpus_folder(crawler.settings), max_bytes, software))
        crawler.signals.connect(archive.close, signals.spider_closed)
        return archive

    def hold(self, request: Request, exchange: Exchange) -> None:
        """Keep an answer until the spider has seen it; one that never gets there goes with its request."""
        self._held[request] = exchange

    def take(self, request: Request | None) -> Exchange | None:
        """The answer that is held of a request."""
        return self._held.pop(request, None) if request is not None else None

    async def write(self, exchange: Exchange, capture: Capture | None = None) -> list[str | int]:
        """Write an answer and the page that came of it; gives the place, [] where the disk takes no more.

        A page that could not be written is asked for again when the crawl goes on.
        """
        if len(exchange.body) > INLINE_BYTES:
            records = await asyncio.to_thread(encode, exchange, capture, Limits().max_bytes)
        else:
            records = encode(exchange, capture, Limits().max_bytes)
        try:
            place = self._writer.append(records)
        except OSError as error:
            self._give_up(error)
            if visit := current_visit():
                visit.postpone()
            return []
        self._crawler.stats.inc_value(ARCHIVED, place.length)
        return [place.file, place.offset, place.length]

    def commit(self) -> Mapping[str, int]:
        """Bytes of each file that grew since the last call, by its path relative to the corpus."""
        lengths = self._writer.lengths()
        grown = {name: length for name, length in lengths.items() if self._committed.get(name) != length}
        self._committed |= grown
        return grown

    def close(self) -> None:
        """Close the files."""
        try:
            self._writer.close()
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        """End the crawl: what cannot be written down should not be fetched."""
        if self._ending is None:
            logger.error("Cannot write the archive: %s: %s", error.filename or "disk", error.strerror)
            self._crawler.stats.set_value(FAILED, "cannot_write")
            # Not awaited: the end of the crawl waits for this very response.
            self._ending = asyncio.ensure_future(self._crawler.engine.close_spider_async(reason="cannot_write"))


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
                if exchange and isinstance(output, SourcePage):
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


def _capture(response: Response, fetched: SourcePage) -> Capture:
    origin = Origin(
        source=fetched.source,
        languages=fetched.languages,
        template=asdict(fetched.template) if fetched.template else None,
        via=(response.request.headers.get("Referer") or b"").decode("latin-1") if response.request else "",
        depth=response.meta.get("depth", 0),
        redirects=tuple(response.meta.get("redirect_urls", ())),
    )
    return Capture(fetched.page, fetched.following, origin)
