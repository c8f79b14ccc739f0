"""Corpora at a glance."""

from pathlib import Path

import pytest
from crawled import answer
from typer.testing import CliRunner

from newscorpus.cli import app
from newscorpus.store.ledger import Ledger, UrlOutcome
from newscorpus.upkeep.overview import overview


def test_the_status_of_a_project_shows_all_its_portals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, portal, outcome in (("vesti", "vesti", "kept"), ("two", "novosti", "")):
        with Ledger.open(tmp_path / "corpora" / name) as ledger:
            answer(ledger, f"https://{portal}.example/1", UrlOutcome(reason=outcome, n_words=9), portal=portal)
    (tmp_path / "corpora" / "two" / "crawl-report.json").write_text('{"stats": {"newscorpus/failed": "start"}}')
    (tmp_path / "corpora" / "vesti" / "crawl-logs").mkdir()
    (tmp_path / "corpora" / "vesti" / "crawl-logs" / "20250101T000000Z.log").touch()
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(app, ["log"]).output == "The last crawl of corpora/vesti:\n"
    said = CliRunner().invoke(app, ["status"]).output.splitlines()
    assert [line.split() for line in said[:3]] == [
        ["portal", "last", "article", "kept", "queued", "yield", "rows/day", "crawl"],
        ["two/novosti", "0", "0", "0.0"],
        ["vesti", "2026-11-21", "08:00", "1", "0", "0.0"],
    ]
    assert said[3:5] == [
        "two needs a look: the last crawl failed (start); newscorpus log corpora/two --errors shows why",
        "vesti needs a look: the last crawl died; newscorpus log corpora/vesti shows where",
    ]
    assert said[-1].startswith("Disk: ")
    assert said[-1].endswith(" GB left for corpora/two and 1 more")
    lines = CliRunner().invoke(app, ["status", "--json"]).output.splitlines()
    assert ['"corpus":"corpora/two"' in line for line in lines] == [True, False]


def test_without_a_corpus_it_says_where_it_looked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "no corpus in the folder corpora" in str(CliRunner().invoke(app, ["status"]).exception)
    with Ledger.open(tmp_path / "corpora" / "new"):
        assert CliRunner().invoke(app, ["status", "--json"]).output == ""
    (tmp_path / "ledger.sqlite").write_bytes(b"damaged")
    assert "ledger.sqlite" in overview(tmp_path).needs[0].text
