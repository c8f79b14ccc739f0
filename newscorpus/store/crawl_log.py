"""The logs of a corpus's crawls: one file a crawl, of bounded size, the oldest removed."""

import logging
import re
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path

from newscorpus.errors import CorpusError
from newscorpus.files import exclusive, is_held
from newscorpus.layout import CRAWL_LOCK, LOG_LOCK, LOGS

MAX_BYTES = 5_000_000
"""Maximum size of a file: a month at a line of 100 bytes a minute. Of a longer log, the last one or two are kept."""

KEPT_LOGS = 30
"""Logs kept, so that all take at most 300 MB: a month of daily crawls."""

FORMAT = "%(asctime)s [%(name)s] %(levelname)s: %(message)s"
"""Scrapy's own; `BEGIN` parses it."""

BEGIN = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \[[^]]*\] ([A-Z]+): ")
NEEDS_A_LOOK = frozenset({"WARNING", "ERROR", "CRITICAL"})


class CrawlLog(RotatingFileHandler):
    """Writes the log of a crawl that begins now, and removes the oldest logs.

    The lock of the crawl must be held.
    """

    def __init__(self, corpus: Path, level: str | int) -> None:
        (corpus / LOGS).mkdir(exist_ok=True)
        for path in crawl_logs(corpus)[: 1 - KEPT_LOGS]:
            for each in (_earlier_part(path), path):
                each.unlink(missing_ok=True)
        path = corpus / LOGS / f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}.log"
        super().__init__(path, maxBytes=MAX_BYTES, backupCount=1, encoding="utf-8", errors="backslashreplace")
        self.setLevel(level)
        self.setFormatter(logging.Formatter(FORMAT, "%Y-%m-%d %H:%M:%S"))
        self._locks = ExitStack()
        with suppress(CorpusError):  # held while an earlier crawl is still published
            self._locks.enter_context(exclusive(corpus / LOG_LOCK, "crawl", patience_seconds=0))

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 -- the base class names it
        """Lose the line, without a traceback: the crawl reports a full disk in its own words."""

    def close(self) -> None:
        """Close the file; lines that a full disk did not take are lost."""
        with suppress(OSError):
            super().close()
        self._locks.close()


def is_crawling(corpus: Path) -> bool:
    """Whether a crawl runs; it ends after it has published and reported."""
    return any(is_held(corpus / lock) for lock in (CRAWL_LOCK, LOG_LOCK))


def crawl_logs(corpus: Path) -> list[Path]:
    """Return the logs of a corpus, oldest first, each by its last part."""
    return sorted((corpus / LOGS).glob("*.log"))


def read_log(path: Path) -> Iterator[str]:
    """Read the lines of a log."""
    for part in filter(Path.is_file, (_earlier_part(path), path)):
        with part.open(encoding="utf-8", errors="replace") as file:
            yield from file


def needing_a_look(lines: Iterable[str]) -> Iterator[str]:
    """Select warnings and errors, with their tracebacks."""
    is_shown = False
    for line in lines:
        if found := BEGIN.match(line):
            is_shown = found[1] in NEEDS_A_LOOK
        if is_shown:
            yield line


def _earlier_part(path: Path) -> Path:
    return path.with_name(f"{path.name}.1")
