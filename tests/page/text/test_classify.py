import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from newscorpus.artifacts import Artifact, load_artifact
from newscorpus.data import Block, Element, Label, LabelledBlock
from newscorpus.model_folders import ArtifactError, Metadata
from newscorpus.page.parsing.parse import parse
from newscorpus.page.parsing.segment import segment
from newscorpus.page.text.classify import (
    COLUMNS,
    CONTEXT,
    FAR,
    FIRST,
    RULED_OUT,
    SECOND,
    Classifier,
    add_context,
    best_expected_f1,
    label_by,
    measure_context,
)
from newscorpus.page.text.features import FEATURES, Hints, measure
from newscorpus.page.text.main_text import INPUTS, MODEL

Stump = Callable[[tuple[str, ...], str, float, float, float], bytes]

PROSE = "The old bridge over the river was opened again on Monday after ten years of slow and costly work. "
NEWS = f"""<body><nav><ul><li><a href=/>Home</a></li><li><a href=/sport>Sport</a></li></ul></nav>
<article><h1>Bridge opens</h1><p class=byline>By Jana Nov&aacute;</p>
<p>{PROSE * 2}</p><p>{PROSE * 3}</p><p>{PROSE * 2}</p></article>
<footer><p>&copy; 2026 Daily Example</p><p><a href=/terms>Terms of use</a></p></footer></body>"""


@pytest.fixture(scope="module")
def two_stumps(stump: Stump) -> Classifier:
    """First pass: long blocks are likely; second pass: so is what follows a likely block."""
    metadata = Metadata("toy", "1", COLUMNS, {}, {}, {}, {}, {})
    first = stump(tuple(FEATURES), "words", 5, -6.0, 2.0)
    second = stump(COLUMNS, "probability@-1", 0.5, -3.0, 3.0)
    return Classifier(Artifact(metadata, {FIRST: first, SECOND: second}))


@pytest.fixture(scope="module")
def shipped() -> Classifier:
    return Classifier(load_artifact(MODEL, INPUTS))


def blocks_of(*texts: str) -> tuple[Block, ...]:
    body = Element("body")
    return tuple(Block(at, text, "", Element("p", parent=body, depth=1)) for at, text in enumerate(texts))


def probabilities(classifier: Classifier, *texts: str) -> list[float]:
    found: list[float] = classifier(measure(blocks_of(*texts))).tolist()
    return found


def labels(classifier: Classifier, blocks: tuple[Block, ...]) -> tuple[LabelledBlock, ...]:
    features = measure(blocks, Hints("Bridge opens"))
    return label_by(classifier(features), features, blocks)


def logistic(margin: float) -> float:
    return 1 / (1 + math.exp(-margin))


def test_the_second_pass_sees_what_the_first_said_of_the_blocks_around(two_stumps: Classifier) -> None:
    low, high, ruled_out = map(logistic, (-3, 3, -6))
    assert ruled_out < RULED_OUT
    assert probabilities(two_stumps, PROSE, PROSE, PROSE) == pytest.approx([low, high, high])
    assert probabilities(two_stumps, PROSE, "Short", PROSE) == pytest.approx([low, ruled_out, low])
    assert probabilities(two_stumps, "a", "b") == pytest.approx([ruled_out] * 2)


def test_a_model_that_lacks_a_pass_is_refused(stump: Stump) -> None:
    metadata = Metadata("toy", "1", COLUMNS, {}, {}, {}, {}, {})
    with pytest.raises(ArtifactError, match=r"^model 'toy': metadata.json does not name second.onnx$"):
        Classifier(Artifact(metadata, {FIRST: stump(tuple(FEATURES), "words", 5, -6.0, 2.0)}))


def test_the_columns_of_the_second_pass_begin_with_those_of_the_first() -> None:
    features = measure(blocks_of(PROSE, "Short"))
    joined = add_context(features, np.array([0.9, 0.1]))
    assert joined.shape == (2, len(COLUMNS))
    assert joined.dtype == np.float32
    assert (joined[:, : len(FEATURES)] == features.matrix).all()
    assert joined[:, COLUMNS.index("probability")].tolist() == pytest.approx([0.9, 0.1])


def test_labels_keep_blocks_order_and_scores_and_where_no_block_is_probable_the_best_are_good() -> None:
    blocks = blocks_of(PROSE, "Short", PROSE)
    for scores, expected in (
        ([0.75, 0.25, 0.05], [Label.GOOD, Label.ALMOST, Label.BAD]),
        ([0.4, 0.01, 0.45], [Label.GOOD, Label.BAD, Label.GOOD]),
    ):
        labelled = label_by(np.array(scores), measure(blocks), blocks)
        assert [(item.block, item.score, item.label) for item in labelled] == list(
            zip(blocks, scores, expected, strict=True)
        )


