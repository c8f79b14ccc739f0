"""The report on articles that the filters drop, on pages of which nearly all are good."""

from dataclasses import replace
from pathlib import Path

from benchmarks import quality


def test_articles_that_are_dropped_are_counted_and_named(data: Path) -> None:
    found = list(quality.verdicts(data))
    assert len(found) == 24 * 7
    assert not any(one.objections for one in found)
    dropped = replace(found[0], objections=("listing", "bullets"), reason="listing", by_papers=("listing",))
    pages = quality.outcomes(data)
    report = "\n".join(quality.report([dropped, *found[1:]], pages))
    assert f"| kept | {pages['kept', True]} | 0 |" in report
    assert pages["kept", True] > 0
    assert "| **news** | 96 | 1.04% | " in report
    assert "| fundus | 24 | 4.17% | " in report
    assert "| `bullets` | 1 | 0.60% |" in report
    assert f"- fundus {dropped.page} (?): listing, bullets" in report
