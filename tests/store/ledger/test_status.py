"""The figures of each portal, what a crawl left out, and the articles of each day."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from crawled import answer, take
from typer.testing import CliRunner

from newscorpus.cli import app
from newscorpus.layout import DUPLICATES
from newscorpus.store.ledger import Fetched, Ledger, LedgerError, Link, Series, UrlOutcome, key_of
from newscorpus.store.ledger.status import DayCoverage, PortalLoss, PortalStatus, low_share, status, unreached
from newscorpus.store.ledger.values import OVER_BUDGET
from newscorpus.urls import document_id

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
SITE = "https://vesti.example"
TIME = NOW.isoformat()
KEPT, SHORT = UrlOutcome(reason="kept"), UrlOutcome("quality", "too_short")


def queue(ledger: Ledger, name: str, found_on: int = 1, kind: str = "article", portal: str = "vesti") -> None:
    url = f"https://{portal}.example/{name}"
    ledger.add(Link(key_of(url), url, portal, kind, found_on=found_on, depth=found_on))


def finish(
    ledger: Ledger, name: str, outcome: UrlOutcome, time: str = TIME, kind: str = "article", portal: str = "vesti"
) -> None:
    """Queue and finish a page of 1,000 bytes."""
    answer(ledger, f"https://{portal}.example/{name}", outcome, portal=portal, kind=kind, time=time, n_bytes=1_000)


@pytest.fixture
def crawling(tmp_path: Path) -> Path:
    """Of one portal that is being crawled, and one that was."""

    def ago(**before: float) -> str:
        return (NOW - timedelta(**before)).isoformat(timespec="seconds")

    with Ledger.open(tmp_path) as ledger:
        finish(ledger, "old", UrlOutcome("fetch", "http_404"), ago(days=1))
        finish(ledger, "1", UrlOutcome(reason="kept", n_words=300), ago(minutes=2))
        finish(ledger, "2", SHORT, ago(minutes=1))
        for name in ("3", "8"):
            finish(ledger, name, SHORT)
        finish(ledger, "1", UrlOutcome(reason="kept", n_words=10), ago(minutes=6), portal="novosti")
        for name in ("4", "5", "6", "7"):
            queue(ledger, name)
        lease = take(ledger, "vesti")
        ledger.queue.release(lease.serial)
    return tmp_path


def test_figures_of_each_portal(crawling: Path) -> None:
    novosti, vesti = status(crawling, NOW)
    assert vesti == PortalStatus(
        portal="vesti", queued=4, leased=0, done=4, failed=1, kept=1,
        rejected={"quality/too_short": 3, "fetch/http_404": 1}, words=300, megabytes=0.005, words_per_megabyte=60_000.0,
        pages_per_minute=2.0, seconds_left=120,
        losses=(PortalLoss("quality/too_short", 3, 5, tuple(f"https://vesti.example/{n}" for n in "238")),),
        last_kept="2026-11-21T11:58:00+00:00",
    )  # fmt: skip
    assert (novosti.kept, novosti.pages_per_minute, novosti.seconds_left) == (1, 0.0, 0)


@pytest.mark.parametrize(
    ("rows", "share", "a_day"),
    [
        ({}, None, 0.0),
        ({"2026-11-21": 30}, 0.75, 30.0),  # since the first day
        ({"2026-11-20": 30, "2026-11-21": 0}, 0.6, 15.0),
        ({"2026-11-01": 90, "2026-11-15": 14, "2026-11-20": 21}, 125 / 155, 5.0),  # of a week
    ],
)
def test_yield_and_rows_a_day(rows: dict[str, int], share: float | None, a_day: float) -> None:
    days = tuple(DayCoverage(day, {}, n, {"quality/too_short": 10}, 5) for day, n in rows.items())
    portal = PortalStatus("vesti", 0, 0, 0, 0, 0, {}, 0, 0.0, 0.0, 0.0, 0, coverage=days)
    assert (portal.share, portal.rows_a_day(NOW.date())) == (share, a_day)


def test_what_is_being_asked_for_is_told_while_the_crawl_runs(tmp_path: Path) -> None:
    with Ledger.open(tmp_path) as ledger:
        ledger.add(Link(key_of("https://a.example/"), "https://a.example/", "a"))
        ledger.queue.lease("a")
        ledger.commit()
        (now,) = status(tmp_path)
    assert (now.queued, now.leased) == (0, 1)


def test_the_command_says_it_as_a_table_and_as_json(crawling: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")  # no number is folded in a narrow terminal
    said = CliRunner().invoke(app, ["status", str(crawling)]).output.splitlines()
    examples = (f"https://vesti.example/{name}" for name in "238")
    assert said[0].split()[:4] == ["portal", "queued", "leased", "done"]
    assert said[2].split()[:5] == ["vesti", "4", "0", "4", "1"]
    assert said[3:] == [
        "vesti, rejected: quality/too_short 3, fetch/http_404 1",
        f"vesti lost 3 of 5 pages (60.0%) by quality/too_short, such as {', '.join(examples)}",
    ]
    lines = CliRunner().invoke(app, ["status", "--json", str(crawling)]).output.splitlines()
    assert [json.loads(line)["portal"] for line in lines] == ["novosti", "vesti"]


def test_a_folder_without_a_ledger_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="no ledger here"):
        status(tmp_path)


def lines(corpus: Path, end: str | None = None) -> list[str]:
    (vesti,) = status(corpus, ends=None if end is None else {"vesti": end})
    return list(vesti.shortfalls())


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Of 100 pages two are lost by one reason, and three by another; others are lists or have another address."""
    with Ledger.open(tmp_path) as ledger:
        for number in range(95):
            finish(ledger, f"kept-{number}", KEPT)
        for number in range(10):
            finish(ledger, f"print-{number}", UrlOutcome("discovery", "other_version"))
        for number in range(2):
            finish(ledger, f"gone-{number}", UrlOutcome("fetch", "http_404"))
        for number in range(3):
            finish(ledger, f"short-{number}", SHORT)
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
            finish(ledger, f"kept-{number}", KEPT)
        for number in range(lost):
            finish(ledger, f"short-{number}", SHORT)
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
            lease = take(ledger, "vesti")
            answer = None if stage == "fetch" else Fetched(lease.url, 200, TIME)
            ledger.finish(lease.serial, [UrlOutcome(stage, reason, "no such host" if stage else "")], answer)
    assert unreached(tmp_path) == expected


