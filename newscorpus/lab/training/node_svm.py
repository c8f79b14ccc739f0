"""Train `node-svm` (Kazennikov 2013): a linear support vector machine over the elements of many pages."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any

import numpy as np
from lxml import etree
from lxml.html import HtmlElement
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.svm import LinearSVC

from newscorpus.arrays import Flags, Floats, Integers
from newscorpus.artifacts import array_bytes
from newscorpus.data import Page, Rejected
from newscorpus.errors import LabError
from newscorpus.lab.evaluation.scores import Overlap
from newscorpus.lab.gold.align import match_words
from newscorpus.lab.gold.pages import GoldPage
from newscorpus.lab.systems.node_svm import MODEL, MODERN_CANDIDATES, PARTS, Choice, choose
from newscorpus.lab.training.model import TrainedModel
from newscorpus.lab.training.sources import Progress, TrainingPages, first_of_each_set
from newscorpus.page.fields.nodes import BIAS, COLUMNS, FEATURES, GROUPS, WEIGHTS, LinearModel, Nodes, describe
from newscorpus.page.parsing.decode import decode
from newscorpus.page.parsing.parse import parse
from newscorpus.page.parsing.segment import INVISIBLE_TAGS
from newscorpus.tokens import words

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

NEAR_BEST = 0.01
"""Nodes within this F1 of the best are right, too: for instance its wrappers."""

PAGES_A_SET = 250
"""Pages learned from of each set; twice as many change little."""
LEAST_F1 = 0.8
"""Pages whose best node has a lower F1 are left out: no node holds their text."""
OTHERS = 60
"""Other nodes sampled per page, beside the right ones and those inside: most are easy."""
TEXT_PENALTY, FOREIGN_PENALTY = 0.01, 0.003
"""LIBLINEAR's C; of 0.003 to 0.3 those that did best on other sites, where right nodes counted as much as the many
others it did worse."""
SOURCE = (
    f"Of the first {PAGES_A_SET} pages with an article of the train split of each of these sets those on which one "
    f"element holds the text (F1 {LEAST_F1} at least), of four fifths of the sites."
)
HOW = (
    f"Linear support vector machines (LIBLINEAR): C {TEXT_PENALTY:g} for the text, {FOREIGN_PENALTY:g} for what is "
    f"foreign; {COLUMNS} columns."
)
SEED = 1
KEPT = -1.0
"""Score of all parts where foreign ones cannot be learned."""


@dataclass(frozen=True, slots=True)
class NodePage:
    """A page to learn from, with its elements and their features."""

    page: GoldPage
    nodes: Nodes
    is_candidate: Flags  # per node, whether it may be chosen
    words: Floats  # per node, number of words
    good: Floats  # per node, number of words that are main text
    gold: int  # number of words of the gold text

    @property
    def f1(self) -> Floats:
        """Return per node its F1 as main text."""
        return 2 * self.good / (self.words + self.gold)

    @property
    def best(self) -> int:
        """Return the index of the best candidate; ties go to the outermost."""
        return int(np.argmax(np.where(self.is_candidate, self.f1, -1)))

    @property
    def best_f1(self) -> float:
        """F1 of the best candidate."""
        return float(self.f1[self.best])

    @property
    def right(self) -> Flags:
        """Tell per node whether it is the best candidate, or as good."""
        return self.is_candidate & (self.f1 >= self.best_f1 - NEAR_BEST)

    @property
    def foreign(self) -> Flags:
        """Tell per node whether less than half of its words are main text."""
        return self.good < self.words / 2

    def f1_of(self, choice: Choice) -> float:
        """F1 of the words of the chosen node without those of its foreign parts."""
        parts = list(choice.foreign)
        good = self.good[choice.text] - self.good[parts].sum()
        kept = self.words[choice.text] - self.words[parts].sum()
        return float(2 * good / (kept + self.gold))


def make_node_page(
    page: GoldPage, groups: tuple[str, ...] = GROUPS, candidates: frozenset[str] = MODERN_CANDIDATES
) -> NodePage | None:
    """Make the training example of `page`; None if it cannot be parsed or no candidate has gold text."""
    html = decode(Page.from_html(page.html, page.url))
    tree = html if isinstance(html, Rejected) else parse(html, page.url)
    if isinstance(tree, Rejected):
        return None
    nodes = describe(tree, PARTS, groups)
    # The visible words of the page in order, and between which of them each element stands
    page_words: list[str] = []
    begin: dict[HtmlElement, int] = {}
    spans: dict[HtmlElement, tuple[int, int]] = {}
    walk = etree.iterwalk(tree, events=("start", "end"))
    for event, element in walk:
        if event == "end":
            spans[element] = (begin[element], len(page_words))
            page_words += words(element.tail or "")
            continue
        begin[element] = len(page_words)
        if element.tag in INVISIBLE_TAGS:
            walk.skip_subtree()
        else:
            page_words += words(element.text or "")
    so_far = np.concatenate(([0], np.cumsum(match_words(page_words, page.text))))
    places = np.array([spans[element] for element in nodes.elements], np.int64).reshape(-1, 2)
    good = (so_far[places[:, 1]] - so_far[places[:, 0]]).astype(float)
    is_candidate = np.array([element.tag in candidates for element in nodes.elements], bool)
    if not good[is_candidate].any():
        return None
    amounts = (places[:, 1] - places[:, 0]).astype(float)
    return NodePage(page, nodes, is_candidate, amounts, good, len(words(page.text)))


@dataclass(frozen=True, slots=True)
class NodeScores:
    """Quality of the choices: means over pages."""

    pages: int
    right: float  # share where the chosen node is as good as the best
    around: float  # share where it is worse and contains the best
    f1: float  # of the words of the chosen node
    right_cleaned: float  # as `right`, without its foreign parts
    f1_cleaned: float  # as `f1`, without its foreign parts
    best_f1: float  # of the words of the best node
    chosen: float  # share where a node is chosen

    @property
    def overlap(self) -> Overlap:
        """Overlap of right choices (without foreign parts), choices and pages."""
        return Overlap(round(self.right_cleaned * self.pages), round(self.chosen * self.pages), self.pages)


def score_choices(
    pages: Sequence[NodePage], model: LinearModel, candidates: frozenset[str] = MODERN_CANDIDATES
) -> NodeScores:
    """Score the choices of `model` among `candidates`; `pages` were made with the same candidates."""
    scores = []
    for page in pages:
        choice = choose(page.nodes, model.score(page.nodes), candidates)
        if choice is None:
            scores.append((0.0, 0.0, 0.0, 0.0, 0.0, page.best_f1, 0.0))
            continue
        whole, cleaned = page.f1_of(Choice(choice.text, ())), page.f1_of(choice)
        least = page.best_f1 - NEAR_BEST
        holds_best = page.nodes.elements[choice.text] in page.nodes.elements[page.best].iterancestors()
        is_around = whole < least and holds_best
        scores.append((whole >= least, is_around, whole, cleaned >= least, cleaned, page.best_f1, 1.0))
    return NodeScores(len(pages), *np.mean(scores, axis=0).tolist())


def train_node_svm(source: TrainingPages, _progress: Progress) -> TrainedModel:
    """Train `node-svm` on the articles of `source`.

    Raises:
        LabError: no page has a single element that holds its text.
    """
    articles = first_of_each_set(source.articles, PAGES_A_SET)
    pages = [made for page in articles if (made := make_node_page(page)) and made.best_f1 >= LEAST_F1]
    training = [page for page in pages if not source.is_held_out(page.page.site)]
    held_out = [page for page in pages if source.is_held_out(page.page.site)]
    if not training:
        raise LabError(f"nothing can be learned: on no page one element holds the text (F1 {LEAST_F1} at least)")
    model = fit_nodes(training)
    return TrainedModel(
        name=MODEL,
        version=MODEL_VERSION,
        features=FEATURES,
        parameters=bias_parameter(model),
        weights=weights_file(model),
        packages=PACKAGES,
        data=source.describe(Counter(page.page.dataset for page in training)),
        scores={
            name: asdict(score_choices(list(of_set), model))
            for name, of_set in groupby(held_out, lambda p: p.page.dataset)
        },
        about=ABOUT,
        source=SOURCE,
        how=HOW,
        measure=MEASURE,
    )


def fit_nodes(pages: Sequence[NodePage]) -> LinearModel:
    """Fit a model without a name that has two outputs: the text, and foreign parts of it.

    Foreign parts are learned only from nodes inside the right one, where stage two looks for them. Long nodes weigh
    more, since losing one costs more.
    """
    generator = np.random.default_rng(SEED)
    nodes = [page.nodes for page in pages]
    around, inside = [], []  # per page the nodes to learn the text from, and those to learn foreign parts from
    for page in pages:
        elements = page.nodes.elements
        best = elements[page.best]
        within = set(best.iterdescendants())
        near = {best, *best.iterancestors(), *within}
        is_near = np.array([element in near for element in elements])
        around.append(draw_places(is_near, ~is_near, OTHERS, generator))
        is_within = np.array([element in within for element in elements])
        inside.append(np.flatnonzero(is_within & (page.words > 0)))
    size = _join([np.sqrt(page.words) for page in pages], inside)
    text = LinearSVC(C=TEXT_PENALTY, random_state=SEED)
    text.fit(join_rows(nodes, around), _join([page.right for page in pages], around))
    is_foreign = _join([page.foreign for page in pages], inside)
    if is_foreign.all() or not is_foreign.any():  # few pages of one source may have no foreign part
        return join_machines((text, LinearModel("", np.zeros((COLUMNS, 1)), np.array([KEPT]))))
    foreign = LinearSVC(C=FOREIGN_PENALTY, random_state=SEED)
    foreign.fit(join_rows(nodes, inside), is_foreign, sample_weight=size / size.mean())
    return join_machines((text, foreign))


def _join(values: Sequence[NDArray[Any]], places: Sequence[Integers]) -> NDArray[Any]:
    """Concatenate the values of each page at its places."""
    return np.concatenate([value[at] for value, at in zip(values, places, strict=True)])


def draw_places(wanted: Flags, others: Flags, limit: int, generator: np.random.Generator) -> Integers:
    """Return the sorted places of all `wanted` nodes of a page and of a random sample of at most `limit` `others`."""
    return np.union1d(np.flatnonzero(wanted), generator.permutation(np.flatnonzero(others))[:limit])


def join_rows(pages: Sequence[Nodes], places: Sequence[Integers]) -> csr_matrix:
    """Return the feature values of the nodes at the places of each page, a row for each node."""
    found = [(nodes, nodes.features_of(place)) for nodes, at in zip(pages, places, strict=True) for place in at]
    columns = [nodes.columns[features].astype(np.int32) for nodes, features in found]
    values = [nodes.values[features].astype(np.float32) for nodes, features in found]
    ends = np.cumsum([0, *map(len, columns)])
    return csr_matrix((np.concatenate(values), np.concatenate(columns), ends), shape=(len(found), COLUMNS))


def join_machines(machines: Sequence[LinearModel | LinearSVC]) -> LinearModel:
    """Return a model without a name that has the outputs of all machines."""
    models = [
        machine if isinstance(machine, LinearModel) else LinearModel("", machine.coef_.T, machine.intercept_)
        for machine in machines
    ]
    return LinearModel("", np.hstack([one.weights for one in models]), np.concatenate([one.bias for one in models]))


def weights_file(model: LinearModel) -> dict[str, bytes]:
    """Return the file of the shipped weights, in half precision, by name."""
    return {WEIGHTS: array_bytes(model.weights.astype(np.float16))}


def bias_parameter(model: LinearModel) -> dict[str, float | list[float]]:
    """Return the parameter of the shipped, rounded bias, by name."""
    return {BIAS: [round(float(value), 6) for value in model.bias]}
