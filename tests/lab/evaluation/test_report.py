import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from newscorpus.lab.evaluation import summary
from newscorpus.lab.evaluation.compare import PageResult
from newscorpus.lab.evaluation.scores import Confusion, Overlap
from newscorpus.lab.evaluation.summary import (
    ConfidenceBin,
    WorstPage,
    flatten,
    summarise,
    summarise_rejections,
    worst_pages,
    write_csv,
    write_json,
)

GOOD = PageResult("news", "1", "https://a.example/1", "a.example", "cs", "article", "ours", "", 0.9, Overlap(4, 4, 4),
                  Overlap(4, 4, 4), 0, 0.9, Confusion(8, 1, 1, 90), 0.001)  # fmt: skip
BAD = replace(GOOD, extractor="peer", ngrams=Overlap(1, 4, 4))
RESULTS = [
    GOOD,
    BAD,
    replace(BAD, id="2", extractor="ours"),
    replace(GOOD, id="2", extractor="peer"),
    replace(GOOD, id="0", page_type="listing", ngrams=Overlap(0, 4, 4)),
]


@pytest.fixture
def console() -> Console:
    return Console(file=io.StringIO(), width=140)


def printed(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_tables_name_group_and_extractor(console: Console) -> None:
    summary.print_summaries(summarise([GOOD, BAD]), console)
    text = printed(console)
    assert [text.index(title) for title in ("set news", "language cs", "all pages")] == sorted(
        text.index(title) for title in ("set news", "language cs", "all pages")
    )
    ours, peer = (next(line for line in text.splitlines() if name in line) for name in ("ours", "peer"))
    assert "1.000" in ours
    assert "0.250" in peer
    assert text.index("ours") < text.index("peer")


def test_rejections_and_confidence_are_printed(console: Console) -> None:
    summary.print_rejections(summarise_rejections([GOOD, replace(BAD, page_type="listing", rejected="a/b")]), console)
    summary.print_confidence([ConfidenceBin("ours", 7, 0.95, 0.91)], console)
    text = printed(console)
    assert "100.0%" in text
    assert "0.91" in text


def test_blocks_are_printed_where_there_are_any(console: Console) -> None:
    summary.print_blocks(summarise([GOOD, replace(BAD, blocks=Confusion())]), console)
    text = printed(console)
    assert "ours" in text
    assert "peer" not in text
    assert "0.980" in text
    row = next(line for line in text.splitlines() if "ours" in line)
    assert [int(cell) for cell in row.split("│")[3:8]] == [100, 8, 1, 1, 90]


def test_the_similarity_of_characters_is_printed(console: Console) -> None:
    summary.print_similarity(summarise([GOOD, replace(GOOD, id="2", similarity=0.4)]), console)
    row = next(line for line in printed(console).splitlines() if "ours" in line)
    assert [float(cell) for cell in row.strip("│ ").split("│")[2:]] == [0.65, 0.4, 0.9]


def test_nothing_to_say_prints_nothing(console: Console) -> None:
    summary.print_summaries([], console)
    summary.print_rejections([], console)
    summary.print_confidence([], console)
    summary.print_worst([], console)
    summary.print_blocks([], console)
    assert printed(console) == ""


def test_worst_pages_hold_articles_and_come_worst_first() -> None:
    assert worst_pages(RESULTS, "ours") == [
        WorstPage("news", "2", "https://a.example/1", {"ours": 0.25, "peer": 1.0}),
        WorstPage("news", "1", "https://a.example/1", {"ours": 1.0, "peer": 0.25}),
    ]
    assert worst_pages(RESULTS, "peer", limit=1)[0].id == "1"
    assert worst_pages(RESULTS, "unknown") == []


def test_worst_pages_are_printed_with_their_addresses(console: Console) -> None:
    summary.print_worst(worst_pages(RESULTS, "ours"), console)
    assert "https://a.example/1" in printed(console)


def test_csv_has_a_line_for_each_group_and_extractor(tmp_path: Path) -> None:
    write_csv(tmp_path / "out.csv", summarise([GOOD, BAD]))
    rows = list(csv.DictReader((tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()))
    assert len(rows) == 6
    assert (rows[1]["extractor"], rows[1]["f1"], rows[1]["page_f1_high"]) == ("peer", "0.25", "0.25")


def test_nested_figures_are_joined_by_an_underscore() -> None:
    assert flatten({"f1": {"value": 1 / 3, "low": 0.0}, "lcs": {"recall": 1}}) == {
        "f1": 0.33333, "f1_low": 0.0, "lcs_recall": 1,
    }  # fmt: skip


def test_json_holds_everything(tmp_path: Path) -> None:
    write_json(tmp_path / "out.json", summaries=summarise(RESULTS), worst=worst_pages(RESULTS, "ours", limit=1))
    read = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert read["worst"][0]["f1"] == {"ours": 0.25, "peer": 1.0}
    assert read["summaries"][0]["page_f1"]["value"] == 0.625
