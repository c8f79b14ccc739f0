"""Reproduce the element classifier (Kazennikov 2013, Moscow): a linear SVM on elements of the tree, in two stages.

Stage one chooses the candidate with the best score, stage two removes its foreign parts.

Published, share of right elements on held-out sites, by groups of features: 0.885 (first group) to 0.926 (all four) and
0.936 (two stages), trained on Lenta. To reproduce: `python -m benchmarks.reproduce DATA --only node_svm`.
"""

from copy import deepcopy
from dataclasses import dataclass
from functools import partial

import numpy as np
from lxml import etree
from lxml.html import HtmlElement

from newscorpus.arrays import Floats
from newscorpus.config import Revision
from newscorpus.data import Rejected
from newscorpus.page.extractor import FoundText, PreparedPage, SystemExtractor
from newscorpus.page.fields.nodes import LinearModel, Nodes, describe, load_linear
from newscorpus.page.parsing.segment import BLOCK_TAGS, segment
from newscorpus.page.template import TemplateRules

MODEL = "node-svm"
CANDIDATES = frozenset(("div", "span", "table", "td", "li", "h1", "h2", "h3", "h4", "h5", "h6"))
MODERN_CANDIDATES = CANDIDATES | {"article", "main", "section"}
"""The candidates of the paper, and newer HTML elements."""

PARTS = BLOCK_TAGS | {"span"}
"""Elements that stage two may remove."""

FOREIGN = "newscorpus-foreign"


@dataclass(frozen=True, slots=True)
class Choice:
    """Indices of the chosen nodes: the text, and its outermost foreign parts."""

    text: int
    foreign: tuple[int, ...]


def choose(nodes: Nodes, scores: Floats, candidates: frozenset[str] = MODERN_CANDIDATES) -> Choice | None:
    """Choose the candidate with the highest score (ties go to the first), and its foreign parts."""
    places = [place for place, element in enumerate(nodes.elements) if element.tag in candidates]
    if not places:
        return None
    text = places[int(np.argmax(scores[places, 0]))]
    inside = set(nodes.elements[text].iterdescendants())
    foreign: dict[HtmlElement, int] = {}  # in document order, so that outer elements come first
    for place, element in enumerate(nodes.elements):
        if scores[place, 1] > 0 and element in inside and foreign.keys().isdisjoint(element.iterancestors()):
            foreign[element] = place
    return Choice(text, tuple(foreign.values()))


def find(model: LinearModel, prepared: PreparedPage) -> FoundText | Rejected:
    """Return the text of the chosen element without its foreign parts and the headline; the model has two outputs."""
    nodes = describe(prepared.tree, PARTS)
    choice = choose(nodes, model.score(nodes)) if nodes.elements else None
    if choice is None:
        return Rejected("extract", "no_candidate", "no element that may hold the text", prepared.page.url)
    element = nodes.elements[choice.text]
    foreign = {nodes.elements[place] for place in choice.foreign}
    copy = deepcopy(element)
    for original, copied in zip(element.iter(), copy.iter(), strict=True):
        if original in foreign:
            copied.tag = FOREIGN
    etree.strip_elements(copy, FOREIGN, with_tail=False)
    found = [block.text for block in segment(copy)]
    paragraphs = [paragraph for paragraph in found if paragraph != prepared.fields.title]
    if not paragraphs:
        return Rejected("extract", "no_main_text", url=prepared.page.url)
    return FoundText(paragraphs, model.name)


def load(name: str, template: TemplateRules | None, model: str, _revision: Revision) -> SystemExtractor:
    """Load the system with the shipped model or another."""
    return SystemExtractor(partial(find, load_linear(model or name)), template)
