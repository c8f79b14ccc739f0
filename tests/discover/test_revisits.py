"""What is queued again, and for whom."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from newscorpus.discover.frontier import BUDGET_SPENT
from newscorpus.discover.revisits import Revisit, requeue_failed, requeue_known
from newscorpus.store.ledger import Fetched, Ledger, Link, UrlOutcome, key_of
from newscorpus.store.ledger.revisits import MOST_BARREN

BASE = "https://vesti.example/"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """After a crawl that read a feed and a section, kept one article, and did not reach another."""
    with Ledger.open(tmp_path / "corpus") as ledger:
        fill(ledger)
        yield ledger


def fill(ledger: Ledger) -> None:
    for name, kind, outcome in (
        ("feed", "feed", UrlOutcome()),
        ("section", "section", UrlOutcome()),
        ("kept", "article", UrlOutcome(reason="kept")),
        ("unreached", "article", UrlOutcome("fetch", "timeout")),
        ("gone", "article", UrlOutcome("fetch", "http_404")),
    ):
        ledger.reserve(BASE + name, "vesti", kind)
        ledger.add(Link(key_of(BASE + name), BASE + name, "vesti", kind, request=b"{}"))
        lease = ledger.queue.lease("vesti")
        assert lease
        ledger.finish(lease.serial, [outcome], Fetched(lease.url, 200, "2026-11-21T08:00:00+00:00", 5, signature="5"))


def queued(ledger: Ledger) -> list[str]:
    leases = [ledger.queue.lease("vesti") for _ in range(ledger.queue.size("vesti"))]
    return sorted(lease.url.removeprefix(BASE) for lease in leases if lease)


def test_a_crawl_that_had_ended_tries_again_what_it_did_not_reach(ledger: Ledger) -> None:
    assert requeue_failed(ledger, ("vesti", "other")) == 1
    assert queued(ledger) == ["unreached"]


def test_a_crawl_that_was_broken_off_goes_on_as_it_was(ledger: Ledger) -> None:
    ledger.add(Link(key_of(BASE + "next"), BASE + "next", "vesti"))
    assert requeue_failed(ledger, ("vesti",)) == 0
    assert queued(ledger) == ["next"]


def test_of_lists_that_told_nothing_new_a_visit_asks_for_some_those_asked_longest_ago(ledger: Ledger) -> None:
    for number in range(MOST_BARREN + 2):
        url = f"{BASE}tag/{number}"
        ledger.add(Link(key_of(url), url, "vesti", "section", depth=1, request=b"{}"))
        ledger.revisits.note_news(url, brought=number == 1)
        ledger.revisits.note_news(url, brought=False)
        lease = ledger.queue.lease("vesti")
        assert lease
        ledger.finish(lease.serial, (), Fetched(url, 200, f"2026-11-21T08:00:{59 - number}+00:00", 5))
    url = f"{BASE}tag/stub"
    ledger.add(Link(key_of(url), url, "vesti", "section", depth=1, request=b"{}"))
    ledger.revisits.note_news(url, brought=False)
    lease = ledger.queue.lease("vesti")
    assert lease
    stub = UrlOutcome("quality", "paywall_stub")
    ledger.finish(lease.serial, [stub], Fetched(url, 200, "2026-11-20T08:00:00+00:00", 5))
    requeue_known(ledger, ("vesti",), Revisit.ALL)
    tags = {name for name in queued(ledger) if name.startswith("tag/")}
    assert tags == {f"tag/{number}" for number in range(1, MOST_BARREN + 2)}


@pytest.mark.parametrize(
    ("revisit", "names"),
    [
        (Revisit.DUE, ["section", "unreached"]),
        (Revisit.ALL, ["feed", "section", "unreached"]),
        (Revisit.ARTICLES, ["feed", "kept", "gone", "section", "unreached"]),
    ],
)
def test_a_revisit_queues_what_it_is_for(ledger: Ledger, revisit: Revisit, names: list[str]) -> None:
    ledger.revisits.schedule(BASE + "feed", time.time(), 60)
    assert requeue_known(ledger, ("vesti",), revisit) == len(names)
    assert queued(ledger) == sorted(names)


def test_a_revisit_renews_the_budget_and_reads_lists_whole_where_it_was_spent(ledger: Ledger) -> None:
    assert ledger.counts.taken_in("vesti") == 5
    ledger.counts.add("vesti", BUDGET_SPENT)
    requeue_known(ledger, ("vesti",), Revisit.DUE)
    assert ledger.counts.taken_in("vesti") == 0
    last = ledger.revisits.last(BASE + "feed")
    assert last is not None
    assert last.signature == ""
