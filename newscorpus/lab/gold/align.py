"""Align gold text to the blocks of a page, to label which of them are main text.

Gold texts are not divided into blocks as the page is, and the sets differ in what they keep. Labels are therefore soft:
the share of a block's words that are in word 4-grams of the gold text and in order with the other matched words.
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
"""Whether each block of a page is main text."""

N = 4
"""Words of an n-gram, as in the evaluation score."""

GOOD_SHARE = 0.5
"""Minimum share of gold text in a good block, for labels by alignment."""

TWIN_WEIGHT = 0.3
"""Weight of the label of a block whose gold text was matched to another block of the page (a guess)."""


@dataclass(frozen=True, slots=True)
class SoftLabels:
    """Labels of the blocks of one page."""

    good: Floats  # share of each block that is main text, 0..1
    weight: Floats  # confidence in that label, 0..1


def align(blocks: Sequence[Block], gold: str, title: str = "") -> SoftLabels:
    """Label `blocks` by the `gold` text; a block that only repeats the `title` is never main text.

    The words of page and gold are matched by their longest common subsequence, so of two copies on the page one is
    matched. A block shorter than an n-gram is good if all its words are matched as one piece, which is not inside the
    match of another block.
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
    """Tell for each word of a page whether it is main text: matched to `gold` and in one of its 4-grams."""
    page_words, gold_words = [word.lower() for word in page], _lower_words(gold)
    grams = {tuple(gold_words[at : at + N]) for at in range(len(gold_words) - N + 1)}
    return _covered(page_words, grams) & (_match(page_words, gold_words) >= 0)


def _lower_words(text: str) -> list[str]:
    return [word.lower() for word in words(text)]


def _covered(text: list[str], grams: set[tuple[str, ...]]) -> Flags:
    """Tell for each word of `text` whether it is in one of the `grams`."""
    hit = np.zeros(len(text), bool)
    for at in range(len(text) - N + 1):
        if tuple(text[at : at + N]) in grams:
            hit[at : at + N] = True
    return hit


def _match(page: list[str], gold: list[str]) -> Integers:
    """Return for each word of `page` the index of the matched word of `gold`, or -1."""
    places = np.full(len(page), -1, np.int64)
    for operation in LCSseq.opcodes(page, gold):
        if operation.tag == "equal":
            size = operation.src_end - operation.src_start
            places[operation.src_start : operation.src_end] = np.arange(
                operation.dest_start, operation.dest_start + size
            )
    return places


def _is_one_piece(matched: Integers, word_of_gold: Integers, ends: Integers) -> bool:
    """Tell whether a short block is matched as a whole, and not inside the match of another block."""
    if matched[0] < 0 or (np.diff(matched) != 1).any() or (matched < 0).any():
        return False
    before = word_of_gold[matched[0] - 1] if matched[0] else -1
    after = word_of_gold[matched[-1] + 1]
    block_before, block_after = np.searchsorted(ends, (before, after), side="right")
    return bool(before < 0 or after < 0 or block_before != block_after)


def _is_taken(text: list[str], matched: Integers, word_of_gold: Integers, page: list[str]) -> bool:
    """Tell whether a short block took its words from the beginning of a longer block (a tie of the matching)."""
    after = int(word_of_gold[matched[-1] + 1])
    start = after - len(text)
    if start < 0 or page[start:after] != text:
        return False
    return not np.isin(np.arange(start, after), word_of_gold).any()


def label_exactly(blocks: Sequence[Block], page: GoldPage) -> Flags:
    """Label the blocks good that equal a paragraph of the text (Brezovnik 2021, distant supervision)."""
    gold = set(paragraphs(page.text))
    return np.array([block.text in gold for block in blocks], bool)


def label_by_alignment(blocks: Sequence[Block], page: GoldPage) -> Flags:
    """Label the blocks good of which at least half is gold text."""
    return np.asarray(align(blocks, page.text, page.title).good >= GOOD_SHARE)


LABELLERS: Mapping[str, Labeller] = {"exact": label_exactly, "aligned": label_by_alignment}
"""The ways to label blocks, by name."""
