"""The comparison of language models: a row for each system, ours first."""

from pathlib import Path

from benchmarks import downstream
from examples.language_model.pages import gold_examples
from newscorpus.page.registry import DEFAULT


def test_each_system_has_a_row_of_three_seeds(data: Path) -> None:
    report = "\n".join(downstream.report(list(gold_examples(data / "l3s_gn1.jsonl.zst"))))
    ours, *others = report.partition("--:|---|\n")[2].splitlines()
    assert ours.startswith(f"| {DEFAULT} | ")
    assert len(others) == 4
    assert all("bits" not in one and one.count(" to ") == 1 for one in others)
