"""What is queued again, for whom, and when the next time is."""

import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from newscorpus.spiders.again import Again
from newscorpus.spiders.arguments import Revisit
from scrapy import Request
from scrapy.http import Response
from scrapy.settings import Settings
from scrapy.statscollectors import MemoryStatsCollector

from newscorpus.addon import visits
from newscorpus.addon.counts import REVISITED, UNCHANGED
from newscorpus.addon.visits import Visit
from newscorpus.config import RevisitConfig
from newscorpus.crawl.ledger import Fetched, Ledger, Link, Outcome, key_of
from newscorpus.discovery.frontier import BUDGET_SPENT
from newscorpus.discovery.period import ALWAYS, Period

BASE = "https://vesti.example/"
CONFIG = RevisitConfig(first_seconds=100, depth_factor=2, min_seconds=10, max_seconds=1_000)
YEAR = Period(date(2024, 1, 1), date(2024, 12, 31))


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "corpus") as ledger:
        yield ledger


@pytest.fixture
def stats() -> Any:
    return MemoryStatsCollector(SimpleNamespace(settings=Settings()))  # type: ignore[arg-type]


@pytest.fixture
def again(ledger: Ledger, stats: Any) -> Again:
    """After a crawl that read a feed and a section, kept one article, and did not reach another."""
    for name, kind, outcome in (
        ("feed", "feed", Outcome()),
        ("section", "section", Outcome()),
        ("kept", "article", Outcome(reason="kept")),
        ("unreached", "article", Outcome("fetch", "timeout")),
        ("gone", "article", Outcome("fetch", "http_404")),
    ):
        ledger.reserve(BASE + name, "vesti", kind)
        ledger.add(Link(key_of(BASE + name), BASE + name, "vesti", kind, request=b"{}"))
        lease = ledger.lease("vesti")
        assert lease
        ledger.finish(lease.serial, [outcome], Fetched(lease.url, 200, "2026-11-21T08:00:00+00:00", 5, signature="5"))
    return Again(ledger, stats, CONFIG)


def queued(ledger: Ledger) -> list[str]:
    leases = [ledger.lease("vesti") for _ in range(ledger.queued("vesti"))]
    return sorted(lease.url.removeprefix(BASE) for lease in leases if lease)


def test_a_crawl_that_had_ended_tries_again_what_it_did_not_reach(again: Again, ledger: Ledger, stats: Any) -> None:
    again.retry(("vesti", "other"))
    assert queued(ledger) == ["unreached"]
    assert stats.get_value(REVISITED) == 1


def test_a_crawl_that_was_broken_off_goes_on_as_it_was(again: Again, ledger: Ledger) -> None:
    ledger.add(Link(key_of(BASE + "next"), BASE + "next", "vesti"))
    again.retry(("vesti",))
    assert queued(ledger) == ["next"]


@pytest.mark.parametrize(
    ("revisit", "names"),
    [
        (Revisit.DUE, ["section", "unreached"]),
        (Revisit.ALL, ["feed", "section", "unreached"]),
        (Revisit.ARTICLES, ["feed", "kept", "gone", "section", "unreached"]),
    ],
)
def test_a_revisit_queues_what_it_is_for(again: Again, ledger: Ledger, revisit: Revisit, names: list[str]) -> None:
    ledger.revisits.schedule(BASE + "feed", time.time(), 60)
    again.revive(revisit, ("vesti",))
    assert queued(ledger) == sorted(names)


def test_a_revisit_renews_the_budget_and_reads_lists_whole_where_it_was_spent(again: Again, ledger: Ledger) -> None:
    assert ledger.taken_in("vesti") == 5
    ledger.count("vesti", BUDGET_SPENT)
    again.revive(Revisit.DUE, ("vesti",))
    assert ledger.taken_in("vesti") == 0
    last = ledger.revisits.last(BASE + "feed")
    assert last is not None
    assert last.signature == ""


def test_other_days_have_the_lists_read_again(again: Again, ledger: Ledger) -> None:
    again.keep_to(YEAR, ("vesti",))
    assert queued(ledger) == []
    again.keep_to(Period(date(2024, 3, 1), date(2024, 3, 31)), ("vesti",))
    assert queued(ledger) == []
    again.keep_to(ALWAYS, ("vesti",))
    assert queued(ledger) == ["feed", "section"]


def test_what_a_narrower_crawl_passed_over_is_found_by_the_next_wider_one(again: Again, ledger: Ledger) -> None:
    for period in (ALWAYS, YEAR):
        again.keep_to(period, ("vesti",))
    assert queued(ledger) == []
    again.keep_to(ALWAYS, ("vesti",))
    assert queued(ledger) == ["feed", "section"]


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


def test_what_is_unchanged_waits_longer(again: Again, ledger: Ledger, stats: Any) -> None:
    for expected in (100, 200):
        assert again.is_unchanged(visit(ledger, "feed", 304))
        assert interval(ledger, "feed") == expected
    assert stats.get_value(UNCHANGED) == 2
    assert not again.is_unchanged(visit(ledger, "feed"))


def test_an_article_with_the_bytes_of_the_last_visit_is_unchanged(again: Again, ledger: Ledger) -> None:
    response = visit(ledger, "kept", body=b"page")
    assert not again.is_unchanged(response, is_article=True)
    begun = visits.current_visit()
    assert begun is not None
    fetched = Fetched(BASE + "kept", 200, "2026-11-21T08:00:00+00:00", signature=begun.signature)
    ledger.finish(begun.serial, [Outcome(reason="kept")], fetched)
    assert again.is_unchanged(visit(ledger, "kept", body=b"page"), is_article=True)
    assert not again.is_unchanged(visit(ledger, "kept", body=b"page"))
    assert not again.is_unchanged(visit(ledger, "kept", body=b"other page"), is_article=True)


def test_news_bring_the_next_visit_nearer(again: Again, ledger: Ledger) -> None:
    visit(ledger, "section")
    assert list(again.noting_news(iter([Request(BASE)]), depth=1))
    assert interval(ledger, "section") == 200
    list(again.noting_news(iter([Request(BASE)]), depth=1))
    assert interval(ledger, "section") == 100
    list(again.noting_news(iter(()), depth=1))
    assert interval(ledger, "section") == 200
