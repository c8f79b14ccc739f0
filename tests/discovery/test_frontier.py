"""Which addresses are asked for: traps, judgement by look, and the frontier that joins them."""

import re
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newscorpus.crawl.ledger import Ledger
from newscorpus.data import Rejected
from newscorpus.discovery.addresses import FetchKind, find_kind, find_trap, looks_like_article
from newscorpus.discovery.frontier import MAX_OF_A_SHAPE, Frontier
from newscorpus.portals.portal import Portal, PortalLimits

TODAY = date(2026, 11, 21)
BASE = "http://example.org"


def portal(**keys: Any) -> Portal:
    patterns: dict[str, Any] = {
        name: tuple(map(re.compile, keys.pop(name, ()))) for name in ("articles", "sections", "ignore")
    }
    return Portal("mock", ("en",), ("example.org",), (BASE + "/",), **patterns, **keys)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "corpus") as ledger:
        yield ledger


@pytest.fixture
def frontier(ledger: Ledger) -> Callable[..., Frontier]:
    return lambda **keys: Frontier(portal(**keys), TODAY, ledger)


@pytest.mark.parametrize(
    "path",
    [
        *("/calendar/2026/12/", "/calendar/2027-01", "/kalendar?rok=2027&mesic=1", "/events?date=2026-12-24"),
        *("/x?month=12&year=2026", "/archive/20270101", "/y/2199/01/", "/a/b/a/b/a/b/", "/shop/shop/shop/x"),
        "/filter?" + "&".join(f"f{number}=1" for number in range(9)),
    ],
)
def test_traps(path: str) -> None:
    assert find_trap(BASE + path, TODAY)


@pytest.mark.parametrize(
    "path",
    [
        *("/", "/calendar/2026/11/", "/calendar/2026/11/28", "/1999/12/31/millennium", "/archive?year=2026&month=11"),
        *(
            "/a/b/a/b/",
            "/2011/11/11/eleven",
            "/article-20261.html",
            "/news/20991231234",
            "/story?id=2027",
            "/f?a=1&b=2",
        ),
        "/plan-2050-of-the-city.html",
    ],
)
def test_no_traps(path: str) -> None:
    assert find_trap(BASE + path, TODAY) == ""


@given(st.text())
def test_find_trap_never_raises(text: str) -> None:
    assert isinstance(find_trap(text, TODAY), str)
    assert isinstance(find_trap(BASE + "/" + text, TODAY), str)


@pytest.mark.parametrize(
    "path",
    [
        *("/news/mayor-opens-the-bridge.html", "/2026/11/20/bridge", "/domaci/clanek-1234567", "/a/story.php?id=10423"),
        *(
            "/c1-67712340-most-otevren",
            "/2026/11/bridge/",
            "/world/the_ferry_is_late",
            "/zpravy/%C5%BElut%C3%BD-k%C5%AF%C5%88-b",
        ),
    ],
)
def test_looks_like_an_article(path: str) -> None:
    assert looks_like_article(BASE + path)


@pytest.mark.parametrize(
    "path",
    [
        *(
            "",
            "/",
            "/sport",
            "/sport/",
            "/world-news/",
            "/sport/page/12345",
            "/sport?page=10423",
            "/2026/11/",
            "/2026/11/20/",
        ),
        *(
            "/tag/mayor-opens-the-bridge",
            "/author/12345",
            "/archive/2026",
            "/about.html",
            "/calendar?year=2026&month=11",
        ),
    ],
)
def test_does_not_look_like_an_article(path: str) -> None:
    assert not looks_like_article(BASE + path)


@pytest.mark.parametrize(
    ("patterns", "path", "kind"),
    [
        ({}, "/sport", FetchKind.SECTION),
        ({}, "/mayor-opens-the-bridge", FetchKind.ARTICLE),
        ({"articles": ["^/a/"]}, "/a/x", FetchKind.ARTICLE),
        ({"articles": ["^/a/"]}, "/sport", FetchKind.SECTION),
        ({"articles": ["^/a/"]}, "/mayor-opens-the-bridge", FetchKind.UNWANTED),
        ({"sections": ["^/s/"]}, "/s/mayor-opens-the-bridge", FetchKind.SECTION),
        ({"sections": ["^/s/"]}, "/x", FetchKind.ARTICLE),
        ({"articles": ["^/a/"], "sections": ["^/s/"]}, "/s/x", FetchKind.SECTION),
        ({"articles": ["^/a/"], "sections": ["^/s/"]}, "/x", FetchKind.UNWANTED),
        ({"articles": ["^/s/x"], "sections": ["^/s/"]}, "/s/x", FetchKind.ARTICLE),
    ],
)
def test_patterns_of_the_portal_come_before_looks(patterns: dict[str, list[str]], path: str, kind: FetchKind) -> None:
    assert find_kind(BASE + path, portal(**patterns)) is kind


