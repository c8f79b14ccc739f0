"""Last step: every page ends here, as a row of the intake or as a line of the rejections."""

import asyncio
import logging
from typing import Any, Self

from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem

from newscorpus.addon import counts
from newscorpus.addon.items import Candidate
from newscorpus.addon.options import corpus_folder
from newscorpus.config import BuildConfig
from newscorpus.corpus.intake import IntakeWriter
from newscorpus.corpus.journal import Journal
from newscorpus.corpus.records import make_record
from newscorpus.crawl.errors import CrawlError
from newscorpus.data import Record, Rejected

COMMIT_EVERY = 100
"""Pages after which what was written is brought to the disk: a minute and a half of one polite crawl."""

logger = logging.getLogger(__name__)


class StorePipeline:
    """Writes candidates to the intake and rejections to the journal, and counts both.

    Passes a `Record` on.

    Args:
        crawler: the crawl, for its stats, and to end it when the disk is full.
        intake: where candidates go.
        journal: where rejections go.
    """

    def __init__(self, crawler: Crawler, intake: IntakeWriter, journal: Journal) -> None:
        self._crawler = crawler
        self._intake = intake
        self._journal = journal
        self._n_written = 0
        self._ending: asyncio.Future[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Open the files of the corpus.

        Raises:
            CrawlError: no corpus folder is set, or it cannot be written.
        """
        corpus = corpus_folder(crawler.settings)
        try:
            journal = Journal(corpus / "rejected.jsonl")
        except OSError as error:
            raise CrawlError(f"setting NEWSCORPUS_CORPUS: {error.filename or corpus}: {error.strerror}") from error
        return cls(crawler, IntakeWriter(corpus / "intake", BuildConfig().signature), journal)

    def close_spider(self) -> None:
        """Bring all to the disk and close the files."""
        self._intake.close()
        self._journal.close()

    async def process_item(self, item: Any) -> Any:
        """Write down a candidate or a rejection; hand on everything else.

        Raises:
            DropItem: a rejection, written down.
        """
        try:
            match item:
                case Rejected():
                    self._reject(item)
                case Candidate():
                    return self._keep(item)
        except OSError as error:
            self._give_up(error)
            raise
        return item

    def _keep(self, item: Candidate) -> Record:
        record = make_record(item.article, item.source, item.language, item.language_score)
        self._intake.append(record, item.signature)
        self._crawler.stats.inc_value(counts.KEPT)
        self._crawler.stats.inc_value(counts.WORDS, record.n_words)
        self._commit_sometimes()
        return record

    def _reject(self, rejected: Rejected) -> None:
        self._journal.append(rejected)
        self._crawler.stats.inc_value(counts.rejected(rejected.stage, rejected.reason))
        self._commit_sometimes()
        raise DropItem(f"{rejected.stage}/{rejected.reason} {rejected.url}")

    def _commit_sometimes(self) -> None:
        self._n_written += 1
        if self._n_written % COMMIT_EVERY == 0:
            self._intake.commit()
            self._journal.commit()

    def _give_up(self, error: OSError) -> None:
        """End the crawl: what cannot be written down should not be fetched."""
        if self._ending is None:
            logger.error("Cannot write the corpus: %s: %s", error.filename or "disk", error.strerror)
            self._crawler.stats.set_value(counts.FAILED, "cannot_write")
            # Not awaited: the end of the crawl waits for this very item.
            self._ending = asyncio.ensure_future(self._crawler.engine.close_spider_async(reason="cannot_write"))
