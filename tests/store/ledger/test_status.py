import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from newscorpus.cli import app
from newscorpus.store.ledger import Fetched, Ledger, LedgerError, Link, UrlOutcome, key_of
from newscorpus.store.ledger.status import PortalLoss, PortalStatus, status

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def finish(ledger: Ledger, name: str, before: timedelta, outcome: UrlOutcome, portal: str = "vesti") -> None:
    """Let a page of 1,000 bytes be answered so long before NOW."""
    url = f"https://{portal}.example/{name}"
    ledger.add(Link(key_of(url), url, portal))
    lease = ledger.queue.lease(portal)
    assert lease
    ledger.finish(lease.serial, [outcome], Fetched(url, 200, (NOW - before).isoformat(timespec="seconds"), 1_000))


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Of one portal that is being crawled, and one that was."""
    with Ledger.open(tmp_path) as ledger:
        finish(ledger, "old", timedelta(days=1), UrlOutcome("fetch", "http_404"))
        finish(ledger, "1", timedelta(minutes=2), UrlOutcome(reason="kept", n_words=300))
        finish(ledger, "2", timedelta(minutes=1), UrlOutcome("quality", "too_short"))
        finish(ledger, "3", timedelta(0), UrlOutcome("quality", "too_short"))
        finish(ledger, "8", timedelta(0), UrlOutcome("quality", "too_short"))
        finish(ledger, "1", timedelta(minutes=6), UrlOutcome(reason="kept", n_words=10), portal="novosti")
        for name in ("4", "5", "6", "7"):
            url = f"https://vesti.example/{name}"
            ledger.add(Link(key_of(url), url, "vesti"))
        lease = ledger.queue.lease("vesti")
        assert lease
        ledger.queue.release(lease.serial)
    return tmp_path


def test_figures_of_each_portal(corpus: Path) -> None:
    novosti, vesti = status(corpus, NOW)
    assert vesti == PortalStatus(
        portal="vesti", queued=4, leased=0, done=4, failed=1, kept=1,
        rejected={"quality/too_short": 3, "fetch/http_404": 1}, words=300, megabytes=0.005, words_per_megabyte=60_000.0,
        pages_per_minute=2.0, seconds_left=120,
        losses=(PortalLoss("quality/too_short", 3, 5, tuple(f"https://vesti.example/{n}" for n in "238")),),
    )  # fmt: skip
    assert (novosti.kept, novosti.pages_per_minute, novosti.seconds_left) == (1, 0.0, 0)


def test_what_is_being_asked_for_is_told_while_the_crawl_runs(tmp_path: Path) -> None:
    with Ledger.open(tmp_path) as ledger:
        ledger.add(Link(key_of("https://a.example/"), "https://a.example/", "a"))
        ledger.queue.lease("a")
        ledger.commit()
        (now,) = status(tmp_path)
    assert (now.queued, now.leased) == (0, 1)


def test_the_command_says_it_as_a_table_and_as_json(corpus: Path) -> None:
    said = CliRunner().invoke(app, ["status", str(corpus)]).output.splitlines()
    examples = (f"https://vesti.example/{name}" for name in "238")
    assert said[0].split()[:4] == ["portal", "queued", "leased", "done"]
    assert said[2].split()[:5] == ["vesti", "4", "0", "4", "1"]
    assert said[3:] == [
        "vesti, rejected: quality/too_short 3, fetch/http_404 1",
        f"vesti lost 3 of 5 pages (60.0%) by quality/too_short, such as {', '.join(examples)}",
    ]
    lines = CliRunner().invoke(app, ["status", "--json", str(corpus)]).output.splitlines()
    assert [json.loads(line)["portal"] for line in lines] == ["novosti", "vesti"]


def test_a_folder_without_a_ledger_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="no ledger here"):
        status(tmp_path)
