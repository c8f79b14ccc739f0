import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from newscorpus.extraction.classify import CONTEXT, FAR, measure_context

PROBABILITY = [0.1, 0.8, 0.6, 0.2, 0.0]
WORDS = [10, 20, 30, 5, 1]
PARENTS = [0, 1, 1, 1, 2]
PATHS = [0, 1, 1, 2, 0]


def columns(probability: list[float], words: list[int], parents: list[int], paths: list[int]) -> dict[str, list[float]]:
    context = measure_context(np.array(probability), np.array(words, float), np.array(parents), np.array(paths))
    assert context.dtype == np.float32
    return dict(zip(CONTEXT, context.T.tolist(), strict=True))


@pytest.fixture
def found() -> dict[str, list[float]]:
    return columns(PROBABILITY, WORDS, PARENTS, PATHS)


def test_the_neighbours(found: dict[str, list[float]]) -> None:
    assert found["probability"] == pytest.approx(PROBABILITY)
    assert found["probability@-1"] == pytest.approx([-1, 0.1, 0.8, 0.6, 0.2])
    assert found["probability@+2"] == pytest.approx([0.6, 0.2, 0, -1, -1])
    assert found["probability@-4"] == pytest.approx([-1, -1, -1, -1, 0.1])
    assert found["probability@+4"] == pytest.approx([0, -1, -1, -1, -1])


def test_the_mean_around(found: dict[str, list[float]]) -> None:
    assert found["mean_probability_within_2"] == pytest.approx([1.5 / 3, 1.7 / 4, 1.7 / 5, 1.6 / 4, 0.8 / 3])
    assert found["mean_probability_within_12"] == pytest.approx([1.7 / 5] * 5)


def test_where_the_good_words_stand(found: dict[str, list[float]]) -> None:
    total = 1 + 16 + 18 + 1
    assert found["good_words_share"] == pytest.approx([1 / total, 16 / total, 18 / total, 1 / total, 0])
    assert found["good_words_before_share"] == pytest.approx([0, 1 / total, 17 / total, 35 / total, 1])
    assert found["good_words_after_share"] == pytest.approx([35 / total, 19 / total, 1 / total, 0, 0], abs=1e-6)
    assert found["good_words"] == pytest.approx([total] * 5)


def test_the_best_and_the_nearest_on_either_side(found: dict[str, list[float]]) -> None:
    assert found["best_before"] == pytest.approx([0, 0.1, 0.8, 0.8, 0.8])
    assert found["best_after"] == pytest.approx([0.8, 0.6, 0.2, 0, 0])
    assert found["since_good"] == [FAR, FAR, 1, 1, 2]
    assert found["until_good"] == [1, 1, FAR, FAR, FAR]
    assert found["good_blocks"] == [2] * 5


def test_the_mean_of_the_same_parent_and_path(found: dict[str, list[float]]) -> None:
    of_parent, by_words = (0.8 + 0.6 + 0.2) / 3, (16 + 18 + 1) / 55
    assert found["parent_probability"] == pytest.approx([0.1, of_parent, of_parent, of_parent, 0])
    assert found["parent_word_probability"] == pytest.approx([0.1, by_words, by_words, by_words, 0])
    assert found["path_probability"] == pytest.approx([0.05, 0.7, 0.7, 0.2, 0.05])


def test_a_page_of_one_block() -> None:
    found = columns([0.9], [7], [0], [0])

    assert (found["probability@-1"], found["probability@+4"]) == ([-1], [-1])
    assert (found["since_good"], found["until_good"]) == ([FAR], [FAR])
    assert found["good_words_share"] == pytest.approx([1])


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 500), st.integers(0, 3), st.integers(0, 3)), min_size=1))
def test_any_page_has_a_finite_context_within_bounds(blocks: list[tuple[float, int, int, int]]) -> None:
    probability, words, parents, paths = map(list, zip(*blocks, strict=True))
    found = columns(probability, words, parents, paths)

    assert np.isfinite(list(found.values())).all()
    bounded = [name for name in CONTEXT if "probability" in name or "share" in name or "best" in name]
    values = np.array([found[name] for name in bounded])
    assert values.min() >= -1
    assert values.max() <= 1 + 1e-6
    for name in ("since_good", "until_good"):
        assert min(found[name]) >= 1
        assert max(found[name]) <= FAR
