"""The tables of the hybrids, of node-svm and of all systems: their counts by hand, and some as a whole on few pages."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.reproduce import bakic, learned_fields, node_svm, segmented, side_by_side
from benchmarks.reproduce.__main__ import main
from benchmarks.reproduce.clusters import clusters, shared_pairs
from benchmarks.reproduce.tables import table
from newscorpus.lab.evaluation.scores import Overlap, lcs_overlap
from newscorpus.lab.gold.pages import read_pages
from newscorpus.lab.systems.segment_systems import Expert
from newscorpus.lab.training.segment_systems import SegmentedPage


def first_words(count: int) -> Expert:
    return lambda prepared: " ".join(prepared.tree.text_content().split()[:count])


@pytest.fixture
def pages(data: Path) -> list[SegmentedPage]:
    """With two experts: one that finds nothing, and one that keeps 40 words."""
    experts: dict[str, Expert] = {"none": lambda _: "", "some": first_words(40)}
    return list(segmented.segmented(read_pages(data / "wcxb.jsonl.zst"), experts))


def test_cells_of_a_table() -> None:
    assert table(("a", "b"), [("x", 0.12345), (1, None)]) == "| a | b |\n| --- | --: |\n| x | 0.123 |\n| 1 |  |\n"


def test_pages_are_drawn_the_same_each_time(pages: list[SegmentedPage]) -> None:
    train, test = segmented.drawn(pages, 10)
    assert (len(train), len(test)) == (10, len(pages) - 10)
    assert [page.page.id for page in train] == [page.page.id for page in segmented.drawn(pages, 10)[0]]
    assert not {page.page.id for page in train} & {page.page.id for page in test}


def test_an_ideal_choice(pages: list[SegmentedPage]) -> None:
    assert set(segmented.ideal(pages, lcs_overlap)) == {"some"}
    texts = segmented.texts_of(pages[:2], ["none", "some"])
    assert texts[0] == ""
    total = segmented.summed(pages[:2], texts, lcs_overlap)
    assert (total.predicted, total.gold) == (40, len(f"{pages[0].page.text} {pages[1].page.text}".split()))


def test_a_machine_learns_which_segments_are_good(pages: list[SegmentedPage]) -> None:
    texts = segmented.by_segment(pages[:16], pages[16:], lambda page: page.features)
    assert segmented.mean_f1(pages[16:], texts) > 0.9


def test_why_a_machine_finds_nothing(pages: list[SegmentedPage]) -> None:
    without = replace(pages[0], good=np.zeros_like(pages[0].good))
    said = segmented.why_empty([*pages[:3], without], ["", "", "text", ""])
    assert "finds nothing on 3 of 4 pages. On 1 of these no segment has more than 90%" in said
    assert "on the other 2 the machine" in said


def test_texts_on_the_same_event_are_one_cluster() -> None:
    # Of {0, 1, 2} and {3, 4} against {0, 1} and {2, 3, 4}: the pairs 0-1 and 3-4 are in both.
    assert shared_pairs([1, 1, 1, 2, 2], [1, 1, 2, 2, 2]) == Overlap(2, 4, 4)

    flood, vote = "the river flooded the mill and the bridge", "voters chose a mayor in the town hall"
    labels = clusters([flood, vote, "", f"{flood} again", f"{vote} again", ""])
    assert labels[0] == labels[3] != labels[1] == labels[4]
    assert len(set(labels)) == 4


def test_node_svm_as_a_whole(data: Path) -> None:
    own = (node_svm.Experiment("large0.example"), node_svm.Experiment(""))
    said = node_svm.reproduce(data, {"daniel": own, node_svm.TOGETHER: own[:1]})
    assert "| Lenta |  | other sites |  | 0.885 | 0.890 | 0.915 | 0.926 | 0.936 |" in said
    assert "| daniel: large0.example | 11 | other sites | 13 | 1.000 |" in said
    assert "| daniel: train split | 22 | dev split | 2 | 1.000 |" in said
    assert "| large0.example | published | 13 | 1.000 | 1.000 | 1.000 |" in said
    assert "| large0.example | all | 39 | 1.000 | 1.000 | 1.000 |" in said


def test_learned_fields_as_a_whole(data: Path) -> None:
    said = learned_fields.reproduce(data, [replace(learned_fields.EXPERIMENTS[-1], sets=("wcxb", "daniel"))])
    assert "| published | 4 | 1.000 | 1.000 | 1.000 | 1.000 | 1.000 | 1.000 | 1.000 |" in said
    assert "| wcxb | all | 6 | 1.000 | 1.000 | 1.000 |" in said


def test_side_by_side(data: Path, tmp_path: Path) -> None:
    csv, extractors = tmp_path / "systems.csv", ("bte", "readability")
    said = side_by_side.reproduce(data, ("daniel", "wcxb"), extractors, 1, csv)
    assert "| extractor | all (4) | daniel (2) | wcxb (2) | none | ms |" in said
    assert {line.split(",")[2] for line in csv.read_text("utf-8").splitlines()[1:]} == {*extractors}


def test_each_module_writes_the_file_of_its_name(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    results = tmp_path / "results"
    monkeypatch.setattr(bakic, "reproduce", lambda _: "# Table\n")
    assert main([str(data), "--only", "bakic", "--output", str(results)]) == 0
    assert (results / "bakic.md").read_text("utf-8") == "# Table\n"
    assert main([str(tmp_path / "nowhere"), "--only", "clusters", "--output", str(results)]) == 1
    assert "clusters" in capsys.readouterr().err.splitlines()[-1]
