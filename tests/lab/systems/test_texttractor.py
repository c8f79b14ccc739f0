from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from lxml.html import HtmlElement

from newscorpus.arrays import Floats, Matrix
from newscorpus.config import Revision
from newscorpus.data import Block, Label, LabelledBlock, Page
from newscorpus.lab.systems.blocks import BlockSystem
from newscorpus.lab.systems.texttractor import (
    ACTIVATIONS,
    COUNTS,
    DENSITIES,
    FEATURES,
    FLAGS,
    LAYERS,
    error_slopes,
    measure,
    run,
    train,
    unpack,
)
from newscorpus.page.extractor import PreparedPage, read
from newscorpus.page.parsing.parse import parse
from newscorpus.page.parsing.segment import segment

PAGE = (
    "<div class=article-content><h1>Nový most</h1><p>Dnes OTEVŘEN 12 let <a href=/>starý</a> most.</p></div>"
    "<ul><li>Domů | Sport<img src=x></ul>"
)
"""Words 2, 6, 2; letters 8, 23, 9; capitalised 1, 2, 2; characters 9, 31, 12."""


def blocks_of(html: str) -> tuple[Block, ...]:
    tree = parse(html)
    assert isinstance(tree, HtmlElement)
    return segment(tree)


def features(html: str, at: int) -> dict[str, float]:
    return dict(zip(FEATURES, measure(blocks_of(html))[at].tolist(), strict=True))


def test_worked_example() -> None:
    by_hand: dict[str, Fraction | int] = {
        # of the page's maximum; no inline element of running text on the page: 0 / 0 is 1
        "letters": 1, "words": 1, "capitalised": 1, "all_caps": 1, "sentences": 1, "links": 1, "bars": 0, "images": 0,
        "positive_inline": 1,
        # 25 / 6 characters a word, of at most 9 / 2; 6 words a sentence, of at most 6
        "mean_word": Fraction(25, 27), "mean_sentence": 1,
        # 31 characters: 2 digits, 5 spaces; of 6 words one in the link
        "digit_density": Fraction(2, 31), "space_density": Fraction(5, 31), "link_density": Fraction(1, 6),
        "image_density": 0, "bar_density": 0,
        # OTEVŘEN against Dnes, let, starý, most; longer than 25 / 6: OTEVŘEN, starý; up to three: 12, let
        "all_caps_density": Fraction(1, 4), "long_word_density": Fraction(1, 3), "short_word_density": Fraction(1, 3),
        "has_copyright": 0, "has_angle": 0, "positive_ancestor": 1, "is_heading": 0, "is_paragraph": 1, "is_item": 0,
        "position": Fraction(1, 3),
    }  # fmt: skip
    assert by_hand.keys() == {*COUNTS, *DENSITIES, *FLAGS}
    assert len(set(FEATURES)) == 3 * len(by_hand) == 78
    found = features(PAGE, 1)
    assert {name: found[name] for name in by_hand} == pytest.approx({name: float(x) for name, x in by_hand.items()})
    before = {"words@-1": 1 / 3, "letters@-1": 8 / 23, "is_heading@-1": 1, "position@-1": 0, "mean_word@-1": 8 / 9}
    after = {"words@+1": 1 / 3, "is_item@+1": 1, "bars@+1": 1, "bar_density@+1": 1 / 2, "images@+1": 1,
             "positive_ancestor@+1": 0, "position@+1": 2 / 3}  # fmt: skip
    assert {name: found[name] for name in {**before, **after}} == pytest.approx({**before, **after})
    last = features(PAGE, 2)
    assert {last[name] for name in FEATURES if name.endswith("@+1")} == {0}


def test_all_lie_between_0_and_1_and_a_zero_denominator_gives_1() -> None:
    found = features("<p>***", 0)
    assert (found["words"], found["mean_word"], found["long_word_density"], found["all_caps_density"]) == (1, 1, 1, 1)
    assert found["digit_density"] == 0
    matrix = measure(blocks_of("<p>A<img><img><img> | | | <b>ČTK AFP</b><p>© <a>x</a> < y 12"))
    assert (matrix >= 0).all()
    assert (matrix <= 1).all()
    assert matrix.dtype == np.float32


