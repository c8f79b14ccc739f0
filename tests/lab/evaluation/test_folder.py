import csv
import io
import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from prose import paragraphs
from rich.console import Console
from typer.testing import CliRunner

from newscorpus.cli import app, main
from newscorpus.data import Page, Rejected
from newscorpus.errors import LabError
from newscorpus.lab.evaluation.folder import evaluate_folder, extract_folder, print_folder, text_of
from newscorpus.lab.evaluation.scores import Overlap
from newscorpus.page.page_files import page_origin
from newscorpus.page.recipe import Recipe

GOLD = {"1": "one two three four", "2": "five six"}
FOUND = {"1": "one three nine", "2": "five six"}

BTE = partial(text_of, Recipe("bte"), page_origin())

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
    (folder / "mine" / ".evaluation.csv.tmp").touch()  # of a killed run
    (scores,) = evaluate_folder(folder)
    assert scores.name == "mine"
    assert {name: one.words for name, one in scores.files.items()} == {"1": Overlap(2, 3, 4), "2": Overlap(2, 2, 2)}
    assert scores.total.words == Overlap(4, 5, 6)
    columns = "common extracted gold precision recall f1 ngram_precision ngram_recall ngram_f1 edits".split()
    total = ["4", "5", "6", "0.80000", "0.66667", "0.72727", *NGRAMS["total"], "2"]
    assert rows(folder / "mine" / "evaluation.csv") == [
        ["file", *columns],
        ["total", *total],
        ["1", "2", "3", "4", "0.66667", "0.50000", "0.57143", *NGRAMS["1"], "2"],
        ["2", "2", "2", "2", "1.00000", "1.00000", "1.00000", *NGRAMS["2"], "0"],
    ]
    assert rows(folder / "evaluation.csv") == [["system", *columns], ["mine", *total]]


def test_a_missing_text_counts_as_nothing_found(folder: Path) -> None:
    assert list(evaluate_folder(folder)) == list(evaluate_folder(folder))  # the table of the first one is no text
    (folder / "mine" / "2.txt").unlink()
    (scores,) = evaluate_folder(folder)
    assert scores.files["2"].words == Overlap(0, 0, 2)


def test_every_other_subfolder_is_scored_by_name(folder: Path) -> None:
    for name in ("zebra", "ape"):
        (folder / name).mkdir()
    assert [scores.name for scores in evaluate_folder(folder)] == ["ape", "mine", "zebra"]


def test_extracted_texts_stand_beside_the_others_and_a_rejected_page_makes_no_file(folder: Path) -> None:
    extracted = list(extract_folder(folder, folder / "bte", BTE))
    assert extracted == [("1", None), ("2", None)]
    assert [(folder / "bte" / f"{name}.txt").read_text("utf-8") for name, _ in extracted] == list(GOLD.values())
    assert evaluate_folder(folder)[0].total.words.scores.f1 == 1

    def reject(page: Page) -> Rejected:
        return Rejected("extract", "no_main_text", url=page.url)

    rejected = extract_folder(folder, folder / "bte", reject)
    assert [found.reason for _, found in rejected if found] == ["no_main_text"] * 2
    assert not list((folder / "bte").glob("*.txt"))


@pytest.mark.parametrize("name", ["", "html", "clean", "gold", "rules.txt"])
def test_pages_gold_and_files_are_never_written_over(folder: Path, name: str) -> None:
    (folder / "rules.txt").touch()
    with pytest.raises(LabError, match=f"{name}: not a folder for what is extracted"):
        list(extract_folder(folder, folder / name, BTE))


def test_faults_name_the_file(folder: Path, tmp_path: Path) -> None:
    (folder / "mine" / "3.txt").write_text("x", encoding="utf-8")
    with pytest.raises(LabError, match=r"mine/3.txt: no page has this name"):
        list(evaluate_folder(folder))
    (folder / "mine" / "3.txt").unlink()
    (folder / "mine" / "1.txt").write_bytes(b"\xff")
    with pytest.raises(LabError, match=r"mine/1.txt: not UTF-8"):
        list(evaluate_folder(folder))
    with pytest.raises(LabError, match="nowhere: cannot"):
        evaluate_folder(tmp_path / "nowhere")


def test_the_table_shows_the_total(folder: Path) -> None:
    output = io.StringIO()
    print_folder(evaluate_folder(folder), Console(file=output, width=120))
    (line,) = [line for line in output.getvalue().splitlines() if "mine" in line]
    assert line.replace("│", " ").split() == ["mine", "2", *"4 5 6 0.80000 0.66667 0.72727 0.50000 2".split()]


def test_a_worker_that_dies_is_an_error_and_no_score(folder: Path) -> None:
    fails: Any = int  # of a page: an exception ends the worker
    with pytest.raises(LabError, match=r"html/.+: "):
        list(extract_folder(folder, folder / "dying", fails, jobs=2))


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


