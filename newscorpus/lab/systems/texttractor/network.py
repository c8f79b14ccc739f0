"""Run and fit the network of Texttractor as FANN (Nissen 2003) has it: 78-39-19-9-1, four activations, Rprop."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from newscorpus.arrays import Floats, Matrix

LAYERS = (78, 39, 19, 9, 1)
"""Inputs, neurons of each layer, and the output (Mrózek 2014)."""

_LEVELS = np.array([-0.99, -0.9, -0.5, 0.5, 0.9, 0.99])
_PLACES = np.arctanh(_LEVELS)

GREATER, SMALLER, FIRST_STEP, LARGEST_STEP = 1.2, 0.5, 0.1, 50.0
"""How the steps of iRprop- grow, shrink, begin and end in FANN."""
FIRST_WEIGHT = 0.1
"""Largest weight at the beginning, in FANN."""
MOST_ERROR = 0.9999999


class Activation(NamedTuple):
    """What a layer makes of its weighted sums, times the steepness, and the slope of that by sum and value."""

    steepness: float
    value: Callable[[Floats], Floats]
    slope: Callable[[Floats, Floats], Floats | float]


def _stepwise(sums: Floats) -> Floats:
    """The symmetric sigmoid, tanh, as six points with straight lines between them, and -1 and 1 beyond."""
    values: Floats = np.interp(sums, _PLACES, _LEVELS, left=-1, right=1)
    return values


GAUSSIAN = Activation(0.75, lambda sums: 2 * np.exp(-(sums**2)) - 1, lambda sums, values: -2 * sums * (values + 1))
ACTIVATIONS = (
    Activation(0.65, _stepwise, lambda _, values: 1 - np.clip(values, -0.98, 0.98) ** 2),
    GAUSSIAN,
    GAUSSIAN,
    Activation(0.8, lambda sums: np.clip(sums, -1, 1), lambda _sums, _values: 1.0),
)
"""Of the layers; FANN takes the slope of the linear piece to be that of its middle everywhere."""

Weights = Sequence[Floats]
"""Of each layer, shape (inputs and 1, neurons): the last row is the bias."""


def unpack(flat: Floats | Matrix) -> Weights:
    """The weights of each layer, from all in one row."""
    shapes = [(before + 1, after) for before, after in pairwise(LAYERS)]
    ends = np.cumsum([rows * columns for rows, columns in shapes])
    parts = np.split(np.asarray(flat, np.float64), ends[:-1])
    return [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]


def run(flat: Floats | Matrix, rows: Matrix) -> Floats:
    """The output in -1..1 of each of `rows` (rows, 78), by the weights in one row."""
    return _run(unpack(flat), rows)[-1][1][:, 0]


def _run(weights: Weights, rows: Matrix) -> list[tuple[Floats, Floats]]:
    """Sums and values of the rows, and of each layer."""
    values = rows.astype(np.float64)
    passed = [(values, values)]
    for layer, activation in zip(weights, ACTIVATIONS, strict=True):
        sums = activation.steepness * (passed[-1][1] @ layer[:-1] + layer[-1])
        passed.append((sums, activation.value(sums)))
    return passed


def train(rows: Matrix, targets: Floats, epochs: int, seed: int) -> Floats:
    """The weights in one row after so many epochs of Rprop from random ones; `targets` are 1 and -1."""
    size = sum((before + 1) * after for before, after in pairwise(LAYERS))
    flat = np.random.default_rng(seed).uniform(-FIRST_WEIGHT, FIRST_WEIGHT, size)
    steps, before = np.full(size, FIRST_STEP), np.zeros(size)
    for _ in range(epochs):
        slopes = _slopes(unpack(flat), rows, targets)
        turned = slopes * before < 0
        steps = np.minimum(steps * np.where(turned, SMALLER, GREATER), LARGEST_STEP)
        before = np.where(turned, 0, slopes)
        flat = flat + np.sign(before) * steps
    return flat


def _slopes(weights: Weights, rows: Matrix, targets: Floats) -> Floats:
    """How each weight should change for a smaller error, by back-propagation of FANN's default error."""
    passed = _run(weights, rows)
    wrong = np.clip((targets[:, None] - passed[-1][1]) / 2, -MOST_ERROR, MOST_ERROR)
    error = 2 * np.arctanh(wrong)
    found: list[Floats] = []
    for at in reversed(range(len(weights))):
        delta = error * ACTIVATIONS[at].steepness * ACTIVATIONS[at].slope(*passed[at + 1])
        found += [delta.sum(axis=0), (passed[at][1].T @ delta).ravel()]
        error = delta @ weights[at][:-1].T
    return np.concatenate(found[::-1])
