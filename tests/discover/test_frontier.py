"""Which addresses are fetched, and one content under many addresses."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from crawled import answer

from newscorpus.data import Evidence, Page, Rejected
from newscorpus.discover.frontier import (
    ALIKE,
    BARREN,
    LEAST_SECTIONS,
    LISTS,
    MAX_ADDRESSES,
    MAX_BARREN_ARCHIVES,
    MAX_IN_A_ROW,
    MAX_SUPERFLUOUS_ARCHIVES,
    Frontier,
    SeenContents,
    missing_page,
    note_page,
)
from newscorpus.discover.period import Period
from newscorpus.discover.revisits import Revisit, requeue_known
from newscorpus.page.judgement import PageLinks
from newscorpus.page.links import read_page
from newscorpus.portal.addresses import AddressTrust, FetchKind
from newscorpus.portal.portal import Portal, PortalLimits
from newscorpus.store.ledger import REJECTIONS, Ledger, Link, UrlOutcome, key_of
from newscorpus.store.ledger.forget import forget
from newscorpus.store.ledger.values import TOO_DEEP
from newscorpus.store.removals import note_removal
from newscorpus.urls import document_id
from tests.mockserver.kinds import expect

TODAY = date(2026, 11, 21)
BASE = "http://example.org"
MakeFrontier = Callable[..., Frontier]


def portal(**keys: Any) -> Portal:
    patterns: dict[str, Any] = {name: tuple(keys.pop(name, ())) for name in ("articles", "sections", "ignore")}
    return Portal("mock", ("en",), ("example.org",), (BASE + "/",), **patterns, **keys)


@pytest.fixture
def frontier(ledger: Ledger) -> MakeFrontier:
    return lambda **keys: Frontier(portal(**keys), TODAY, ledger)


def test_admits_an_address_once_and_passes_over_other_sites(frontier: MakeFrontier) -> None:
    met = frontier()
    assert met.admit(f"{BASE}/sport", 1) is met.admit(f"{BASE}/town/index.html", 1) is FetchKind.SECTION
    for path in ("/sport#top", "/sport?utm_source=x", "/town/"):
        assert met.admit(BASE + path, 1) is None, path
    assert met.admit("http://example.com/a", 1) is None
    assert isinstance(met.admit("http://sub.example.org/a", 1), FetchKind)


@pytest.mark.parametrize(
    ("keys", "path", "depth", "reason"),
    [
        ({}, "/a/b/a/b/a/b/", 1, "discovery/trap"),
        ({"ignore": ["^/search"]}, "/search?q=x", 1, "discovery/ignored"),
        ({"articles": ["^/a/"], "sections": ["^/s/"], "only_articles": True}, "/x", 1, "discovery/ignored"),
        ({"limits": PortalLimits(max_depth=3)}, "/sport", 4, "discovery/too_deep"),
        ({}, "/" + "x" * 2100, 1, "discovery/url_too_long"),
    ],
)
def test_refuses_with_a_reason_once(
    frontier: MakeFrontier, keys: dict[str, Any], path: str, depth: int, reason: str
) -> None:
    met = frontier(**keys)
    refused = expect(Rejected, met.admit(BASE + path, depth))
    assert f"{refused.stage}/{refused.reason}" == reason
    assert refused.detail
    assert met.admit(BASE + path, depth) is None


def test_what_was_too_deep_is_admitted_where_a_nearer_page_links_to_it(ledger: Ledger, frontier: MakeFrontier) -> None:
    met, url = frontier(limits=PortalLimits(max_depth=3)), f"{BASE}/sport"
    refused = expect(Rejected, met.admit(url, 4))
    ledger.refuse(url, UrlOutcome.of(refused), REJECTIONS, b"{}\n", "mock")
    assert ledger.counts.of(TOO_DEEP, "mock") == 1
    assert met.admit(url, 4) is None
    assert met.admit(url, 3) is FetchKind.SECTION
    assert ledger.counts.of(TOO_DEEP, "mock") == 0
    assert ledger.add(Link(key_of(url), url, "mock"))
    assert met.admit(url, 2) is None


@pytest.mark.parametrize("url", ["file:///etc/passwd", "http://10.0.0.1/x", "http://127.0.0.1:8001/sport"])
def test_refuses_private_addresses_once_but_where_the_portal_is_served(ledger: Ledger, url: str) -> None:
    local = Portal("local", ("en",), ("127.0.0.1",), ("http://127.0.0.1:8000/",))
    met = Frontier(local, TODAY, ledger, frozenset({"127.0.0.1:8000"}))
    assert met.admit(url, 1) == Rejected("fetch", "private_address", "no address of the public web", url)
    assert met.admit(url, 1) is None
    assert isinstance(met.admit("http://127.0.0.1:8000/sport", 1), FetchKind)


def test_a_listing_is_a_trap_once_its_pages_stop_naming_articles_however_many_there_are(
    frontier: MakeFrontier,
) -> None:
    met = frontier()
    for number in range(2 * MAX_IN_A_ROW):
        assert met.admit(f"{BASE}/sport?page={number}", 1) is FetchKind.SECTION
        assert not [*met.end_listing(f"{BASE}/sport?page={number}", [f"{BASE}/story-{10_000 + number}"])]
    for number in range(MAX_IN_A_ROW):
        assert met.admit(f"{BASE}/sport?page={number + 5_000}", 1) is FetchKind.SECTION
        links = [f"{BASE}/story-10000", f"{BASE}/sport?page={number + 5_001}"]
        assert not [*met.end_listing(f"{BASE}/sport?page={number + 5_000}", links)]
    refused = expect(Rejected, met.admit(f"{BASE}/sport?page=9999", 1))
    assert (refused.reason, refused.detail) == ("trap", BARREN)
    articles = [met.admit(f"{BASE}/story-{number}", 1) for number in range(20_000, 20_000 + MAX_IN_A_ROW + 3)]
    assert all(isinstance(outcome, FetchKind) for outcome in articles)


@pytest.mark.parametrize("direction", [1, -1])
def test_listings_of_earlier_days_lead_on_where_they_come_nearer_to_the_period(ledger: Ledger, direction: int) -> None:
    met = Frontier(portal(), TODAY, ledger, period=Period(since=date(2024, 3, 1)))
    for number in range(2 * MAX_IN_A_ROW):
        day = date(2020, 1, 1) + timedelta(days=direction * number)
        assert not [*met.end_listing(f"{BASE}/sport?page={number}", [f"{BASE}/{day:%Y/%m/%d}/a-long-story"])]
    assert isinstance(met.admit(f"{BASE}/sport?page=9999", 1), FetchKind if direction == 1 else Rejected)


def test_what_others_named_leads_on_where_a_listing_names_it_first(frontier: MakeFrontier) -> None:
    met, known = frontier(), [f"{BASE}/story-{10_000 + number}" for number in range(MAX_IN_A_ROW + 1)]
    for url in known:
        met.admit(url, 1)
    for number, url in enumerate(known):
        met.admit(f"{BASE}/sport?page={number}", 1)
        assert not [*met.end_listing(f"{BASE}/sport?page={number}", [url])]
    assert met.admit(f"{BASE}/sport?page=9999", 1) is FetchKind.SECTION


def test_what_is_taken_out_is_not_noted_for_a_listing(tmp_path: Path) -> None:
    story, listing, named = f"{BASE}/story-10000", f"{BASE}/sport?page=1", "SELECT count(*) FROM named"
    with Ledger.open(tmp_path) as ledger:
        assert not [*Frontier(portal(), TODAY, ledger).end_listing(listing, [story])]
    forget(tmp_path, [document_id(story)], [story], [])
    note_removal(tmp_path, [document_id(story)], "asked for", "2026-11-23")
    with Ledger.open(tmp_path) as ledger:
        assert ledger.transaction.read(named).fetchone()[0] == 0
        assert not [*Frontier(portal(), TODAY, ledger).end_listing(listing, [story])]
        assert ledger.transaction.read(named).fetchone()[0] == 0


def test_of_a_trap_what_is_queued_is_not_asked_for(frontier: MakeFrontier, ledger: Ledger) -> None:
    met, last = frontier(), f"{BASE}/days?page=9999"
    met.admit(last, 1)
    ledger.add(Link(key_of(last), last, "mock"))
    outcomes = [[*met.end_listing(f"{BASE}/days?page={number}", [])] for number in range(MAX_IN_A_ROW)]
    assert outcomes[:-1] == [[]] * (MAX_IN_A_ROW - 1)
    assert outcomes[-1] == [Rejected("discovery", "trap", BARREN, last)]
    assert ledger.queue.lease("mock") is None


def test_one_address_with_a_date_to_come_is_no_trap_and_more_are(frontier: MakeFrontier) -> None:
    met = frontier()
    calendar = [met.admit(f"{BASE}/calendar/{year}/01/", 1) for year in (2027, 2028, 2029)]
    assert [isinstance(outcome, Rejected) for outcome in calendar] == [False, True, True]
    slips = [met.admit(f"{BASE}/2027/01/02/{name}", 1) for name in ("bridge-opened", "ferry-closed")]
    assert slips == [FetchKind.ARTICLE, FetchKind.ARTICLE]
    assert isinstance(frontier(articles=["^/plan/"]).admit(BASE + "/plan/2030/01/01/", 1), FetchKind), "as declared"


def test_what_may_be_articles_is_a_trap_only_once_pages_say_so(frontier: MakeFrontier, ledger: Ledger) -> None:
    met = frontier()
    for number in range(MAX_IN_A_ROW + 3):
        assert met.admit(f"{BASE}/view/{number}", 1) is FetchKind.SECTION
        assert not [*met.end_listing(f"{BASE}/view/{number}", [f"{BASE}/"])]
    for number in range(LEAST_SECTIONS):
        url = f"{BASE}/view/{number}"
        ledger.add(Link(key_of(url), url, "mock"))
        ledger.finish(ledger.serial(url), [UrlOutcome("discovery", "section")])
    assert isinstance(met.admit(f"{BASE}/view/999", 1), Rejected)


def test_the_page_budget_is_refused_once_and_then_kept_silently(frontier: MakeFrontier) -> None:
    met = frontier(limits=PortalLimits(max_pages=2))
    outcomes = [met.admit(f"{BASE}/story-{number}", 1) for number in range(10_000, 10_005)]
    assert [type(outcome) for outcome in outcomes] == [FetchKind, FetchKind, Rejected, type(None), type(None)]
    assert isinstance(outcomes[2], Rejected)
    assert outcomes[2].reason == "page_budget"


def test_what_the_site_shows_for_a_missing_page_is_no_article(ledger: Ledger) -> None:
    contents, probe = SeenContents(ledger), missing_page(f"{BASE}/a/b?c")
    assert probe == missing_page(BASE)
    assert probe != missing_page("https://other.example")
    ledger.add(Link(key_of(probe), probe, "vesti"))
    shown = PageLinks(signature="5", letters=300)
    assert not contents.is_missing(f"{BASE}/1", shown)
    contents.remember_missing(probe, shown)
    assert SeenContents(ledger).is_missing(f"{BASE}/2", replace(shown, letters=320))
    assert not contents.is_missing(f"{BASE}/1", replace(shown, letters=1_300)), "it has a text outside paragraphs"


FRONT = PageLinks(names=("vesti", "today"), signature="5", shown="7", letters=300)


@pytest.mark.parametrize(
    ("front", "url", "shown", "is_start"),
    [
        (FRONT, f"{BASE}/?article[aut_id]=5", FRONT, True),
        (FRONT, f"{BASE}/1", replace(FRONT, shown="8", letters=320), True),  # of another hour, with other links
        (FRONT, f"{BASE}/1", replace(FRONT, signature="6"), False),
        (FRONT, f"{BASE}/1", replace(FRONT, names=("a bridge",)), False),  # its text lies outside paragraphs
        (FRONT, "https://other.example/1", FRONT, False),
        (replace(FRONT, signature=""), f"{BASE}/1", replace(FRONT, signature=""), True),
        (replace(FRONT, signature=""), f"{BASE}/1", replace(FRONT, signature="", shown="8"), False),
        (PageLinks(), f"{BASE}/1", PageLinks(), False),
    ],
)
def test_a_start_page_is_known_at_other_addresses(
    ledger: Ledger, front: PageLinks, url: str, shown: PageLinks, is_start: bool
) -> None:
    SeenContents(ledger).remember_start(f"{BASE}/", front)
    assert SeenContents(ledger).is_start(url, shown) is is_start


def test_links_of_more_than_a_few_addresses_with_one_content_are_not_followed(ledger: Ledger) -> None:
    contents, shown = SeenContents(ledger), PageLinks(signature="5", shown="7")
    answers = [contents.is_repeated(f"{BASE}/{number}", shown) for number in range(MAX_ADDRESSES + 2)]
    assert answers == [False, False, True, True]
    assert not contents.is_repeated(f"{BASE}/0", shown), "the same address again is not another one"
    assert not contents.is_repeated("https://other.example/1", shown)
    assert not contents.is_repeated(f"{BASE}/9", replace(shown, shown="8")), "other text, in cells of a table"
    assert not any(contents.is_repeated(f"{BASE}/{number}", PageLinks()) for number in range(5))


HEADLINES = ("A bridge in May", "A ferry in June", "A storm in July", "12 May", "13 May")


@pytest.mark.parametrize(
    "link",
    [
        "<a href='/sport/old-bridge-opens-{n}'>Read more</a>",
        "<a href='/clanek.php?id=1234{n}'>Read more</a>",
        "<a href=/{n}><h3>{headline}</h3></a>",
    ],
)
def test_pages_of_a_section_that_differ_in_their_links_alone_are_followed(ledger: Ledger, link: str) -> None:
    contents, invitation = SeenContents(ledger), "<p>The paper of the town and its villages, every day since 1921.</p>"
    for n, headline in enumerate(HEADLINES):
        url, links = f"{BASE}/sport?page={n}", link.format(n=n, headline=headline)
        page = f"<h1>Sport</h1>{invitation}{links}<a href=?page={n + 1}>Next</a>"
        assert not contents.is_repeated(url, read_page(Page.from_html(page, url)))


def test_copies_of_a_page_name_the_same_articles_by_relative_addresses(ledger: Ledger) -> None:
    contents, text = SeenContents(ledger), "<p>The paper of the town and its villages, every day since 1921.</p>"
    page = f"<h1>Sport</h1>{text}<a href='old-bridge-opens-12345.html'>Read more</a><a href='sport/'>Sport</a>"
    urls = [f"{BASE}{'/sport' * depth}/" for depth in range(4)]
    answers = [contents.is_repeated(url, read_page(Page.from_html(page, url))) for url in urls]
    assert answers == [False, False, True, True]


def read_archives(met: Frontier, paths: list[str], *, leads_on: bool = False) -> list[Rejected]:
    return [refused for path in paths for refused in met.end_archive(BASE + path, leads_on=leads_on)]


def queue(ledger: Ledger, met: Frontier, path: str) -> None:
    assert met.admit(BASE + path, 2) is FetchKind.SECTION
    ledger.add(Link(key_of(BASE + path), BASE + path, "mock", "section", request=b"{}"))


def test_archives_are_dropped_after_many_that_brought_nothing_new(ledger: Ledger) -> None:
    met = Frontier(portal(sections=["^/tag/town/"]), TODAY, ledger)
    for path in ("/tag/last/", "/author/ann/", "/tag/town/"):
        queue(ledger, met, path)
    tags = [f"/tag/{n}/" for n in range(MAX_BARREN_ARCHIVES)]
    assert not read_archives(met, tags[:-1])
    assert not read_archives(met, ["/tag/good/"], leads_on=True), "which begins the count anew"
    assert not [*met.end_archive(f"{BASE}/tag/long/", leads_on=False, goes_on=True)], "it may go on to something new"
    assert [refused.url for refused in read_archives(met, tags)] == [BASE + "/tag/last/"]
    refused = expect(Rejected, met.admit(BASE + "/tag/another/", 2))
    assert refused.reason == "nothing_new"
    assert met.admit(BASE + "/tag/town/page/2/", 2) is FetchKind.SECTION, "the portal's file calls it a section"
    assert met.admit(BASE + "/author/bo/", 2) is FetchKind.SECTION, "few of its shape were read"
    assert met.admit(BASE + "/category/sport/page/200/", 2) is FetchKind.SECTION
    assert met.admit(BASE + "/tag/named-by-the-user/", 0) is FetchKind.SECTION
    ledger.refuse(refused.url, UrlOutcome.of(refused), REJECTIONS, b"{}\n")
    requeue_known(ledger, ["mock"], Revisit.ALL)
    assert met.admit(refused.url, 2) is FetchKind.SECTION, "a later crawl asks again"
    assert ledger.counts.rejected("mock") == 0


def test_few_archives_are_read_where_feeds_and_sitemaps_name_every_article(ledger: Ledger) -> None:
    met = Frontier(portal(), TODAY, ledger)
    articles = [f"{BASE}/bridge-{n}/" for n in range(ALIKE)]
    ledger.listings.add_named(LISTS, articles)
    for url in articles:
        note_page(ledger, "mock", url, KEPT)
    queue(ledger, met, "/tag/last/")
    tags = [f"/tag/{n}/" for n in range(MAX_SUPERFLUOUS_ARCHIVES)]
    assert not read_archives(met, tags[1:])
    (dropped,) = met.end_archive(f"{BASE}{tags[0]}", leads_on=False, goes_on=True)
    assert dropped.url == BASE + "/tag/last/"
    named = f"{BASE}/index.php?mot12"
    assert not met.archive(named)
    for number in range(ALIKE):
        note_page(ledger, "mock", f"{BASE}/index.php?mot{number}", LIST)
    assert met.archive(named), "as all of its pattern were lists"
    answer(ledger, named + "3", UrlOutcome(), portal="mock", kind="section")
    assert not met.archive(named + "3"), "it is visited again for changes"
    note_page(ledger, "mock", f"{BASE}/ferry/", KEPT)
    assert not met.archive(named)
    assert met.admit(BASE + "/tag/another/", 2) is FetchKind.SECTION, "a page alone named an article"


def test_archives_of_days_lead_to_a_period(ledger: Ledger) -> None:
    met = Frontier(portal(), TODAY, ledger, period=Period(date(2020, 1, 1)))
    assert not any(met.archive(BASE + path) for path in ("/2024/05/", "/?m=202405"))
    assert all(met.archive(BASE + path) for path in ("/tag/bridge/", "/?tag=bridge", "/?cat=12", "/?author=3"))


LIST, KEPT = UrlOutcome("discovery", "section"), UrlOutcome(reason="kept")


@pytest.mark.parametrize(
    ("found", "others", "trust"),
    [
        (LIST, [], AddressTrust.LISTED),
        (UrlOutcome("extract", "no_article"), [], AddressTrust.LISTED),
        (KEPT, [], AddressTrust.LIKELY),
        (UrlOutcome("quality", "too_short"), [], AddressTrust.DOUBTFUL),
        (UrlOutcome("discovery", "no_article"), [], AddressTrust.DOUBTFUL),
        (LIST, [KEPT], AddressTrust.DOUBTFUL),
        (KEPT, [LIST], AddressTrust.DOUBTFUL),
    ],
)
def test_ten_pages_of_a_pattern_say_what_the_next_one_is(
    frontier: MakeFrontier, found: UrlOutcome, others: Sequence[UrlOutcome], trust: AddressTrust
) -> None:
    met = frontier()
    for number, became in enumerate([*others, *[found] * 9]):
        note_page(met.ledger, "mock", f"{BASE}/places/town{number}/", became)
    assert met.find_trust(f"{BASE}/places/river5/") is AddressTrust.DOUBTFUL
    note_page(met.ledger, "mock", f"{BASE}/places/bridge3/", found)
    assert met.find_trust(f"{BASE}/places/river5/") is trust
    assert met.find_trust(f"{BASE}/people/river5/") is AddressTrust.DOUBTFUL
    assert met.find_trust(f"{BASE}/places/river5/", [Evidence("title", "The river", "feed")]) is AddressTrust.CERTAIN
