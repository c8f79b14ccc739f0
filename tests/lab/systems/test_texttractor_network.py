from itertools import pairwise

import numpy as np
import pytest

from newscorpus.arrays import Floats, Matrix
from newscorpus.lab.systems.texttractor import ACTIVATIONS, LAYERS, error_slopes, run, train, unpack

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


def test_worked_example() -> None:
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
