import json
from pathlib import Path

import pytest

from newscorpus.store.ledger import Fetched, Ledger, Link, Series, UrlOutcome, key_of
from newscorpus.store.ledger.rows import OVER_BUDGET
from newscorpus.store.ledger.status import status, unreached

SITE = "https://vesti.example"
TIME = "2026-11-21T12:00:00+00:00"


def queue(ledger: Ledger, name: str, found_on: int = 1, kind: str = "article") -> None:
    url = f"{SITE}/{name}"
    ledger.add(Link(key_of(url), url, "vesti", kind, found_on=found_on, depth=found_on))


def finish(ledger: Ledger, name: str, outcome: UrlOutcome, status: int = 200, kind: str = "article") -> None:
    queue(ledger, name, kind=kind)
    lease = ledger.queue.lease("vesti")
    assert lease
    ledger.finish(lease.serial, [outcome], Fetched(lease.url, status, TIME, 1_000))


def lines(corpus: Path, end: str | None = None) -> list[str]:
    (vesti,) = status(corpus, ends=None if end is None else {"vesti": end})
    return list(vesti.shortfalls())


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Of 100 pages two are lost by one reason, and three by another; others are lists or have another address."""
    with Ledger.open(tmp_path) as ledger:
        for number in range(95):
            finish(ledger, f"kept-{number}", UrlOutcome(reason="kept"))
        for number in range(10):
            finish(ledger, f"print-{number}", UrlOutcome("discovery", "other_version"))
        for number in range(2):
            finish(ledger, f"gone-{number}", UrlOutcome("fetch", "http_404"), 404)
        for number in range(3):
            finish(ledger, f"short-{number}", UrlOutcome("quality", "too_short"))
        for number in range(9):
            finish(ledger, f"section-{number}", UrlOutcome("discovery", "section"))
    return tmp_path


def test_more_than_two_in_a_hundred_are_shown_with_examples(corpus: Path) -> None:
    (line,) = lines(corpus)
    examples = f"{SITE}/short-0, {SITE}/short-1, {SITE}/short-2"
    assert line == f"vesti lost 3 of 100 pages (3.0%) by quality/too_short, such as {examples}"


@pytest.mark.parametrize(("lost", "is_shown"), [(2, False), (3, True)])
def test_one_or_two_pages_of_a_small_portal_are_chance(tmp_path: Path, lost: int, is_shown: bool) -> None:
    with Ledger.open(tmp_path) as ledger:
        for number in range(38):
            finish(ledger, f"kept-{number}", UrlOutcome(reason="kept"))
        for number in range(lost):
            finish(ledger, f"short-{number}", UrlOutcome("quality", "too_short"))
    assert bool(lines(tmp_path)) is is_shown


@pytest.mark.parametrize(("reason", "kind"), [("paywall_stub", "article"), ("listing", "section")])
def test_closed_pages_and_lists_are_no_losses(tmp_path: Path, reason: str, kind: str) -> None:
    with Ledger.open(tmp_path) as ledger:
        for number in range(4):
            finish(ledger, f"page-{number}", UrlOutcome("quality", reason), kind=kind)
    assert not lines(tmp_path)


def test_every_bound_is_shown_with_what_it_left(corpus: Path) -> None:
    with Ledger.open(corpus) as ledger:
        for number in range(4):
            queue(ledger, f"queued-{number}")
        ledger.counts.add("vesti", OVER_BUDGET, 75)
        for reason in ("too_deep", "trap"):
            ledger.refuse(
                f"{SITE}/{reason}", UrlOutcome("discovery", reason), Series("rejected.jsonl"), b"{}\n", "vesti"
            )
    found = lines(corpus, "limit")
    assert found[0] == (
        "vesti was cut short: the limit of articles is reached, addresses still queued: 4; "
        "limits.max_pages is reached, addresses not taken in: 75; "
        "limits.max_depth is reached, addresses that lie deeper: 1; addresses that look like traps: 1"
    )
    (corpus / "crawl-report.json").write_text(json.dumps({"by_portal": {"vesti": {"end": "byte_budget"}}}))
    assert lines(corpus)[0].startswith("vesti was cut short: limits.max_bytes is reached, addresses still queued: 4; ")
    (corpus / "crawl-report.json").write_text('{"by_portal": 3}')
    assert lines(corpus)[0].startswith("vesti was cut short: limits.max_pages is reached, ")


def test_a_new_budget_begins_with_nothing_left_out(tmp_path: Path) -> None:
    with Ledger.open(tmp_path) as ledger:
        ledger.counts.add("vesti", OVER_BUDGET, 75)
        ledger.counts.renew_budget("vesti")
        assert ledger.counts.of(OVER_BUDGET) == 0


@pytest.mark.parametrize(
    ("fates", "expected"),
    [
        ([("fetch", "dns"), ("fetch", "http_404")], {"vesti": f"fetch/dns {SITE}/0 (no such host)"}),
        ([("fetch", "dns"), ("", "read")], {}),
        ([("discovery", "section")], {}),
        ([("fetch", "redirect_to_known")], {}),
    ],
)
def test_a_portal_without_a_start_page(tmp_path: Path, fates: list[tuple[str, str]], expected: dict[str, str]) -> None:
    with Ledger.open(tmp_path) as ledger:
        queue(ledger, "feed", 0, "feed")
        for number in range(len(fates)):
            queue(ledger, str(number), 0, "section")
        for stage, reason in [("", "read"), *fates]:
            lease = ledger.queue.lease("vesti")
            assert lease
            answer = None if stage == "fetch" else Fetched(lease.url, 200, TIME)
            ledger.finish(lease.serial, [UrlOutcome(stage, reason, "no such host" if stage else "")], answer)
    assert unreached(tmp_path) == expected


@pytest.mark.parametrize("is_queued", [False, True])
def test_a_start_page_that_came_once_and_is_refused_now_was_not_reached(tmp_path: Path, is_queued: bool) -> None:
    with Ledger.open(tmp_path) as ledger:
        queue(ledger, "0", 0, "section")
        first = ledger.queue.lease("vesti")
        assert first
        ledger.finish(first.serial, [], Fetched(first.url, 200, TIME))
        assert ledger.add(Link(key_of(first.url), first.url, "vesti", "section", request=b"{}"), again=True)
        again = ledger.queue.lease("vesti")
        assert again
        if is_queued:
            ledger.queue.release(again.serial)
        else:
            ledger.finish(again.serial, [UrlOutcome("fetch", "connection_refused")])
    assert [*unreached(tmp_path)] == ["vesti"]
