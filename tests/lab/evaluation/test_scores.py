import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, matthews_corrcoef, precision_recall_fscore_support

from newscorpus.arrays import Floats
from newscorpus.lab.evaluation.scores import (
    Confusion,
    Estimate,
    Overlap,
    Scores,
    ascii_words,
    character_similarity,
    confusion,
    estimate,
    lcs_overlap,
    ngram_overlap,
    ngram_scores,
    word_edits,
)

texts = st.lists(st.sampled_from(["a", "b", "c", "d", "é", "新"]), max_size=12).map(" ".join)
verdicts = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40)


def test_ngrams_of_four_words_count_as_often_as_both_hold_them() -> None:
    # gold: abcd bcde; predicted: abcd bcdx cdxe; shared: abcd
    assert ngram_scores("a b c d x e", "a b c d e") == Scores(1 / 3, 1 / 2, 0.4)
    assert ngram_overlap("a a a a a a", "a a a a a") == Overlap(common=2, predicted=3, gold=2)


@pytest.mark.parametrize(
    ("predicted", "gold", "f1"),
    [
        ("", "", 1.0),
        ("", "a b c d", 0.0),
        ("a b c d", "", 0.0),
        ("... -- !", "", 1.0),
        ("a b", "a, b!", 1.0),
        ("a b", "a b c d", 0.0),
        ("A b c d", "a b c d", 0.0),
        ("新聞記事", "新聞 記事", 1.0),
    ],
)
def test_edges_of_ngram_scores(predicted: str, gold: str, f1: float) -> None:
    assert ngram_scores(predicted, gold).f1 == f1


def test_ascii_words_as_published() -> None:
    assert ascii_words("Příliš <b>žlutý</b>\nkůň, <br/>3 < 4") == ["Pli", "lut", "k,", "3", "<", "4"]


def test_lcs_counts_words_of_both_sides() -> None:
    assert lcs_overlap("x a b y c", "a c b <i>c</i>") == Overlap(common=3, predicted=5, gold=4)
    assert lcs_overlap("", "") == Overlap(0, 0, 0)


def test_word_edits_by_hand() -> None:
    assert word_edits("a x c", "a b c d") == 2
    assert word_edits("", "a b c") == 3
    assert word_edits("příliš žlutý", "příliš žlutý") == 0


def test_overlaps_and_confusions_add_up() -> None:
    assert (Overlap(1, 2, 4) + Overlap(3, 4, 4)).scores == Scores(4 / 6, 4 / 8, 2 * (4 / 6) * (4 / 8) / (4 / 6 + 4 / 8))
    assert Confusion(1, 2, 3, 4) + confusion([True, False], [True, True]) == Confusion(2, 2, 4, 4)
    assert (Confusion().accuracy, Confusion().mcc) == (1, 0)
    with pytest.raises(ValueError, match=r"shorter|longer"):
        confusion([True], [True, False])


@given(verdicts)
def test_confusion_agrees_with_scikit_learn(pairs: list[tuple[bool, bool]]) -> None:
    predicted, gold = zip(*pairs, strict=True)
    counts = confusion(predicted, gold)
    assert counts.accuracy == pytest.approx(accuracy_score(gold, predicted))
    if len({*gold, *predicted}) == 2:
        assert counts.mcc == pytest.approx(matthews_corrcoef(gold, predicted))
    if any(gold) and any(predicted):
        expected = precision_recall_fscore_support(gold, predicted, average="binary", zero_division=0)[:3]
        assert (counts.scores.precision, counts.scores.recall, counts.scores.f1) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("predicted", "gold", "similarity"),
    [("", "", 1), ("", "abc", 0), ("kitten", "sitting", 1 - 3 / 7), ("ab", "ab", 1)],
)
def test_similarity_in_characters(predicted: str, gold: str, similarity: float) -> None:
    assert character_similarity(predicted, gold) == pytest.approx(similarity)


def mean(sums: Floats) -> Floats:
    return sums[:, 1] / sums[:, 0]


def columns(values: list[float]) -> Floats:
    return np.array([(1, value) for value in values], dtype=float)


def test_the_interval_is_that_of_the_mean() -> None:
    assert estimate(columns([0.0, 0.5, 1.0]), mean).value == 0.5
    assert estimate(columns([0.5] * 20), mean) == Estimate(0.5, 0.5, 0.5)
    values = np.random.default_rng(1).normal(0.5, 0.1, size=400)
    found = estimate(columns(list(values)), mean)
    half = 1.96 * values.std() / np.sqrt(len(values))
    assert found.low == pytest.approx(values.mean() - half, abs=0.002)
    assert found.high == pytest.approx(values.mean() + half, abs=0.002)


def test_pages_of_one_domain_are_drawn_together() -> None:
    pages, domains = columns([0.0] * 20 + [1.0] * 20), ["a"] * 20 + ["b"] * 20
    alone, grouped = estimate(pages, mean), estimate(pages, mean, domains)
    assert grouped.value == alone.value == 0.5
    assert (grouped.low, grouped.high) == (0.0, 1.0)
    assert 0.3 < alone.low < alone.high < 0.7
    with pytest.raises(ValueError, match="no pages"):
        estimate(pages[:0], mean)
