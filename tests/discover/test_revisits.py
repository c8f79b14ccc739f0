"""What is queued again: after failures, for a revisit, and where the rules changed, with these or not at all."""

import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import msgspec
import pytest
from crawled import answer as finish
from crawled import take

from newscorpus.discover.frontier import BARREN, BUDGET_SPENT
from newscorpus.discover.period import ALWAYS, Period
from newscorpus.discover.revisits import (
    Revisit,
    find_clock_set_back,
    judge_again,
    requeue_failed,
    requeue_known,
)
from newscorpus.portal.addresses import NAMED
from newscorpus.portal.portal import Portal, PortalLimits
from newscorpus.store.ledger import REJECTIONS, Ledger, Link, UrlOutcome, UrlState, key_of
from newscorpus.store.ledger.addresses import find
from newscorpus.store.ledger.revisits import MOST_BARREN
from newscorpus.store.ledger.status import status

BASE = "https://vesti.example"
TODAY = date(2026, 11, 22)
PORTAL = Portal("vesti", ("sr",), ("vesti.example",), (f"{BASE}/",))
NAMED_BY_USER = msgspec.json.encode({"cb_kwargs": {"evidence": [msgspec.to_builtins(NAMED)]}})


def said(key: str, judged: int, read: int) -> tuple[str, int]:
    """What is said of a change that has addresses judged or read again, and their number."""
    return (
        f"vesti: {key} changed since the last crawl; addresses judged again: {judged}, pages read again for their"
        f" links: {read}, from the archive where it holds them"
    ), judged + read


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path) as ledger:
        assert judge_again(ledger, PORTAL, ALWAYS, TODAY) is None
        answer(ledger, "/", "section", UrlOutcome(), depth=0)
        answer(ledger, "/kept", "article", UrlOutcome(reason="kept"), archived=True)
        yield ledger


def answer(
    ledger: Ledger,
    path: str,
    kind: str,
    outcome: UrlOutcome,
    depth: int = 1,
    request: bytes = b"{}",
    archived: bool = False,
) -> None:
    place = {"archived": ("archive/000001.warc.gz", 100)} if archived else {}
    finish(ledger, BASE + path, outcome, kind=kind, depth=depth, request=request, etag="e", **place)


def refuse(ledger: Ledger, path: str, reason: str, detail: str = "", found_on: str = "/") -> None:
    outcome = UrlOutcome("discovery", reason, detail)
    assert ledger.refuse(BASE + path, outcome, REJECTIONS, b"{}\n", "vesti", ledger.serial(BASE + found_on))


def queued(ledger: Ledger) -> dict[str, tuple[bool, bool]]:
    """Paths, with whether the archive answers and whether what became of them stands."""
    leases = [ledger.queue.lease("vesti") for _ in range(ledger.queue.size("vesti"))]
    return {one.url.removeprefix(BASE): (bool(one.from_archive), bool(one.links_only)) for one in leases if one}


def test_what_was_refused_unseen_is_forgotten_and_the_page_that_names_it_is_read_again(ledger: Ledger) -> None:
    for path, reason, page in (("/a/1", "ignored", "/"), ("/b/2", "ignored", "/kept"), ("/c/3", "ignored", "/kept")):
        refuse(ledger, path, reason, found_on=page)
    now = replace(PORTAL, ignore=("^/c/",))
    assert judge_again(ledger, replace(PORTAL, ignore=("^/[a-c]/",)), ALWAYS, TODAY)
    found = judge_again(ledger, now, ALWAYS, TODAY)
    assert found == said("ignore", 2, 2)
    assert [ledger.knows(BASE + path) for path in ("/a/1", "/b/2", "/c/3")] == [False, False, True]
    assert ledger.counts.of("rejected/discovery/ignored", "vesti") == 1
    assert queued(ledger) == {"/": (True, True), "/kept": (True, True)}
    assert judge_again(ledger, now, ALWAYS, TODAY) is None


