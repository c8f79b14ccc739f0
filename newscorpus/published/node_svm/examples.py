"""Pages with gold text to what the node classifier learns from, and how right a choice of nodes is.

How right the choices of the node classifier are (Kazennikov 2013: correct is the right element).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from lxml import etree
from lxml.html import HtmlElement

from newscorpus.arrays import Flags, Floats
from newscorpus.data import Page, Rejected
from newscorpus.extraction.decode import decode
from newscorpus.extraction.nodes import GROUPS, LinearModel, Nodes, describe
from newscorpus.extraction.parse import parse
from newscorpus.extraction.segment import INVISIBLE_TAGS
from newscorpus.gold.align import match_words
from newscorpus.gold.pages import GoldPage
from newscorpus.published.node_svm.system import MODERN_CANDIDATES, PARTS, Choice, choose
from newscorpus.tokens import words

NEAR_BEST = 0.01
"""A node is the right one too where its F1 is below that of the best by no more: elements around it alone, say."""

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class NodePage:
    """A page to learn from.

    Attributes:
        page: the page with its gold text.
        nodes: its elements with their features.
        is_candidate: per node whether it may be chosen.
        words: per node the number of its words.
        good: per node how many of those are main text.
        gold: number of words of the gold text.
    """

    page: GoldPage
    nodes: Nodes
    is_candidate: Flags
    words: Floats
    good: Floats
    gold: int

    @property
    def f1(self) -> Floats:
        """Per node the F1 of its words, were it taken for the main text."""
        return 2 * self.good / (self.words + self.gold)

    @property
    def best(self) -> int:
        """Place of the best candidate; of equals the outermost."""
        return int(np.argmax(np.where(self.is_candidate, self.f1, -1)))

    @property
    def best_f1(self) -> float:
        """F1 of the best candidate."""
        return float(self.f1[self.best])

    @property
    def right(self) -> Flags:
        """Per node whether it is the candidate to choose, or as good as that."""
        return self.is_candidate & (self.f1 >= self.best_f1 - NEAR_BEST)

    @property
    def foreign(self) -> Flags:
        """Per node whether less than half of its words is main text."""
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
    """What there is to learn of `page`; None where it cannot be read, or no candidate holds gold text."""
    html = decode(Page.from_html(page.html, page.url))
    tree = html if isinstance(html, Rejected) else parse(html, page.url)
    if isinstance(tree, Rejected):
        return None
    nodes = describe(tree, PARTS, groups)
    page_words, spans = _words_of(tree)
    so_far = np.concatenate(([0], np.cumsum(match_words(page_words, page.text))))
    places = np.array([spans[element] for element in nodes.elements], np.int64).reshape(-1, 2)
    good = (so_far[places[:, 1]] - so_far[places[:, 0]]).astype(float)
    is_candidate = np.array([element.tag in candidates for element in nodes.elements], bool)
    if not good[is_candidate].any():
        return None
    amounts = (places[:, 1] - places[:, 0]).astype(float)
    return NodePage(page, nodes, is_candidate, amounts, good, len(words(page.text)))


def _words_of(tree: HtmlElement) -> tuple[list[str], Mapping[HtmlElement, Span]]:
    """The visible words of a page in order, and between which of them each element stands."""
    found: list[str] = []
    begin: dict[HtmlElement, int] = {}
    spans: dict[HtmlElement, Span] = {}
    walk = etree.iterwalk(tree, events=("start", "end"))
    for event, element in walk:
        if event == "end":
            spans[element] = (begin[element], len(found))
            found += words(element.tail or "")
            continue
        begin[element] = len(found)
        if element.tag in INVISIBLE_TAGS:
            walk.skip_subtree()
        else:
            found += words(element.text or "")
    return found, spans


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