def test_admits_an_address_once(frontier: Callable[..., Frontier]) -> None:
    met = frontier()
    assert met.admit(BASE + "/sport", 1) is FetchKind.SECTION
    assert met.admit(BASE + "/sport#top", 1) is None
    assert met.admit(BASE + "/sport?utm_source=x", 1) is None


def test_passes_over_other_sites(frontier: Callable[..., Frontier]) -> None:
    assert frontier().admit("http://example.com/a", 1) is None
    assert isinstance(frontier().admit("http://sub.example.org/a", 1), FetchKind)


@pytest.mark.parametrize(
    ("keys", "path", "depth", "reason"),
    [
        ({}, "/calendar/2027/01/", 1, "discovery/trap"),
        ({"ignore": ["^/search"]}, "/search?q=x", 1, "discovery/ignored"),
        ({"articles": ["^/a/"], "sections": ["^/s/"]}, "/x", 1, "discovery/ignored"),
        ({"limits": PortalLimits(max_depth=3)}, "/sport", 4, "discovery/too_deep"),
        ({}, "/" + "x" * 2100, 1, "discovery/url_too_long"),
    ],
)
def test_refuses_with_a_reason_once(
    frontier: Callable[..., Frontier], keys: dict[str, Any], path: str, depth: int, reason: str
) -> None:
    met = frontier(**keys)
    refused = met.admit(BASE + path, depth)
    assert isinstance(refused, Rejected)
    assert f"{refused.stage}/{refused.reason}" == reason
    assert refused.detail
    assert met.admit(BASE + path, depth) is None


def test_an_address_that_the_portal_calls_an_article_is_no_trap(frontier: Callable[..., Frontier]) -> None:
    assert isinstance(frontier(articles=["^/plan/"]).admit(BASE + "/plan/2030/01/01/", 1), FetchKind)


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "http://10.0.0.1/x", "http://169.254.169.254/latest", "http://[::1]/"]
)
def test_refuses_private_addresses_once(frontier: Callable[..., Frontier], url: str) -> None:
    met = frontier()
    assert met.admit(url, 1) == Rejected("fetch", "private_address", "no address of the public web", url)
    assert met.admit(url, 1) is None


def test_asks_on_this_machine_only_where_the_portal_is_served(ledger: Ledger) -> None:
    local = Portal("local", ("en",), ("127.0.0.1",), ("http://127.0.0.1:8000/",))
    met = Frontier(local, TODAY, ledger, frozenset({"127.0.0.1:8000"}))
    refused = met.admit("http://127.0.0.1:8001/sport", 1)
    assert isinstance(refused, Rejected)
    assert refused.reason == "private_address"
    assert isinstance(met.admit("http://127.0.0.1:8000/sport", 1), FetchKind)


def test_listings_of_one_shape_are_bounded_and_articles_are_not(frontier: Callable[..., Frontier]) -> None:
    met = frontier()
    outcomes = [met.admit(f"{BASE}/sport?page={number}", 1) for number in range(MAX_OF_A_SHAPE + 3)]
    assert sum(isinstance(outcome, FetchKind) for outcome in outcomes) == MAX_OF_A_SHAPE
    assert isinstance(outcomes[-1], Rejected)
    assert outcomes[-1].reason == "trap"
    articles = [met.admit(f"{BASE}/story-{number}", 1) for number in range(10_000, 10_000 + MAX_OF_A_SHAPE + 3)]
    assert all(isinstance(outcome, FetchKind) for outcome in articles)


def test_the_page_budget_is_refused_once_and_then_kept_silently(frontier: Callable[..., Frontier]) -> None:
    met = frontier(limits=PortalLimits(max_pages=2))
    outcomes = [met.admit(f"{BASE}/story-{number}", 1) for number in range(10_000, 10_005)]
    assert [type(outcome) for outcome in outcomes] == [FetchKind, FetchKind, Rejected, type(None), type(None)]
    assert isinstance(outcomes[2], Rejected)
    assert outcomes[2].reason == "page_budget"