def test_a_page_whose_fate_stands_keeps_it_whatever_comes_back(ledger: Ledger, tmp_path: Path) -> None:
    refuse(ledger, "/a/1", "too_deep", found_on="/kept")
    judge_again(ledger, replace(PORTAL, limits=PortalLimits(max_depth=1)), ALWAYS, TODAY)
    judge_again(ledger, replace(PORTAL, limits=PortalLimits(max_depth=2)), ALWAYS, TODAY)
    lease = take(ledger, "vesti")
    assert (lease.archive_file, lease.archive_offset) == ("archive/000001.warc.gz", 100)
    ledger.mark_unchanged(lease.serial, None)
    ledger.commit()
    entry = find(tmp_path, BASE + "/kept")
    assert entry
    assert (entry.state, entry.reason, entry.fetched) == (UrlState.DONE, "kept", "2026-11-21T08:00:00+00:00")


def test_answered_pages_are_judged_again_where_the_address_says_something_else_now(ledger: Ledger) -> None:
    section = UrlOutcome("discovery", "section", "not declared an article")
    answer(ledger, "/one", "section", section)
    answer(ledger, "/two", "section", section)
    answer(ledger, "/three", "section", section, request=NAMED_BY_USER)
    answer(ledger, "/four", "section", UrlOutcome("quality", "too_short"))
    found = judge_again(ledger, replace(PORTAL, articles=("^/(one|three|four)$",)), ALWAYS, TODAY)
    assert found == said("articles", 1, 0)
    assert ledger.counts.of("rejected/discovery/section", "vesti") == 2
    assert queued(ledger) == {"/one": (True, False)}


def test_a_trap_that_is_none_any_more_is_let_in(ledger: Ledger) -> None:
    for path, detail in (("/2026-12/a", "a date to come"), ("/2027-12/b", "a date to come"), ("/l?p=9", BARREN)):
        refuse(ledger, path, "trap", detail)
    judge_again(ledger, replace(PORTAL, sections=("^/x",)), ALWAYS, date(2026, 12, 24))
    assert [ledger.knows(BASE + path) for path in ("/2026-12/a", "/2027-12/b", "/l?p=9")] == [False, True, True]


def test_what_is_queued_is_not_asked_for_where_the_new_rules_forbid_it(ledger: Ledger, tmp_path: Path) -> None:
    for path in ("/junk/1", "/good/1"):
        ledger.add(Link(key_of(BASE + path), BASE + path, "vesti", "section", 2, request=b"{}"))
    found = judge_again(ledger, replace(PORTAL, ignore=("^/junk/",)), ALWAYS, TODAY)
    assert found == said("ignore", 1, 0)
    assert queued(ledger) == {"/good/1": (False, False)}
    ledger.commit()
    (now,) = status(tmp_path)
    assert now.rejected == {"discovery/ignored": 1}
    assert b"/junk/1" in (tmp_path / "rejected.jsonl").read_bytes()


def test_wider_days_have_all_read_again_that_the_archive_holds_and_lists(ledger: Ledger) -> None:
    year = Period(date(2024, 1, 1), date(2024, 12, 31))
    answer(ledger, "/old", "article", UrlOutcome("discovery", "out_of_period", "published 2023-01-01"))
    answer(ledger, "/other", "article", UrlOutcome("quality", "too_short"))
    nothing = "vesti: period changed since the last crawl; no address is judged differently now", 0
    assert judge_again(ledger, PORTAL, year, TODAY) == nothing
    narrower = judge_again(ledger, PORTAL, Period(date(2024, 3, 1), date(2024, 3, 31)), TODAY)
    assert narrower == nothing
    assert judge_again(ledger, PORTAL, ALWAYS, TODAY) == said("period", 1, 2)
    assert queued(ledger) == {"/": (True, True), "/kept": (True, True), "/old": (True, False)}


@pytest.mark.parametrize("commits", [False, True])
def test_a_crawl_that_dies_has_judged_all_again_or_nothing(tmp_path: Path, *, commits: bool) -> None:
    now = replace(PORTAL, articles=("^/one$",))
    with Ledger.open(tmp_path) as ledger:
        judge_again(ledger, PORTAL, ALWAYS, TODAY)
        answer(ledger, "/one", "section", UrlOutcome("discovery", "section"))
    ledger = Ledger.open(tmp_path)
    judge_again(ledger, now, ALWAYS, TODAY)
    if commits:
        ledger.commit()
        ledger.queue.lease("vesti")
    ledger.close(commits=False)
    with Ledger.open(tmp_path) as ledger:
        assert (judge_again(ledger, now, ALWAYS, TODAY) is None) == commits
        assert queued(ledger) == {"/one": (True, False)}
        assert ledger.counts.of("rejected/discovery/section", "vesti") == 0