def test_expected_f1_by_hand() -> None:
    words = np.array([10, 10, 100], np.float32)
    # 44 of 45 expected words: 88 / (110 + 45) against 90 / (120 + 45)
    assert best_expected_f1(np.array([0.4, 0.1, 0.4]), words).tolist() == [True, False, True]


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(1, 500)), min_size=1, max_size=8))
def test_no_threshold_has_a_higher_expected_f1(blocks: list[tuple[float, int]]) -> None:
    probability = np.array([pair[0] for pair in blocks])
    words = np.array([pair[1] for pair in blocks], np.float32)
    expected = probability * words

    def f1(good: list[bool]) -> float:
        chosen = np.array(good)
        return float(2 * expected[chosen].sum() / (words[chosen].sum() + max(expected.sum(), 1e-9)))

    best = f1(best_expected_f1(probability, words).tolist())
    assert best >= max(f1((probability >= least).tolist()) for least in probability) - 1e-6


def test_the_shipped_model_finds_the_text_of_a_plain_page(shipped: Classifier) -> None:
    labelled = labels(shipped, segment(parse(NEWS)))
    good = [item.block.text for item in labelled if item.label is Label.GOOD]
    assert [text.count("The old bridge") for text in good if PROSE.strip() in text] == [2, 3, 2]
    assert not {"Home", "Sport", "© 2026 Daily Example", "Terms of use"} & set(good)
    assert all(0 <= item.score <= 1 for item in labelled)


def test_the_shipped_model_says_what_it_was_made_of() -> None:
    metadata = load_artifact(MODEL, INPUTS).metadata
    assert metadata.features[: len(COLUMNS)] == COLUMNS
    assert all(row["licence"] and row["pages"] and row["sha256"] for row in metadata.data.values())


@given(st.lists(st.text(min_size=1), min_size=1, max_size=6))
def test_any_page_is_labelled(shipped: Classifier, texts: list[str]) -> None:
    labelled = labels(shipped, blocks_of(*texts))
    assert [item.block.text for item in labelled] == texts
    assert any(item.label is Label.GOOD for item in labelled)


PROBABILITY = [0.1, 0.8, 0.6, 0.2, 0.0]
WORDS = [10, 20, 30, 5, 1]
PARENTS = [0, 1, 1, 1, 2]
PATHS = [0, 1, 1, 2, 0]


def columns(probability: list[float], words: list[int], parents: list[int], paths: list[int]) -> dict[str, list[float]]:
    context = measure_context(np.array(probability), np.array(words, float), np.array(parents), np.array(paths))
    assert context.dtype == np.float32
    return dict(zip(CONTEXT, context.T.tolist(), strict=True))


def test_the_context_by_hand() -> None:
    found = columns(PROBABILITY, WORDS, PARENTS, PATHS)
    assert found["probability"] == pytest.approx(PROBABILITY)
    assert found["probability@-1"] == pytest.approx([-1, 0.1, 0.8, 0.6, 0.2])
    assert found["probability@+2"] == pytest.approx([0.6, 0.2, 0, -1, -1])
    assert found["probability@-4"] == pytest.approx([-1, -1, -1, -1, 0.1])
    assert found["probability@+4"] == pytest.approx([0, -1, -1, -1, -1])
    assert found["mean_probability_within_2"] == pytest.approx([1.5 / 3, 1.7 / 4, 1.7 / 5, 1.6 / 4, 0.8 / 3])
    assert found["mean_probability_within_12"] == pytest.approx([1.7 / 5] * 5)
    total = 1 + 16 + 18 + 1
    assert found["good_words_share"] == pytest.approx([1 / total, 16 / total, 18 / total, 1 / total, 0])
    assert found["good_words_before_share"] == pytest.approx([0, 1 / total, 17 / total, 35 / total, 1])
    assert found["good_words_after_share"] == pytest.approx([35 / total, 19 / total, 1 / total, 0, 0], abs=1e-6)
    assert found["good_words"] == pytest.approx([total] * 5)
    assert found["best_before"] == pytest.approx([0, 0.1, 0.8, 0.8, 0.8])
    assert found["best_after"] == pytest.approx([0.8, 0.6, 0.2, 0, 0])
    assert found["since_good"] == [FAR, FAR, 1, 1, 2]
    assert found["until_good"] == [1, 1, FAR, FAR, FAR]
    assert found["good_blocks"] == [2] * 5
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
