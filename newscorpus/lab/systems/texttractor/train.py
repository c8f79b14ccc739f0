"""Train Texttractor (Mrózek 2014): the network and its two thresholds."""

from collections.abc import Iterable

import numpy as np
from threadpoolctl import threadpool_limits

from newscorpus.arrays import Flags, Floats
from newscorpus.artifacts import array_bytes
from newscorpus.lab.systems.texttractor.find import FEATURES, MODEL, THRESHOLDS, WEIGHTS, measure
from newscorpus.lab.systems.texttractor.network import LAYERS, run, train
from newscorpus.lab.training.block_learner import BlockLearner, FittedModel, LabelledPage, stack

EPOCHS = 60
"""Of Rprop, each over all blocks that are drawn; after 30, 60, 100 the blocks of sites not seen have an F1 of 0.611,
0.620, 0.618 (a sample of the train split, 2026-11)."""

MOST_BLOCKS = 100_000
"""Drawn at random where there are more: each epoch of Rprop passes over all, and the network has but 4,031 weights."""

SEED = 1

GOOD_BETA, ALMOST_BETA = 0.5, 1.0
"""For the upper threshold precision counts twice as much as recall: post-analysis adds to what is good, three blocks
bringing in all of their parent."""


def fit(pages: Iterable[LabelledPage], epochs: int = EPOCHS, most_blocks: int = MOST_BLOCKS) -> FittedModel:
    """The network, and the thresholds that are best on what it learned from.

    The good one is that of the highest F0.5 of the blocks, the almost good one that of the highest F1.
    """
    rows, good, _ = stack(pages)
    drawn = np.random.default_rng(SEED).permutation(len(good))[:most_blocks]
    with threadpool_limits(1):  # sums of several threads differ from run to run
        weights = train(rows[drawn], np.where(good[drawn], 1.0, -1.0), epochs, SEED).astype(np.float32)
    output = run(weights, rows)
    thresholds = [best_threshold(output, good, beta) for beta in (GOOD_BETA, ALMOST_BETA)]
    layers = "-".join(map(str, LAYERS))
    return FittedModel(
        weights={WEIGHTS: array_bytes(weights)},
        predict=lambda rows: np.asarray(run(weights, rows) > thresholds[0]),
        parameters=dict(zip(THRESHOLDS, thresholds, strict=True)),
        how=(
            f"Multi-layer perceptron {layers} with FANN's activations: stepwise symmetric sigmoid (steepness 0.65), "
            f"twice symmetric Gaussian (0.75), symmetric linear piece (0.8). Rprop, {epochs} epochs over {len(drawn)} "
            f"blocks drawn at random. Good above {thresholds[0]}, almost good above {thresholds[1]}."
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
    version="2",
    features=FEATURES,
    about="Texttractor (Mrózek 2014): a neural network over 26 features of a block and of both neighbours.",
    cut=lambda reading: reading.blocks,
    measure=measure,
    fit=fit,
)
