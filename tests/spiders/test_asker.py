"""What is asked for of what a list names, the first time and again."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from newscorpus.spiders import asker as module
from newscorpus.spiders.asker import OUT_OF_PERIOD, Asker
from newscorpus.spiders.requests import Calls
from scrapy import Request
from scrapy.settings import Settings
from scrapy.statscollectors import MemoryStatsCollector

from newscorpus.crawl.ledger import Fetched, Ledger, Link, Outcome, key_of
from newscorpus.data import Evidence, Rejected
from newscorpus.discovery.addresses import Kind
from newscorpus.discovery.frontier import Frontier
from newscorpus.discovery.listing import Entry, Listing
from newscorpus.discovery.period import ALWAYS, Period
from newscorpus.portals.schema import Portal

BASE = "https://vesti.example"
STORY = f"{BASE}/news/a-long-story-1"
LIST = f"{BASE}/sitemap.xml"
FETCHED = "2026-11-10T08:00:00+00:00"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "corpus") as ledger:
        yield ledger


@pytest.fixture
def asker(ledger: Ledger) -> Callable[..., Asker]:
    def make(period: Period = ALWAYS) -> Asker:
        portal = Portal("vesti", ("sr",), ("vesti.example",), (f"{BASE}/",))
        stats: Any = MemoryStatsCollector(SimpleNamespace(settings=Settings()))  # type: ignore[arg-type]
        calls = Calls(*[lambda: None] * 5)
        return Asker(portal, Frontier(portal, date(2026, 11, 21), ledger), ledger, period, calls, stats)

    return make


def ask(asker: Asker, *entries: Entry, children: tuple[Entry, ...] = ()) -> list[Request | Rejected]:
    return list(asker.listing(Listing(entries, children), LIST, 1))


def finish(ledger: Ledger, url: str) -> None:
    """Fetch and keep what was asked for."""
    ledger.add(Link(key_of(url), url, "vesti", "article"))
    lease = ledger.lease("vesti")
    assert lease
    ledger.finish(lease.serial, [Outcome(reason="kept")], Fetched(url, 200, FETCHED, 5))


def test_what_a_feed_describes_is_an_article_and_its_words_travel_with_it(asker: Callable[..., Asker]) -> None:
    entry = Entry(f"{BASE}/x", (Evidence("title", "A title", "feed"),))
    (request,) = ask(asker(), entry)
    assert isinstance(request, Request)
    assert request.cb_kwargs["kind"] == Kind.ARTICLE
    assert list(request.cb_kwargs["evidence"]) == [{"field": "title", "value": "A title", "source": "feed"}]
    assert ask(asker(), entry) == []


def test_another_version_is_asked_for_as_the_article(asker: Callable[..., Asker]) -> None:
    (request,) = ask(asker(), Entry(f"{STORY}/amp"))
    assert isinstance(request, Request)
    assert request.url == STORY


@pytest.mark.parametrize(
    ("first", "second", "again"),
    [
        ("2026-11-01", "2026-11-01", False),
        ("2026-11-01", "2026-11-05", True),
        ("2026-11-01", "", False),
        ("", "2026-11-05", False),
        ("", "2026-11-15", True),
        ("", "yesterday", False),
    ],
    ids=["same", "other", "silent", "before the fetch", "after the fetch", "no date"],
)
def test_a_known_article_is_asked_for_again_where_its_list_says_it_changed(
    asker: Callable[..., Asker], ledger: Ledger, first: str, second: str, again: bool
) -> None:
    assert len(ask(asker(), Entry(STORY, modified=first))) == 1
    finish(ledger, STORY)
    requests = ask(asker(), Entry(STORY, modified=second))
    assert [request.dont_filter for request in requests if isinstance(request, Request)] == [True] * again


def test_what_is_still_queued_is_not_queued_again(asker: Callable[..., Asker], ledger: Ledger) -> None:
    ask(asker(), Entry(STORY, modified="2026-11-01"))
    ledger.add(Link(key_of(STORY), STORY, "vesti", "article"))
    assert ask(asker(), Entry(STORY, modified="2026-11-15")) == []


def test_lists_are_pruned_by_the_period(asker: Callable[..., Asker]) -> None:
    made = asker(Period(date(2024, 3, 1), date(2024, 3, 31)))
    children = (Entry(f"{BASE}/map-2024-03.xml"), Entry(f"{BASE}/map-2024-04.xml"))
    entries = (Entry(f"{BASE}/2024/03/05/a"), Entry(f"{BASE}/2023/03/05/a"), Entry(STORY, modified="2024-02-01"))
    asked = [request.url for request in ask(made, *entries, children=children) if isinstance(request, Request)]
    assert asked == [f"{BASE}/map-2024-03.xml", f"{BASE}/2024/03/05/a"]
    assert made.stats.get_value(OUT_OF_PERIOD) == 3


def test_links_are_pruned_by_their_address_and_sections_are_not(asker: Callable[..., Asker]) -> None:
    made = asker(Period(date(2024, 3, 1), date(2024, 3, 31)))
    assert list(made.page(f"{BASE}/2023/03/05/a-long-story-1", 1)) == []
    assert len(list(made.page(f"{BASE}/sport/", 1))) == 1


def test_sitemaps_of_others_are_refused_and_the_number_is_bounded(
    asker: Callable[..., Asker], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_SITEMAPS", 1)
    urls = (f"{BASE}/1.xml", "https://other.example/2.xml", f"{BASE}/3.xml")
    found = ask(asker(), children=tuple(map(Entry, urls)))
    assert [one.reason if isinstance(one, Rejected) else one.url for one in found] == [
        urls[0],
        "offsite",
        "too_many_sitemaps",
    ]


def test_a_site_may_keep_its_sitemaps_elsewhere(asker: Callable[..., Asker]) -> None:
    index, child = "https://maps.example/index.xml", "https://maps.example/1.xml"
    made = asker()
    (request,) = made.lists(f"{BASE}/", (), (index,))
    assert isinstance(request, Request)
    assert request.url == index
    found = made.listing(Listing(children=(Entry(child), Entry("https://other.example/2.xml"))), index, 1)
    assert [one.reason if isinstance(one, Rejected) else one.url for one in found] == [child, "offsite"]


def test_lists_are_looked_for_where_nobody_names_them(asker: Callable[..., Asker]) -> None:
    made = asker()
    urls = [one.url for one in made.lists(f"{BASE}/en/", [f"{BASE}/rss"], ())]
    usual = ["sitemap.xml", "sitemap_index.xml", "news-sitemap.xml", "rss"]
    assert urls == [f"{BASE}/{name}" for name in usual]
    portal = replace(made.portal, feeds=(f"{BASE}/feed",), sitemaps=(f"{BASE}/map",))
    assert list(replace(made, portal=portal).lists(f"{BASE}/", [f"{BASE}/rss"], (LIST,))) == []


def test_a_known_sitemap_is_asked_for_where_its_index_says_it_changed(
    asker: Callable[..., Asker], ledger: Ledger
) -> None:
    child = Entry(f"{BASE}/1.xml", modified="2026-11-15")
    assert len(ask(asker(), children=(child,))) == 1
    finish(ledger, child.url)
    assert len(ask(asker(), children=(child,))) == 1
    assert ask(asker(), children=(child,)) == []
    assert len(ask(asker(), children=(replace(child, modified="2026-11-16"),))) == 1


def test_guesses_and_probes_are_made_once_and_on_the_site(asker: Callable[..., Asker], ledger: Ledger) -> None:
    made = asker()
    assert len(list(made.guess(LIST))) == 1
    assert list(made.guess("https://other.example/feed")) == []
    finish(ledger, LIST)
    assert list(made.guess(LIST)) == []
    assert list(made.probe(LIST, lambda: None)) == []


def test_broken_entries_are_told(asker: Callable[..., Asker]) -> None:
    (told,) = asker().listing(Listing(broken=2), LIST, 1)
    assert isinstance(told, Rejected)
    assert (told.reason, told.detail) == ("broken_entry", "2 without an address")