@pytest.mark.parametrize("is_queued", [False, True])
def test_a_start_page_that_came_once_and_is_refused_now_was_not_reached(tmp_path: Path, is_queued: bool) -> None:
    with Ledger.open(tmp_path) as ledger:
        queue(ledger, "0", 0, "section")
        first = take(ledger, "vesti")
        ledger.finish(first.serial, [], Fetched(first.url, 200, TIME))
        assert ledger.add(Link(key_of(first.url), first.url, "vesti", "section", request=b"{}"), again=True)
        again = take(ledger, "vesti")
        if is_queued:
            ledger.queue.release(again.serial)
        else:
            ledger.finish(again.serial, [UrlOutcome("fetch", "connection_refused")])
    assert [*unreached(tmp_path)] == ["vesti"]


def meet(ledger: Ledger, name: str, kind: str, found_on: int, outcome: UrlOutcome | None = None) -> None:
    """Meet an address for the first time, and let it end, if its outcome is given."""
    url = f"{SITE}/{name}"
    ledger.reserve(url, "vesti", kind)
    ledger.add(Link(key_of(url), url, "vesti", kind, depth=found_on, found_on=found_on))
    lease = ledger.queue.lease("vesti") if outcome else None
    if lease and outcome:
        document = url.replace("/print", "") if outcome.reason == "kept" else ""
        ended = UrlOutcome(outcome.stage, outcome.reason, document=document)
        ledger.finish(lease.serial, [ended], Fetched(url, 200, "2026-11-21T12:00:00+00:00", 9))


def covered(corpus: Path, copies: int) -> PortalStatus:
    """The status of a portal of 40 articles: 24 were kept, of which some are left out as copies."""
    with Ledger.open(corpus) as ledger:
        for name, kind in (("feed", "feed"), ("map", "sitemap"), ("front", "section")):
            meet(ledger, name, kind, 0, UrlOutcome())
        for number in range(24):
            meet(ledger, f"kept-{number}", "article", 1 + number % 2, KEPT)
        meet(ledger, "print/kept-23", "article", 1, KEPT)
        for number in range(10):
            meet(ledger, f"short-{number}", "article", 3, SHORT)
        for number in range(5):
            meet(ledger, f"list-{number}", "article", 3, UrlOutcome("discovery", "section"))
        for number in range(6):
            meet(ledger, f"queued-{number}", "article", 3)
    lines = [
        {"id": document_id(f"{SITE}/kept-{n}"), "kind": "near", "source": "vesti", "url": f"u{n}"}
        for n in range(copies)
    ]
    lines.append({"id": document_id(f"{SITE}/kept-23"), "kind": "revision", "source": "vesti", "url": "u"})
    (corpus / DUPLICATES).write_text("".join(json.dumps(line) + "\n" for line in lines))
    (vesti,) = status(corpus)
    return vesti


def test_what_was_named_on_a_day_is_counted_by_what_became_of_it(tmp_path: Path) -> None:
    (day,) = covered(tmp_path, 4).coverage
    left_out = {"quality/too_short": 10, "duplicates/near": 4}
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    assert day == DayCoverage(today, {"feed": 12, "list": 16, "sitemap": 12}, 20, left_out, 6)
    assert str(day) == (
        f"{today}: 40 articles named (feed 12, list 16, sitemap 12), 20 rows, 6 not fetched;"
        " left out: quality/too_short 10, duplicates/near 4"
    )
    assert str(replace(day, left_out={})).endswith("20 rows, 6 not fetched")


def test_a_fifth_left_out_as_copies_is_named_with_three_addresses(tmp_path: Path) -> None:
    said = list(covered(tmp_path / "few", 6).shortfalls())
    assert not any("duplicates" in line for line in said)
    said = list(covered(tmp_path / "many", 18).shortfalls())
    assert "vesti lost 18 of 35 pages (51.4%) by duplicates/near, such as u0, u1, u2" in said
    assert said[-1].startswith("vesti gave rows for only 18% of its articles: ")


def test_less_than_half_of_the_usual_share_of_rows_raises_the_alarm() -> None:
    def day(rows: int, left_out: int) -> DayCoverage:
        return DayCoverage("2026-11-21", {"feed": rows + left_out}, rows, {"quality/too_short": left_out}, 0)

    assert list(low_share("vesti", ())) == []
    assert list(low_share("vesti", (day(12, 328),))), "all are rows, where nothing is usual yet"
    assert list(low_share("vesti", (day(2, 9),))) == [], "of few articles half may be missing by chance"
    usual = (day(50, 50), day(60, 40), day(40, 60), day(0, 3))
    assert list(low_share("vesti", (*usual, day(26, 74)))) == []
    (line,) = low_share("vesti", (*usual, day(24, 76)))
    assert line.startswith("vesti gave fewer rows than usual, 24% for 50%: 2026-11-21: 100 articles named")
