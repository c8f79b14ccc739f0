"""Measure one crawl of newspapers in this process: `python -m benchmarks.crawls JSON` prints a JSON object.

Three ways: `bare` is a Scrapy spider with Scrapy's own settings, which follows every link and writes items with FEEDS;
`unread` is the portal spider with everything but extraction: what it keeps is the page itself, which is what `bare`
writes too; `read` is the portal spider as it is.
"""

import asyncio
import json
import os
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from multiprocessing import active_children
from pathlib import Path
from typing import Any

from scrapy import Request, Spider, signals
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.http import TextResponse
from scrapy.settings import Settings
from scrapy.utils.project import get_project_settings

from newscorpus.data import Article, Fields
from newscorpus.fetch.plugin import KEPT
from newscorpus.fetch.scheduler import LedgerScheduler
from newscorpus.fetch.visits import Delivery
from newscorpus.page.records import make_record
from newscorpus.page.rows import Row
from newscorpus.page.source_page import SourcePage
from newscorpus.store.ledger import Ledger

SAMPLE_SECONDS = 0.1
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class CrawlFigures:
    """What a crawl took."""

    articles: int = 0  # items written, or rows of the intake
    responses: int = 0  # answers of the newspapers
    seconds: float = 0.0  # from the opening of the spider to its end
    cpu_seconds: float = 0.0  # of this process, from the opening of the spider to its end
    worker_seconds: float = 0.0  # CPU time of the worker processes, their start included
    ledger_seconds: float = 0.0  # in the ledger
    scheduler_seconds: float = 0.0  # in the scheduler, the ledger included
    longest_block: float = 0.0  # longest time that the event loop spent in one callback while pages came, in seconds
    longest_work: float = 0.0  # the same in CPU time, so without what other processes and the disk took
    memory: dict[int, int] = field(default_factory=dict)  # bytes resident at numbers of articles


class BareSpider(Spider):
    """Follow every link of a newspaper, as a spider without newscorpus does."""

    name = "bare"

    def __init__(self, bases: list[str]) -> None:
        super().__init__()
        self._bases = bases

    async def start(self) -> AsyncIterator[Request]:
        """Begin at the front pages."""
        for base in self._bases:
            yield Request(f"{base}/")

    def parse(self, response: TextResponse) -> Iterator[Any]:  # type: ignore[override]
        """Write an article, and follow all links."""
        if "/story/" in response.url or "/print/" in response.url:
            yield {"url": response.url, "title": response.css("title::text").get(), "text": response.text}
        yield from response.follow_all(css="a")


class UnreadPipeline:
    """Makes a row of every page, with the page itself as the text."""

    def process_item(self, item: Any) -> Any:
        """Make the row of a page."""
        if not (isinstance(item, Delivery) and isinstance(item.item, SourcePage)):
            return item
        page = item.item.page
        article = Article(page.url, page.body.decode(), Fields(), "unread", fetched=page.fetched)
        return replace(item, item=Row(make_record(article, item.item.source, "", 0.0), b""))


@dataclass
class Stopwatch:
    """Measures the time spent in some methods, counted once where they call each other."""

    seconds: float = 0.0
    _depth: int = 0

    def watch(self, kind: type, name: str) -> None:
        """Time a method of a class."""
        method = getattr(kind, name)

        def timed(*arguments: Any, **options: Any) -> Any:
            self._depth += 1
            began = time.perf_counter()
            try:
                return method(*arguments, **options)
            finally:
                self._depth -= 1
                self.seconds += 0.0 if self._depth else time.perf_counter() - began

        setattr(kind, name, timed)


@dataclass
class Marks:
    """Notes when the first page came and when the last was done."""

    opened: float = 0.0
    closed: float = 0.0
    cpu_seconds: float = 0.0
    worker_seconds: float = 0.0

    def open(self) -> None:
        """Note that the spider is open."""
        self.opened, self.cpu_seconds = time.perf_counter(), -time.process_time()

    def close(self) -> None:
        """Note that nothing is left to do."""
        if not self.closed:
            self.closed = time.perf_counter()
            self.cpu_seconds += time.process_time()
            for process in active_children():
                fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
                self.worker_seconds += (int(fields[11]) + int(fields[12])) / TICKS


