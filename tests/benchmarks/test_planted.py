"""Planted duplicates on a small scale: enough of them are found, and nothing else goes."""

import pytest

from benchmarks.duplicates import planted
from benchmarks.duplicates.texts import similarity


def test_what_is_planted_is_found_and_nothing_else() -> None:
    pairs = list(planted.plant(800))
    assert [similarity(pair.original, pair.copy) for pair in pairs if "0.8" in pair.name] == [
        pytest.approx(0.8, abs=0.015)
    ] * 80
    found = planted.find(pairs, jobs=1)
    assert sum(found[name].pairs for name in planted.EXCERPTS) == 40
    assert {name: one.pairs for name, one in found.items() if name not in planted.EXCERPTS} == {
        "near-duplicate, 0.95": 80,
        "near-duplicate, 0.9": 80,
        "near-duplicate, 0.8": 80,
        "near-duplicate, 0.7": 80,
        "hard negative, 0.3 to 0.5": 40,
    }
    recall = {name: one.recall for name, one in found.items()}
    assert (recall["near-duplicate, 0.95"], recall["near-duplicate, 0.9"]) == (1.0, 1.0)
    assert recall["near-duplicate, 0.8"] >= 0.92
    assert min(share for name, share in recall.items() if name.startswith("excerpt")) >= 0.95
    assert max(share for name, share in recall.items() if name.startswith("given up")) == 0.0
    assert recall["hard negative, 0.3 to 0.5"] == 0.0
    assert all(one.others == 0 for one in found.values())
    assert "| near-duplicate, 0.95 | 80 | 0.95" in planted.render(found, 800)
