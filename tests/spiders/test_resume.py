"""Crawls that are broken off and started again end with the corpus of one that was not."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from newspapers import OFFER
from scrapies import portal_file
from serving import ask
from typer.testing import CliRunner

from benchmarks.newspapers import started
from newscorpus.cli import app
from newscorpus.config import BuildConfig
from newscorpus.corpus.build import build
from newscorpus.corpus.published import open_corpus
from newscorpus.data import REDESIGN
from newscorpus.page.rows import Row
from newscorpus.store.archive.read import read_captures
from newscorpus.store.archive.values import Capture
from newscorpus.store.intake import read_intake
from newscorpus.store.ledger import UrlState
from newscorpus.store.ledger.addresses import states, unfinished_captures
from newscorpus.store.ledger.portals import alarms
from newscorpus.store.ledger.status import status
from newscorpus.store.pages import archive_files

SERVER = Path(__file__).parents[1] / "mockserver" / "newspapers.py"
ARTICLES = 60
ROWS = 63
"""Three of the articles have a print version, and these name the address of the article as their canonical one."""

PROFILES_ON, PROFILES_OFF = (("-s", f"NEWSCORPUS_PROFILE={value}") for value in ("on", "off"))

PORTAL = portal_file(r"articles = ['^/(story|moved|print|gone)/\d+']")


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    yield from serve()


@pytest.fixture(scope="module")
def mixed() -> Iterator[str]:
    """A third of its articles is rejected."""
    yield from serve("--mixed")


@pytest.fixture
def redesigned() -> Iterator[str]:
    """It changes its design after 50 articles."""
    yield from serve("--redesigned", articles=100)


@pytest.fixture(scope="module")
def offering() -> Iterator[str]:
    """Its articles end with the same offer."""
    yield from serve("--offering", articles=30)


@pytest.fixture(scope="module")
def calm(crawl: Callable[..., Any], base: str, tmp_path_factory: pytest.TempPathFactory) -> Any:
    return crawl(tmp_path_factory.mktemp("calm"), "-a", "portal=mock", portal=PORTAL.format(base=base))


def serve(*options: str, articles: int = ARTICLES) -> Iterator[str]:
    with started(SERVER, articles, 1, *options) as line:
        yield json.loads(line)[0]


def asked(base: str) -> Counter[str]:
    return Counter(ask(base))


def break_off(folder: Path, base: str, how: signal.Signals, answers: int, *arguments: str, portal: str = PORTAL) -> int:
    """Start a crawl, and send it a signal after so many answers; gives its exit code."""
    (folder / "portals").mkdir(exist_ok=True)
    (folder / "portals" / "mock.toml").write_text(portal.format(base=base))
    command = [sys.executable, "-m", "scrapy", "crawl", "portal", "-a", "portal=mock", *PROFILES_OFF, *arguments]
    before = asked(base).total()
    with subprocess.Popen(
        [*command, "-s", f"NEWSCORPUS_CORPUS={folder / 'corpus'}", "-s", f"LOG_FILE={folder / 'log'}"],
        cwd=folder,
        env=os.environ | {"SCRAPY_SETTINGS_MODULE": "newscorpus.settings"},
    ) as process:
        while process.poll() is None and asked(base).total() - before < answers:
            time.sleep(0.01)
        process.send_signal(how)
    return process.returncode


def texts(records: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return sorted((record["id"], record["text"]) for record in records)


def test_broken_off_again_and_again(crawl: Callable[..., Any], base: str, calm: Any, tmp_path: Path) -> None:
    before = asked(base)
    assert break_off(tmp_path, base, signal.SIGKILL, 30) == -signal.SIGKILL
    build(tmp_path / "corpus")
    assert list(open_corpus(tmp_path / "corpus").records())
    (now,) = status(tmp_path / "corpus")
    assert (now.portal, now.queued > 0, now.kept < ROWS, now.pages_per_minute > 0) == ("mock", True, True, True)
    break_off(tmp_path, base, signal.SIGTERM, 20)
    break_off(tmp_path, base, signal.SIGKILL, 20)
    done = crawl(tmp_path, "-a", "portal=mock", portal=PORTAL.format(base=base))
    assert done.exit_code == 0, done.output
    assert len(calm.records) == ROWS
    assert texts(done.records) == texts(calm.records)
    assert sorted(map(str, done.rejected)) == sorted(map(str, calm.rejected))
    assert [record.id for record in open_corpus(done.corpus).records()] == [
        record.id for record in open_corpus(calm.corpus).records()
    ]
    left = unfinished_captures(done.corpus)
    captures = [
        (f"archive/{path.name}", found.place.offset, found.page.url)
        for path in archive_files(done.corpus)
        for found in read_captures(path)
        if isinstance(found, Capture) and found.place
    ]
    ended = [url for *place, url in captures if tuple(place) not in left]
    assert len(ended) == len(set(ended)) == len(captures) - len(left)
    again = sum(n - 1 for path, n in (asked(base) - before).items() if n > 1 and "robots" not in path)
    assert again <= 3 * 12 * (
        os.cpu_count() or 1
    )  # what was under way: answers unfinished, requests, and redirects of these


def test_a_corpus_that_is_finished_is_left_as_it_is(crawl: Callable[..., Any], base: str, calm: Any) -> None:
    before = asked(base)
    done = crawl(calm.corpus.parent, "-a", "portal=mock", portal=PORTAL.format(base=base))
    assert done.exit_code == 0, done.output
    assert f" {ROWS} are in" in done.output
    assert asked(base) == before
    assert len(done.records) == ROWS


def test_rows_that_were_lost_come_back_from_the_archive(crawl: Callable[..., Any], base: str, tmp_path: Path) -> None:
    portal = PORTAL.format(base=base)
    crawl(tmp_path, "-a", "portal=mock", "-a", "limit=20", portal=portal)
    (segment,) = (tmp_path / "corpus" / "intake").iterdir()
    rows = segment.read_bytes().split(b"\n")[1:]
    segment.unlink()
    before = asked(base)
    again = crawl(tmp_path, "-a", "portal=mock", "-a", "limit=20", portal=portal)
    assert "Stored data was lost; pages to be read from the archive or fetched again: 20" in again.output, again.output
    assert sorted((tmp_path / "corpus" / "intake" / "000001.jsonl").read_bytes().split(b"\n")[1:]) == sorted(rows)
    kept = {record["url"].rpartition("/")[2] for record in again.records}
    assert not [path for path in asked(base) - before if path.rpartition("/")[2] in kept]
    assert status(again.corpus)[0].kept == 20


@pytest.mark.slow
def test_the_limit_is_the_number_of_kept_rows_over_restarts_and_kills(
    crawl: Callable[..., Any], mixed: str, tmp_path: Path
) -> None:
    for limit, kills in ((5, 0), (5, 0), (8, 0), (20, 2)):
        arguments = ("-a", f"limit={limit}")
        for _ in range(kills):
            break_off(tmp_path, mixed, signal.SIGKILL, 8, *arguments)
        done = crawl(tmp_path, "-a", "portal=mock", *arguments, portal=PORTAL.format(base=mixed))
        assert done.exit_code == 0, done.output
        assert done.report["reason"] == "limit"
        (now,) = status(done.corpus)
        assert len(done.records) == now.kept == limit
        assert (now.leased, now.queued > 0) == (0, True)
        assert (
            f"mock was cut short: the limit of articles is reached, addresses still queued: {now.queued}" in done.output
        )
        assert "nothing is left to fetch" not in done.output
        rows = (row for _, row in read_intake(done.corpus / "intake", BuildConfig().signature) if isinstance(row, Row))
        addresses = [*(row.page or row.record.url for row in rows), *(line["url"] for line in done.rejected)]
        assert len(addresses) == len(set(addresses))
        assert not [line for line in done.rejected if line["stage"] == "spider"]
    whole = crawl(tmp_path, "-a", "portal=mock", portal=PORTAL.format(base=mixed))
    assert (whole.report["reason"], len(whole.records)) == ("finished", ROWS - ARTICLES // 3 - 1)
    assert "cut short" not in whole.output


def test_a_budget_of_pages_that_ends_the_crawl_is_said_with_what_is_left(
    crawl: Callable[..., Any], base: str, tmp_path: Path
) -> None:
    done = crawl(tmp_path, "-a", "portal=mock", portal=PORTAL.format(base=base) + "[limits]\nmax_pages = 20\n")
    assert done.exit_code == 0, done.output
    (now,) = status(done.corpus)
    (line,) = now.cut_short
    left = int(line.removeprefix("limits.max_pages is reached, addresses not taken in: "))
    not_taken = states(done.corpus)["mock", UrlState.RESERVED][0]
    assert left == not_taken + now.rejected["discovery/page_budget"] > 40
    assert done.report["by_portal"]["mock"]["cut_short"] == [line]
    assert f"mock was cut short: {line}" in done.output


@pytest.mark.slow
def test_a_redesign_is_noticed_once_though_the_crawl_is_killed(
    crawl: Callable[..., Any], redesigned: str, tmp_path: Path
) -> None:
    portal = PORTAL + "[template]\ntext = ['article > p']\n"
    break_off(tmp_path, redesigned, signal.SIGKILL, 60, portal=portal)
    on_alarm = f"-sNEWSCORPUS_ON_ALARM=tee,{tmp_path / 'alarm'}"
    done = crawl(tmp_path, "-a", "portal=mock", on_alarm, portal=portal.format(base=redesigned))
    assert done.exit_code == 0, done.output
    (alarm,) = alarms(done.corpus)
    assert json.loads((tmp_path / "alarm").read_text())["text"] == str(alarm)
    log = CliRunner().invoke(app, ["log", str(done.corpus), "--errors"]).output
    assert f" WARNING: {alarm}\n" in log
    assert "INFO" not in log
    records = sorted(done.records, key=lambda record: record["fetched"])
    by_model = [record for record in records if not record["extractor"].startswith("template:")]
    assert sum(record["fetched"] < alarm.since for record in by_model) <= 3
    assert len(by_model) > 40  # the pages on which the template finds nothing
    assert {record["text"].count("\n") for record in by_model} == {5}
    assert f"mock looks different since {alarm.since[:10]}, first {alarm.url}: " in done.output
    (figures,) = done.report["by_portal"].values()
    assert [one["url"] for one in figures["redesigns"]] == [alarm.url]
    shown = CliRunner().invoke(app, ["status", str(done.corpus)]).output
    assert str(alarm) in shown
    published = list(open_corpus(done.corpus).records())  # of an article and its print version, one
    flagged = {record.id for record in published if REDESIGN in record.flags}
    assert flagged == {record.id for record in published if record.fetched >= alarm.since}
    assert len(flagged) > 40


def test_what_the_other_pages_say_is_the_same_for_a_crawl_that_was_killed(
    crawl: Callable[..., Any], offering: str, tmp_path: Path
) -> None:
    calm, portal = tmp_path / "calm", PORTAL.format(base=offering)
    calm.mkdir()
    whole = crawl(calm, "-a", "portal=mock", *PROFILES_ON, portal=portal)
    assert whole.exit_code == 0, whole.output
    assert "The profile of mock is learned from 30 pages" in whole.output
    assert whole.stats["newscorpus/judged_again"] == 34  # two print versions and two lists besides
    break_off(tmp_path, offering, signal.SIGKILL, 20, *PROFILES_ON)
    done = crawl(tmp_path, "-a", "portal=mock", *PROFILES_ON, portal=portal)
    published = [list(open_corpus(corpus).records()) for corpus in (whole.corpus, done.corpus)]
    assert [(one.id, one.text) for one in published[0]] == [(one.id, one.text) for one in published[1]]
    assert not [one for one in published[0] if OFFER in one.text]
    assert texts(done.records) == texts(whole.records)
    again = crawl(tmp_path, "-a", "portal=mock", *PROFILES_ON, portal=portal)
    assert "newscorpus/judged_again" not in again.stats
    assert "nothing is left to fetch" in again.output


@pytest.mark.slow
def test_what_the_other_pages_say_can_be_switched_off_and_is_used_at_once_where_it_is_known(
    crawl: Callable[..., Any], offering: str, tmp_path: Path
) -> None:
    portal = PORTAL.format(base=offering)
    first = crawl(tmp_path, "-a", "portal=mock", "-a", "limit=8", portal=portal)
    assert sum(OFFER in one.text for one in open_corpus(first.corpus).records()) == 8
    assert not (first.corpus / "profiles").exists()
    second = crawl(tmp_path, "-a", "portal=mock", "-a", "limit=10", *PROFILES_ON, portal=portal)
    assert not [one for one in open_corpus(second.corpus).records() if OFFER in one.text]
    n_rows = len(second.records)
    third = crawl(tmp_path, "-a", "portal=mock", "-a", "limit=15", *PROFILES_ON, portal=portal)
    assert len(third.records) == n_rows + 5
    assert not [one for one in third.records[n_rows:] if OFFER in one["text"]]
