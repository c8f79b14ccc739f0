"""The demo of a redesign: noticed, healed, repaired."""

import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from newscorpus.cli import app
from newscorpus.corpus.published import open_corpus
from newscorpus.crawl.ledger.looks import alarms
from newscorpus.data import REDESIGN
from newscorpus.demo.redesign import IN_FIRST, RedesignedPaper, RedesignReport, run_redesign


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> RedesignReport:
    return run_redesign(tmp_path_factory.mktemp("demo") / "paper")


def flagged(corpus: Path) -> int:
    return sum(REDESIGN in record.flags for record in open_corpus(corpus).records())


def test_every_page_keeps_the_design_that_it_was_first_served_in() -> None:
    paper = RedesignedPaper("http://127.0.0.1:1")
    routes = [route for path in paper.articles if (route := paper.find(path))]
    is_first = [b"story-text" in paper.body(route) for route in routes]
    assert is_first == [True] * IN_FIRST + [False] * (len(routes) - IN_FIRST)
    assert [b"story-text" in paper.body(route) for route in reversed(routes)] == is_first[::-1]
    assert paper.find("/news/other.html") is None


@pytest.mark.timeout(600)
def test_the_redesign_is_noticed_and_where_everything_went_is_found(report: RedesignReport) -> None:
    assert report.alarm.portal == "paper"
    assert (report.alarm.before[1] - IN_FIRST) ** 2 <= 1
    assert 0 < report.flagged < report.documents
    (version,) = tomllib.loads(report.version)["template"]
    assert set(version) - {"since", "remove"} == {"text", "title", "authors", "published"}
    assert (version["authors"], version["published"]) == (["a.writer"], ["span.published-on"])
    assert [rule for rule in version["text"] if "article-body" not in rule and "paragraph" not in rule] == []


@pytest.mark.timeout(600)
def test_what_heals_repairs_the_corpus(report: RedesignReport, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(report.corpus)  # the project, whose portals are read by name
    heal = ["portal", "heal", "paper", "--corpus", ".", "--write"]
    for command in (heal, ["reextract", ".", "--apply"], ["build", "."]):
        assert CliRunner().invoke(app, command).exit_code == 0
    assert flagged(report.corpus) == 0
    assert all(one.until for one in alarms(report.corpus))
