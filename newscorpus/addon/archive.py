"""The archive of a crawl: every response as it came, and every page as it was handed on."""

import asyncio
import logging
from collections.abc import Mapping
from typing import Self
from weakref import WeakKeyDictionary

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

import newscorpus
from newscorpus.addon.counts import ARCHIVED, FAILED
from newscorpus.addon.options import corpus_folder, positive, switch
from newscorpus.addon.visits import current_visit
from newscorpus.config import Limits
from newscorpus.crawl.archive.encode import encode
from newscorpus.crawl.archive.values import Capture, Exchange
from newscorpus.crawl.archive.writer import ArchiveWriter

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
        software = f"newscorpus/{newscorpus.__version__}"
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
