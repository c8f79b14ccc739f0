"""Show the progress of a crawl, and report on it when it ends."""

import json
import logging
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Self

from rich.console import Console
from rich.live import Live
from rich.table import Table
from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.utils.asyncio import create_looping_call

from newscorpus.fetch.counts import own_access, politeness
from newscorpus.fetch.middlewares.politeness import PolitenessMiddleware
from newscorpus.fetch.options import corpus_folder
from newscorpus.fetch.plugin import hints_of
from newscorpus.fetch.scheduler import LedgerScheduler
from newscorpus.files import replacing
from newscorpus.layout import CRAWL_REPORT
from newscorpus.store.ledger import Ledger
from newscorpus.store.ledger.status import PortalStatus

LIVE_SECONDS = 1.0
LOG_SECONDS = 60.0
COLUMNS = ("portal", "kept", "rejected", "queued", "pages/min", "")

MOST_REASONS = 3
"""Rejection reasons shown at the end; the report has all."""

MOST_NAMED = 5
"""Portals that are named when a crawl begins."""

LEFT_OUT = "most often rejected for"
"""Heading of the reasons."""

NOTHING_LEFT = "nothing was to be asked for now; -a revisit=due asks again for what is due, revisit=all for every list"

REJECTIONS = "newscorpus/rejected/"

