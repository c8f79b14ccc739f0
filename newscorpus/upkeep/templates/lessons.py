"""Lay out pages whose articles are known, so that rules can be tried on them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np
from lxml import etree
from lxml.html import HtmlElement

from newscorpus.arrays import Flags, Floats, Integers
from newscorpus.config import Limits
from newscorpus.data import Article, Rejected
from newscorpus.extraction.extractor import parse_page
from newscorpus.extraction.fields.people import squeezed
from newscorpus.extraction.segment import segment
from newscorpus.portals.rules import compile_rules
from newscorpus.profiles.learn import sample_key
from newscorpus.recipe import Recipe, SourcePage, extract_article, extractor_of
from newscorpus.tokens import count_words
from newscorpus.workers import in_order

MOST_LESSONS = 40
"""Pages that rules are learned from at most: their trees lie in memory, and more hardly change a rule."""
CACHED = 20_000


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """A page whose article is known: its tree, and which of its blocks are main text."""

    page: SourcePage
    article: Article  # by the model, without a template
    tree: HtmlElement
    nodes: tuple[Any, ...]  # of the tree, in document order
    number: Mapping[Any, int]  # of each node among them
    ends: Integers  # per node, the number of the last one inside it
    at: Integers  # per block, the number of the element that holds it
    words: Floats  # per block
    good: Flags  # per block, whether its text is part of the article

    def found(self, rule: str) -> list[Any]:
        """What a rule finds."""
        found: Any = _compiled(rule)(self.tree)  # nodes only: `compile_rules` refuses rules that compute a value
        return list(found)

    def covered(self, rule: str) -> Flags:
        """Per block, whether it lies in an element that a rule finds."""
        found = np.zeros(len(self.at), np.bool_)
        for element in self.found(rule):
            found |= self.inside(element)
        return found

    def inside(self, element: Any) -> Flags:
        """Per block, whether it lies in an element."""
        first = self.number[element]
        return np.asarray((self.at >= first) & (self.at <= self.ends[first]))

    def values(self, field: str) -> tuple[str, ...]:
        """What is known of a field."""
        held = getattr(self.article.fields, field)
        return held if isinstance(held, tuple) else (held,) if held else ()


@lru_cache(CACHED)
def _compiled(rule: str) -> etree.XPath:
    return compile_rules(rule)


def solve(
    recipe: Recipe,
    pages: Iterable[SourcePage],
    jobs: int = 1,
    watch: Callable[[Iterable[Any]], Iterable[Any]] = lambda found: found,
) -> list[Lesson]:
    """Let the model read pages without their templates, and lay out those with an article.

    Args:
        recipe: how pages are extracted.
        pages: of one portal; of more than `MOST_LESSONS` a sample by their addresses.
        jobs: number of processes.
        watch: shows the progress.

    Raises:
        ValueError, ImportError: the recipe is wrong.
    """
    chosen = sorted(pages, key=lambda page: sample_key(page.page.url))[:MOST_LESSONS]
    given = [replace(page, template=None) for page in chosen]
    found = watch(article for _, article in in_order(partial(_extract, recipe), given, jobs, Limits().page_seconds))
    pairs = [(page, article) for page, article in zip(given, found, strict=True) if isinstance(article, Article)]
    return [lesson for page, article in pairs if (lesson := lay_out(page, article))]


def _extract(recipe: Recipe, page: SourcePage) -> Article | Rejected:
    return extract_article(extractor_of(recipe, page), page)


def lay_out(page: SourcePage, article: Article) -> Lesson | None:
    """Lay out a page; None where no block of it is part of the article, such as one that only scripts show."""
    parsed = parse_page(page.page)
    if isinstance(parsed, Rejected):
        return None
    nodes = tuple(parsed.tree.iter())
    numbered = deepcopy(parsed.tree)
    for number, node in enumerate(numbered.iter()):
        if isinstance(node.tag, str):
            node.set("id", str(number))
    blocks = segment(numbered)
    wanted = set(map(squeezed, article.text.split("\n")))
    good = np.array([squeezed(block.text) in wanted for block in blocks], np.bool_)
    if not good.any():
        return None
    return Lesson(
        page,
        article,
        parsed.tree,
        nodes,
        {node: number for number, node in enumerate(nodes)},
        _ends(nodes),
        np.array([int(block.element.id) for block in blocks]),
        np.array([count_words(block.text) for block in blocks], np.float64),
        good,
    )


def _ends(nodes: Sequence[Any]) -> Integers:
    """The number of the last node inside each."""
    ends = np.arange(len(nodes))
    number = {node: at for at, node in enumerate(nodes)}
    for at in range(len(nodes) - 1, 0, -1):
        around = number[nodes[at].getparent()]
        ends[around] = max(ends[around], ends[at])
    return ends
