"""Which blocks of a page are main text by the text that is known of it."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from newscorpus.data import Block
from newscorpus.learning.align import align
from newscorpus.learning.pages import GoldPage
from newscorpus.text import paragraphs

Flags = NDArray[np.bool_]
Label = Callable[[Sequence[Block], GoldPage], Flags]
"""Per block of a page whether it is main text."""

GOOD_SHARE = 0.5
"""Least share of a block that is gold text, for labels by alignment."""


def label_exactly(blocks: Sequence[Block], page: GoldPage) -> Flags:
    """Good is a block that says the same as a paragraph of the text (Brezovnik 2021, distant supervision)."""
    gold = set(paragraphs(page.text))
    return np.array([block.text in gold for block in blocks], bool)


def label_by_alignment(blocks: Sequence[Block], page: GoldPage) -> Flags:
    """Good is a block of which at least half is gold text, however the gold text is cut."""
    return np.asarray(align(blocks, page.text, page.title).good >= GOOD_SHARE)


LABELS: Mapping[str, Label] = {"exact": label_exactly, "aligned": label_by_alignment}
"""The ways to label blocks, by name."""
