"""Training of the Slovene decision tree (Brezovnik 2021): a tree pruned by cross-validation."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GroupKFold, cross_val_score
from sklearn.tree import DecisionTreeClassifier

from newscorpus.extractors.shallow_tree import FEATURES, MODEL, cut, measure
from newscorpus.learning.block_labels import label_exactly
from newscorpus.learning.block_learner import BlockLearner, Fitted, LabelledPage, stack
from newscorpus.learning.onnx_models import estimator_to_onnx

FOLDS = 10
"""As published; no site stands in two."""

PRUNINGS = tuple(10.0**exponent for exponent in np.arange(-5, -2.4, 0.5))
"""Costs of a leaf that are tried (minimal cost-complexity pruning, Breiman et al. 1984)."""

MIN_LEAF = 20
"""Fewest blocks in a leaf; the many smaller ones would all be pruned again."""

SEED = 1


def fit(pages: Iterable[LabelledPage], prunings: Sequence[float] = PRUNINGS, folds: int = FOLDS) -> Fitted:
    """The smallest tree whose accuracy is within one standard error of the best's, by cross-validation over sites."""
    rows, good, sites = stack(pages)
    groups = GroupKFold(min(folds, len(set(sites))))
    scores = np.array([
        cross_val_score(_tree(pruning), rows, good, groups=sites, cv=groups) for pruning in prunings
    ])  # fmt: skip
    pruning = prunings[choose(scores)]
    tree = _tree(pruning).fit(rows, good)
    return Fitted(
        weights=estimator_to_onnx(tree, len(FEATURES)),
        predict=tree.predict,
        parameters={},
        how=(
            f"Decision tree of {tree.get_n_leaves()} leaves, Gini impurity, pruned at {pruning:.2g} a leaf: of "
            f"{len(prunings)} prunings the strongest whose accuracy in {groups.n_splits}-fold cross-validation over "
            "sites is within one standard error of the best."
        ),
    )


def choose(scores: NDArray[np.float64]) -> int:
    """The last row of `scores` (prunings, folds) whose mean is within one standard error of the best row's."""
    means = scores.mean(axis=1)
    best = int(np.argmax(means))
    error = scores[best].std(ddof=1) / scores.shape[1] ** 0.5
    return int(np.flatnonzero(means >= means[best] - error)[-1])


def _tree(pruning: float) -> DecisionTreeClassifier:
    return DecisionTreeClassifier(min_samples_leaf=MIN_LEAF, ccp_alpha=pruning, random_state=SEED)


SHALLOW_TREE = BlockLearner(
    name=MODEL,
    version="1",
    features=FEATURES,
    about="The Slovene decision tree (Brezovnik 2021) over words, links and densities of a block and both neighbours.",
    cut=cut,
    measure=measure,
    label=label_exactly,
    fit=fit,
)
