import csv
import io
import json
from collections.abc import Sequence
from dataclasses import astuple, replace
from pathlib import Path

import pytest
from rich.console import Console

from newscorpus.lab.evaluation.compare import PageResult
from newscorpus.lab.evaluation.scores import Confusion, Overlap
from newscorpus.lab.evaluation.summary import (
    ConfidenceBin,
    WorstPage,
    flatten,
    make_report,
    print_report,
    summarise,
    summarise_confidence,
    summarise_rejections,
    worst_pages,
    write_csv,
    write_json,
)

PAGE = PageResult(
    *("news", "1", "https://a.example/", "a.example", "cs", "", "x", "", 0.0),
    ngrams=Overlap(common=4, predicted=4, gold=4),
    lcs=Overlap(common=9, predicted=10, gold=10),
    edits=1,
    similarity=0.9,
    blocks=Confusion(),
    seconds=0.002,
)
HALF = replace(PAGE, id="2", ngrams=Overlap(common=1, predicted=2, gold=2), edits=3, seconds=0.004)
POOR = replace(PAGE, id="3", ngrams=Overlap(common=1, predicted=8, gold=2), lcs=Overlap(1, 80, 20), seconds=0.004)
NONE = replace(
    PAGE, id="4", rejected="extract/none", ngrams=Overlap(gold=4), lcs=Overlap(gold=10), edits=10, similarity=0.0
)


def test_figures_by_hand() -> None:
    summary = summarise([PAGE, HALF, POOR, NONE])[0]
    assert (summary.pages, summary.rejected, summary.exact, summary.poor) == (4, 0.25, 0.25, 0.5)
    precision, recall = (1 + 0.5 + 0.125) / 3, (1 + 0.5 + 0.5 + 0) / 4
    assert summary.precision == pytest.approx(precision)  # over the pages with a text
    assert summary.recall == pytest.approx(recall)
    assert summary.f1.value == pytest.approx(2 * precision * recall / (precision + recall))
    assert summary.page_f1.value == pytest.approx((1 + 0.5 + 0.2 + 0) / 4)
    assert summary.page_f1.low <= summary.page_f1.value <= summary.page_f1.high
    assert (summary.lcs.precision, summary.lcs.recall) == pytest.approx((19 / 100, 19 / 50))
    assert summary.lcs_page_f1 == pytest.approx((0.9 + 0.9 + 0.02 + 0) / 4)
    assert summary.edits == pytest.approx((1 + 3 + 1 + 10) / 4)
    assert astuple(summary.similarity) == (pytest.approx(2.7 / 4), 0.0, 0.9)
    assert (summary.cpu_ms, summary.cpu_ms_median) == pytest.approx((3.0, 3.0))


def test_verdicts_on_blocks_are_summed() -> None:
    pages = [replace(PAGE, blocks=Confusion(3, 1, 0, 4)), replace(PAGE, blocks=Confusion(0, 0, 1, 1))]
    assert [*summarise(pages)[0].blocks.values()] == pytest.approx([10, 3, 1, 1, 5, 0.8, 0.75, 0.75, 0.75, 14 / 24])
    assert set(summarise([PAGE])[0].blocks.values()) == {0}


def test_groups_are_sets_languages_and_all() -> None:
    other = replace(PAGE, dataset="old", language="sk", extractor="y")
    groups = [(summary.scope, summary.group, summary.extractor, summary.pages) for summary in summarise([PAGE, other])]
    assert groups == [
        ("all", "all", "x", 1), ("all", "all", "y", 1), ("language", "cs", "x", 1), ("language", "sk", "y", 1),
        ("set", "news", "x", 1), ("set", "old", "y", 1),
    ]  # fmt: skip
    pages = [replace(PAGE, page_type=kind) for kind in ("article", "listing", "forum")]
    assert {summary.pages for summary in summarise(pages)} == {1}
    assert summarise(pages[1:]) == []  # only pages with an article count


def test_nothing_extracted_at_all_scores_nothing() -> None:
    summary = summarise([NONE])[0]
    assert (summary.precision, summary.recall, summary.f1.value, summary.page_f1.value) == (0, 0, 0, 0)


def test_drawing_domains_widens_the_interval() -> None:
    pages = [replace(page, domain=page.id) for page in (PAGE, HALF, POOR, NONE) for _ in range(30)]
    alone, grouped = summarise(pages)[0], summarise(pages, by_domain=True)[0]
    assert alone.page_f1.value == pytest.approx(grouped.page_f1.value)
    assert grouped.page_f1.high - grouped.page_f1.low > 3 * (alone.page_f1.high - alone.page_f1.low)


