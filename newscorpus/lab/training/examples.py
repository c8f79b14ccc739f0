"""Make examples to learn from: the features and labels of the blocks of pages with gold text."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from newscorpus.arrays import Flags, Floats, Matrix
from newscorpus.data import Block, Element, Fields, Page, Rejected
from newscorpus.lab.gold.align import align
from newscorpus.lab.gold.conventions import LISTS_MISSING
from newscorpus.lab.gold.pages import GoldPage
from newscorpus.page.extractor import read
from newscorpus.page.text.features import FEATURES, Hints, PageFeatures, measure

MAX_CAPTION_WORDS = 60
"""The text of an element that has more, and whose class speaks of pictures, is taken for text."""

_WORDS, _CAPTION, _CAPTION_CLASS = (
    tuple(FEATURES).index(name) for name in ("words", "in_figcaption", "own_class_caption")
)


@dataclass(frozen=True, slots=True)
class Example:
    """A page to learn from, with its blocks, fields and features."""

    page: GoldPage
    blocks: tuple[Block, ...]
    fields: Fields
    features: PageFeatures
    good: Floats  # per block, how much of it is main text, 0..1
    weight: Floats  # per block, how far that is to be trusted, 0..1


def make_example(page: GoldPage) -> Example | None:
    """The example that `page` makes; None where it cannot be read or has no blocks."""
    reading = read(Page.from_html(page.html, page.url), respect_paywall=False)
    if isinstance(reading, Rejected) or not reading.blocks:
        return None
    fields = reading.fields
    features = measure(reading.blocks, Hints(fields.title, fields.description, reading.article_body))
    labels = align(reading.blocks, page.text, page.title or fields.title)
    good, weight = labels.good.copy(), labels.weight.copy()
    matrix = features.matrix
    in_box = (matrix[:, _CAPTION_CLASS] > 0) & (_words_of_elements(reading.blocks, matrix) < MAX_CAPTION_WORDS)
    good[(matrix[:, _CAPTION] > 0) | in_box] = 0.0  # captions are not main text here, whatever a set's gold holds
    if page.dataset in LISTS_MISSING:
        weight[_items_amid(reading.blocks, good)] = 0.0
    return Example(page, reading.blocks, fields, features, good, weight)


def _words_of_elements(blocks: tuple[Block, ...], matrix: Matrix) -> Floats:
    """Per block the words of all blocks of its element: an article cut by `<br>` lies in one, with short blocks."""
    words: Counter[Element] = Counter()
    for block, number in zip(blocks, matrix[:, _WORDS].tolist(), strict=True):
        words[block.element] += number
    return np.array([words[block.element] for block in blocks])


def _items_amid(blocks: tuple[Block, ...], good: Floats) -> Flags:
    """Per block whether it is a list item between good blocks, and not good itself."""
    kept = np.flatnonzero(good > 0.5)
    amid: Flags = np.zeros(len(blocks), bool)
    if len(kept):
        amid[kept[0] : kept[-1]] = True
    return np.asarray(amid & (good < 0.5) & [block.tag == "li" for block in blocks])