@pytest.fixture
def ended(tmp_path: Path) -> Iterator[Ledger]:
    """After a crawl that read a feed and a section, kept one article, and did not reach another."""
    with Ledger.open(tmp_path / "corpus") as ledger:
        for name, kind, outcome in (
            ("/feed", "feed", UrlOutcome()),
            ("/section", "section", UrlOutcome()),
            ("/kept", "article", UrlOutcome(reason="kept")),
            ("/unreached", "article", UrlOutcome("fetch", "timeout")),
            ("/gone", "article", UrlOutcome("fetch", "http_404")),
        ):
            finish(ledger, BASE + name, outcome, kind=kind, signature="5")
        yield ledger


def test_a_crawl_that_had_ended_tries_again_what_it_did_not_reach(ended: Ledger) -> None:
    assert requeue_failed(ended, ("vesti", "other")) == 1
    assert queued(ended).keys() == {"/unreached"}


def test_a_crawl_that_was_broken_off_goes_on_as_it_was(ended: Ledger) -> None:
    ended.add(Link(key_of(BASE + "/next"), BASE + "/next", "vesti"))
    assert requeue_failed(ended, ("vesti",)) == 0
    assert queued(ended).keys() == {"/next"}


def test_of_lists_that_told_nothing_new_a_visit_asks_for_some_those_asked_longest_ago(ended: Ledger) -> None:
    for number in range(MOST_BARREN + 2):
        url = f"{BASE}/tag/{number}"
        ended.add(Link(key_of(url), url, "vesti", "section", depth=1, request=b"{}"))
        ended.revisits.note_news(url, brought=number == 1)
        ended.revisits.note_news(url, brought=False)
        finish(ended, url, kind="section", depth=1, time=f"2026-11-21T08:00:{59 - number}+00:00")
    url = f"{BASE}/tag/stub"
    ended.add(Link(key_of(url), url, "vesti", "section", depth=1, request=b"{}"))
    ended.revisits.note_news(url, brought=False)
    stub = UrlOutcome("quality", "paywall_stub")
    finish(ended, url, stub, kind="section", depth=1, time="2026-11-20T08:00:00+00:00")
    requeue_known(ended, ("vesti",), Revisit.ALL)
    tags = {name for name in queued(ended) if name.startswith("/tag/")}
    assert tags == {f"/tag/{number}" for number in range(1, MOST_BARREN + 2)}


def test_a_clock_that_was_set_back_is_noticed(ledger: Ledger) -> None:
    finish(ledger, f"{BASE}/later", kind="article", time="2026-11-21T08:00:00+00:00")
    assert find_clock_set_back(ledger, datetime(2026, 11, 22, tzinfo=UTC)) == ""
    said = find_clock_set_back(ledger, datetime(2025, 11, 22, tzinfo=UTC))
    assert "pages were fetched until 2026-11-21T08:00:00+00:00" in said


@pytest.mark.parametrize(
    ("revisit", "names"),
    [
        (Revisit.DUE, {"/section", "/unreached"}),
        (Revisit.ALL, {"/feed", "/section", "/unreached"}),
        (Revisit.ARTICLES, {"/feed", "/kept", "/gone", "/section", "/unreached"}),
    ],
)
def test_a_revisit_queues_what_it_is_for(ended: Ledger, revisit: Revisit, names: set[str]) -> None:
    ended.revisits.schedule(BASE + "/feed", time.time(), 60)
    assert requeue_known(ended, ("vesti",), revisit) == len(names)
    assert queued(ended).keys() == names


def test_a_revisit_renews_the_budget_and_reads_lists_whole_where_it_was_spent(ended: Ledger) -> None:
    assert ended.counts.taken_in("vesti") == 5
    ended.counts.add("vesti", BUDGET_SPENT)
    requeue_known(ended, ("vesti",), Revisit.DUE)
    assert ended.counts.taken_in("vesti") == 0
    last = ended.revisits.last(BASE + "/feed")
    assert last is not None
    assert last.signature == ""
