"""Earlier visits: which addresses are queued again, and when."""

import pytest
from crawled import answer

from newscorpus.store.ledger import CrawlRules, Ledger, UrlOutcome
from newscorpus.store.ledger.revisits import next_interval

URL = "https://a.cz/"
NOW = 1_000.0


def finish(ledger: Ledger, name: str, kind: str, *outcomes: UrlOutcome, portal: str = "a") -> None:
    answer(ledger, URL + name, *outcomes, portal=portal, kind=kind, etag='"5"', signature="5")


def queued(ledger: Ledger, portal: str = "a") -> list[str]:
    leases = [ledger.queue.lease(portal) for _ in range(ledger.queue.size(portal))]
    return sorted(lease.url.removeprefix(URL) for lease in leases if lease)


def revive(ledger: Ledger, *kinds: str, now: float = NOW) -> list[str]:
    ledger.revisits.revive(kinds, "a", now)
    return queued(ledger)


def test_what_is_due_is_queued_again(ledger: Ledger) -> None:
    for name, interval in (("soon", 10.0), ("late", 90.0)):
        finish(ledger, name, "feed")
        ledger.revisits.schedule(URL + name, NOW, interval)
    finish(ledger, "article", "article")
    assert revive(ledger, "feed", now=NOW + 10) == ["soon"]


@pytest.mark.parametrize(("stage", "reason"), [("spider", "callback_failed"), ("extract", "worker_failed")])
def test_what_came_and_failed_here_is_asked_for_as_if_it_never_came(ledger: Ledger, stage: str, reason: str) -> None:
    """Otherwise the response would be "not modified", and the article never kept."""
    finish(ledger, "article", "article", UrlOutcome(stage, reason))
    ledger.revisits.revive((), "a", NOW)
    last, lease = ledger.revisits.last(URL + "article"), ledger.queue.lease("a")
    assert last
    assert lease
    assert (lease.url, lease.etag, lease.last_modified, last.signature) == (URL + "article", "", "", "")


def test_kinds_and_portals_are_kept_apart(ledger: Ledger) -> None:
    finish(ledger, "feed", "feed")
    finish(ledger, "section", "section")
    finish(ledger, "other", "feed", portal="b")
    assert revive(ledger, "feed") == ["feed"]
    assert ledger.queue.size("b") == 0


def test_what_failed_in_a_way_that_may_pass_is_asked_for_again_whatever_it_is(ledger: Ledger) -> None:
    passing = ["connection_refused", "dns", "http_403", "http_503", "timeout"]
    for reason in (*passing, "http_404", "http_410", "robots_disallowed", "private_address", "not_html", "too_large"):
        finish(ledger, reason, "article", UrlOutcome("fetch", reason))
    assert revive(ledger, "feed") == passing


def test_lists_are_read_again_as_if_for_the_first_time(ledger: Ledger) -> None:
    finish(ledger, "feed", "feed")
    finish(ledger, "kept", "article", UrlOutcome(reason="kept"))
    ledger.revisits.requeue_unconditionally(("feed",), "a")
    leases = [ledger.queue.lease("a"), ledger.queue.lease("a")]
    found = {lease.url.removeprefix(URL): lease.etag for lease in leases if lease}
    assert found == {"feed": ""}


def test_days_are_remembered_by_portal(ledger: Ledger) -> None:
    assert ledger.revisits.rules("a") is None
    ledger.revisits.set_rules("a", CrawlRules("2024-01-01", "2024-12-31", "{}"))
    ledger.revisits.set_rules("a", latest := CrawlRules("2023-01-01", "2024-12-31", "{}"))
    assert ledger.revisits.rules("a") == latest
    assert ledger.revisits.rules("b") is None


def test_the_budget_begins_anew(ledger: Ledger) -> None:
    for round_of_two in (("1", "2"), ("3", "4")):
        for name in round_of_two:
            finish(ledger, name, "article")
        assert ledger.counts.taken_in("a") == 2
        ledger.counts.renew_budget("a")
        assert ledger.counts.taken_in("a") == 0


def intervals(*changes: bool) -> list[float]:
    """Minutes."""
    found = [0.0]
    for changed in changes:
        found.append(next_interval(found[-1], changed=changed, depth=0))
    return [one / 60 for one in found[1:]]


def test_what_changes_is_asked_more_often_within_bounds_and_what_lies_deeper_waits_longer_at_first() -> None:
    assert intervals(*[True] * 5) == [60, 30, 15, 10, 10]
    assert intervals(*[False] * 10)[-3:] == [7_680, 10_080, 10_080]
    assert intervals(False, False, True, False) == [60, 120, 60, 120]
    first = [next_interval(0, changed=True, depth=depth) / 3_600 for depth in range(5)]
    assert first == [1, 4, 16, 64, 168]
    assert next_interval(7_200, changed=True, depth=2) == 3_600
