"""Train Texttractor (Mrózek 2014): a multi-layer perceptron and its two thresholds."""

import warnings
from collections.abc import Iterable

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPRegressor
from threadpoolctl import threadpool_limits

from newscorpus.arrays import Flags, Floats
from newscorpus.artifacts import WEIGHTS
from newscorpus.learning.block_learner import BlockLearner, FittedModel, LabelledPage, stack
from newscorpus.learning.onnx import estimator_to_onnx
from newscorpus.published.texttractor.find import FEATURES, MODEL, THRESHOLDS, measure

LAYERS = (39, 19, 9)
"""Neurons of the hidden layers, as published."""

EPOCHS = 10
"""Passes over the blocks; of 5, 10, 20 and 40 the best on the sites set aside (2026-11)."""

BATCH = 512
SEED = 1

GOOD_BETA, ALMOST_BETA = 0.5, 1.0
"""For the upper threshold precision counts twice as much as recall: post-analysis adds to what is good, three blocks
bringing in all whose parents have the same path."""


def fit(pages: Iterable[LabelledPage], layers: tuple[int, ...] = LAYERS, epochs: int = EPOCHS) -> FittedModel:
    """The network, and the thresholds that are best on what it learned from.

    The good one is that of the highest F0.5 of the blocks, the almost good one that of the highest F1.
    """
    rows, good, _ = stack(pages)
    network = MLPRegressor(
        hidden_layer_sizes=layers,
        activation="tanh",
        batch_size=min(BATCH, len(good)),
        max_iter=epochs,
        random_state=SEED,
    )
    with (
        threadpool_limits(1),  # sums of several threads differ from run to run
        warnings.catch_warnings(action="ignore", category=ConvergenceWarning),  # it ends after so many passes
    ):
        network.fit(rows, np.where(good, 1.0, -1.0).astype(np.float32))
    output = np.clip(network.predict(rows), -1, 1)
    thresholds = [best_threshold(output, good, beta) for beta in (GOOD_BETA, ALMOST_BETA)]
    return FittedModel(
        weights={WEIGHTS: estimator_to_onnx(network, len(FEATURES))},
        predict=lambda rows: np.asarray(network.predict(rows) > thresholds[0]),
        parameters=dict(zip(THRESHOLDS, thresholds, strict=True)),
        how=(
            f"Multi-layer perceptron {'-'.join(map(str, layers))} of tanh neurons and one linear output, squared "
            f"error against 1 and -1, Adam, {epochs} passes. Good above {thresholds[0]}, almost good above "
            f"{thresholds[1]}."
        ),
    )


def best_threshold(output: Floats, good: Flags, beta: float) -> float:
    """The threshold, a multiple of 0.05 in -1..1, whose verdicts have the highest F-beta; of equals the lowest."""
    thresholds = np.arange(-19, 20) / 20
    kept = output[:, None] > thresholds
    hits = (kept & good[:, None]).sum(axis=0)
    scores = (1 + beta**2) * hits / (kept.sum(axis=0) + beta**2 * good.sum())
    return float(thresholds[int(np.argmax(scores))])


TEXTTRACTOR = BlockLearner(
    name=MODEL,
    version="1",
    features=FEATURES,
    about="Texttractor (Mrózek 2014): a neural network over 26 features of a block and of both neighbours.",
    cut=lambda reading: reading.blocks,
    measure=measure,
    fit=fit,
)
