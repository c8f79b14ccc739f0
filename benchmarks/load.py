"""Crawl many portals for hours of a simulated clock: `python -m benchmarks.load [--addresses N] [--minutes N]`.

The crawl is the real one, archive included; only the network and the extraction are simulated. The clock shows the CPU
time of the process and jumps over all waiting: a step takes as long as it works, whatever else the machine does.
"""

import argparse
import asyncio
import os
import random
import selectors
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

SKIPPED = [0.0]
"""Seconds that were skipped."""


def clock(began: float) -> Callable[[], float]:
    """Make a clock of CPU time and what was skipped, which shows `began` now."""
    return lambda: began + time.process_time() + SKIPPED[0]


time.monotonic, time.time = clock(time.monotonic()), clock(time.time())  # before others import them

from scrapy import Request, signals  # noqa: E402
from scrapy.crawler import AsyncCrawlerProcess, Crawler  # noqa: E402
from scrapy.exceptions import DownloadTimeoutError  # noqa: E402
from scrapy.http import HtmlResponse, Response  # noqa: E402
from scrapy.resolver import CachingThreadedResolver  # noqa: E402
from twisted.internet.defer import Deferred, succeed  # noqa: E402

from benchmarks.crawls import resident_bytes, settings_of  # noqa: E402
from newscorpus.fetch.plugin import KEPT  # noqa: E402
from newscorpus.fetch.scheduler import scheduler_of  # noqa: E402

PORTAL = """name = "{name}"
languages = ["en"]
domains = ["{name}.com"]
start = ["http://h0.{name}.com/"]
articles = ['/story/\\d+']
delay_seconds = {delay}
limits = {{ max_pages = 10_000_000, max_depth = 10_000_000 }}
"""
HOSTS, STORIES, LISTED = 20, 200, 20
"""Hosts of a portal, articles of a host, articles on a page of a section."""
LATENCY_SECONDS = (0.05, 0.8)
DEAD = 50
"""One article in so many is not answered, answers 404 or 500, or redirects, by turns."""
TEXT = "".join(f"<p>{'The old mayor sold the barley to the ferry. ' * 9}</p>" for _ in range(6))
HEAD = """| minutes | CPU s | requests | MB resident | queued | leased | downloading | unfinished | tasks |
|--:|--:|--:|--:|--:|--:|--:|--:|--:|"""


