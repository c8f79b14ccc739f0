"""Archive every response as received, and every page as yielded; answer requests from the archive."""

import asyncio
import logging
from collections.abc import AsyncIterator
from dataclasses import asdict
from datetime import UTC, datetime
from http import HTTPStatus
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Headers, Response
from scrapy.http.request import NO_CALLBACK
from scrapy.responsetypes import responsetypes

from newscorpus.config import Limits
from newscorpus.data import ROBOTS_TXT, Rejected
from newscorpus.errors import CorpusError
from newscorpus.fetch.options import corpus_folder, positive, switch
from newscorpus.fetch.plugin import end_unwritable, stat
from newscorpus.fetch.visits import Delivery, Visit, visit_of
from newscorpus.layout import inside
from newscorpus.page.source_page import SourcePage
from newscorpus.store.archive.read import read_capture
from newscorpus.store.archive.values import Capture, Exchange, Origin
from newscorpus.store.archive.values import Headers as Pairs
from newscorpus.store.archive.write import ArchiveWriter, encode
from newscorpus.store.ledger import Ledger, LedgerError

logger = logging.getLogger(__name__)

INLINE_BYTES = 50_000
"""Longest body encoded in the event loop, which takes a millisecond; longer ones go to a thread."""


class Archive:
    """Extension that writes the archive."""

    def __init__(self, crawler: Crawler, writer: ArchiveWriter) -> None:
        self._crawler = crawler
        self.writer = writer
        self._ending: asyncio.Future[None] | None = None
        self._ledger: Ledger | None = None

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

    def join(self, ledger: Ledger) -> None:
        """Announce the files to a ledger, and record their lengths with its commits."""
        self._ledger = ledger
        self.writer.announce = ledger.announce
        ledger.transaction.follow(self.writer.lengths)

    async def write(self, visit: Visit, exchange: Exchange, capture: Capture | None = None) -> None:
        """Write a response of a visit, and the page made of it; if the disk is full, postpone the visit."""
        if len(exchange.body) > INLINE_BYTES:
            records = await asyncio.to_thread(encode, exchange, capture, Limits().max_bytes)
        else:
            records = encode(exchange, capture, Limits().max_bytes)
        try:
            where = self.writer.append(records)
            if capture and self._ledger:
                self._ledger.begin_capture(where.file, where.offset)
        except (OSError, LedgerError) as error:
            self._give_up(error)
            visit.postponed = True
            return
        self._crawler.stats.inc_value(stat("archived_bytes"), where.length)
        visit.archived = (where.file, where.offset)

    def close(self) -> None:
        """Close the files."""
        try:
            self.writer.close()
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: OSError | LedgerError) -> None:
        if self._ending is None:
            why = f"{error.filename or 'disk'}: {error.strerror}" if isinstance(error, OSError) else str(error)
            self._ending = end_unwritable(self._crawler, f"Cannot write the archive: {why}")


class ArchiveMiddleware:
    """Downloader and spider middleware: archives responses as received, close to the network.

    Redirects, errors and robots.txt are written at once; other responses after the callback, with the page that it
    yields, or alone if it yields none or fails.
    """

    def __init__(self, archive: Archive) -> None:
        self._archive = archive

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the middleware of a crawl; raise `NotConfigured` if the archive is off."""
        if archive := crawler.get_extension(Archive):
            return cls(archive)
        raise NotConfigured

    async def process_response(self, request: Request, response: Response) -> Response:
        """Archive a response, or hold it until its callback has ended."""
        visit = visit_of(request)
        stored = visit.stored
        if not request.url.startswith("http") or (stored and stored.origin):  # archived with its page already
            return response
        exchange = _exchange(request, response, stored)
        if response.status == HTTPStatus.OK and request.callback is not NO_CALLBACK:
            visit.held = exchange
        else:
            await self._archive.write(visit, exchange)
        return response

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Archive the response and its pages; pass on the output of the spider."""
        visit = visit_of(response)
        exchange, visit.held = visit.held, None
        written = visit.stored is not None
        try:
            async for output in result:
                if exchange and isinstance(output, Delivery) and isinstance(output.item, SourcePage):
                    await self._archive.write(visit, exchange, _capture(response, output.item))
                    written = True
                yield output
        finally:
            if exchange and not written:
                await self._archive.write(visit, exchange)


class StoredAnswersMiddleware:
    """Downloader middleware, before all others: answers earlier requests from the archive, without the network.

    If the archive lacks the answer, the request goes to the site.
    """

    def __init__(self, corpus: Path) -> None:
        self._corpus = corpus

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Read the settings; raise `NotConfigured` if the crawl has no corpus."""
        if not crawler.settings.get("NEWSCORPUS_CORPUS"):
            raise NotConfigured
        return cls(corpus_folder(crawler.settings))

    async def process_request(self, request: Request) -> Response | None:
        """Answer a request that has a location in the archive."""
        visit = visit_of(request)
        place, visit.stored_at = visit.stored_at, None
        file, offset = place or ("", 0)
        if not file:
            return None
        try:
            found = await asyncio.to_thread(read_capture, inside(self._corpus, file), offset)
        except CorpusError as error:
            logger.warning("%s; %s is asked for again", error, request.url)
            return None
        if isinstance(found, Rejected):
            logger.warning("%s, offset %d: %s; %s is asked for again", file, offset, found.reason, request.url)
            return None
        page, visit.stored, visit.archived = found.page, found, (file, offset)
        visit.rights = tuple(one for one in page.evidence if one.source == ROBOTS_TXT)
        if page.url != request.url:
            request.meta["redirect_urls"] = [request.url]
        headers = Headers({name: value.encode("latin-1", "replace") for name, value in page.headers.items()})
        kind = responsetypes.from_args(headers=headers, url=page.url, body=page.body)
        return kind(page.url, headers=headers, body=page.body, request=request)


def _exchange(request: Request, response: Response, stored: Capture | None) -> Exchange:
    answered = datetime.fromisoformat(stored.page.fetched) if stored else datetime.now(UTC)
    return Exchange(
        url=response.url,
        date=answered.isoformat(timespec="microseconds").replace("+00:00", "Z"),
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
