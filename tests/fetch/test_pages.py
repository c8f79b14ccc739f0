from collections.abc import Callable
from contextvars import copy_context
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from scrapy import Request, Spider
from scrapy.http import Response

from newscorpus.fetch.pages import CallbackFailuresMiddleware
from newscorpus.fetch.visits import Visit
from newscorpus.store.intake import read_journal
from newscorpus.store.ledger import Ledger, LedgerError, Link, UrlState, key_of
from newscorpus.store.ledger.addresses import find

URL = "https://a.example/1"


def test_a_page_whose_callback_failed_is_no_page_that_was_read(tmp_path: Path) -> None:
    counted: list[str] = []
    crawler: Any = SimpleNamespace(stats=SimpleNamespace(inc_value=counted.append))
    middleware = CallbackFailuresMiddleware(crawler)
    with Ledger.open(tmp_path) as ledger:
        ledger.add(Link(key_of(URL), URL, "mock"))
        lease = ledger.queue.lease("mock")
        assert lease

        def parse(response: Response) -> object:
            return middleware.process_spider_exception(response, KeyError("title"))

        visit = Visit("mock", Request(URL, callback=parse), lease.serial)
        visit.watch(Spider("mock"))
        called = copy_context().run(cast("Callable[..., Any]", visit.request.callback), Response(URL))
        assert called is None  # so that Scrapy logs it
        visit.end(ledger)
    entry = find(tmp_path, URL)
    assert entry
    assert (entry.state, entry.reason) == (UrlState.FAILED, "callback_failed")
    (line,) = read_journal(tmp_path / "rejected.jsonl")
    assert (line.stage, line.detail, line.url) == ("spider", "KeyError: 'title'", URL)
    assert counted == ["newscorpus/rejected/spider/callback_failed"]


def test_a_ledger_that_takes_nothing_more_ends_the_crawl(monkeypatch: pytest.MonkeyPatch) -> None:
    gave_up: list[LedgerError] = []
    scheduler = SimpleNamespace(give_up=gave_up.append)
    monkeypatch.setattr("newscorpus.fetch.pages.scheduler_of", lambda _crawler: scheduler)
    error = LedgerError("the disk is full")
    assert CallbackFailuresMiddleware(cast("Any", None)).process_spider_exception(Response(URL), error) == ()
    assert gave_up == [error]
