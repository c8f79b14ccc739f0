"""Align gold text to the blocks of a page, to label which of them are main text.

Gold texts are not cut as the page is, and the sets differ in what they keep. A block's label is therefore soft: the
share of its words that lie in word 4-grams of the gold text and in order with the rest of what was found.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from rapidfuzz.distance import LCSseq

from newscorpus.arrays import Flags, Floats, Integers
from newscorpus.data import Block
from newscorpus.lab.gold.pages import GoldPage
from newscorpus.tokens import paragraphs, words

Labeller = Callable[[Sequence[Block], GoldPage], Flags]
"""Per block of a page whether it is main text."""

N = 4
"""Words of an n-gram, as in the evaluation score."""

GOOD_SHARE = 0.5
"""Minimum share of gold text in a good block, for labels by alignment."""

TWIN_WEIGHT = 0.3
"""Weight of labels of gold text that was matched to another block of the page (a guess)."""


@dataclass(frozen=True, slots=True)
class SoftLabels:
    """How much of each block of one page is main text."""

    good: Floats  # per block, how much of it is main text, 0..1
    weight: Floats  # per block, how far the label is to be trusted, 0..1


def align(blocks: Sequence[Block], gold: str, title: str = "") -> SoftLabels:
    """Label `blocks` by the `gold` text; a block that only repeats the `title` is never main text.

    The words of page and gold are matched by their longest common subsequence, so that of text that stands on the page
    twice one copy is matched. A block shorter than an n-gram is good when all its words are matched in one piece, and
    not to the inside of what another block was matched to.
    """
    texts = [_lower_words(block.text) for block in blocks]
    gold_words = _lower_words(gold)
    grams = {tuple(gold_words[at : at + N]) for at in range(len(gold_words) - N + 1)}
    covered = [_covered(text, grams) for text in texts]
    page_words = list(chain.from_iterable(texts))
    places = _match(page_words, gold_words)
    ends = np.cumsum([len(text) for text in texts], dtype=np.int64)
    # Per gold word the index of the matched word of the page, or -1; one more -1 at the end.
    word_of_gold = np.full(len(gold_words) + 1, -1, np.int64)
    word_of_gold[places[places >= 0]] = np.flatnonzero(places >= 0)
    good = np.zeros(len(texts))
    weight = np.ones(len(texts))
    for at, (text, hits) in enumerate(zip(texts, covered, strict=True)):
        matched = places[ends[at] - len(text) : ends[at]]
        if len(text) >= N:
            good[at] = (hits & (matched >= 0)).mean()
            weight[at] = TWIN_WEIGHT if hits.mean() > 0.5 >= good[at] else 1.0
        elif len(text):
            good[at] = _is_one_piece(matched, word_of_gold, ends) and not _is_taken(
                text, matched, word_of_gold, page_words
            )
    title_words = _lower_words(title)
    good[[bool(text) and text == title_words for text in texts]] = 0.0
    return SoftLabels(good, weight)


def match_words(page: Sequence[str], gold: str) -> Flags:
    """Per word of the text of a whole page whether it is main text: matched to `gold`, and in one of its 4-grams."""
    page_words, gold_words = [word.lower() for word in page], _lower_words(gold)
    grams = {tuple(gold_words[at : at + N]) for at in range(len(gold_words) - N + 1)}
    return _covered(page_words, grams) & (_match(page_words, gold_words) >= 0)


def _lower_words(text: str) -> list[str]:
    return [word.lower() for word in words(text)]


def _covered(text: list[str], grams: set[tuple[str, ...]]) -> Flags:
    """Per word of `text` whether it lies in one of the `grams`."""
    hit = np.zeros(len(text), bool)
    for at in range(len(text) - N + 1):
        if tuple(text[at : at + N]) in grams:
            hit[at : at + N] = True
    return hit


def _match(page: list[str], gold: list[str]) -> Integers:
    """Per word of `page` the index of the word of `gold` that it is matched to, or -1."""
    places = np.full(len(page), -1, np.int64)
    for operation in LCSseq.opcodes(page, gold):
        if operation.tag == "equal":
            size = operation.src_end - operation.src_start
            places[operation.src_start : operation.src_end] = np.arange(
                operation.dest_start, operation.dest_start + size
            )
    return places


def _is_one_piece(matched: Integers, word_of_gold: Integers, ends: Integers) -> bool:
    """Tell whether a short block is matched as a whole, and not inside what one other block is matched to."""
    if matched[0] < 0 or (np.diff(matched) != 1).any() or (matched < 0).any():
        return False
    before = word_of_gold[matched[0] - 1] if matched[0] else -1
    after = word_of_gold[matched[-1] + 1]
    block_before, block_after = np.searchsorted(ends, (before, after), side="right")
    return bool(before < 0 or after < 0 or block_before != block_after)


def _is_taken(text: list[str], matched: Integers, word_of_gold: Integers, page: list[str]) -> bool:
    """Whether a short block took its words from the beginning of a block that holds them too: a tie of the matching."""
    after = int(word_of_gold[matched[-1] + 1])
    start = after - len(text)
    if start < 0 or page[start:after] != text:
        return False
    return not np.isin(np.arange(start, after), word_of_gold).any()


def label_exactly(blocks: Sequence[Block], page: GoldPage) -> Flags:
    """Label a block good that equals a paragraph of the text (Brezovnik 2021, distant supervision)."""
    gold = set(paragraphs(page.text))
    return np.array([block.text in gold for block in blocks], bool)


def label_by_alignment(blocks: Sequence[Block], page: GoldPage) -> Flags:
    """Label a block good of which at least half is gold text, regardless of its paragraphs."""
    return np.asarray(align(blocks, page.text, page.title).good >= GOOD_SHARE)


LABELLERS: Mapping[str, Labeller] = {"exact": label_exactly, "aligned": label_by_alignment}
"""The ways to label blocks, by name."""
