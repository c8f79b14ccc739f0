"""Reproduce the Slovene decision tree (Brezovnik 2021, Ljubljana): shallow features of text blocks, rules around it.

Blocks are separated by h1 to h6, p and div; of links only the words in them count. Twelve features: four of the block,
of the previous and of the next one. The rules are those of Boilerpipe (Kohlschütter et al. 2010), in published order.

Published: similarity of characters 0.940 (Boilerpipe 0.846) on the test set, of Slovene portals. To
reproduce: `python -m benchmarks.reproduce DATA --only shallow_tree`.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from newscorpus.arrays import Matrix
from newscorpus.artifacts import Artifact, Scorer, load_artifact
from newscorpus.config import RULE_SETS, Revision
from newscorpus.data import Block
from newscorpus.lab.systems.blocks import BlockSystem, keep_good, neighbour_names, with_neighbours
from newscorpus.page.extractor import PreparedPage, SystemExtractor
from newscorpus.page.parsing.segment import segment
from newscorpus.page.template import TemplateRules
from newscorpus.tokens import count_words, words

LINE_COLUMNS = 80
"""Width at which the text is wrapped (Kohlschütter et al. 2010, section 3.3)."""


def text_density(text: str) -> float:
    """Return the words per line of `text` wrapped at `LINE_COLUMNS`, without the last line unless it is the only one.

    Kohlschütter and Nejdl (2008, "A Densitometric Approach to Web Page Segmentation", CIKM; section 3). As in
    Boilerpipe, a word takes its characters and one column more, punctuation none.
    """
    full_lines = in_full_lines = in_line = column = 0
    for word in words(text):
        column += len(word) + 1
        if column > LINE_COLUMNS and in_line:
            full_lines += 1
            in_full_lines += in_line
            in_line, column = 0, len(word)
        in_line += 1
    return in_full_lines / full_lines if full_lines else float(in_line)


MODEL: Final = "shallow-tree"

BEFORE_TREE: Final = 2
"""Number of the first rules of the thesis, which precede the tree."""

BLOCK_TAGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "p", "div"})

FEATURES: Final = neighbour_names(("words", "link_words", "text_density", "link_density"))
"""Words, words in links, words per line, share of words in links; the same of both neighbours."""


def make_system(artifact: Artifact, revision: Revision = Revision()) -> BlockSystem:
    """Make the system of a trained tree; the score of a block is the share of good blocks in its leaf.

    In the thesis the rules of terminating blocks and of the title precede the tree, which decides on all blocks: they
    only mark blocks for later rules, which here know them by their words.
    """
    tree = Scorer(artifact)
    revision = revision.or_else(Revision(RULE_SETS["brezovnik"][BEFORE_TREE:]))
    return BlockSystem(tree.name, cut, lambda blocks: tree(measure(blocks))[:, 1], revision, good_above=0.5)


def load(name: str, template: TemplateRules | None, model: str, revision: Revision) -> SystemExtractor:
    """Load the system with the shipped model or another."""
    return keep_good(make_system(load_artifact(model or name, FEATURES), revision), template)


def cut(prepared: PreparedPage) -> tuple[Block, ...]:
    """Return the text blocks of a parsed page."""
    return segment(prepared.tree, block_tags=BLOCK_TAGS)


def measure(blocks: Sequence[Block]) -> Matrix:
    """Return the features of a page's `blocks`: shape (blocks, 12), columns as in `FEATURES`."""
    own = [(count_words(block.text), count_words(block.link_text), text_density(block.text)) for block in blocks]
    rows = [(n_words, linked, density, linked / max(n_words, 1)) for n_words, linked, density in own]
    return with_neighbours(np.array(rows, np.float32).reshape(-1, 4))
