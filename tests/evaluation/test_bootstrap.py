import numpy as np
import pytest

from newscorpus.arrays import Floats
from newscorpus.evaluation.bootstrap import Estimate, estimate


def mean(sums: Floats) -> Floats:
    return sums[:, 1] / sums[:, 0]


def columns(values: list[float]) -> Floats:
    return np.array([(1, value) for value in values], dtype=float)


def test_the_value_is_the_figure_itself() -> None:
    assert estimate(columns([0.0, 0.5, 1.0]), mean).value == 0.5


def test_equal_pages_leave_no_doubt() -> None:
    assert estimate(columns([0.5] * 20), mean) == Estimate(0.5, 0.5, 0.5)


def test_the_interval_is_that_of_the_mean() -> None:
    values = np.random.default_rng(1).normal(0.5, 0.1, size=400)
    found = estimate(columns(list(values)), mean)
    half = 1.96 * values.std() / np.sqrt(len(values))
    assert found.low == pytest.approx(values.mean() - half, abs=0.002)
    assert found.high == pytest.approx(values.mean() + half, abs=0.002)


def test_the_seed_decides() -> None:
    pages = columns([0.1, 0.4, 0.6, 0.9])
    assert estimate(pages, mean, seed=3) == estimate(pages, mean, seed=3)
    assert estimate(pages, mean, seed=3) != estimate(pages, mean, seed=4)


def test_pages_of_one_domain_are_drawn_together() -> None:
    pages, domains = columns([0.0] * 20 + [1.0] * 20), ["a"] * 20 + ["b"] * 20
    alone, grouped = estimate(pages, mean), estimate(pages, mean, domains)
    assert grouped.value == alone.value == 0.5
    assert (grouped.low, grouped.high) == (0.0, 1.0)
    assert 0.3 < alone.low < alone.high < 0.7


def test_no_pages_no_estimate() -> None:
    with pytest.raises(ValueError, match="no pages"):
        estimate(np.zeros((0, 2)), mean)
