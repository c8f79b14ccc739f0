import io
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from newscorpus.errors import LabError
from newscorpus.lab.evaluation import gate
from newscorpus.lab.evaluation.compare import PageResult
from newscorpus.lab.evaluation.fields import FieldResult
from newscorpus.lab.evaluation.gate import Floor, read_floors, run_gate
from newscorpus.lab.evaluation.scores import Confusion, Overlap
from newscorpus.lab.gold.pages import GoldPage
from newscorpus.lab.systems.peers import Claim

RESULT = PageResult(
    *("news", "1", "", "a.example", "cs", "", gate.EXTRACTOR, "", 0.9),
    ngrams=Overlap(common=8, predicted=10, gold=10),
    lcs=Overlap(),
    edits=0,
    similarity=0.9,
    blocks=Confusion(),
    seconds=0.001,
)
FIELDS = FieldResult(GoldPage("1", "news", domain="a.example"), gate.READER, Claim(), True, 1.0, None, 0.5, 0.001)
HIDDEN_FIELDS = replace(FIELDS, date_exact=True)


def write(folder: Path, text: str) -> Path:
    path = folder / "floors.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_pinned_floors_are_in_form() -> None:
    assert all(0 < floor.least <= 1 for measures in read_floors().values() for floor in measures.values())


def test_the_last_floor_holds(tmp_path: Path) -> None:
    path = write(tmp_path, '[news]\nf1 = [{ least = 0.8 }, { least = 0.7, reason = "new gold" }]')
    assert read_floors(path) == {"news": {"f1": Floor(0.7, "new gold")}}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("news.f1 = [{ least = 0.8 }, { least = 0.7 }]", "news.f1: lowered from 0.8 without a reason"),
        ("news.f2 = [{ least = 0.8 }]", "news.f2: unknown measure; known: f1, .*hidden_date"),
        ("news.f1 = [{ most = 0.8 }]", "most.*least, reason"),
        ("news.f1 = [{ reason = 'x' }]", "least"),
        ("news.f1 = [{ least = 80.0 }]", "least"),
        ("news.f1 = [{ least = true }]", "least"),
        ("news.f1 = []", "news.f1: no floor"),
        ("news = 1", "Expected `object`"),
        ("news = ", "floors.toml"),
    ],
)
def test_a_file_out_of_form_is_refused_in_one_line(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(LabError, match=problem) as caught:
        read_floors(write(tmp_path, text))
    assert "floors.toml" in str(caught.value)
    assert "\n" not in str(caught.value)
    with pytest.raises(LabError, match="absent"):
        read_floors(tmp_path / "absent.toml")


@pytest.mark.parametrize(
    ("measure", "least", "word"),
    [
        ("f1", 0.8, "pass"),
        ("f1", 0.81, "FAIL"),
        ("page_f1", 0.81, "FAIL"),
        ("title", 1.0, "pass"),
        ("authors", 0.5, "pass"),
        ("authors", 0.51, "FAIL"),
        ("date", 0.0, "FAIL"),
        ("hidden_date", 1.0, "pass"),
    ],
)
def test_the_gate_prints_and_returns_its_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, measure: str, least: float, word: str
) -> None:
    (tmp_path / "news.jsonl.zst").touch()
    monkeypatch.setattr(gate, "evaluate", lambda *_: [RESULT])
    monkeypatch.setattr(gate, "evaluate_fields", lambda *_, hidden: [HIDDEN_FIELDS if hidden else FIELDS])
    out = io.StringIO()
    assert run_gate(tmp_path, Console(file=out), {"news": {measure: Floor(least)}}) == (word == "pass")
    assert word in out.getvalue()


def test_short_articles_of_all_sets_are_a_class_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "news.jsonl.zst").touch()
    long = replace(RESULT, id="2", ngrams=Overlap(common=0, predicted=10, gold=gate.SHORT_NGRAMS))
    monkeypatch.setattr(gate, "evaluate", lambda *_: [RESULT, long])
    monkeypatch.setattr(gate, "evaluate_fields", lambda *_, hidden: [])
    floors = {"news": {"page_f1": Floor(0.4)}, gate.SHORT: {"page_f1": Floor(0.8)}}
    assert run_gate(tmp_path, Console(file=io.StringIO()), floors)


def test_without_pages_the_gate_is_skipped_and_without_floors_it_fails(tmp_path: Path) -> None:
    out = io.StringIO()
    assert run_gate(tmp_path, Console(file=out, width=200), {"news": {"f1": Floor(1.0)}})
    assert "skipped: news.jsonl.zst" in out.getvalue()
    assert not run_gate(tmp_path, Console(file=out), {})
    assert "no floors" in out.getvalue()
