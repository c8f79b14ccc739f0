"""Train the default model on pages of one's own: trees from them alone, or added to the shipped ones.

The verdict on a page stays that of the shipped model: a source's own articles say nothing of pages that are none.
"""

from collections import Counter
from collections.abc import Sequence

import lightgbm
import numpy as np

from newscorpus.arrays import Floats, Matrix
from newscorpus.artifacts import Artifact, load_artifact
from newscorpus.lab.training.boosting import Boosting, fit
from newscorpus.lab.training.examples import Example, make_example
from newscorpus.lab.training.main_text import ABOUT, LEAST_FIT, MODEL_VERSION, PACKAGES, fits
from newscorpus.lab.training.model import TrainedModel
from newscorpus.lab.training.onnx import add_trees, trees_to_onnx
from newscorpus.lab.training.sources import Progress, TrainingError, TrainingPages, deal
from newscorpus.page.text.classify import COLUMNS, FIRST, SECOND, Trees, add_context, probability_of
from newscorpus.page.text.features import FEATURES
from newscorpus.page.text.main_text import INPUTS, MODEL

ALONE = Boosting(rounds=100, learning_rate=0.1, leaves=16, min_leaf=10)
"""How trees grow from one's own pages alone: from fewer blocks, with smaller leaves, than the shipped ones."""
ADDED = Boosting(rounds=40, learning_rate=0.05, leaves=8, min_leaf=10)
"""How they grow on the shipped ones. Rounds times rate are the weight of one's own pages beside the shipped knowledge;
`benchmarks/own_pages.py` measures what it brings."""


def train_own_trees(
    source: TrainingPages, progress: Progress, *, start: bool, base: Artifact | None = None
) -> TrainedModel:
    """Train on the articles of `source`; where `start` says so, the trees of `base` stay and new ones are added.

    `base` is the shipped model unless another one is given.

    Raises:
        TrainingError: on no page the blocks make up the text.
    """
    base = base or load_artifact(MODEL, INPUTS)
    examples = [example for example in filter(None, map(make_example, source.articles)) if fits(example)]
    if not examples:
        raise TrainingError(f"nothing can be learned: on no page blocks make up the text (F1 {LEAST_FIT} at least)")
    boosting = ADDED if start else ALONE
    grown = _grow_passes(examples, base if start else None, boosting, progress)
    own = {
        file: add_trees(base.weights[file], trees) if start else trees_to_onnx(trees) for file, trees in grown.items()
    }
    how = f"{boosting.rounds} trees a pass of {boosting.leaves} leaves, learning rate {boosting.learning_rate}"
    return TrainedModel(
        name=MODEL,
        version=MODEL_VERSION,
        features=INPUTS,
        parameters=base.metadata.parameters,
        weights={**base.weights, **own},
        packages=PACKAGES,
        data=source.describe(Counter(example.page.dataset for example in examples)),
        scores={},
        about=ABOUT,
        source=f"Pages whose blocks make up their text (F1 {LEAST_FIT} at least).",
        how=f"{how}, {'added to those of the shipped model' if start else 'from these pages alone'}; its verdict.",
        measure="",
    )


def _grow_passes(
    examples: Sequence[Example], base: Artifact | None, boosting: Boosting, progress: Progress
) -> dict[str, lightgbm.Booster]:
    """The trees of both passes, by the file that they are for; on top of those of `base` where it is given."""
    matrices = [example.features.matrix for example in examples]
    below = Trees(base, FIRST, len(FEATURES)) if base else None
    first = _grow(examples, matrices, below, boosting)
    seen = _unseen(examples, matrices, below, boosting)
    progress("first pass")
    joined = [add_context(example.features, probability) for example, probability in zip(examples, seen, strict=True)]
    second = _grow(examples, joined, Trees(base, SECOND, len(COLUMNS)) if base else None, boosting)
    progress("second pass")
    return {FIRST: first, SECOND: second}


def _grow(
    examples: Sequence[Example], matrices: Sequence[Matrix], below: Trees | None, boosting: Boosting
) -> lightgbm.Booster:
    start = [below.margin(matrix) for matrix in matrices] if below else None
    return fit(examples, matrices, boosting, start)


def _unseen(
    examples: Sequence[Example], matrices: Sequence[Matrix], below: Trees | None, boosting: Boosting
) -> list[Floats]:
    """Per page, what a first pass says of its blocks that did not learn from its site; all at once for one page."""
    probabilities = [np.zeros(0)] * len(examples)
    for learned, held in deal([example.page.site for example in examples]):
        rest = learned or held
        trees = _grow([examples[at] for at in rest], [matrices[at] for at in rest], below, boosting)
        for at in held:
            below_margin = below.margin(matrices[at]) if below else 0.0
            margin = np.asarray(trees.predict(matrices[at], raw_score=True)) + below_margin
            probabilities[at] = probability_of(margin)
    return probabilities
