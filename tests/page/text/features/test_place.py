from itertools import combinations_with_replacement

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newscorpus.page.text.features.place import best_interval


def by_definition(gains: list[int]) -> tuple[int, int]:
    """All intervals are tried; of equal ones the smallest start, then the smallest end, wins."""
    intervals = [(0, 0), *combinations_with_replacement(range(len(gains) + 1), 2)]
    best = max(sum(gains[start:end]) for start, end in intervals)
    if best == 0:
        return 0, 0
    return min(interval for interval in intervals if sum(gains[slice(*interval)]) == best)


@pytest.mark.parametrize(
    ("gains", "interval"),
    [
        ([], (0, 0)),
        ([-1, -2], (0, 0)),
        ([0, 0], (0, 0)),
        ([3], (0, 1)),
        ([-1, 4, -2, 3, -5, 4], (1, 4)),
        ([2, -2, 2], (0, 1)),
        ([5, -9, 5], (0, 1)),
        ([0, -1, 0, 5], (2, 4)),
    ],
)
def test_worked_examples(gains: list[int], interval: tuple[int, int]) -> None:
    assert best_interval(gains) == interval


@given(st.lists(st.integers(-3, 3), max_size=12))
def test_agrees_with_the_definition(gains: list[int]) -> None:
    assert best_interval(gains) == by_definition(gains)
