"""How a crawl shows its progress."""

import io
import logging
import re
import sys
import time
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from crawled import take
from rich.console import Console
from scrapy.settings import Settings

from newscorpus.fetch.progress import ProgressExtension
from newscorpus.fetch.scheduler import LedgerScheduler
from newscorpus.store.ledger import Fetched, Ledger, Link, UrlOutcome, key_of

URL = "https://vesti.example/"
PORTALS: Any = SimpleNamespace(portal_names=("vesti", "novine"), name="portal")


class Shown:
    """The extension of a crawl of two portals, one of which rests; the test makes the repeated call itself."""

    def __init__(self, ledger: Ledger | None, folder: Path, *, is_terminal: bool = False) -> None:
        politeness = SimpleNamespace(
            given_up={"vesti": "", "novine": "refused"}.get, rest_seconds={"vesti": 600.0, "novine": 0.0}.get
        )
        settings = Settings({"NEWSCORPUS_CORPUS": "corpora/two", "DOWNLOAD_DELAY": 2.0, "USER_AGENT": "newscorpus/1"})
        crawler: Any = SimpleNamespace(get_downloader_middleware=lambda _kind: politeness, settings=settings)
        scheduler = LedgerScheduler(crawler, folder) if ledger else None
        if scheduler and ledger:
            scheduler.ledger = ledger
        crawler.engine = SimpleNamespace(scheduler=scheduler)
        self.drawn = io.StringIO()
        self.interval = 0.0
        console = Console(file=self.drawn, force_terminal=is_terminal, width=100, no_color=True, highlight=False)
        self.extension = ProgressExtension(crawler, console, self.repeat)

    def repeat(self, call: Any) -> Any:
        self.call = call
        return SimpleNamespace(start=lambda seconds, now: setattr(self, "interval", seconds), stop=lambda: None)


def fetch(ledger: Ledger, name: str, outcome: UrlOutcome) -> None:
    ledger.add(Link(key_of(URL + name), URL + name, "vesti"))
    lease = take(ledger, "vesti")
    ledger.finish(lease.serial, [outcome], Fetched(lease.url, 200, "2026-11-21T08:00:00+00:00", 5))


def run(shown: Shown, ledger: Ledger) -> None:
    """Show once after two pages."""
    fetch(ledger, "before", UrlOutcome(reason="kept"))
    shown.extension.spider_opened(PORTALS)
    fetch(ledger, "1", UrlOutcome(reason="kept"))
    fetch(ledger, "2", UrlOutcome("extract", "no_content"))
    ledger.add(Link(key_of(URL + "3"), URL + "3", "vesti"))
    shown.call()
    shown.extension.spider_closed()


def test_a_log_gets_a_line_a_portal_once_a_minute(
    ledger: Ledger, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    run(shown := Shown(ledger, tmp_path), ledger)
    assert shown.interval == 60
    start, first, second = caplog.messages
    pauses = "pause between requests: vesti 2 s, novine 2 s"
    assert start == f"Crawl into {Path.cwd() / 'corpora/two'} as newscorpus/1; {pauses}"
    assert first.startswith("vesti: 2 kept, 1 rejected, 1 queued, 120 pages a minute; rests until ")
    assert second == "novine: 0 kept, 0 rejected, 0 queued, 0 pages a minute; given up: refused"


def test_a_log_says_for_which_pages_a_crawl_waits_and_how_long(
    ledger: Ledger, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    shown = Shown(ledger, tmp_path)
    for name, seconds in (("archive/1", 300.0), ("archive/2", 60.0)):
        ledger.add(Link(key_of(URL + name), URL + name, "danas"))
        lease = take(ledger, "danas")
        ledger.queue.release(lease.serial, ready_at=time.monotonic() + seconds)
    began = datetime.now()  # noqa: DTZ005 -- the user's clock
    shown.extension.spider_opened(SimpleNamespace(portal_names=("danas",), name="portal"))  # type: ignore[arg-type]
    shown.call()
    found = re.search(rf"; waits until (.*) to ask 2 failed pages again, first {URL}archive/2$", caplog.messages[-1])
    assert found
    assert found[1] in {f"{began + timedelta(seconds=after):%H:%M:%S}" for after in range(57, 75)}


def test_a_terminal_gets_a_line_a_portal_at_its_foot_and_logs_go_above(ledger: Ledger, tmp_path: Path) -> None:
    handler = logging.StreamHandler(sys.stderr)
    logging.getLogger().addHandler(handler)
    try:
        before = sys.stderr
        run(shown := Shown(ledger, tmp_path, is_terminal=True), ledger)
        assert handler.stream is sys.stderr is before
    finally:
        logging.getLogger().removeHandler(handler)
    assert shown.interval == 1
    assert "pages/min" in shown.drawn.getvalue()
    assert "given up: refused" in shown.drawn.getvalue()


def test_nothing_is_shown_of_a_crawl_without_a_ledger(tmp_path: Path) -> None:
    shown = Shown(None, tmp_path)
    shown.extension.spider_opened(PORTALS)
    shown.extension.spider_closed()
    assert (shown.interval, shown.drawn.getvalue()) == (0.0, "")
