"""How right the choices of the node classifier are (Kazennikov 2013: correct is the right element)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from newscorpus.extraction.linear import LinearModel
from newscorpus.extractors.node_svm import Choice, choose
from newscorpus.learning.nodes import NEAR_BEST, NodePage


@dataclass(frozen=True, slots=True)
class NodeScores:
    """How right the choices on some pages are.

    Attributes:
        pages: number of pages.
        right: share on which the chosen node is as good as the best.
        around: share on which it is not, and holds the best.
        f1: mean F1 of its words.
        right_cleaned: share on which it is, less its foreign parts.
        f1_cleaned: mean F1 likewise.
        best_f1: mean F1 of the best nodes.
    """

    pages: int
    right: float
    around: float
    f1: float
    right_cleaned: float
    f1_cleaned: float
    best_f1: float


def score_choices(pages: Sequence[NodePage], model: LinearModel, candidates: frozenset[str]) -> NodeScores:
    """How right the choices of `model` among `candidates` are; `pages` were made with the same."""
    chosen = [_judge(page, model, candidates) for page in pages]
    return NodeScores(len(pages), *np.mean(chosen, axis=0).tolist())


def _judge(page: NodePage, model: LinearModel, candidates: frozenset[str]) -> tuple[float, ...]:
    choice = choose(page.nodes, model.score(page.nodes), candidates)
    if choice is None:
        return 0.0, 0.0, 0.0, 0.0, 0.0, page.best_f1
    whole, cleaned = page.f1_of(Choice(choice.text, ())), page.f1_of(choice)
    least = page.best_f1 - NEAR_BEST
    holds_best = page.nodes.elements[choice.text] in page.nodes.elements[page.best].iterancestors()
    return whole >= least, whole < least and holds_best, whole, cleaned >= least, cleaned, page.best_f1
