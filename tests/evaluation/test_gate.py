import io
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from newscorpus.evaluation import gate
from newscorpus.evaluation.compare import PageResult
from newscorpus.evaluation.gate import Floor, FloorsError, Verdict, judge, read_floors, run_gate
from newscorpus.evaluation.scores import Confusion, Overlap
from newscorpus.evaluation.summary import summarise

RESULT = PageResult(
    dataset="news",
    id="1",
    url="",
    domain="a.example",
    language="cs",
    page_type="",
    extractor=gate.EXTRACTOR,
    rejected="",
    confidence=0.9,
    ngrams=Overlap(common=8, predicted=10, gold=10),
    lcs=Overlap(),
    edits=0,
    blocks=Confusion(),
    seconds=0.001,
)


def write(folder: Path, text: str) -> Path:
    path = folder / "floors.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_pinned_floors_are_in_form() -> None:
    assert all(0 < floor.f1 <= 1 for floor in read_floors().values())


def test_the_last_floor_holds(tmp_path: Path) -> None:
    path = write(tmp_path, 'news = [{ f1 = 0.8, page_f1 = 0.7 }, { f1 = 0.7, page_f1 = 0.7, reason = "new gold" }]')
    assert read_floors(path) == {"news": Floor(0.7, 0.7, "new gold")}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("news = [{ f1 = 0.8, page_f1 = 0.7 }, { f1 = 0.9, page_f1 = 0.6 }]", "news: lowered .* without a reason"),
        ("news = [{ f1 = 0.8, page_f1 = 0.7 }, { f1 = 0.7, page_f1 = 0.8 }]", "news: lowered .* without a reason"),
        ("news = [{ f1 = 0.8, page_f2 = 0.7 }]", "page_f2.*f1, page_f1, reason"),
        ("news = [{ f1 = 0.8 }]", "page_f1"),
        ("news = [{ f1 = 80.0, page_f1 = 0.7 }]", "f1"),
        ("news = [{ f1 = true, page_f1 = 0.7 }]", "f1"),
        ("news = []", "news: no floor"),
        ("news = 1", "Expected `array`"),
        ("news = ", "floors.toml"),
    ],
)
def test_a_file_out_of_form_is_refused_in_one_line(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(FloorsError, match=problem) as caught:
        read_floors(write(tmp_path, text))
    assert "floors.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FloorsError, match="absent"):
        read_floors(tmp_path / "absent.toml")


@pytest.mark.parametrize(
    ("floor", "passed"), [(Floor(0.8, 0.8), True), (Floor(0.81, 0.8), False), (Floor(0.8, 0.81), False)]
)
def test_both_figures_must_reach_the_floor(floor: Floor, passed: bool) -> None:
    (verdict,) = judge(summarise([RESULT, replace(RESULT, dataset="other")]), {"news": floor})
    assert verdict == Verdict("news", floor, verdict.f1, verdict.page_f1)
    assert verdict.f1 == pytest.approx(0.8)
    assert verdict.passed == passed


@pytest.mark.parametrize(("floor", "word"), [(Floor(0.7, 0.7), "pass"), (Floor(0.9, 0.9), "FAIL")])
def test_the_gate_prints_and_returns_its_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, floor: Floor, word: str
) -> None:
    (tmp_path / "news.jsonl.zst").touch()
    monkeypatch.setattr(gate, "evaluate", lambda *_: [RESULT])
    out = io.StringIO()
    assert run_gate(tmp_path, Console(file=out), {"news": floor}) == (word == "pass")
    assert word in out.getvalue()


def test_without_the_pages_the_gate_says_that_it_was_skipped(tmp_path: Path) -> None:
    out = io.StringIO()
    assert run_gate(tmp_path, Console(file=out, width=200), {"news": Floor(1.0, 1.0)})
    assert "skipped: news.jsonl.zst" in out.getvalue()


def test_a_gate_without_floors_is_not_passed(tmp_path: Path) -> None:
    out = io.StringIO()
    assert not run_gate(tmp_path, Console(file=out), {})
    assert "no floors" in out.getvalue()
