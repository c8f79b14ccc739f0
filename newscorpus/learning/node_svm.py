"""Training of the model of `node-svm` (Kazennikov 2013): a linear SVM over the elements of many pages."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.linear_model import SGDClassifier

from newscorpus.artifacts import Metadata, save_artifact
from newscorpus.extraction.linear import BIAS, FEATURES, WEIGHTS, LinearModel
from newscorpus.extraction.nodes import COLUMNS, Floats, Integers
from newscorpus.extractors.node_svm import MODEL, MODERN_CANDIDATES
from newscorpus.learning.gold import Progress, describe_data, training_articles
from newscorpus.learning.linear import join_rows, weights_to_onnx
from newscorpus.learning.node_scores import score_choices
from newscorpus.learning.nodes import NodePage, make_node_page

MODEL_VERSION = "1"
PACKAGES = ("numpy", "onnx", "scikit-learn")

_CARD = """# {name}, version {version}

Chooses the element of a page that holds the main text, and the parts of it that are foreign: a linear support vector
machine over features hashed to {columns} columns, after Kazennikov (2013); see `docs/published-systems.md`.

Use: `newscorpus extract PAGE --extractor {name}`.

## Made from

Of the first {pages} pages with an article of the train split of each of these sets those on which one element holds
the text (F1 {least} at least); their pages are not part of the model.

| set | pages | licence | SHA-256 of the file |
|---|--:|---|---|
{data}

Made by `newscorpus train {name}` with {versions}; the same data give the same model.

## How well it does

Figures on the development split, beside the other systems, are in `docs/published-systems.md`.
"""


@dataclass(frozen=True, slots=True)
class NodeTraining:
    """How the machine is fitted.

    Attributes:
        pages_a_set: pages learned from of each set; twice as many change little.
        least_f1: pages on which even the best node stays below are left out: their text is no node's.
        others: nodes of a page learned from beside the right ones and those inside: most are easy.
        alpha: penalty on the weights; trained on one part of ir_research, 1e-3 chose 0.954 of the other's nodes right,
            1e-2 0.938, 1e-5 0.915.
        epochs: passes over the nodes.
        seed: of the draw of nodes and of their order.
    """

    pages_a_set: int = 250
    least_f1: float = 0.8
    others: int = 60
    alpha: float = 1e-3
    epochs: int = 10
    seed: int = 1


def train_node_svm(data: Path, output: Path, progress: Progress, training: NodeTraining = NodeTraining()) -> Metadata:
    """Train `node-svm`; see `newscorpus.learning.train.train`."""
    pages = _pages(data, training, progress)
    weights, bias = fit_nodes(pages, training)
    right = score_choices(pages, in_memory(weights, bias), MODERN_CANDIDATES)
    metadata = Metadata(
        name=MODEL,
        version=MODEL_VERSION,
        features=FEATURES,
        parameters={BIAS: [round(float(value), 6) for value in bias]},
        files={},
        versions={"python": python_version(), **{name: version(name) for name in PACKAGES}},
        data=describe_data(data, Counter(page.page.dataset for page in pages)),
        scores={"training pages": {name: round(float(value), 4) for name, value in asdict(right).items()}},
    )
    save_artifact(output, metadata, {WEIGHTS: weights_to_onnx(weights)}, _card(metadata, training))
    return metadata


def _pages(data: Path, training: NodeTraining, progress: Progress) -> list[NodePage]:
    found: list[NodePage] = []
    seen: Counter[str] = Counter()
    for page in training_articles(data, progress):
        seen[page.dataset] += 1
        if seen[page.dataset] <= training.pages_a_set and (made := make_node_page(page)):
            found.append(made)
    return [page for page in found if page.best_f1 >= training.least_f1]


def fit_nodes(pages: Sequence[NodePage], training: NodeTraining = NodeTraining()) -> tuple[Floats, Floats]:
    """Weights, shape (columns, 2), and bias of the text and of foreign parts, by averaged SGD on the hinge loss.

    What is foreign is learned from the nodes inside the right ones alone, where stage two asks for it; a long one
    counts for more, since to lose it costs more.
    """
    generator = np.random.default_rng(training.seed)
    nodes = [page.nodes for page in pages]
    around = [_around(page, generator, training.others) for page in pages]
    inside = [_inside(page) for page in pages]
    size = [np.sqrt(page.words) for page in pages]
    machines = (
        _fit(join_rows(nodes, around), _join([page.right for page in pages], around), None, training),
        _fit(
            join_rows(nodes, inside),
            _join([page.foreign for page in pages], inside),
            _join(size, inside),
            training,
        ),
    )
    weights = np.column_stack([machine.coef_[0] for machine in machines])
    return weights, np.concatenate([machine.intercept_ for machine in machines])


def _fit(rows: csr_matrix, answer: NDArray[Any], weight: NDArray[Any] | None, training: NodeTraining) -> SGDClassifier:
    machine = SGDClassifier(
        loss="hinge", alpha=training.alpha, max_iter=training.epochs, tol=None, average=True, random_state=training.seed
    )
    return machine.fit(rows, answer, sample_weight=weight if weight is None else weight / weight.mean())


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


def in_memory(weights: Floats, bias: Floats) -> LinearModel:
    """The model of fitted weights."""
    return LinearModel(MODEL, lambda columns: weights[columns], bias)


def _card(metadata: Metadata, training: NodeTraining) -> str:
    data = (f"| {name} | {of['pages']} | {of['licence']} | `{of['sha256']}` |" for name, of in metadata.data.items())
    return _CARD.format(
        name=metadata.name,
        version=metadata.version,
        columns=COLUMNS,
        pages=training.pages_a_set,
        least=training.least_f1,
        data="\n".join(data),
        versions=", ".join(f"{name} {number}" for name, number in metadata.versions.items()),
    )
