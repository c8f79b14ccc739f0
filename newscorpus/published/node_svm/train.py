"""Training of the model of `node-svm` (Kazennikov 2013): a linear SVM over the elements of many pages."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import LinearSVC

from newscorpus.arrays import Floats, Integers
from newscorpus.artifacts import Metadata, array_bytes, save_artifact
from newscorpus.extraction.nodes import BIAS, COLUMNS, FEATURES, WEIGHTS, LinearModel
from newscorpus.learning.card import system_card
from newscorpus.learning.onnx import join_rows
from newscorpus.learning.sources import (
    Progress,
    describe_data,
    describe_versions,
    first_of_each_set,
    is_aside,
    training_articles,
)
from newscorpus.published.node_svm.examples import NodePage, make_node_page, score_choices
from newscorpus.published.node_svm.system import MODEL, MODERN_CANDIDATES

MODEL_VERSION = "1"
PACKAGES = ("numpy", "scikit-learn")

ABOUT = (
    "The node SVM (Kazennikov 2013): a linear machine over hashed features chooses the element that holds the main "
    "text, another of its kind the parts of that element that are foreign."
)
MEASURE = (
    "Pages of the other fifth of the sites, of which the training saw none. `right`: share on which the chosen element "
    "is as good as the best one, `f1` of its words; `right_cleaned`, `f1_cleaned`: less its foreign parts; `best_f1`: "
    "of the best element."
)


@dataclass(frozen=True, slots=True)
class NodeTraining:
    """How the machine is fitted.

    Attributes:
        pages_a_set: pages learned from of each set; twice as many change little.
        least_f1: pages on which even the best node stays below are left out: their text is no node's.
        others: nodes of a page learned from beside the right ones and those inside: most are easy.
        text_penalty, foreign_penalty: LIBLINEAR's C; of 0.003 to 0.3 those that did best on other sites, where right
            nodes counted as much as the many others it did worse.
        seed: of the draw of nodes and of their order.
    """

    pages_a_set: int = 250
    least_f1: float = 0.8
    others: int = 60
    text_penalty: float = 0.01
    foreign_penalty: float = 0.003
    seed: int = 1


def train_node_svm(data: Path, output: Path, progress: Progress, training: NodeTraining = NodeTraining()) -> Metadata:
    """Train `node-svm`; see `newscorpus.learning.train.train`."""
    pages = list(_pages(data, training, progress))
    learned = [page for page in pages if not _is_aside(page)]
    weights, bias = fit_nodes(learned, training)
    metadata = Metadata(
        name=MODEL,
        version=MODEL_VERSION,
        features=FEATURES,
        parameters={BIAS: [round(float(value), 6) for value in bias]},
        files={},
        versions=describe_versions(PACKAGES),
        data=describe_data(data, Counter(page.page.dataset for page in learned)),
        scores=_scores([page for page in pages if _is_aside(page)], LinearModel("", weights, bias)),
    )
    source = (
        f"Of the first {training.pages_a_set} pages with an article of the train split of each of these sets those on "
        f"which one element holds the text (F1 {training.least_f1} at least), of four fifths of the sites."
    )
    penalties = f"C {training.text_penalty:g} for the text, {training.foreign_penalty:g} for what is foreign"
    how = f"Linear support vector machines (LIBLINEAR): {penalties}; {COLUMNS} columns."
    files = {WEIGHTS: array_bytes(weights.astype(np.float16))}
    save_artifact(output, metadata, files, system_card(metadata, ABOUT, source, how, MEASURE))
    return metadata


def _pages(data: Path, training: NodeTraining, progress: Progress) -> Iterator[NodePage]:
    for page in first_of_each_set(training_articles(data, progress), training.pages_a_set):
        made = make_node_page(page)
        if made and made.best_f1 >= training.least_f1:
            yield made


def _is_aside(page: NodePage) -> bool:
    return is_aside(page.page.domain or page.page.id)


def _scores(pages: Sequence[NodePage], model: LinearModel) -> dict[str, dict[str, float]]:
    """How right the choices of `model` are, by set."""
    score = partial(score_choices, model=model, candidates=MODERN_CANDIDATES)
    by_set = defaultdict(list)
    for page in pages:
        by_set[page.page.dataset].append(page)
    return {
        name: {measure: round(float(value), 4) for measure, value in asdict(score(of)).items()}
        for name, of in by_set.items()
    }


def fit_nodes(pages: Sequence[NodePage], training: NodeTraining = NodeTraining()) -> tuple[Floats, Floats]:
    """Weights, shape (columns, 2), and bias of the text and of foreign parts.

    What is foreign is learned from the nodes inside the right ones alone, where stage two asks for it; a long one
    counts for more, since to lose it costs more.
    """
    generator = np.random.default_rng(training.seed)
    nodes = [page.nodes for page in pages]
    around = [_around(page, generator, training.others) for page in pages]
    inside = [_inside(page) for page in pages]
    size = _join([np.sqrt(page.words) for page in pages], inside)
    text = LinearSVC(C=training.text_penalty, random_state=training.seed)
    text.fit(join_rows(nodes, around), _join([page.right for page in pages], around))
    foreign = LinearSVC(C=training.foreign_penalty, random_state=training.seed)
    foreign.fit(
        join_rows(nodes, inside), _join([page.foreign for page in pages], inside), sample_weight=size / size.mean()
    )
    weights = np.column_stack((text.coef_[0], foreign.coef_[0]))
    return weights, np.concatenate((text.intercept_, foreign.intercept_))


def _join(values: Sequence[NDArray[Any]], places: Sequence[Integers]) -> NDArray[Any]:
    """Of each page's values those at the places, one page after the other."""
    return np.concatenate([value[at] for value, at in zip(values, places, strict=True)])


def _around(page: NodePage, generator: np.random.Generator, others: int) -> Integers:
    """Places of the nodes around the text and in it, and of some others."""
    elements = page.nodes.elements
    best = elements[page.best]
    near = {best, *best.iterancestors(), *best.iterdescendants()}
    is_near = np.array([element in near for element in elements])
    rest = generator.permutation(np.flatnonzero(~is_near))[:others]
    return np.union1d(np.flatnonzero(is_near), rest)


def _inside(page: NodePage) -> Integers:
    """Places of the nodes in the right one that have words of their own."""
    inside = set(page.nodes.elements[page.best].iterdescendants())
    is_inside = np.array([element in inside for element in page.nodes.elements])
    return np.flatnonzero(is_inside & (page.words > 0))
