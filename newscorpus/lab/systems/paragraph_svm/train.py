"""Train the paragraph SVM (Novotný 2016): a linear machine, fitted at once or streamed."""

from collections.abc import Iterable, Iterator
from itertools import chain, islice

import numpy as np
from sklearn.linear_model import SGDClassifier
from sklearn.svm import LinearSVC

from newscorpus.artifacts import WEIGHTS
from newscorpus.lab.systems.paragraph_svm.find import FEATURES, MODEL, measure, paragraphs
from newscorpus.lab.training.block_learner import BlockLearner, FittedModel, LabelledPage, check_labels, stack
from newscorpus.lab.training.onnx import estimator_to_onnx

HELD_BLOCKS = 1_000_000
"""Paragraphs that memory is trusted to hold, some 30,000 pages: half a GB while they are fitted (measured 2026-11)."""

BATCH_PAGES = 500
"""Pages whose paragraphs are shuffled and learned from at once, where there are more: sites come in runs."""

SEED = 1


def fit(pages: Iterable[LabelledPage], held_blocks: int = HELD_BLOCKS, batch_pages: int = BATCH_PAGES) -> FittedModel:
    """The machine: fitted at once where at most `held_blocks` paragraphs come, else streamed in batches of pages."""
    coming = iter(pages)
    held = _hold(coming, held_blocks)
    following = next(coming, None)
    if following is None:
        rows, good, _ = stack(held)
        machine, how = LinearSVC(dual=False, random_state=SEED), "squared hinge loss, C 1, fitted at once (liblinear)."
        machine.fit(rows, good)
    else:
        machine = _stream(chain(held, [following], coming), batch_pages)
        how = "hinge loss, one pass of averaged stochastic gradient descent."
    return FittedModel(
        weights={WEIGHTS: estimator_to_onnx(machine, len(FEATURES))},
        predict=machine.predict,
        parameters={},
        how=f"Linear support vector machine, {how}",
    )


def _hold(pages: Iterator[LabelledPage], blocks: int) -> list[LabelledPage]:
    """The first of `pages`, so many that they hold `blocks` blocks."""
    held: list[LabelledPage] = []
    while blocks > 0 and (page := next(pages, None)):
        held.append(page)
        blocks -= len(page.good)
    return held


def _stream(pages: Iterator[LabelledPage], batch_pages: int) -> SGDClassifier:
    machine = SGDClassifier(loss="hinge", average=True, random_state=SEED)
    generator = np.random.default_rng(SEED)
    good_blocks = blocks = 0
    while batch := list(islice(pages, batch_pages)):
        rows, good = np.concatenate([page.rows for page in batch]), np.concatenate([page.good for page in batch])
        order = generator.permutation(len(good))
        machine.partial_fit(rows[order], good[order], classes=[False, True])
        good_blocks, blocks = good_blocks + int(good.sum()), blocks + len(good)
    check_labels(good_blocks, blocks)
    return machine


PARAGRAPH_SVM = BlockLearner(
    name=MODEL,
    version="1",
    features=tuple(FEATURES),
    about="The paragraph SVM (Novotný 2016): a linear machine over 13 features of a p element.",
    cut=paragraphs,
    measure=measure,
    fit=fit,
)
