"""The demo as a user runs it: a real crawl of the real site."""

import subprocess
import sys
from pathlib import Path

import pytest

from newscorpus.errors import DemoError
from newscorpus.store.intake import read_journal
from newscorpus.views.demo import run
from newscorpus.views.demo.run import KEPT, DemoReport, crawl, read_gold, read_report, run_demo
from newscorpus.views.demo.server import serving

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
    assert demo.surprises == ()


def test_nothing_that_should_be_kept_is_lost(demo: DemoReport) -> None:
    happened = {outcome.name: outcome.happened.partition(",")[0] for outcome in demo.outcomes}
    assert {name: happened[name] for name, page in GOLD.items() if page.expect == KEPT and not page.cluster} == {
        name: KEPT for name, page in GOLD.items() if page.expect == KEPT and not page.cluster
    }
    assert KEPT in {happened[name] for name, page in GOLD.items() if page.cluster}
    assert demo.strangers == ()


@pytest.mark.parametrize("stage", ["discovery/", "fetch/", "language/"])
def test_what_is_refused_before_the_text_matters_is_refused_with_its_reason(demo: DemoReport, stage: str) -> None:
    outcomes = [outcome for outcome in demo.outcomes if outcome.expected.startswith(stage)]
    assert outcomes
    assert all(outcome.happened == outcome.expected for outcome in outcomes)


def test_the_crawl_asks_for_each_page_once_and_never_for_what_is_forbidden(demo: DemoReport, asked: list[str]) -> None:
    assert demo.fetched
    assert not any(path.startswith(("/en/print/", "/search")) for path in asked)
    assert sum(path.startswith("/calendar/") for path in asked) <= 3
    assert {path for path in asked if asked.count(path) > 1} == {"/pl/wiadomosci/tunel-pod-torami-6014.html"}


def test_lists_are_no_documents_and_all_they_list_are_where_the_portal_file_tells_nothing(
    untold: tuple[DemoReport, list[str]],
) -> None:
    """Lists with whole posts, of tags and authors, and a front page; an article of two pages; links that reply."""
    report, asked = untold
    assert report.surprises == ()
    walls = next(outcome for outcome in report.outcomes if outcome.name == "en-walls")
    assert walls.f1 == 1.0, "both pages, joined"
    assert {"/en/front/", "/en/notebook/page/2/", "/en/notebook/tag/nature/"} <= {*asked}
    assert not [path for path in asked if "replytocom" in path]
    further = [path for path in asked if path.endswith("/three-walls/2/")]
    assert len(further) == 1


def test_variants_of_an_address_are_one_document(demo: DemoReport) -> None:
    urls = [record.url for record in demo.records]
    assert not any("sid=" in url or "utm_" in url for url in urls)
    assert sum(url.endswith("/slow-clock/") for url in urls) == 1


def test_the_corpus_holds_what_design_promises(demo: DemoReport) -> None:
    for name in ("corpus/manifest.json", "rejected.jsonl", "duplicates.jsonl", "crawl-report.json", "crawl.log"):
        assert (demo.corpus / name).is_file(), name
    assert list(read_journal(demo.corpus / "rejected.jsonl"))
    assert demo.words > 5_000


def test_a_folder_in_use_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(DemoError, match=r"^.+: not empty; remove it or name another folder$"):
        run_demo(tmp_path)
    assert (tmp_path / "thesis.txt").read_text() == "mine"
    with pytest.raises(DemoError, match=r"^.+thesis\.txt: File exists$"):
        run_demo(tmp_path / "thesis.txt")


def test_a_crawl_that_fails_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(DemoError, match=r"^the crawl failed with status [1-9][^\n]*; see .+crawl\.log$"):
        crawl(tmp_path, "no address")


def test_a_crawl_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "CRAWL_SECONDS", 0.1)
    with serving() as base, pytest.raises(DemoError, match="did not end within 0 seconds"):
        crawl(tmp_path, base)
