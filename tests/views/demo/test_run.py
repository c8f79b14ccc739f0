"""The demo as a user runs it, a real crawl of the real site, and its report."""

import json
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import msgspec
import pytest

from newscorpus.config import BuildConfig
from newscorpus.corpus.duplicates.verify import DuplicateKind
from newscorpus.corpus.left_out import DuplicateLine
from newscorpus.corpus.published import publish
from newscorpus.data import Article, Fields, Record, Rejected
from newscorpus.errors import DemoError
from newscorpus.files import is_held
from newscorpus.layout import CRAWL_LOCK, PUBLISHED
from newscorpus.page.records import make_record
from newscorpus.store.intake import journal_line, read_journal
from newscorpus.views.demo.run import (
    DemoReport,
    Gold,
    crawl,
    print_report,
    read_gold,
    read_report,
    run_demo,
)
from newscorpus.views.demo.server import serving
from newscorpus.workers import COMMAND

GOLD = read_gold()
FOUR_KEYS = """
name = "paper"
languages = ["cs", "hr", "sl", "sr", "ru", "pl", "en"]
domains = ["127.0.0.1"]
start = ["{base}/"]
delay_seconds = 0.05
"""
NEWSCORPUS = (sys.executable, "-c", "from newscorpus.cli import main; main()")


@pytest.fixture(scope="module")
def asked() -> list[str]:
    return []


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory, asked: list[str]) -> DemoReport:
    return run_demo(tmp_path_factory.mktemp("corpus"), on_request=asked.append)


@pytest.fixture(scope="module")
def untold(tmp_path_factory: pytest.TempPathFactory) -> tuple[DemoReport, list[str]]:
    """A crawl by a file without addresses of articles, feeds and sitemaps; and what it asked for."""
    folder, asked = tmp_path_factory.mktemp("untold"), list[str]()
    (folder / "portals").mkdir()
    with serving(on_request=asked.append) as base:
        (folder / "portals" / "paper.toml").write_text(FOUR_KEYS.format(base=base))
        subprocess.run([*NEWSCORPUS, "crawl", "paper"], cwd=folder, check=True, capture_output=True)
        return read_report(folder / "corpora" / "paper", read_gold(base)), asked


def test_every_page_ends_as_it_should(demo: DemoReport) -> None:
    assert demo.surprises == []
    assert len(demo.outcomes) == len(GOLD)


def test_the_crawl_asks_for_each_page_once_and_never_for_what_is_forbidden(demo: DemoReport, asked: list[str]) -> None:
    assert demo.counts["fetched"]
    assert not any(path.startswith(("/en/print/", "/search")) for path in asked)
    assert sum(path.startswith("/calendar/") for path in asked) <= 3
    assert {path for path in asked if asked.count(path) > 1} == {"/pl/wiadomosci/tunel-pod-torami-6014.html"}


def test_lists_are_no_documents_and_all_they_list_are_where_the_portal_file_tells_nothing(
    untold: tuple[DemoReport, list[str]],
) -> None:
    """Lists with whole posts, of tags and authors, and a front page; an article of two pages; links that reply."""
    report, asked = untold
    assert report.surprises == []
    walls = next(outcome for outcome in report.outcomes if outcome.name == "en-walls")
    assert walls.f1 == 1.0, "both pages, joined"
    assert {"/en/front/", "/en/notebook/page/2/", "/en/notebook/tag/nature/"} <= {*asked}
    assert not [path for path in asked if "replytocom" in path]
    further = [path for path in asked if path.endswith("/three-walls/2/")]
    assert len(further) == 1


def test_the_corpus_holds_what_design_promises(demo: DemoReport) -> None:
    urls = [record.url for record in demo.records]
    assert not any("sid=" in url or "utm_" in url for url in urls), "variants of an address are one document"
    assert sum(url.endswith("/slow-clock/") for url in urls) == 1
    for name in ("corpus/manifest.json", "rejected.jsonl", "duplicates.jsonl", "crawl-report.json", "crawl.log"):
        assert (demo.corpus / name).is_file(), name
    assert list(read_journal(demo.corpus / "rejected.jsonl"))
    assert demo.words > 5_000


def test_a_folder_in_use_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(DemoError, match=r"^.+: not empty; remove it or name another folder$"):
        run_demo(tmp_path)
    assert (tmp_path / "thesis.txt").read_text() == "mine"


def test_a_crawl_that_fails_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(DemoError, match=r"^the crawl failed with status [1-9][^\n]*; see .+crawl\.log$"):
        crawl(tmp_path, "no address")


def test_a_killed_demo_takes_its_crawl_along(tmp_path: Path) -> None:
    corpus = tmp_path / "demo"
    with subprocess.Popen([*COMMAND, "demo", "--output", str(corpus)]) as demo:
        while demo.poll() is None and not is_held(corpus / CRAWL_LOCK):
            time.sleep(0.05)
        demo.kill()
    while is_held(corpus / CRAWL_LOCK):
        time.sleep(0.05)
    assert not (corpus / PUBLISHED).exists(), "stopped, not finished"


BASE = "http://127.0.0.1:4711"
TEXT = "one two three four five six seven eight"


