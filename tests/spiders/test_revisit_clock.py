"""Whether an answer is news, and when the address is visited the next time."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from newscorpus.spiders.responses import RevisitClock
from scrapy import Request
from scrapy.http import Response
from scrapy.settings import Settings
from scrapy.statscollectors import MemoryStatsCollector

from newscorpus.addon import visits
from newscorpus.addon.counts import UNCHANGED
from newscorpus.addon.visits import Visit
from newscorpus.config import RevisitConfig
from newscorpus.crawl.ledger import Fetched, Ledger, Link, UrlOutcome, key_of
from newscorpus.discovery.addresses import FetchKind
from newscorpus.discovery.planner import PlannedFetch

BASE = "https://vesti.example/"
CONFIG = RevisitConfig(first_seconds=100, depth_factor=2, min_seconds=10, max_seconds=1_000)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "corpus") as ledger:
        for name in ("feed", "section", "kept"):
            ledger.reserve(BASE + name, "vesti")
            ledger.add(Link(key_of(BASE + name), BASE + name, "vesti", request=b"{}"))
            lease = ledger.lease("vesti")
            assert lease
            fetched = Fetched(lease.url, 200, "2026-11-21T08:00:00+00:00", 5, signature="5")
            ledger.finish(lease.serial, [UrlOutcome()], fetched)
        yield ledger


@pytest.fixture
def stats() -> Any:
    return MemoryStatsCollector(SimpleNamespace(settings=Settings()))  # type: ignore[arg-type]


@pytest.fixture
def clock(ledger: Ledger, stats: Any) -> RevisitClock:
    return RevisitClock(ledger, stats, CONFIG)


def visit(ledger: Ledger, name: str, status: int = 200, body: bytes = b"") -> Response:
    """Begin to work on the answer of an address."""
    response = Response(BASE + name, status=status, body=body, request=Request(BASE + name))
    begun = Visit("vesti", Request(BASE + name), serial=ledger.serial(BASE + name))
    begun._enter(response)
    visits._CURRENT.set(begun)
    return response


def interval(ledger: Ledger, name: str) -> float:
    last = ledger.revisits.last(BASE + name)
    assert last is not None
    return last.interval


def test_what_is_unchanged_waits_longer(clock: RevisitClock, ledger: Ledger, stats: Any) -> None:
    for expected in (100, 200):
        assert clock.is_unchanged(visit(ledger, "feed", 304))
        assert interval(ledger, "feed") == expected
    assert stats.get_value(UNCHANGED) == 2
    assert not clock.is_unchanged(visit(ledger, "feed"))


def test_an_article_with_the_bytes_of_the_last_visit_is_unchanged(clock: RevisitClock, ledger: Ledger) -> None:
    response = visit(ledger, "kept", body=b"page")
    assert not clock.is_unchanged(response, is_article=True)
    begun = visits.current_visit()
    assert begun is not None
    fetched = Fetched(BASE + "kept", 200, "2026-11-21T08:00:00+00:00", signature=begun.signature)
    ledger.finish(begun.serial, [UrlOutcome(reason="kept")], fetched)
    assert clock.is_unchanged(visit(ledger, "kept", body=b"page"), is_article=True)
    assert not clock.is_unchanged(visit(ledger, "kept", body=b"page"))
    assert not clock.is_unchanged(visit(ledger, "kept", body=b"other page"), is_article=True)


def test_news_bring_the_next_visit_nearer(clock: RevisitClock, ledger: Ledger) -> None:
    visit(ledger, "section")
    assert list(clock.watch(iter([PlannedFetch(BASE, FetchKind.ARTICLE)]), depth=1))
    assert interval(ledger, "section") == 200
    list(clock.watch(iter([PlannedFetch(BASE, FetchKind.ARTICLE)]), depth=1))
    assert interval(ledger, "section") == 100
    list(clock.watch(iter(()), depth=1))
    assert interval(ledger, "section") == 200
