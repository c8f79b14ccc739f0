"""Last step: every page ends here, as a row of the intake or as a line of the rejections."""

import logging
from pathlib import Path
from typing import Any, Self

from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem

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

    Counts `newscorpus/kept`, `newscorpus/words` and `newscorpus/rejected/STAGE/REASON`. Passes a `Record` on.

    Args:
        crawler: the crawl, for its stats, and to end it when the disk is full.
        corpus: folder of the corpus.
    """

    def __init__(self, crawler: Crawler, corpus: Path) -> None:
        self._crawler = crawler
        self._corpus = corpus
        self._n_written = 0

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the step of a crawl.

        Raises:
            CrawlError: no corpus folder is set.
        """
        return cls(crawler, corpus_folder(crawler.settings))

    def open_spider(self) -> None:
        """Open the files.

        Raises:
            CrawlError: the corpus folder cannot be written.
        """
        try:
            self._journal = Journal(self._corpus / "rejected.jsonl")
            self._intake = IntakeWriter(self._corpus / "intake", BuildConfig().signature)
        except OSError as error:
            raise CrawlError(
                f"setting NEWSCORPUS_CORPUS: {error.filename or self._corpus}: {error.strerror}"
            ) from error

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
            await self._give_up(error)
            raise
        return item

    def _keep(self, item: Candidate) -> Record:
        record = make_record(item.article, item.source, item.language, item.language_score)
        self._intake.append(record, item.signature)
        self._count("kept")
        self._count("words", record.n_words)
        self._commit_sometimes()
        return record

    def _reject(self, rejected: Rejected) -> None:
        self._journal.append(rejected)
        self._count(f"rejected/{rejected.stage}/{rejected.reason}")
        self._commit_sometimes()
        raise DropItem(f"{rejected.stage}/{rejected.reason} {rejected.url}")

    def _count(self, name: str, by: int = 1) -> None:
        self._crawler.stats.inc_value(f"newscorpus/{name}", by)

    def _commit_sometimes(self) -> None:
        self._n_written += 1
        if self._n_written % COMMIT_EVERY == 0:
            self._intake.commit()
            self._journal.commit()

    async def _give_up(self, error: OSError) -> None:
        """End the crawl: what cannot be written down should not be fetched."""
        logger.error("Cannot write the corpus: %s: %s", error.filename or self._corpus, error.strerror)
        await self._crawler.engine.close_spider_async(reason="cannot_write")
