import csv
import io
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from newscorpus.cli import app
from newscorpus.data import Article, Page, Rejected
from newscorpus.lab.evaluation.folder import FolderError, evaluate_folder, extract_folder, print_folder
from newscorpus.lab.evaluation.scores import Overlap
from newscorpus.page.registry import load

GOLD = {"1": "one two three four", "2": "five six"}
FOUND = {"1": "one three nine", "2": "five six"}

NGRAMS = {"total": ["0.50000"] * 3, "1": ["0.00000"] * 3, "2": ["1.00000"] * 3}  # a shorter text is one n-gram


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    pages = {stem: f"<html><body><ul><li>Home</ul><p>{text}</p></body></html>" for stem, text in GOLD.items()}
    for name, texts, ending in (("html", pages, "html"), ("clean", GOLD, "txt"), ("mine", FOUND, "txt")):
        (folder / name).mkdir(parents=True)
        for stem, text in texts.items():
            (folder / name / f"{stem}.{ending}").write_text(text, encoding="utf-8")
    return folder


def rows(path: Path) -> list[list[str]]:
    return list(csv.reader(path.read_text("utf-8").splitlines()))


def test_worked_example(folder: Path) -> None:
    (scores,) = evaluate_folder(folder)
    assert scores.name == "mine"
    assert scores.files == {"1": Overlap(2, 3, 4), "2": Overlap(2, 2, 2)}
    assert scores.total == Overlap(4, 5, 6)
    assert rows(folder / "mine" / "evaluation.csv") == [
        [*"file common extracted gold precision recall f1 ngram_precision ngram_recall ngram_f1".split()],
        ["total", "4", "5", "6", "0.80000", "0.66667", "0.72727", *NGRAMS["total"]],
        ["1", "2", "3", "4", "0.66667", "0.50000", "0.57143", *NGRAMS["1"]],
        ["2", "2", "2", "2", "1.00000", "1.00000", "1.00000", *NGRAMS["2"]],
    ]


def test_a_missing_text_counts_as_nothing_found(folder: Path) -> None:
    assert list(evaluate_folder(folder)) == list(evaluate_folder(folder))  # the table of the first one is no text
    (folder / "mine" / "2.txt").unlink()
    (scores,) = evaluate_folder(folder)
    assert scores.files["2"] == Overlap(0, 0, 2)


def test_every_other_subfolder_is_scored_by_name(folder: Path) -> None:
    for name in ("zebra", "ape"):
        (folder / name).mkdir()
    assert [scores.name for scores in evaluate_folder(folder)] == ["ape", "mine", "zebra"]


def test_extracted_texts_stand_beside_the_others_and_a_rejected_page_makes_an_empty_file(folder: Path) -> None:
    written = list(extract_folder(folder, "bte", load("bte")))
    assert [path.read_text("utf-8") for path in written] == list(GOLD.values())
    assert next(evaluate_folder(folder)).total.scores.f1 == 1

    def reject(page: Page) -> Article | Rejected:
        return Rejected("extract", "no_main_text", url=page.url)

    assert [path.read_text("utf-8") for path in extract_folder(folder, "none", reject)] == ["", ""]


@pytest.mark.parametrize("name", ["html", "clean", "rules.txt"])
def test_pages_gold_and_files_are_never_written_over(folder: Path, name: str) -> None:
    (folder / "rules.txt").touch()
    with pytest.raises(FolderError, match=f"{name}: not a folder for what is extracted"):
        list(extract_folder(folder, name, load("bte")))


def test_faults_name_the_file(folder: Path, tmp_path: Path) -> None:
    (folder / "mine" / "3.txt").write_text("x", encoding="utf-8")
    with pytest.raises(FolderError, match=r"mine/3.txt: clean has no file of this name"):
        list(evaluate_folder(folder))
    (folder / "mine" / "3.txt").unlink()
    (folder / "mine" / "1.txt").write_bytes(b"\xff")
    with pytest.raises(FolderError, match=r"mine/1.txt: not UTF-8"):
        list(evaluate_folder(folder))
    with pytest.raises(FolderError, match="nowhere/clean: cannot be read: No such file"):
        list(evaluate_folder(tmp_path / "nowhere"))


def test_the_table_shows_the_total(folder: Path) -> None:
    output = io.StringIO()
    print_folder(evaluate_folder(folder), Console(file=output, width=120))
    (line,) = [line for line in output.getvalue().splitlines() if "mine" in line]
    assert line.replace("│", " ").split() == ["mine", "2", "4", "5", "6", "0.8000", "0.6667", "0.7273", "0.5000"]


def test_a_worker_that_dies_is_an_error_and_no_score(folder: Path) -> None:
    fails: Any = int  # of a page: an exception ends the worker
    with pytest.raises(FolderError, match=r"html/.+: "):
        list(extract_folder(folder, "dying", fails, jobs=2))


def test_as_a_command_with_a_template_named_by_its_file(folder: Path, tmp_path: Path) -> None:
    rules = tmp_path / "rules.txt"
    rules.write_text("p\n", encoding="utf-8")
    run = CliRunner().invoke(app, ["evaluate", str(folder), "--extractor", "bte", "--template", str(rules)])
    assert run.exit_code == 0, run.output
    assert {path.parent.name for path in folder.glob("*/evaluation.csv")} == {"bte", "mine", "rules"}
    (folder / "rules" / "1.txt").unlink()
    run = CliRunner().invoke(app, ["evaluate", str(folder), "--template", str(rules), "--jobs", "2"])
    assert run.exit_code == 0, run.output
    assert [(folder / "rules" / f"{stem}.txt").read_text() for stem in GOLD] == list(GOLD.values())


def test_texts_in_other_scripts_are_scored_by_their_4_grams(folder: Path) -> None:
    text = "Новый мост через реку открыт сегодня"
    (folder / "clean" / "1.txt").write_text(text, encoding="utf-8")
    (folder / "mine" / "1.txt").write_text(text, encoding="utf-8")
    (scores,) = evaluate_folder(folder)
    assert scores.files["1"] == Overlap(0, 0, 0)  # the measure of the thesis drops what is not ASCII
    assert scores.ngrams["1"] == Overlap(3, 3, 3)


@pytest.mark.parametrize("more", [[], ["--dataset", "pages.jsonl"]])
def test_pages_come_from_a_folder_or_from_files(folder: Path, more: list[str]) -> None:
    run = CliRunner().invoke(app, ["evaluate", *([str(folder)] if more else []), *more])
    assert run.exit_code == 2
    assert "name either FOLDER or --dataset" in run.output