class SkippingSelector(selectors.DefaultSelector):
    """Skips the time in which nothing can happen."""

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Return what is ready."""
        ready = super().select(timeout and min(timeout, 0))
        SKIPPED[0] += max(timeout or 0.0, 0.0) if not ready else 0.0
        return ready


class SkippingLoop(asyncio.SelectorEventLoop):
    """The event loop of the simulated clock; threads, which sync the ledger, work on the real one."""

    def __init__(self) -> None:
        super().__init__(SkippingSelector())


class OneAddress(CachingThreadedResolver):
    """Gives every name the same public address."""

    def getHostByName(self, _name: str, _timeout: object = ()) -> Deferred[str]:  # noqa: N802 -- Twisted's name
        """Return the address."""
        return succeed("93.184.215.14")


@dataclass
class Asked:
    """What the sites were asked."""

    n_by_host: Counter[str] = field(default_factory=Counter)
    last: dict[str, float] = field(default_factory=dict)  # by portal: when the last request came
    least_gap: float = 1e9  # seconds between two requests of a portal
    under_way: Counter[str] = field(default_factory=Counter)  # by portal
    most_at_once: int = 0  # requests of a portal


class SimulatedWeb:
    """A download handler: portals of `HOSTS` hosts each, of `STORIES` articles."""

    lazy, asked, random = False, Asked(), random.Random(1)

    async def download_request(self, request: Request) -> Response:
        """Answer after some time; note how the site was treated."""
        (host, path), asked = urlsplit(request.url)[1:3], self.asked
        portal, now = host.partition(".")[2], time.monotonic()
        asked.n_by_host[host] += 1
        asked.least_gap = min(asked.least_gap, now - asked.last.get(portal, 0.0))
        asked.last[portal] = now
        asked.under_way[portal] += 1
        asked.most_at_once = max(asked.most_at_once, asked.under_way[portal])
        await asyncio.sleep(self.random.uniform(*LATENCY_SECONDS))
        asked.under_way[portal] -= 1
        kind, _, digits = path.strip("/").partition("/")
        if kind not in {"", "section", "story"}:  # robots.txt, guessed feeds
            return HtmlResponse(request.url, 404)
        number = int(digits or 0)
        if kind == "story" and number % DEAD == DEAD - 1:
            if not (answer := number // DEAD % 4):
                raise DownloadTimeoutError(f"no answer from {request.url}")
            moved = {"Location": f"/story/{(number + 1) % STORIES}"} if answer == 3 else {}
            return HtmlResponse(request.url, (404, 500, 301)[answer - 1], moved)
        if kind == "story":
            paths = [f"/story/{(number * 7 + step) % STORIES}" for step in (1, 2, 3)]
        elif kind == "section":
            paths = [f"/story/{story}" for story in range(number * LISTED, (number + 1) * LISTED)]
        else:
            pages = ((host, page) for host in range(HOSTS) for page in range(STORIES // LISTED))
            paths = [f"http://h{host}.{portal}/section/{page}" for host, page in pages]
        links = "".join(f'<p><a href="{path}">The ferry carries barley, page {path}</a></p>' for path in paths)
        body = f"<title>{path}</title>{TEXT if kind == 'story' else ''}{links}".encode()
        return HtmlResponse(request.url, headers={"Content-Type": "text/html"}, body=body, encoding="utf-8")

    async def close(self) -> None:
        """End."""


async def sample(crawler: Crawler, minutes: int) -> None:
    """Print twelve times how large everything is, and end the crawl after so many simulated minutes."""
    scheduler, engine, every = scheduler_of(crawler), crawler.engine, max(1, minutes // 12)
    print(HEAD, flush=True)
    for minute in range(every, minutes + 1, every):
        await asyncio.sleep(60 * every)
        slot = engine.scraper.slot
        figures = (
            minute,
            round(time.process_time()),
            SimulatedWeb.asked.n_by_host.total(),
            round(resident_bytes() / 1e6, 1),
            scheduler.ledger.queue.ready.total(),
            len(scheduler._visits),  # noqa: SLF001 -- all that the scheduler holds in memory
            len(engine.downloader.active),
            len(slot.active) + len(slot.queue) if slot else 0,
            len(asyncio.all_tasks()),
        )
        print(f"| {' | '.join(f'{each:,}' for each in figures)} |", flush=True)
    await engine.close_spider_async(reason="time")


def crawl(folder: Path, given: argparse.Namespace) -> None:
    """Crawl, and print what it took."""
    names = [f"paper{number}" for number in range(given.addresses // (HOSTS * STORIES))]
    (folder / "portals").mkdir()
    for name in names:
        (folder / "portals" / f"{name}.toml").write_text(PORTAL.format(name=name, delay=given.delay))
    os.chdir(folder)
    os.environ["SCRAPY_SETTINGS_MODULE"] = "newscorpus.settings"
    ours = {
        "ASYNCIO_EVENT_LOOP": SkippingLoop,
        "TWISTED_DNS_RESOLVER": OneAddress,
        "DOWNLOAD_HANDLERS": dict.fromkeys(("http", "https"), SimulatedWeb),
        "NEWSCORPUS_CONTACT": "load@paper0.com",
        "NEWSCORPUS_PROFILE": "off",
        "NEWSCORPUS_WORKERS": 0,
    }
    process = AsyncCrawlerProcess(settings_of("unread", folder, ours))
    crawler = process.create_crawler("portal")
    watch = sample(crawler, given.minutes)
    watching: list[asyncio.Task[None]] = []  # Scrapy would wait for a task that a handler returns
    crawler.signals.connect(lambda: watching.append(asyncio.ensure_future(watch)), signals.spider_opened, weak=False)
    process.crawl(crawler, portal=",".join(names))
    process.start()
    asked, kept = SimulatedWeb.asked, crawler.stats.get_value(KEPT)
    counts = asked.n_by_host.values()
    print(f"\n{kept:,} rows; {sum(counts):,} requests to {len(counts):,} hosts, {min(counts)} to {max(counts)} a host;")
    print(f"{asked.least_gap:.3f} s and more between two of a portal, {asked.most_at_once} at once")


def main() -> None:
    """Crawl in a new folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--addresses", type=int, default=200_000)
    parser.add_argument("--delay", type=float, default=1.0, help="seconds, of each portal (default: 1)")
    parser.add_argument("--minutes", type=int, default=60)
    with tempfile.TemporaryDirectory() as folder:
        crawl(Path(folder), parser.parse_args())


if __name__ == "__main__":
    main()