def test_two_thresholds_make_three_verdicts() -> None:
    blocks = blocks_of("<p>a<p>b<p>c<p>d")
    scores = np.array([0.9, 0.2, -0.1, -1.0])
    prepared = read(Page.from_html("<p>a"))
    assert isinstance(prepared, PreparedPage)

    def label(revision: Revision) -> list[LabelledBlock]:
        system = BlockSystem(
            "x", lambda _: tuple(blocks), lambda _: scores, revision, good_above=0.2, almost_above=-0.5
        )
        return list(system.label(prepared))

    labelled = label(Revision(()))
    assert [item.label for item in labelled] == [Label.GOOD, Label.ALMOST, Label.ALMOST, Label.BAD]
    assert [item.score for item in labelled] == scores.tolist()
    moved = label(Revision((), upper=0.1, lower=0.0))
    assert [item.label for item in moved] == [Label.GOOD, Label.GOOD, Label.BAD, Label.BAD]


SIZE = sum((before + 1) * after for before, after in pairwise(LAYERS))


def test_the_activations_are_those_of_fann() -> None:
    sigmoid, gaussian, _, linear = (activation.value for activation in ACTIVATIONS)
    sums = np.array([-9, -2.6466, -1.4722, 0, 0.54930615, 0.27465307, 9])
    assert sigmoid(sums).tolist() == pytest.approx(
        [-1, -0.99, -0.9, 0, 0.5, 0.25, 1], abs=1e-4
    )  # fann_activation_switch
    assert gaussian(np.array([0, 1, -9])).tolist() == pytest.approx([1, 2 / np.e - 1, -1])
    assert linear(np.array([-3, 0.4, 3])).tolist() == [-1, 0.4, 1]
    assert [activation.steepness for activation in ACTIVATIONS] == [0.65, 0.75, 0.75, 0.8]


def test_worked_example_of_the_network() -> None:
    """One path of weights through the network: the first input, the first neuron of each layer."""
    layers = [np.zeros((before + 1, after)) for before, after in pairwise(LAYERS)]
    for layer in layers:
        layer[0, 0] = 1.0
    layers[3][-1, 0] = -0.5  # the bias of the output
    flat = np.concatenate([layer.ravel() for layer in layers])
    assert [layer.shape for layer in unpack(flat)] == [(79, 39), (40, 19), (20, 9), (10, 1)]
    first = 0.65 * 0.5 / np.arctanh(0.5)  # between the points 0 and 0.5
    second = 2 * np.exp(-((0.75 * first * 0.5) ** 2)) - 1
    third = 2 * np.exp(-((0.75 * second) ** 2)) - 1
    rows = np.zeros((1, 78), np.float32)
    rows[0, 0] = 0.5
    assert run(flat, rows).tolist() == pytest.approx([0.8 * (third - 0.5)])


def loss(flat: Floats, rows: Matrix, targets: Floats) -> float:
    """What FANN's error is the slope of."""
    half = (targets - run(flat, rows)) / 2
    return float((4 * (half * np.arctanh(half) + np.log(1 - half**2) / 2)).sum())


def test_errors_are_passed_back_through_the_layers() -> None:
    generator = np.random.default_rng(5)
    flat, rows = generator.uniform(-0.3, 0.3, SIZE), generator.random((4, 78)).astype(np.float32)
    targets = np.array([1.0, -1.0, 1.0, -1.0])
    slopes = error_slopes(unpack(flat), rows, targets)
    for at in (79 * 39 + 5, 79 * 39 + 40 * 19 + 7, SIZE - 3, SIZE - 1):  # the first layer's slope is that of tanh
        step = np.zeros(SIZE)
        step[at] = 1e-5
        rise = (loss(flat + step, rows, targets) - loss(flat - step, rows, targets)) / 2e-5
        assert slopes[at] == pytest.approx(-rise, rel=1e-3, abs=1e-9)


def test_the_network_learns_what_no_line_parts() -> None:
    rows = np.random.default_rng(3).random((300, 78)).astype(np.float32)
    targets = np.where((rows[:, 0] > 0.5) == (rows[:, 1] > 0.5), 1.0, -1.0)
    weights = train(rows, targets, epochs=300, seed=1)
    assert np.mean(np.sign(run(weights, rows)) == targets) > 0.95
    assert (weights == train(rows, targets, epochs=300, seed=1)).all()
    assert np.abs(run(weights, rows)).max() <= 1
