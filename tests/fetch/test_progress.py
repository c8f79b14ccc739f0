"""How a crawl shows itself while it goes."""

import io
import logging
import re
import sys
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console
from scrapy.settings import Settings

from newscorpus.fetch import report
from newscorpus.fetch.report import ProgressExtension
from newscorpus.fetch.scheduler import LedgerScheduler
from newscorpus.store.ledger import Fetched, Ledger, Link, UrlOutcome, key_of

URL = "https://vesti.example/"


class Looping:
    """A call that a test makes itself."""

    def __init__(self, call: Any) -> None:
        self.call = call
        self.interval = 0.0

    def start(self, interval: float, *, now: bool) -> None:
        assert not now
        self.interval = interval

    def stop(self) -> None:
        self.interval = 0.0


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path) as ledger:
        yield ledger


@pytest.fixture
def show(ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Make the extension of a crawl of two portals, one of which rests."""
    monkeypatch.setattr(report, "create_looping_call", Looping)

    def make(*, is_terminal: bool) -> ProgressExtension:
        politeness = SimpleNamespace(
            given_up={"vesti": "", "novine": "refused"}.get,
            rest_seconds={"vesti": 600.0, "novine": 0.0}.get,
        )
        settings = Settings({"NEWSCORPUS_CORPUS": "corpora/two", "DOWNLOAD_DELAY": 2.0, "USER_AGENT": "newscorpus/1"})
        crawler: Any = SimpleNamespace(get_downloader_middleware=lambda _kind: politeness, settings=settings)
        scheduler = LedgerScheduler(crawler, tmp_path)
        scheduler.ledger = ledger
        crawler.engine = SimpleNamespace(scheduler=scheduler)
        console = Console(file=io.StringIO(), force_terminal=is_terminal, width=100, no_color=True, highlight=False)
        return ProgressExtension(crawler, console)

    return make


def fetch(ledger: Ledger, name: str, outcome: UrlOutcome) -> None:
    ledger.add(Link(key_of(URL + name), URL + name, "vesti"))
    lease = ledger.queue.lease("vesti")
    assert lease
    ledger.finish(lease.serial, [outcome], Fetched(lease.url, 200, "2026-11-21T08:00:00+00:00", 5))


def run(extension: ProgressExtension, ledger: Ledger) -> float:
    """Show once after two pages; gives the interval."""
    fetch(ledger, "before", UrlOutcome(reason="kept"))
    spider: Any = SimpleNamespace(portal_names=("vesti", "novine"), name="portal")
    extension.spider_opened(spider)
    fetch(ledger, "1", UrlOutcome(reason="kept"))
    fetch(ledger, "2", UrlOutcome("extract", "no_content"))
    ledger.add(Link(key_of(URL + "3"), URL + "3", "vesti"))
    looping: Any = extension._showing
    interval: float = looping.interval
    looping.call()
    extension.spider_closed()
    return interval


def test_a_log_gets_a_line_a_portal_once_a_minute(show: Any, ledger: Ledger, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    assert run(show(is_terminal=False), ledger) == 60
    start, first, second = caplog.messages
    asked = "asks vesti at most every 2 s, novine at most every 2 s"
    assert start == f"Crawl into {Path.cwd() / 'corpora/two'} as newscorpus/1; {asked}"
    assert first.startswith("vesti: 2 kept, 1 rejected, 1 queued, 120 pages a minute; rests until ")
    assert second == "novine: 0 kept, 0 rejected, 0 queued, 0 pages a minute; given up: refused"


def test_a_log_says_for_which_pages_a_crawl_waits_and_how_long(
    show: Any, ledger: Ledger, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    extension = show(is_terminal=False)
    for name, seconds in (("archive/1", 300.0), ("archive/2", 60.0)):
        ledger.add(Link(key_of(URL + name), URL + name, "danas"))
        lease = ledger.queue.lease("danas")
        assert lease
        ledger.queue.release(lease.serial, ready_at=time.monotonic() + seconds)
    began = datetime.now()  # noqa: DTZ005 -- the user's clock
    extension.spider_opened(SimpleNamespace(portal_names=("danas",), name="portal"))
    extension._showing.call()
    extension.spider_closed()
    found = re.search(rf"; waits until (.*) to ask 2 failed pages again, first {URL}archive/2$", caplog.messages[-1])
    assert found
    assert found[1] in {f"{began + timedelta(seconds=after):%H:%M:%S}" for after in range(57, 75)}


def test_a_terminal_gets_a_line_a_portal_at_its_foot_and_logs_go_above(show: Any, ledger: Ledger) -> None:
    handler = logging.StreamHandler(sys.stderr)
    logging.getLogger().addHandler(handler)
    try:
        before, extension = sys.stderr, show(is_terminal=True)
        assert run(extension, ledger) == 1
        assert handler.stream is sys.stderr is before
    finally:
        logging.getLogger().removeHandler(handler)
    drawn = extension._console.file.getvalue()
    assert "pages/min" in drawn
    assert "given up: refused" in drawn


def test_nothing_is_shown_of_a_crawl_without_a_ledger(show: Any) -> None:
    extension = show(is_terminal=False)
    extension._crawler.engine.scheduler = None
    extension.spider_opened(SimpleNamespace(name="other"))
    assert extension._showing.interval == 0.0
    extension.spider_closed()
    assert extension._console.file.getvalue() == ""
