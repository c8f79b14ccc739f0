"""Amounts: how much of what a block holds, the numbers that most features are made of."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from newscorpus.arrays import Floats, Integers
from newscorpus.data import Block
from newscorpus.extraction.features.characters import Characters

Columns = dict[str, NDArray[Any] | float]
"""Features by name: a value a block, or one for all blocks of the page."""

TAG_CODES: Final = {
    "p": 1, "div": 2, "li": 3, "h1": 4, "h2": 5, "h3": 6, "h4": 7, "h5": 7, "h6": 7, "td": 8, "th": 8, "blockquote": 9,
    "figcaption": 10, "caption": 10, "figure": 10, "section": 11, "article": 11, "main": 11, "dt": 12, "dd": 12,
    "pre": 13,
}  # fmt: skip

PROSE_WORDS: Final = 10
PROSE_LINK_DENSITY: Final = 0.3


@dataclass(frozen=True, slots=True)
class Amounts:
    """What the blocks of a page hold; all arrays are per block, in whole numbers except the density.

    Attributes:
        words: words.
        length: characters.
        links: characters inside links, at most `length`.
        link_density: `links` of `length`.
        prose: words of blocks that look like running text (ten words or more, few of them in links, the end of a
            sentence); 0 for other blocks.
        tags_before: tags since the block before.
        tag: the element, as in `TAG_CODES`; 0 for others.
    """

    words: Floats
    length: Floats
    links: Floats
    link_density: Floats
    prose: Floats
    tags_before: Integers
    tag: Integers


def read_amounts(blocks: Sequence[Block], characters: Characters) -> Amounts:
    """The amounts of `blocks`, whose characters are counted already."""
    link_length = np.array([len(block.link_text) for block in blocks], np.int64)
    tags_before = np.array([block.tags_before for block in blocks], np.int64)
    tag = np.array([TAG_CODES.get(block.element.tag, 0) for block in blocks], np.int64)
    words, length = characters.words.count.astype(np.float64), characters.length.astype(np.float64)
    links = np.minimum(link_length, length)
    link_density = links / np.maximum(length, 1)
    is_prose = (words >= PROSE_WORDS) & (link_density < PROSE_LINK_DENSITY) & (characters.sentences > 0)
    return Amounts(words, length, links, link_density, np.where(is_prose, words, 0.0), tags_before, tag)
