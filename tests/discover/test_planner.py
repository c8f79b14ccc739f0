"""What is asked for of what a list names, the first time and again."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from itertools import chain

import pytest
from crawled import answer

from newscorpus.data import Evidence, Page, Rejected
from newscorpus.discover import period as module
from newscorpus.discover.entries import Listing, ListingEntry
from newscorpus.discover.frontier import MAX_IN_A_ROW, Frontier, SeenContents, missing_page
from newscorpus.discover.period import ALWAYS, Period
from newscorpus.discover.planner import OUT_OF_PERIOD, FetchPlanner, PlannedFetch
from newscorpus.page.judgement import PageLinks
from newscorpus.portal.addresses import LAST_CHANGE, AddressTrust, FetchKind
from newscorpus.portal.portal import Portal
from newscorpus.store.ledger import Ledger, Link, UrlOutcome, key_of
from tests.mockserver.kinds import expect

BASE = "https://vesti.example"
STORY = f"{BASE}/news/a-long-story-1"
LIST = f"{BASE}/sitemap.xml"
LIKELY = AddressTrust.LIKELY
MakePlanner = Callable[..., FetchPlanner]

FETCHED = "2026-11-10T08:00:00+00:00"


@pytest.fixture
def counts() -> Counter[str]:
    return Counter()


@pytest.fixture
def planner(ledger: Ledger, counts: Counter[str]) -> MakePlanner:
    def count(name: str, n: int) -> None:
        counts[name] += n

    def make(period: Period = ALWAYS) -> FetchPlanner:
        portal = Portal("vesti", ("sr",), ("vesti.example",), (f"{BASE}/",))
        frontier = Frontier(portal, date(2026, 11, 21), ledger, period=period)
        return FetchPlanner(portal, frontier, ledger, SeenContents(ledger), period, count)

    return make


def ask(
    planner: FetchPlanner, *entries: ListingEntry, children: tuple[ListingEntry, ...] = ()
) -> list[PlannedFetch | Rejected]:
    return list(chain.from_iterable(planner.listing(Listing(entries, children), LIST, 1)))


def finish(ledger: Ledger, url: str) -> None:
    """Fetch and keep what was asked for."""
    answer(ledger, url, UrlOutcome(reason="kept"), time=FETCHED)


def test_a_page_travels_with_its_last_change_which_makes_it_no_article(planner: MakePlanner) -> None:
    made, url = planner(), f"{BASE}/x"
    (found,) = ask(made, ListingEntry(url, modified="2026-11-20", has_own_change=True))
    assert isinstance(found, PlannedFetch)
    assert found.evidence == (Evidence(LAST_CHANGE, "2026-11-20", LAST_CHANGE),)
    assert made.frontier.find_trust(url, found.evidence) is made.frontier.find_trust(url)


def test_what_a_feed_describes_is_an_article_and_its_words_travel_with_it(planner: MakePlanner) -> None:
    entry = ListingEntry(f"{BASE}/x", (Evidence("title", "A title", "feed"),))
    assert ask(planner(), entry) == [PlannedFetch(f"{BASE}/x", FetchKind.ARTICLE, 1, entry.evidence)]
    assert ask(planner(), entry) == []
    (other,) = ask(planner(), ListingEntry(f"{STORY}/amp"))
    assert expect(PlannedFetch, other).url == STORY, "another version is asked for as the article"


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
    planner: MakePlanner, ledger: Ledger, first: str, second: str, again: bool
) -> None:
    assert len(ask(planner(), ListingEntry(STORY, modified=first))) == 1
    finish(ledger, STORY)
    requests = ask(planner(), ListingEntry(STORY, modified=second))
    assert [request.is_repeat for request in requests if isinstance(request, PlannedFetch)] == [True] * again


@pytest.mark.parametrize("kind", ["feed", "section"])
def test_a_known_article_is_asked_for_again_where_a_list_shows_another_headline(
    planner: MakePlanner, ledger: Ledger, kind: str
) -> None:
    def read(made: FetchPlanner, headline: int, listing: str = LIST) -> list[PlannedFetch | Rejected]:
        if kind == "feed":
            return list(
                chain.from_iterable(made.listing(Listing((ListingEntry(STORY, headline=headline),)), listing, 1))
            )
        return list(made.links(PageLinks((STORY,), (headline,)), 1, listing=listing))

    first, again = planner(), replace(planner(), began="2026-11-12T08:00:00+00:00")
    assert len(read(first, 5)) == 1
    for url in (STORY, LIST):
        finish(ledger, url)
    assert read(first, 6) == [], "two lists may shorten a headline in two ways"
    assert read(again, 5) == read(again, 6) == []
    assert read(again, 7, f"{BASE}/tag/a") == [], "a list that was not read before has its own way"
    (repeat,) = read(again, 8)
    assert expect(PlannedFetch, repeat).is_repeat
    assert read(again, 8) == []
    if kind == "section":
        read(again, 11, f"{BASE}/tag/b")
        assert len(read(again, 11)) == 1, "an archive that was not read before hides no change from other lists"
    is_moved = len(read(again, 9, f"{BASE}/sport/local2.html")) == 1
    assert is_moved is (kind == "section"), "an article moves on to the next page of its list"
    assert read(replace(again, began="2026-11-09T08:00:00+00:00"), 10) == [], "this crawl fetched it"


def test_what_the_feed_said_of_an_article_travels_with_its_next_request_but_the_headline(
    planner: MakePlanner, ledger: Ledger
) -> None:
    said = [{"field": "title", "value": "Old", "source": "feed"}, {"field": "tags", "value": "a", "source": "feed"}]
    request = json.dumps({"cb_kwargs": {"evidence": said}}).encode()
    assert len(ask(planner(), ListingEntry(STORY, modified="2026-11-01"))) == 1
    ledger.add(Link(key_of(STORY), STORY, "vesti", "article", request=request))
    assert ask(planner(), ListingEntry(STORY, modified="2026-11-14")) == [], "it is still queued"
    finish(ledger, STORY)
    (repeat,) = ask(planner(), ListingEntry(STORY, modified="2026-11-15"))
    assert expect(PlannedFetch, repeat).evidence == (Evidence("tags", "a", "feed"),)


def test_what_a_feed_says_is_kept_for_a_queued_page_that_links_named_first(
    planner: MakePlanner, ledger: Ledger
) -> None:
    said = (Evidence("published", "2026-11-01", "feed"),)
    for given in ([], [{"field": "tags", "value": "a", "source": "sitemap"}]):
        url = f"{STORY}{len(given)}"
        request = json.dumps({"cb_kwargs": {"evidence": given}}).encode()
        ledger.add(Link(key_of(url), url, "vesti", "section", request=request))
        ledger.add(Link(key_of(f"{url}/other"), f"{url}/other", "vesti", "section"))
        assert ask(planner(), ListingEntry(url, said), ListingEntry(f"{url}/other", said)) == []
        assert [one.source for one in ledger.revisits.evidence(url)] == ["sitemap" if given else "feed"], (
            "the first list"
        )


def test_lists_links_and_articles_are_pruned_by_the_period(planner: MakePlanner, counts: Counter[str]) -> None:
    made = planner(Period(date(2024, 3, 1), date(2024, 3, 31)))
    children = (ListingEntry(f"{BASE}/map-2024-03.xml"), ListingEntry(f"{BASE}/map-2024-04.xml"))
    entries = (
        ListingEntry(f"{BASE}/2024/03/05/a"),
        ListingEntry(f"{BASE}/2023/03/05/a"),
        ListingEntry(STORY, modified="2024-02-01"),
    )
    asked = [request.url for request in ask(made, *entries, children=children) if isinstance(request, PlannedFetch)]
    assert asked == [f"{BASE}/map-2024-03.xml", f"{BASE}/2024/03/05/a"]
    assert counts[OUT_OF_PERIOD] == 3
    paths = ("/2023/03/05/a-long-story-1", "/sport/", "/2024/02/29/", "/2024/04/01/")  # later listings lead back
    assert [len(list(made.page(BASE + path, 1))) for path in paths] == [0, 1, 0, 1]
    days = (None, date(2024, 3, 31), date(2024, 4, 1))
    assert [bool(made.refuse_day(STORY, PageLinks(published=day))) for day in days] == [False, False, True]


def test_a_section_ends_after_many_articles_of_earlier_days_in_a_row(planner: MakePlanner, ledger: Ledger) -> None:
    made, listing = planner(Period(since=date(2024, 3, 1))), f"{BASE}/rubrika/12/strana/1"
    list(made.page(listing, 1))
    list(made.links(PageLinks(), 2, listing=listing))
    ledger.add(Link(key_of(STORY), STORY, "vesti", found_on=ledger.serial(listing)))
    last, earlier = date(2024, 2, 29), date(2024, 2, 1)
    for day in (last, *[earlier] * (MAX_IN_A_ROW - 1), date(2026, 1, 1), last, *[earlier] * (MAX_IN_A_ROW - 1)):
        made.refuse_day(STORY, PageLinks(published=day))
    assert len(list(made.page(f"{BASE}/rubrika/12/strana/2", 2))) == 1
    made.refuse_day(STORY, PageLinks(published=date(2024, 2, 1)))
    (refused,) = made.page(f"{BASE}/rubrika/12/strana/3", 2)
    assert expect(Rejected, refused).reason == "out_of_period"
    assert [type(one) for one in made.page(f"{BASE}/rubrika/7/strana/1", 1)] == [PlannedFetch], "others do not end"


def test_a_section_that_comes_nearer_to_the_period_does_not_end(planner: MakePlanner, ledger: Ledger) -> None:
    made, listing = planner(Period(since=date(2024, 3, 1))), f"{BASE}/sport?page=1"
    list(made.page(listing, 1))
    ledger.add(Link(key_of(STORY), STORY, "vesti", found_on=ledger.serial(listing)))
    for number in range(2 * MAX_IN_A_ROW):
        made.refuse_day(STORY, PageLinks(published=date(2023, 1, 1) + timedelta(days=number // 3)))
    assert len(list(made.page(f"{BASE}/sport?page=2", 2))) == 1


def test_the_way_from_an_earlier_day_leads_forward_over_listings_alone(planner: MakePlanner) -> None:
    made = planner(Period(since=date(2024, 3, 1)))

    def followed(listing: str, *paths: str) -> list[str]:
        plan = made.links(PageLinks(tuple(BASE + path for path in paths)), 1, listing=BASE + listing)
        return [one.url.removeprefix(BASE) for one in plan if isinstance(one, PlannedFetch)]

    assert followed("/", "/2004/01/01/", "/2004/01/02/", "/2004/01/01/a-long-story") == ["/2004/01/02/"]
    links = ("/2004/01/01/", "/2004/01/03/", "/story-12345.html", "/2024/03/02/a-long-story", "/sport/")
    assert followed("/2004/01/02/", *links) == ["/sport/", "/2024/03/02/a-long-story", "/2004/01/03/"]
    assert followed("/2004/01/03/", "/2003/12/31/") == []
    assert followed("/2024/03/01/", "/2024/02/29/") == []


def test_the_newest_pages_come_first(planner: MakePlanner) -> None:
    paths = ("/2024/05/", "/sport/", "/2026/05/", "/2025/05/")
    plan = planner().links(PageLinks(tuple(BASE + path for path in paths)), 1)
    urls = [one.url.removeprefix(BASE) for one in plan if isinstance(one, PlannedFetch)]
    assert urls == ["/sport/", "/2026/05/", "/2025/05/", "/2024/05/"]


@pytest.mark.parametrize("other", ["/index.php?title=Old_bridge&diff=152&oldid=109", "/galleries/fair/bridge.png"])
def test_old_versions_and_pictures_in_a_feed_are_no_articles(planner: MakePlanner, other: str) -> None:
    urls = (BASE + other, f"{BASE}/index.php?title=Old_bridge")
    (found,) = ask(planner(), *(ListingEntry(url, (Evidence("title", "Old bridge", "feed"),)) for url in urls))
    assert expect(PlannedFetch, found).url == urls[1]


@pytest.mark.parametrize("start_forbids", [False, True])
def test_a_page_that_forbids_following_leads_to_articles_and_its_further_pages(
    planner: MakePlanner, *, start_forbids: bool
) -> None:
    made, listing = planner(), f"{BASE}/wiki/Recent?days=7"
    paths = ("/wiki/Recent?days=7&page=2", "/wiki/Recent?days=1&limit=50", "/wiki/Oldest", "/a-long-story-1?diff=2")
    links = PageLinks((*(BASE + path for path in paths), STORY), forbids_following=True)
    list(made.start_page(f"{BASE}/", replace(links, forbids_following=start_forbids), ()))
    plan = made.links(links, 3, listing=listing)
    urls = {one.url.removeprefix(BASE) for one in plan if isinstance(one, PlannedFetch)}
    assert urls == {*(paths if start_forbids else paths[:1]), STORY.removeprefix(BASE)}


def test_a_listing_that_comes_again_is_not_counted(planner: MakePlanner, ledger: Ledger) -> None:
    made, url = planner(), f"{BASE}/sport?page=1"
    assert list(made.links(PageLinks(), 1, listing=url)) == []
    finish(ledger, url)
    assert not any(list(made.links(PageLinks(), 1, listing=url)) for _ in range(MAX_IN_A_ROW))
    assert len(list(made.page(f"{BASE}/sport?page=2", 1))) == 1


def test_sitemaps_of_others_are_refused_and_the_number_is_bounded(
    planner: MakePlanner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SITEMAPS", 1)
    urls = (f"{BASE}/1.xml", "https://other.example/2.xml", f"{BASE}/3.xml")
    found = ask(planner(), children=tuple(map(ListingEntry, urls)))
    named = [one.reason if isinstance(one, Rejected) else one.url for one in found]
    assert named == [urls[0], "offsite", "too_many_sitemaps"]


def test_a_site_may_keep_its_sitemaps_elsewhere(planner: MakePlanner) -> None:
    index, child = "https://maps.example/index.xml", "https://maps.example/1.xml"
    made = planner()
    _, request = made.start_page(f"{BASE}/", PageLinks(), (index,))
    assert request == PlannedFetch(index, FetchKind.SITEMAP)
    children = (ListingEntry(child), ListingEntry("https://other.example/2.xml"))
    found = chain.from_iterable(made.listing(Listing(children=children), index, 1))
    assert [one.reason if isinstance(one, Rejected) else one.url for one in found] == [child, "offsite"]


def test_lists_are_looked_for_where_nobody_names_them(planner: MakePlanner) -> None:
    made, probe = planner(), missing_page(BASE)
    urls = [one.url for one in made.start_page(f"{BASE}/en/", PageLinks(lists=(f"{BASE}/rss",)), ())]
    usual = ["sitemap.xml", "sitemap_index.xml", "news-sitemap.xml", "rss"]
    assert urls == [probe, *(f"{BASE}/{name}" for name in usual)]
    portal = replace(made.portal, feeds=(f"{BASE}/feed",), sitemaps=(f"{BASE}/map",))
    plan = replace(made, portal=portal).start_page(f"{BASE}/", PageLinks(lists=(f"{BASE}/rss",)), (LIST,))
    assert list(plan) == [PlannedFetch(probe, FetchKind.PROBE)]


def test_a_known_sitemap_is_asked_for_where_its_index_says_it_changed(planner: MakePlanner, ledger: Ledger) -> None:
    child = ListingEntry(f"{BASE}/1.xml", modified="2026-11-15")
    assert len(ask(planner(), children=(child,))) == 1
    finish(ledger, child.url)
    assert len(ask(planner(), children=(child,))) == 1
    assert ask(planner(), children=(child,)) == []
    assert len(ask(planner(), children=(replace(child, modified="2026-11-16"),))) == 1


def test_guesses_and_probes_are_made_once_and_on_the_site(planner: MakePlanner, ledger: Ledger) -> None:
    made = planner()
    assert list(made.feeds([LIST])) == [PlannedFetch(LIST, FetchKind.MAYBE_LIST)]
    assert list(made.feeds(["https://other.example/feed", "https://vesti.example:port/feed"])) == []
    finish(ledger, LIST)
    assert list(made.feeds([LIST])) == []
    finish(ledger, missing_page(BASE))
    assert [one.url for one in made.start_page(f"{BASE}/", PageLinks(), (LIST,))] == []


def test_a_crawl_begins_with_lists_start_pages_and_the_archive_of_the_days_asked_for(
    planner: MakePlanner,
) -> None:
    made = planner(Period(date(2026, 10, 20)))
    portal = replace(made.portal, feeds=(f"{BASE}/feed",), sitemaps=(LIST,), archive=f"{BASE}/{{year}}/{{month}}")
    plan = list(replace(made, portal=portal).beginnings())
    kinds = [FetchKind.FEED, FetchKind.SITEMAP, *[FetchKind.SECTION] * 3]
    urls = [f"{BASE}/feed", LIST, f"{BASE}/", f"{BASE}/2026/11", f"{BASE}/2026/10"]
    assert plan == [PlannedFetch(url, kind) for url, kind in zip(urls, kinds, strict=True)]
    assert len(list(replace(planner(), portal=portal).beginnings())) == 2


@pytest.mark.parametrize(
    ("url", "trust", "redirected", "plan"),
    [
        *((url, LIKELY, "", []) for url in (f"{BASE}/copy", STORY)),
        (f"{BASE}/", AddressTrust.SECTION, STORY, [("discovery", "no_article", STORY)]),
    ],
    ids=["another address", "the canonical one", "redirected to a section"],
)
def test_all_pages_of_one_canonical_address_are_handed_on_but_a_section(
    planner: MakePlanner, url: str, trust: AddressTrust, redirected: str, plan: list[tuple[str, ...]]
) -> None:
    refused = planner().refuse_article(Page(url, b""), PageLinks(canonical=STORY), trust, 1, redirected)
    assert [(one.stage, one.reason, one.url) for one in refused if isinstance(one, Rejected)] == plan


def test_an_amp_page_leads_to_its_article(planner: MakePlanner) -> None:
    links = PageLinks(canonical=STORY, is_amp=True)
    wanted, refused = planner().refuse_article(Page(f"{BASE}/other-1", b""), links, LIKELY, 2)
    assert wanted == PlannedFetch(STORY, FetchKind.ARTICLE, 2)
    assert expect(Rejected, refused).reason == "other_version"


def test_a_page_in_another_script_leads_to_the_first_one_unless_that_is_ignored(planner: MakePlanner) -> None:
    asked = Page(f"{BASE}/lat/other-1", b""), PageLinks(first_script=STORY), LIKELY, 2
    wanted, refused = planner().refuse_article(*asked)
    assert wanted == PlannedFetch(STORY, FetchKind.ARTICLE, 2)
    assert expect(Rejected, refused).reason == "other_version"
    latin = replace(planner().portal, ignore=("^/(?!lat/)",))
    assert [*replace(planner(), portal=latin).refuse_article(*asked)] == []


def test_entries_that_were_not_taken_are_reported(planner: MakePlanner) -> None:
    for listing, reason, detail in (
        (Listing(beyond=7), "too_many_entries", "7 more than are taken of one list"),
        (Listing(broken=2), "broken_entry", "2 without an address"),
    ):
        found = [*chain.from_iterable(planner().listing(listing, LIST, 1))]
        assert found == [Rejected("discovery", reason, detail, LIST)]


def test_sitemaps_that_are_counted_are_not_taken_for_years(planner: MakePlanner) -> None:
    """Of 250 the hundred that are worked on at a time may all have numbers that look like years."""
    children = tuple(ListingEntry(f"{BASE}/sitemap-{number}.xml") for number in range(1_850, 2_100))
    found = ask(planner(Period(date(2024, 1, 1))), children=children)
    assert [one.url for one in found] == [child.url for child in children]


def test_a_further_page_of_an_archive_may_hold_older_articles(planner: MakePlanner) -> None:
    made = planner()
    for path, goes_on in (("/category/town/page/2/", True), ("/category/town/", False), ("/page/2/", False)):
        (planned,) = made.page(BASE + path, 1)
        assert made.may_go_on(planned) is goes_on, path