def test_words_of_every_script_count(folder: Path) -> None:
    text = "Новый мост через реку открыт сегодня"
    (folder / "clean" / "1.txt").write_text(text, encoding="utf-8")
    (folder / "mine" / "1.txt").write_text(text, encoding="utf-8")
    (scores,) = evaluate_folder(folder)
    assert scores.files["1"].words == Overlap(6, 6, 6)  # the thesis drops what is not ASCII
    assert scores.files["1"].ngrams == Overlap(3, 3, 3)


@pytest.mark.parametrize("more", [[], ["--dataset", "pages.jsonl"]])
def test_pages_come_from_a_folder_or_from_files(folder: Path, more: list[str]) -> None:
    run = CliRunner().invoke(app, ["evaluate", *([str(folder)] if more else []), *more])
    assert run.exit_code == 2
    assert "name either FOLDER or --dataset" in run.output


TEXT = " ".join(["Příliš žluťoučký kůň úpěl ďábelské ódy a město o tom mluvilo na náměstí.", *paragraphs("town")])
PAGE = "<meta charset={}><title>Kůň</title><h1>Kůň</h1><article><p>{}</p></article>"
CHARSETS = {"1": "utf-8", "2": "windows-1250", "3": "iso-8859-2"}


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """Saved pages in three charsets, without gold."""
    folder = tmp_path / "saved"
    folder.mkdir()
    for name, charset in CHARSETS.items():
        (folder / f"{name}.html").write_bytes(PAGE.format(charset, TEXT).encode(charset))
    (folder / "notes.txt").write_text("no page")
    return folder


def test_a_rejected_page_is_named(saved: Path) -> None:
    (saved / "2.html").write_text("<p>too short")
    run = CliRunner().invoke(app, ["extract", str(saved), "--output", str(saved / "mine"), "--format", "json"])
    assert "2 was rejected: quality/too_short 2 words" in run.stderr
    assert "saved: extracted 2, rejected 1" in run.stderr
    assert {path.name for path in (saved / "mine").iterdir()} == {"1.jsonl", "3.jsonl"}


@pytest.mark.parametrize(("form", "suffix"), [("text", ".txt"), ("json", ".jsonl"), ("brezovnik", ".json")])
def test_a_folder_without_gold_makes_a_file_of_each_page(saved: Path, form: str, suffix: str) -> None:
    run = CliRunner().invoke(app, ["extract", str(saved), "--output", str(saved / "mine"), "--format", form])
    assert run.exit_code == 0, run.output
    assert "saved: extracted 3" in run.output
    assert {path.name for path in (saved / "mine").iterdir()} == {name + suffix for name in CHARSETS}
    assert all(TEXT.strip() in path.read_text("utf-8") for path in (saved / "mine").iterdir())


def test_marked_pages_of_the_split_are_the_gold(saved: Path) -> None:
    (saved / "gold").mkdir()
    marked = {"archive": {"file": "../1.html", "offset": 0, "length": 0}, "text": TEXT}
    lines = [{"id": "1", "split": "dev", **marked}, {"id": "2", "split": "train", **marked}]
    lines.append({"id": "3", "split": "dev", **marked, "text": ""})  # finished with nothing marked
    (saved / "gold" / "saved.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    command = ["evaluate", str(saved), "--extractor", "bte", "--extractor", "main-text"]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0
    assert "1 of 3 pages have gold text in the split 'dev'; the others are not scored" in done.stderr
    table = rows(saved / "evaluation.csv")
    assert [(row[0], row[-1]) for row in table[1:]] == [("bte", "0"), ("main-text", "0")]
    assert [row[0] for row in rows(saved / "bte" / "evaluation.csv")] == ["file", "total", "1"]


@pytest.mark.parametrize(
    ("command", "line"),
    [
        (["extract", "{}", "--output", "{}/out", "--extractor", "none"], "unknown extractor 'none'"),
        (
            ["extract", "{}", "--output", "{}/out", "--extractor", "bte", "--format", "blocks", "--jobs", "2"],
            "does not decide block by block",
        ),
        (["extract", "{}"], "a folder of pages needs --output"),
        (["extract", "{}/gold", "--output", "{}/out"], "gold: no page in it"),
        (["evaluate", "{}", "--extractor", "bte"], "neither texts in clean/ nor marked pages in gold/"),
    ],
)
def test_mistakes_are_one_line_and_nothing_is_written(
    saved: Path, command: list[str], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (saved / "gold").mkdir()
    before = sorted(saved.rglob("*"))
    with pytest.raises(SystemExit):
        main([word.format(saved) for word in command])
    assert line in capsys.readouterr().err
    assert sorted(saved.rglob("*")) == before