def gold(path: str, expect: str = "kept") -> Gold:
    return Gold(BASE + path, "A title", "2026-05-04", (), "en", expect, TEXT)


def record(path: str, text: str = TEXT, language: str = "en") -> Record:
    return make_record(Article(BASE + path, text, Fields(title="A title"), "bte"), "demo", language, 1.0)


def duplicate(path: str, kind: DuplicateKind = DuplicateKind.NEAR) -> DuplicateLine:
    return DuplicateLine("1", "r", BASE + path, "A title", "2", kind, 0.9)


def report(
    folder: Path,
    pages: dict[str, Gold],
    records: Iterable[Record] = (),
    rejected: Iterable[tuple[str, str, str]] = (),
    duplicates: Iterable[DuplicateLine] = (),
) -> DemoReport:
    """The report on a corpus of these parts; a rejection is (stage, reason, path)."""
    publish(folder / "corpus", records, BuildConfig())
    (folder / "duplicates.jsonl").write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in duplicates))
    (folder / "crawl-report.json").write_text(json.dumps({"stats": {"newscorpus/pages": 7}}))
    lines = (journal_line(Rejected(stage, reason, "", BASE + path)) for stage, reason, path in rejected)
    (folder / "rejected.jsonl").write_bytes(b"".join(lines))
    return read_report(folder, pages)


def happened(made: DemoReport) -> dict[str, str]:
    return {outcome.name: outcome.happened for outcome in made.outcomes}


def test_a_crawl_that_went_well(tmp_path: Path) -> None:
    pages = {"a": gold("/a"), "b": gold("/b", "quality/photo_page")}
    made = report(tmp_path, pages, [record("/a")], [("quality", "photo_page", "/b"), ("fetch", "dns", "/x")])
    assert made.surprises == []
    assert (made.words, made.f1) == (8, 1.0)
    assert {name: n for name, n in made.counts.items() if n} == {
        "fetched": 7,
        "kept": 1,
        "rejected: fetch/dns": 1,
        "rejected: quality/photo_page": 1,
    }


def test_what_went_otherwise_is_a_surprise(tmp_path: Path) -> None:
    pages = {
        "lost": gold("/lost"),
        "refused": gold("/refused"),
        "let-in": gold("/let-in", "quality/photo_page"),
        "misnamed": gold("/misnamed", "quality/photo_page"),
        "foreign": gold("/foreign"),
    }
    records = [record("/let-in"), record("/foreign", language="hr"), record("/stranger")]
    made = report(tmp_path, pages, records, [("quality", "too_short", "/refused"), ("quality", "other", "/misnamed")])
    assert [(each.name, each.happened) for each in made.surprises] == [
        ("lost", "not met"),
        ("refused", "quality/too_short"),
        ("let-in", "kept"),
        ("misnamed", "quality/other"),
        ("foreign", "kept, language hr"),
        (f"{BASE}/stranger", "kept"),
    ]


def test_f1_is_of_word_4_grams_and_a_lost_page_counts_as_nothing_found(tmp_path: Path) -> None:
    pages = {"a": gold("/a"), "lost": gold("/lost"), "b": gold("/b", "quality/photo_page")}
    records = [record("/a", TEXT + "\nshare this now please"), record("/b")]
    assert report(tmp_path, pages, records).f1 == pytest.approx(5 / (5 + 9))


def test_being_kept_outweighs_a_refusal_and_an_earlier_revision(tmp_path: Path) -> None:
    rejected, earlier = [("fetch", "timeout", "/a")], duplicate("/a", DuplicateKind.REVISION)
    made = report(tmp_path, {"a": gold("/a")}, [record("/a")], rejected, [earlier])
    assert (made.counts["duplicate"], made.counts["earlier text of a kept page"]) == (0, 1)
    assert happened(made) == {"a": "kept"}


@pytest.mark.parametrize(
    ("path", "reason", "expected"),
    [
        ("/calendar/2026/12/", "trap", "discovery/trap"),
        ("/calendar/2026/12/", "too_deep", "not met"),
        ("/elsewhere/2026/12/", "trap", "not met"),
    ],
)
def test_a_trap_is_refused_at_one_of_its_pages(tmp_path: Path, path: str, reason: str, expected: str) -> None:
    pages = {"calendar": gold("/calendar/", "discovery/trap")}
    assert happened(report(tmp_path, pages, rejected=[("discovery", reason, path)])) == {"calendar": expected}


def test_the_print_has_counts_record_surprises_and_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pages = {"a": gold("/a"), "lost": gold("/lost")}
    hostile = record("/a", f"{TEXT} [bold]nine[/bold] [/red]")
    print_report(report(tmp_path, pages, [hostile], [("fetch", "dns", "/x")], [duplicate("/c")]))
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    counts = ("fetched 7", "kept 1", "duplicate 1", "rejected: fetch/dns 1", "words kept 12")
    assert {*counts, f"text {hostile.text}", "Unexpected lost: not met, should be: kept"} <= {*lines}
    assert lines[-1] == f"The corpus lies in {tmp_path / 'corpus'}"
    print_report(report(tmp_path, {}))
    assert "All 0 pages ended as they should." in capsys.readouterr().out
