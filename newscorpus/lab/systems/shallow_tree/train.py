"""Train the Slovene decision tree (Brezovnik 2021): a tree pruned by cross-validation."""

from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np
from sklearn.model_selection import GroupKFold, cross_val_score
from sklearn.tree import DecisionTreeClassifier

from newscorpus.artifacts import WEIGHTS
from newscorpus.lab.systems.shallow_tree.find import FEATURES, MODEL, cut, measure
from newscorpus.lab.training.block_learner import BlockLearner, FittedModel, LabelledPage, stack
from newscorpus.lab.training.onnx import estimator_to_onnx
from newscorpus.lab.training.sources import TrainingError

FOLDS = 10
"""As published; no site stands in two."""

PRUNINGS = tuple(10.0**exponent for exponent in np.arange(-5, -2.4, 0.5))
"""Costs of a leaf that are tried (minimal cost-complexity pruning, Breiman et al. 1984)."""

MIN_LEAF = 20
"""Fewest blocks in a leaf; the many smaller ones would all be pruned again."""

SEED = 1

Criterion = Literal["gini", "entropy"]
"""How mixed the blocks of a leaf are: Gini impurity, or entropy; a split is taken that lowers it most."""

CRITERION: Criterion = "gini"
"""J48 (C4.5) has entropy, and divides what a split gains by the entropy of the split itself. On sites not seen Gini
impurity is as good: accuracy 0.8817, by entropy 0.8805 (train split, 2026-11)."""


def fit(
    pages: Iterable[LabelledPage],
    prunings: Sequence[float] = PRUNINGS,
    folds: int = FOLDS,
    criterion: Criterion = CRITERION,
) -> FittedModel:
    """The tree of the pruning whose accuracy is best in cross-validation over sites; of equals the stronger.

    Raises:
        TrainingError: all pages are of one site, or their blocks of one kind.
    """
    rows, good, sites = stack(pages)
    n_sites = len(set(sites))
    if n_sites < 2:
        raise TrainingError("the pruning is chosen in cross-validation over sites: pages of two at least are needed")
    groups = GroupKFold(min(folds, n_sites))
    accuracy = {
        pruning: float(cross_val_score(_tree(criterion, pruning), rows, good, groups=sites, cv=groups).mean())
        for pruning in prunings
    }
    pruning = max(prunings, key=lambda pruning: (accuracy[pruning], pruning))
    tree = _tree(criterion, pruning).fit(rows, good)
    return FittedModel(
        weights={WEIGHTS: estimator_to_onnx(tree, len(FEATURES))},
        predict=tree.predict,
        parameters={},
        how=(
            f"Decision tree of {tree.get_n_leaves()} leaves of at least {MIN_LEAF} blocks, criterion {criterion}, "
            f"pruned at {pruning:.2g} a leaf: the best of {len(prunings)} prunings in {groups.n_splits}-fold "
            f"cross-validation over sites (accuracy {accuracy[pruning]:.4f})."
        ),
    )


def _tree(criterion: Criterion, pruning: float) -> DecisionTreeClassifier:
    return DecisionTreeClassifier(criterion=criterion, min_samples_leaf=MIN_LEAF, ccp_alpha=pruning, random_state=SEED)


SHALLOW_TREE = BlockLearner(
    name=MODEL,
    version="1",
    features=FEATURES,
    about="The Slovene decision tree (Brezovnik 2021) over words, links and densities of a block and both neighbours.",
    cut=cut,
    measure=measure,
    fit=fit,
)
