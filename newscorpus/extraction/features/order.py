"""The maximum-sum interval, the heart of Body Text Extraction.

A block's place in the running order of the page: what stands before and after it.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from newscorpus.arrays import Floats
from newscorpus.extraction.features.amounts import TAG_CODES, Amounts, Columns
from newscorpus.extraction.features.structure import Structure
from newscorpus.extraction.features.tree import distance


def best_interval(gains: Sequence[int]) -> tuple[int, int]:
    """The interval `[i, j)` of `gains` with the largest sum; `(0, 0)` where no interval has a sum above 0.

    Linear time (Kadane's maximum-sum subarray). Of several intervals with that sum the one with the smallest i is
    taken, and of those the one with the smallest j.
    """
    best, best_start, best_end = 0, 0, 0
    total, start = 0, 0
    for index, gain in enumerate(gains):
        if total < 0:
            total, start = 0, index
        total += gain
        if total > best:
            best, best_start, best_end = total, start, index + 1
    return best_start, best_end


NEAR_BLOCKS: Final = 5
FAR_PROSE: Final = 50
"""Blocks; prose further off counts as this far."""

LEAST_LIKENESS: Final = 0.4
RANKS: Final = {"h1": 0.4, "h2": 0.2}
"""What being a heading adds to a block's likeness to the title."""


def measure_order(amounts: Amounts) -> Columns:
    """The features of position, and of the prose around the block."""
    words, prose = amounts.words, amounts.prose
    n = len(words)
    index = np.arange(n)
    all_words, all_prose = max(words.sum(), 1.0), max(prose.sum(), 1.0)
    return {
        "position": index / n,
        "words_before_share": (np.cumsum(words) - words) / all_words,
        "blocks": float(n),
        "page_words": all_words,
        "page_prose": prose.sum(),
        "page_p_share": prose[amounts.tag == TAG_CODES["p"]].sum() / all_prose,
        "prose_before": (np.cumsum(prose) - prose) / all_prose,
        **_prose_around(prose),
        **_interval(amounts),
    }


def _prose_around(prose: Floats) -> Columns:
    n = len(prose)
    index = np.arange(n)
    sums = np.zeros(n + 1)
    np.cumsum(prose, out=sums[1:])
    last = np.maximum.accumulate(np.where(prose > 0, index, -n))
    following = np.minimum.accumulate(np.where(prose > 0, index, 2 * n)[::-1])[::-1]
    return {
        "prose_near": sums[np.minimum(index + NEAR_BLOCKS + 1, n)] - sums[np.maximum(index - NEAR_BLOCKS, 0)],
        "since_prose": np.minimum(np.concatenate(([n], index[1:] - last[:-1])), FAR_PROSE),
        "until_prose": np.minimum(np.concatenate((following[1:] - index[:-1], [n])), FAR_PROSE),
    }


def _interval(amounts: Amounts) -> Columns:
    """The interval of Body Text Extraction, in which words outweigh tags most (Finn, Kushmerick and Smyth 2001)."""
    gains = np.empty(2 * len(amounts.words), np.int64)
    gains[0::2] = -amounts.tags_before
    gains[1::2] = amounts.words
    start, end = best_interval(gains.tolist())
    index = np.arange(len(amounts.words))
    outside = np.maximum(np.maximum(start // 2 - index, index - (end - 1) // 2), 0)
    return {
        "in_interval": (outside == 0) & (end > 0),
        "interval_distance": outside / len(index),
    }


def measure_headline(structure: Structure, amounts: Amounts, overlap: Floats, cover: Floats) -> Columns:
    """The features of the headline; `overlap` and `cover` tell how much a block and the title have in common."""
    is_first_rank, is_second_rank = amounts.tag == TAG_CODES["h1"], amounts.tag == TAG_CODES["h2"]
    rank = np.where(is_first_rank, RANKS["h1"], np.where(is_second_rank, RANKS["h2"], 0.0))
    columns: Columns = {
        "title_overlap": overlap,
        "title_cover": cover,
        "headings_before": np.cumsum(is_first_rank | is_second_rank),
    }
    at = _find_headline(overlap * cover + rank)
    if at < 0:
        names = ("headline_gap", "headline_below", "after_headline", "words_since_headline", "has_headline")
        return {**columns, **dict.fromkeys((*names, "headlines_since"), 0.0)}
    index = np.arange(len(rank))
    before = np.cumsum(amounts.words) - amounts.words
    gap, below = distance(structure, int(structure.block_element[at]))
    return {
        **columns,
        "headline_gap": gap,
        "headline_below": below,
        "after_headline": np.minimum(np.maximum(index - at, -50), 200),
        "words_since_headline": before - before[at],
        "has_headline": 1.0,
        "headlines_since": np.cumsum(is_first_rank & (index > at)),
    }


def _find_headline(likeness: Floats) -> int:
    """The block that is most like the title, headings of rank 1 and 2 before others; -1 where none is like it."""
    best = int(np.argmax(likeness))
    return best if likeness[best] >= LEAST_LIKENESS else -1
