"""Visits: what they bring, and what is known of a page whose callback or fetch failed."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from crawled import take
from scrapy import Request
from scrapy.exceptions import DownloadTimeoutError
from scrapy.http import Response
from twisted.python.failure import Failure

from newscorpus.data import Page, Rejected
from newscorpus.fetch.scheduler import LedgerScheduler, VisitMiddleware
from newscorpus.fetch.visits import VISIT, Delivery, Visit, fetch_time, make_page, visit_of
from newscorpus.page.source_page import SourcePage
from newscorpus.store.intake import read_journal
from newscorpus.store.ledger import Ledger, LedgerError, Link, UrlState, key_of
from newscorpus.store.ledger.addresses import find

URL = "https://a.example/1"


def test_a_page_whose_callback_failed_is_no_page_that_was_read(tmp_path: Path) -> None:
    counted: list[str] = []
    crawler: Any = SimpleNamespace(stats=SimpleNamespace(inc_value=counted.append))
    middleware = VisitMiddleware(crawler)
    with Ledger.open(tmp_path) as ledger:
        ledger.add(Link(key_of(URL), URL, "mock"))
        lease = take(ledger, "mock")
        visit = Visit("mock", serial=lease.serial)
        visit.begin(Request(URL))
        response = Response(URL, request=visit.request)
        middleware.process_spider_input(response)
        assert middleware.process_spider_exception(response, KeyError("title")) is None  # so that Scrapy logs it
        visit.end(ledger)
    entry = find(tmp_path, URL)
    assert entry
    assert (entry.state, entry.reason) == (UrlState.FAILED, "callback_failed")
    (line,) = read_journal(tmp_path / "rejected.jsonl")
    assert (line.stage, line.detail, line.url) == ("spider", "KeyError: 'title'", URL)
    assert counted == ["newscorpus/rejected/spider/callback_failed"]


@pytest.mark.parametrize(
    ("last", "is_set_back"), [("", False), ("2026-01-02T03:04:05Z", False), ("2999-01-02T03:04:05Z", True)]
)
def test_a_clock_that_was_set_back_makes_no_fetch_earlier_than_the_last(last: str, is_set_back: bool) -> None:
    visit = Visit("mock", last_fetch=last)
    visit.begin(Request(URL))
    response = Response(URL, request=visit.request)
    assert (fetch_time(response) == "2999-01-02T03:04:06+00:00") == is_set_back
    assert make_page(response).fetched > last


def test_a_ledger_that_takes_nothing_more_ends_the_crawl(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    ended: list[str] = []

    async def end(reason: str) -> None:
        ended.append(reason)

    async def fail() -> object:
        crawler: Any = SimpleNamespace(stats=SimpleNamespace(set_value=lambda *_: None))
        crawler.engine = SimpleNamespace(scheduler=LedgerScheduler(crawler, tmp_path), close_spider_async=end)
        passed = VisitMiddleware(crawler).process_spider_exception(Response(URL), LedgerError("the disk is full"))
        await asyncio.sleep(0)
        return passed

    assert asyncio.run(fail()) == ()
    assert ended == ["cannot_write"]
    assert "Cannot write the corpus: the disk is full" in caplog.text


def passed(outputs: list[Any], response: Response) -> list[Any]:
    """What the middleware makes of what a spider gave."""

    async def given() -> AsyncIterator[Any]:
        for output in outputs:
            yield output

    async def collect() -> list[Any]:
        middleware = VisitMiddleware(cast("Any", None))
        return [output async for output in middleware.process_spider_output(response, given())]

    return asyncio.run(collect())


def test_what_a_spider_gives_is_handed_on_with_the_visit_that_brought_it() -> None:
    visit = Visit("mock", serial=7)
    visit.begin(Request(URL))
    visit.enter(response := Response(URL, body=b"<p>a</p>", headers={"Set-Cookie": "a=b"}, request=visit.request))
    link = Request(URL + "2", meta=dict(response.meta))  # as many spiders copy it
    rejected = Rejected("fetch", "not_html", "", URL)
    page, given, refused, passing, other = passed([Page(URL, b"a"), response, rejected, link, 5], response)
    assert page == Delivery(visit, SourcePage(Page(URL, b"a"), "a.example"))
    assert (given.item.source, given.item.page.body, given.item.page.headers) == ("a.example", b"<p>a</p>", {})
    assert (refused, other) == (Delivery(visit, rejected), 5)
    assert passing is link
    assert visit_of(link) is not visit
    assert visit_of(link).found_on == 7


def test_what_an_errback_gives_is_handed_on_with_its_visit() -> None:
    async def told(request: Request) -> list[Any]:
        assert request.errback
        failed: Any = request.errback(Failure(DownloadTimeoutError("slow")))  # type: ignore[no-untyped-call]
        return [output async for output in failed]

    for errback in (None, lambda _: [Rejected("fetch", "timeout", "DownloadTimeoutError: slow", URL)]):
        visit = Visit()
        visit.begin(Request(URL, errback=errback))
        (delivered,) = asyncio.run(told(visit.request))
        assert visit.entered
        assert delivered == Delivery(visit, Rejected("fetch", "timeout", "DownloadTimeoutError: slow", URL))
        assert visit.first.errback is errback
        assert visit.first.meta[VISIT] is visit