def watch_loop(figures: CrawlFigures, crawling: Callable[[], bool]) -> None:
    """Note the longest callback of the event loop while a crawl is on."""
    run = asyncio.Handle._run  # noqa: SLF001 -- where the loop calls everything

    def timed(self: asyncio.Handle) -> None:
        began, worked = time.perf_counter(), time.thread_time()
        run(self)
        if not crawling():
            return
        figures.longest_block = max(figures.longest_block, time.perf_counter() - began)
        figures.longest_work = max(figures.longest_work, time.thread_time() - worked)

    asyncio.Handle._run = timed  # type: ignore[method-assign] # noqa: SLF001


async def sample_memory(crawler: Crawler, figures: CrawlFigures, every: int) -> None:
    """Note the resident memory at every `every` articles."""
    while True:
        await asyncio.sleep(SAMPLE_SECONDS)
        done = _articles(crawler) // every * every
        if done and done not in figures.memory:
            figures.memory[done] = resident_bytes()


def settings_of(way: str, folder: Path, more: dict[str, Any]) -> Settings:
    """Make the settings of one of the ways to crawl."""
    if way == "bare":
        feeds = {str(folder / "items.jsonl"): {"format": "jsonlines"}}
        return Settings({"FEEDS": feeds, "ROBOTSTXT_OBEY": True, "LOG_LEVEL": "WARNING", **more})
    settings = get_project_settings()
    ours = {"NEWSCORPUS_CORPUS": str(folder / "corpus"), "NEWSCORPUS_BUILD": False, "LOG_LEVEL": "WARNING", **more}
    if way == "unread":
        ours["ITEM_PIPELINES"] = {UnreadPipeline: 100, "newscorpus.pipelines.store.StorePipeline": 400}
    settings.setdict(ours, priority="cmdline")
    return settings


def crawl(way: str, bases: list[str], folder: Path, every: int, more: dict[str, Any]) -> CrawlFigures:
    """Crawl, and measure what it takes."""
    figures, ledger, scheduler, marks = CrawlFigures(), Stopwatch(), Stopwatch(), Marks()
    for name in [name for name, value in vars(Ledger).items() if callable(value) and name[0] != "_"]:
        ledger.watch(Ledger, name)
    for name in ("enqueue_request", "next_request", "has_pending_requests", "_tick"):
        scheduler.watch(LedgerScheduler, name)
    watch_loop(figures, lambda: marks.opened > 0 and not marks.closed)
    process = AsyncCrawlerProcess(settings_of(way, folder, more))
    crawler = process.create_crawler(BareSpider if way == "bare" else "portal")
    crawler.signals.connect(marks.open, signals.spider_opened)
    crawler.signals.connect(marks.close, signals.spider_idle)
    arguments = {"bases": bases} if way == "bare" else {"portal": ",".join(f"paper{n}" for n in range(len(bases)))}
    process.crawl(crawler, **arguments)
    sampling = asyncio.get_event_loop().create_task(sample_memory(crawler, figures, every))
    process.start()
    sampling.cancel()
    figures.articles, figures.responses = _articles(crawler), crawler.stats.get_value("downloader/response_count", 0)
    figures.seconds, figures.cpu_seconds = marks.closed - marks.opened, marks.cpu_seconds
    figures.worker_seconds = marks.worker_seconds
    figures.ledger_seconds, figures.scheduler_seconds = ledger.seconds, scheduler.seconds
    return figures


def _articles(crawler: Crawler) -> int:
    stats = crawler.stats
    n: int = stats.get_value(KEPT) or stats.get_value("item_scraped_count", 0)
    return n


def resident_bytes() -> int:
    """Return the resident memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE_BYTES


if __name__ == "__main__":
    asked = json.loads(sys.argv[1])
    os.chdir(asked["folder"])
    print(json.dumps(asdict(crawl(**asked | {"folder": Path(asked["folder"])}))))