REPORTED = (
    "newscorpus/", "downloader/", "dupefilter/", "httpcompression/", "retry/", "robotstxt/", "spider_exceptions/"
)  # fmt: skip
"""Prefixes of the stats that go into the report."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CrawlReport:
    """Report on one crawl."""

    portals: tuple[str, ...]  # names of the portals
    started: str  # ISO 8601 with offset
    finished: str  # ISO 8601 with offset
    reason: str  # why it ended: "finished", "limit", "shutdown" ...
    stats: Mapping[str, Any]  # every count under `newscorpus/`, and the counts of requests, responses and bytes
    build: Mapping[str, Any]  # report of the build; empty where none ran; {"error": ...} where it failed
    # How each portal stands, by its name: see `newscorpus.store.ledger.status`; "given_up" says why it was left,
    # "end" why it was not done, whether given up or cut short by something else, and "own_access" names the cookies and
    # headers of the user's own with which it was asked.
    by_portal: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def reported(stats: Mapping[str, Any]) -> dict[str, Any]:
    """Return the stats for the report, sorted by name."""
    return {name: value for name, value in sorted(stats.items()) if name.startswith(REPORTED)}


def by_portal(
    statuses: Iterable[PortalStatus], stats: Mapping[str, Any], ends: Mapping[str, str]
) -> dict[str, dict[str, Any]]:
    """The figures of each portal at the end of a crawl; `ends` says why a portal was left, if it was not done."""
    return {
        one.portal: asdict(one)
        | {"given_up": stats.get(politeness(one.portal, "given_up"), ""), "end": ends.get(one.portal, "")}
        | {"own_access": stats.get(own_access(one.portal, "names"), "")}
        for one in statuses
        if one.portal
    }


def show_portals(console: Console, figures: Mapping[str, Mapping[str, Any]], statuses: Iterable[PortalStatus]) -> None:
    """Show the figures of each portal, as a table in a terminal, otherwise as lines of the log; log what is missing."""
    rows = {portal: _cells(one) for portal, one in figures.items()}
    if console.is_terminal:
        headings = ("portal", *next(iter(rows.values()), ()))
        console.print(_table(headings, [(portal, *cells.values()) for portal, cells in rows.items()]))
    else:
        for portal, cells in rows.items():
            counted = ", ".join(f"{value} {name}" for name, value in cells.items() if value and name != LEFT_OUT)
            logger.info("%s: %s; %s: %s", portal, counted, LEFT_OUT, cells[LEFT_OUT] or "nothing")
    empty = [portal for portal, one in figures.items() if not one["kept"]]
    for portal in empty if len(empty) < len(figures) else ():
        logger.warning("Kept nothing of %s: %s", portal, rows[portal][LEFT_OUT] or "nothing was found")
    for status in statuses:
        for line in (*status.shortfalls(), *map(str, status.redesigns)) if status.portal else ():
            logger.warning("%s", line)


def _cells(one: Mapping[str, Any]) -> dict[str, str]:
    """Format the figures of a portal, by heading."""
    reasons = [f"{reason} {n:,}" for reason, n in list(one["rejected"].items())[:MOST_REASONS]]
    given_up = [f"given up: {one['given_up']}"] if one["given_up"] else []
    return {
        "kept": f"{one['kept']:,}",
        "rejected": f"{sum(one['rejected'].values()):,}",
        "queued": f"{one['queued']:,}",
        "words": f"{one['words']:,}",
        "MB": f"{one['megabytes']:,.1f}" if one["megabytes"] else "",  # "" where nothing was fetched
        "words/MB": f"{one['words_per_megabyte']:,.0f}" if one["megabytes"] else "",
        LEFT_OUT: ", ".join([*given_up, *reasons]),
    }


def _table(names: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in names:
        table.add_column(name, justify="left" if name in {"portal", "", LEFT_OUT} else "right")
    for row in rows:
        table.add_row(*row)
    return table


def why_nothing(stats: Mapping[str, Any], figures: Mapping[str, Mapping[str, Any]]) -> str:
    """Why a crawl kept nothing, in one line; where it rejected nothing itself, what those before it rejected."""
    now = Counter({name.removeprefix(REJECTIONS): n for name, n in stats.items() if name.startswith(REJECTIONS)})
    before = sum((Counter(one["rejected"]) for one in figures.values()), Counter[str]())
    left = {name.split("/")[-2]: why for name, why in sorted(stats.items()) if name.endswith("/given_up")}
    reasons = [f"{portal} was given up: {why}" for portal, why in left.items()]
    queued = sum(one["queued"] for one in figures.values())
    if now:
        reasons.insert(0, f"rejected: {_counted(now)}")
    elif before:
        reasons.insert(0, f"rejected earlier: {_counted(before)}")
    if queued:
        reasons.append(f"{queued} addresses are still queued")
    elif before and not now:
        reasons.append(NOTHING_LEFT)
    responses = f"{stats.get('downloader/response_count', 0)} responses"
    return "; ".join([responses, *(reasons or ["no page was taken for an article"])])


def _counted(reasons: Counter[str]) -> str:
    return ", ".join(f"{name} {n}" for name, n in sorted(reasons.items(), key=lambda item: (-item[1], item[0])))


def write_report(folder: Path, report: CrawlReport) -> None:
    """Write `crawl-report.json` into `folder`: whole, or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(folder / CRAWL_REPORT) as file:
        file.write(json.dumps(asdict(report), ensure_ascii=False, indent=2).encode() + b"\n")


def _time_after(seconds: float) -> str:
    """The time of day so many seconds from now, by the user's clock."""
    return f"{datetime.now() + timedelta(seconds=seconds):%H:%M:%S}"  # noqa: DTZ005 -- as said


