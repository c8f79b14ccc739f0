"""Train the published systems that decide block by block.

Texttractor (Mrózek 2014): a network and two thresholds. The Slovene decision tree (Brezovnik 2021), pruned by
cross-validation. The paragraph SVM (Novotný 2016): a linear machine, fitted at once or streamed.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Literal

import numpy as np
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import GroupKFold, cross_val_score
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from newscorpus.arrays import Flags, Floats
from newscorpus.artifacts import WEIGHTS, array_bytes
from newscorpus.errors import LabError
from newscorpus.lab.systems import paragraph_svm, shallow_tree, texttractor
from newscorpus.lab.training.block_learner import BlockLearner, FittedModel, LabelledPage, check_labels, stack
from newscorpus.lab.training.onnx import estimator_to_onnx
from newscorpus.lab.training.sources import fold_groups

SEED = 1

EPOCHS = 60
"""Epochs of Rprop over all sampled blocks; after 30, 60 and 100 the F1 of blocks of held-out sites is 0.611, 0.620 and
0.618 (a sample of the train split, 2026-11)."""

MOST_BLOCKS = 100_000
"""Maximum size of the random sample: each epoch passes over all blocks, and the network has only 4,031 weights."""

GOOD_BETA, ALMOST_BETA = 0.5, 1.0
"""For the upper threshold precision counts twice as much as recall, since post-analysis adds blocks: three good ones
bring in all blocks of their parent."""


def fit_network(pages: Iterable[LabelledPage], epochs: int = EPOCHS, most_blocks: int = MOST_BLOCKS) -> FittedModel:
    """Fit the network, and choose the thresholds on its training blocks: good by the best F0.5, almost good by F1."""
    rows, good = stack(list(pages))
    drawn = np.random.default_rng(SEED).permutation(len(good))[:most_blocks]
    with threadpool_limits(1):  # sums of several threads differ from run to run
        weights = texttractor.train(rows[drawn], np.where(good[drawn], 1.0, -1.0), epochs, SEED).astype(np.float32)
    output = texttractor.run(weights, rows)
    thresholds = [best_threshold(output, good, beta) for beta in (GOOD_BETA, ALMOST_BETA)]
    layers = "-".join(map(str, texttractor.LAYERS))
    return FittedModel(
        weights={texttractor.WEIGHTS: array_bytes(weights)},
        predict=lambda rows: np.asarray(texttractor.run(weights, rows) > thresholds[0]),
        parameters=dict(zip(texttractor.THRESHOLDS, thresholds, strict=True)),
        how=(
            f"Multi-layer perceptron {layers} with FANN's activations: stepwise symmetric sigmoid (steepness 0.65), "
            f"twice symmetric Gaussian (0.75), symmetric linear piece (0.8). Rprop, {epochs} epochs over {len(drawn)} "
            f"blocks drawn at random. Good above {thresholds[0]}, almost good above {thresholds[1]}."
        ),
    )


def best_threshold(output: Floats, good: Flags, beta: float) -> float:
    """Return the threshold with the highest F-beta, a multiple of 0.05 in -1..1; ties go to the lowest."""
    thresholds = np.arange(-19, 20) / 20
    kept = output[:, None] > thresholds
    hits = (kept & good[:, None]).sum(axis=0)
    scores = (1 + beta**2) * hits / (kept.sum(axis=0) + beta**2 * good.sum())
    return float(thresholds[int(np.argmax(scores))])


TEXTTRACTOR = BlockLearner(
    name=texttractor.MODEL,
    version="2",
    features=texttractor.FEATURES,
    about="Texttractor (Mrózek 2014): a neural network over 26 features of a block and of both neighbours.",
    cut=lambda prepared: prepared.blocks,
    measure=texttractor.measure,
    fit=fit_network,
)


FOLDS = 10
"""As published; each site is in one fold."""

PRUNINGS = tuple(10.0**exponent for exponent in np.arange(-5, -2.4, 0.5))
"""Costs per leaf to try (minimal cost-complexity pruning, Breiman et al. 1984)."""

MIN_LEAF = 20
"""Minimum number of blocks in a leaf; smaller leaves would all be pruned."""

Criterion = Literal["gini", "entropy"]
"""Impurity measure that a split reduces most."""

CRITERION: Criterion = "gini"
"""J48 (C4.5) uses entropy, as a gain ratio. On held-out sites Gini impurity is as good: accuracy 0.8817, entropy 0.8805
(train split, 2026-11)."""


def fit_tree(
    pages: Iterable[LabelledPage],
    prunings: Sequence[float] = PRUNINGS,
    folds: int = FOLDS,
    criterion: Criterion = CRITERION,
) -> FittedModel:
    """Fit a tree with the pruning of the best accuracy in cross-validation over sites; ties go to the stronger.

    With pages of a single site, the folds are over pages.

    Raises:
        LabError: there is one page, or all blocks are of one class.
    """
    held = list(pages)
    rows, good = stack(held)
    groups, unit = fold_groups([page.site for page in held])
    if len(held) < 2:
        raise LabError("one page to learn from; the pruning is chosen in a cross-validation, which needs two")
    group_of_row = np.repeat(groups, [len(page.good) for page in held])
    splits = GroupKFold(min(folds, len(set(groups))))
    trees = {
        pruning: DecisionTreeClassifier(
            criterion=criterion, min_samples_leaf=MIN_LEAF, ccp_alpha=pruning, random_state=SEED
        )
        for pruning in prunings
    }
    accuracy = {
        pruning: float(cross_val_score(tree, rows, good, groups=group_of_row, cv=splits).mean())
        for pruning, tree in trees.items()
    }
    pruning = max(prunings, key=lambda pruning: (accuracy[pruning], pruning))
    tree = trees[pruning].fit(rows, good)
    return FittedModel(
        weights={WEIGHTS: estimator_to_onnx(tree, len(shallow_tree.FEATURES))},
        predict=tree.predict,
        parameters={},
        how=(
            f"Decision tree of {tree.get_n_leaves()} leaves of at least {MIN_LEAF} blocks, criterion {criterion}, "
            f"pruned at {pruning:.2g} a leaf: the best of {len(prunings)} prunings in {splits.n_splits}-fold "
            f"cross-validation over {unit} (accuracy {accuracy[pruning]:.4f})."
        ),
    )


SHALLOW_TREE = BlockLearner(
    name=shallow_tree.MODEL,
    version="1",
    features=shallow_tree.FEATURES,
    about="The Slovene decision tree (Brezovnik 2021) over words, links and densities of a block and both neighbours.",
    cut=shallow_tree.cut,
    measure=shallow_tree.measure,
    fit=fit_tree,
)


HELD_BLOCKS = 1_000_000
"""Maximum number of paragraphs held in memory, some 30,000 pages: half a GB while fitting (measured 2026-11)."""

BATCH_PAGES = 500
"""Pages whose paragraphs are shuffled together when streaming, since the pages of a site come in runs."""


def fit_machine(
    pages: Iterable[LabelledPage], held_blocks: int = HELD_BLOCKS, batch_pages: int = BATCH_PAGES
) -> FittedModel:
    """Fit the machine at once for up to `held_blocks` paragraphs, else stream batches of pages."""
    coming = iter(pages)
    held: list[LabelledPage] = []
    left = held_blocks
    while left > 0 and (page := next(coming, None)):
        held.append(page)
        left -= len(page.good)
    following = next(coming, None)
    if following is None:
        rows, good = stack(held)
        machine, how = LinearSVC(dual=False, random_state=SEED), "squared hinge loss, C 1, fitted at once (liblinear)."
        machine.fit(rows, good)
    else:
        machine = _stream(chain(held, [following], coming), batch_pages)
        how = "hinge loss, one pass of averaged stochastic gradient descent."
    return FittedModel(
        weights={WEIGHTS: estimator_to_onnx(machine, len(paragraph_svm.FEATURES))},
        predict=machine.predict,
        parameters={},
        how=f"Linear support vector machine, {how}",
    )


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
    name=paragraph_svm.MODEL,
    version="1",
    features=tuple(paragraph_svm.FEATURES),
    about="The paragraph SVM (Novotný 2016): a linear machine over 13 features of a p element.",
    cut=paragraph_svm.paragraphs,
    measure=paragraph_svm.measure,
    fit=fit_machine,
)