def test_rejections() -> None:
    refused = "extract/no_article"
    pages = [
        *(replace(PAGE, page_type="article", rejected=rejected) for rejected in ("", "", "", refused)),
        *(replace(PAGE, page_type="listing", rejected=rejected) for rejected in (refused, refused, "")),
        replace(PAGE, page_type="product", rejected=refused),
        replace(PAGE, page_type="forum", rejected=refused),
    ]
    (rejection,) = summarise_rejections(pages)
    assert rejection.verdicts == Confusion(true_positive=3, false_positive=1, false_negative=1, true_negative=3)
    assert rejection.shares == {"article": 0.25, "forum": 1.0, "listing": pytest.approx(2 / 3), "product": 1.0}
    assert summarise_rejections([PAGE, NONE]) == []  # without kinds of page


def test_confidence_in_tenths() -> None:
    pages = [replace(PAGE, confidence=0.92), replace(HALF, confidence=1.0), replace(PAGE, confidence=0.41), NONE]
    assert summarise_confidence([*pages, replace(PAGE, confidence=0.9, page_type="listing")]) == [
        ConfidenceBin("x", 1, pytest.approx(0.41), 1.0),  # type: ignore[arg-type]
        ConfidenceBin("x", 2, pytest.approx(0.96), 0.5),  # type: ignore[arg-type]
    ]


GOOD = replace(PAGE, url="https://a.example/1", page_type="article", extractor="ours", blocks=Confusion(8, 1, 1, 90))
BAD = replace(GOOD, extractor="peer", ngrams=Overlap(1, 4, 4))
RESULTS = [
    GOOD,
    BAD,
    replace(BAD, id="2", extractor="ours"),
    replace(GOOD, id="2", extractor="peer"),
    replace(GOOD, id="0", page_type="listing", ngrams=Overlap(0, 4, 4)),
]


def printed(results: Sequence[PageResult]) -> str:
    output = io.StringIO()
    print_report(make_report(results, "ours"), Console(file=output, width=140))
    return output.getvalue()


def test_tables_name_group_and_extractor() -> None:
    text = printed([replace(GOOD, confidence=0.95), replace(BAD, blocks=Confusion())])
    titles = [text.index(f" {title} ") for title in ("set news", "language cs", "all pages", "blocks", "worst pages")]
    assert titles == sorted(titles)
    ours, peer = (next(line for line in text.splitlines() if name in line) for name in ("ours", "peer"))
    assert "1.000" in ours
    assert "0.250" in peer
    assert text.index("ours") < text.index("peer")
    assert "│ ours      │ 1     │ 0.95       │ 1.00" in text
    assert "https://a.example/1" in text
    assert "100.0%" in printed([GOOD, replace(BAD, page_type="listing", rejected="a/b")])
    assert printed([]) == ""


def test_blocks_and_the_similarity_of_characters_are_printed() -> None:
    text = printed([GOOD, *(replace(page, id="2", similarity=0.4, blocks=Confusion()) for page in (GOOD, BAD))])
    similar, blocks = (text[text.index(title) :].split("└")[0] for title in ("similarity in", " blocks "))
    row = next(line for line in blocks.splitlines() if "ours" in line)
    assert [int(cell) for cell in row.split("│")[3:8]] == [100, 8, 1, 1, 90]
    assert "0.980" in row
    assert "peer" not in blocks
    row = next(line for line in similar.splitlines() if "ours" in line)
    assert [float(cell) for cell in row.strip("│ ").split("│")[2:]] == [0.65, 0.4, 0.9]


def test_worst_pages_hold_articles_and_come_worst_first() -> None:
    assert worst_pages(RESULTS, "ours") == [
        WorstPage("news", "2", "https://a.example/1", {"ours": 0.25, "peer": 1.0}),
        WorstPage("news", "1", "https://a.example/1", {"ours": 1.0, "peer": 0.25}),
    ]
    assert worst_pages(RESULTS, "peer", limit=1)[0].id == "1"
    assert worst_pages(RESULTS, "unknown") == []


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
    write_json(tmp_path / "out.json", make_report(RESULTS, "ours"))
    read = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert read["worst"][0]["f1"] == {"ours": 0.25, "peer": 1.0}
    assert read["summaries"][0]["page_f1"]["value"] == 0.625