class ProgressExtension:
    """Shows how each portal of a crawl does: once a second in a terminal, once a minute in the log."""

    def __init__(self, crawler: Crawler, console: Console) -> None:
        self._crawler = crawler
        self._console = console
        self._portals: tuple[str, ...] = ()
        self._began = 0.0
        self._fetched: dict[str, int] = {}
        self._live: Live | None = None
        self._handlers: list[Any] = []
        self._showing = create_looping_call(self._show)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the extension of a crawl."""
        extension = cls(crawler, Console(stderr=True))
        crawler.signals.connect(extension.spider_opened, signals.spider_opened)
        crawler.signals.connect(extension.spider_closed, signals.spider_closed)
        return extension

    def spider_opened(self, spider: Spider) -> None:
        """Start the display."""
        if (ledger := self._ledger()) is None:
            return
        names = hints_of(spider).portal_names
        self._portals = (spider.name,) if names is None else names
        self._began = time.monotonic()
        self._say_who_is_asked(spider)
        self._fetched = {portal: ledger.counts.of("fetched", portal) for portal in self._portals}
        if self._console.is_terminal:
            self._begin_live()
        self._showing.start(LIVE_SECONDS if self._live else LOG_SECONDS, now=False)

    def _say_who_is_asked(self, spider: Spider) -> None:
        """Say at the start where the corpus lies, and who is asked how fast and by whom."""
        settings = self._crawler.settings
        policies = [hints_of(spider).policies.get(portal) for portal in self._portals]
        delays = [one.delay_seconds if one else settings.getfloat("DOWNLOAD_DELAY") for one in policies]
        asked = [f"{name} at most every {seconds:g} s" for name, seconds in zip(self._portals, delays, strict=True)]
        more = f" and {len(asked) - MOST_NAMED:,} more" if len(asked) > MOST_NAMED else ""
        logger.info(
            "Crawl into %s as %s; asks %s%s",
            *(corpus_folder(settings).absolute(), settings.get("USER_AGENT")),
            *(", ".join(asked[:MOST_NAMED]), more),
        )
        for name, access in hints_of(spider).access.items():
            logger.info("%s is asked with what its file carries of your own: %s", name, access.names)

    def spider_closed(self) -> None:
        """Leave the terminal as it was."""
        if self._portals:
            self._showing.stop()
        if self._live:
            self._live.stop()
            for handler in self._handlers:
                handler.setStream(sys.stderr)

    def _begin_live(self) -> None:
        """Draw at the foot of the terminal; what is logged goes above it."""
        self._handlers = [
            handler
            for handler in logging.getLogger().handlers
            if isinstance(handler, logging.StreamHandler) and handler.stream is sys.stderr
        ]
        self._live = Live(console=self._console, auto_refresh=False, transient=True, redirect_stdout=False)
        self._live.start()
        for handler in self._handlers:
            handler.setStream(sys.stderr)  # which is the drawing's now

    def _show(self) -> None:
        ledger = self._ledger()
        rows = [self._row(ledger, portal) for portal in self._portals] if ledger else []
        if self._live:
            self._live.update(_table(COLUMNS, rows), refresh=True)
            return
        for portal, kept, rejected, queued, rate, state in rows:
            logger.info("%s: %s kept, %s rejected, %s queued, %s pages a minute%s", portal, kept, rejected, queued,
                        rate, f"; {state}" if state else "")  # fmt: skip

    def _row(self, ledger: Ledger, portal: str) -> tuple[str, ...]:
        minutes = max(1.0, time.monotonic() - self._began) / 60
        counts = ledger.counts
        rate = (counts.of("fetched", portal) - self._fetched[portal]) / minutes
        figures = (counts.of("kept", portal), counts.rejected(portal), ledger.queue.size(portal), round(rate))
        return (portal, *map(str, figures), self._state(ledger, portal))

    def _state(self, ledger: Ledger, portal: str) -> str:
        """Return why a portal is not being crawled; "" if it is."""
        politeness = self._crawler.get_downloader_middleware(PolitenessMiddleware)
        if politeness is None:
            return ""
        if reason := politeness.given_up(portal):
            return f"given up: {reason}"
        if seconds := politeness.rest_seconds(portal):
            return f"rests until {_time_after(seconds)}"
        n_waiting = ledger.queue.waiting(portal)
        if not 0 < n_waiting == ledger.queue.size(portal):
            return ""
        url, ready_at = ledger.queue.next_waiting(portal)
        until = _time_after(ready_at - time.monotonic())
        return f"waits until {until} to ask {n_waiting:,} failed pages again, first {url}"

    def _ledger(self) -> Ledger | None:
        scheduler = self._crawler.engine.scheduler
        return scheduler.ledger if isinstance(scheduler, LedgerScheduler) else None
