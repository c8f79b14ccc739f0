"""Measure a block's place on its page: in the running order, from the headline, in the tree."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from newscorpus.arrays import Floats, Integers
from newscorpus.page.text.features.own import TAG_CODES, BlockAmounts, Columns
from newscorpus.page.text.features.structure import Structure, common_depth, main_container, sum_below

NEAR_BLOCKS: Final = 5
FAR_PROSE: Final = 50
"""Maximum distance to prose, in blocks."""

LEAST_LIKENESS: Final = 0.4
"""Minimum likeness of a headline to the title."""
RANKS: Final = {"h1": 0.4, "h2": 0.2}
"""Bonus of headings to the likeness to the title."""


def measure_order(amounts: BlockAmounts) -> Columns:
    """Measure position and surrounding prose."""
    words, prose = amounts.words, amounts.prose
    n = len(words)
    index = np.arange(n)
    all_words, all_prose = max(words.sum(), 1.0), max(prose.sum(), 1.0)
    # Body Text Extraction: tags before a block count against it, its words for it
    gains = np.empty(2 * n, np.int64)
    gains[0::2] = -amounts.tags_before
    gains[1::2] = amounts.words
    start, end = best_interval(gains.tolist())
    outside = np.maximum(np.maximum(start // 2 - index, index - (end - 1) // 2), 0)
    sums = np.zeros(n + 1)
    np.cumsum(prose, out=sums[1:])
    last = np.maximum.accumulate(np.where(prose > 0, index, -n))
    following = np.minimum.accumulate(np.where(prose > 0, index, 2 * n)[::-1])[::-1]
    return {
        "position": index / n,
        "words_before_share": (np.cumsum(words) - words) / all_words,
        "blocks": float(n),
        "page_words": all_words,
        "page_prose": prose.sum(),
        "page_p_share": prose[amounts.tag == TAG_CODES["p"]].sum() / all_prose,
        "prose_before": (np.cumsum(prose) - prose) / all_prose,
        "prose_near": sums[np.minimum(index + NEAR_BLOCKS + 1, n)] - sums[np.maximum(index - NEAR_BLOCKS, 0)],
        "since_prose": np.minimum(np.concatenate(([n], index[1:] - last[:-1])), FAR_PROSE),
        "until_prose": np.minimum(np.concatenate((following[1:] - index[:-1], [n])), FAR_PROSE),
        "in_interval": (outside == 0) & (end > 0),
        "interval_distance": outside / n,
    }


def best_interval(gains: Sequence[int]) -> tuple[int, int]:
    """Return the interval `[i, j)` of `gains` with the largest sum; `(0, 0)` where no sum exceeds 0.

    Linear time (Kadane's maximum-sum subarray). Ties go to the smallest i, then to the smallest j.
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


def measure_headline(structure: Structure, amounts: BlockAmounts, overlap: Floats, cover: Floats) -> Columns:
    """Measure places relative to the headline: the block most like the title, with a bonus for h1 and h2.

    `overlap` is the share of a block's words that occur in the title, `cover` the share of the title's words in it.
    """
    is_first_rank, is_second_rank = amounts.tag == TAG_CODES["h1"], amounts.tag == TAG_CODES["h2"]
    rank = np.where(is_first_rank, RANKS["h1"], np.where(is_second_rank, RANKS["h2"], 0.0))
    columns: Columns = {
        "title_overlap": overlap,
        "title_cover": cover,
        "headings_before": np.cumsum(is_first_rank | is_second_rank),
    }
    likeness = overlap * cover + rank
    at = int(np.argmax(likeness))
    if likeness[at] < LEAST_LIKENESS:
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


def distance(structure: Structure, element: int) -> tuple[Integers, Integers]:
    """Return per block the depths of `element` and of the block below their common ancestor."""
    common = common_depth(structure, element)[structure.block_element]
    return structure.depth[element] - common, structure.depth[structure.block_element] - common


def measure_tree(structure: Structure, amounts: BlockAmounts) -> Columns:
    """Measure the features of the elements above a block, and of the blocks that share its parent or path."""
    parent, paths = structure.block_parent, structure.path[structure.block_element]
    grandparent = structure.parent[parent]
    great = structure.parent[grandparent]
    is_same_parent, is_same_path = parent[1:] == parent[:-1], paths[1:] == paths[:-1]
    parent_blocks, parent_words, parent_links, parent_prose = _totals(parent, amounts)
    path_blocks, path_words, path_links, path_prose = _totals(paths, amounts)
    twins = np.bincount(structure.path)[structure.path]
    prose_below, words_below, links_below, length_below, blocks_below = sum_below(
        structure, amounts.prose, amounts.words, amounts.links, amounts.length, np.ones(len(amounts.words))
    )
    share_below = prose_below / max(prose_below[0], 1.0)
    density_below = links_below / np.maximum(length_below, 1)
    core = main_container(structure, prose_below, 0.9)
    gap, below = distance(structure, main_container(structure, prose_below, 0.5))
    return {
        "parent_blocks": parent_blocks,
        "parent_words": parent_words,
        "parent_link_density": parent_links,
        "parent_prose_share": parent_prose,
        "path_blocks": path_blocks,
        "path_words": path_words / path_blocks,
        "path_link_density": path_links,
        "path_prose_share": path_prose,
        "same_parent_before": np.concatenate(([False], is_same_parent)),
        "same_parent_after": np.concatenate((is_same_parent, [False])),
        "same_path_before": np.concatenate(([False], is_same_path)),
        "same_path_after": np.concatenate((is_same_path, [False])),
        "parent_twins": twins[parent],
        "grandparent_twins": twins[grandparent],
        "great_twins": twins[great],
        "depth": structure.depth[structure.block_element],
        "parent_prose_below": share_below[parent],
        "grandparent_prose_below": share_below[grandparent],
        "great_prose_below": share_below[great],
        "element_words_share": amounts.words / np.maximum(words_below[parent], 1),
        "parent_link_below": density_below[parent],
        "grandparent_link_below": density_below[grandparent],
        "grandparent_blocks_below": blocks_below[grandparent],
        "in_core": (structure.block_element >= core) & (structure.block_element < structure.end[core]),
        "container_gap": gap,
        "container_below": below,
    }


def _totals(groups: Integers, amounts: BlockAmounts) -> tuple[Integers, Floats, Floats, Floats]:
    """Return per block its group's number of blocks, words, link density and share of the page's prose."""
    words, links, length, prose = (
        np.bincount(groups, weights=values).astype(np.float64, copy=False)
        for values in (amounts.words, amounts.links, amounts.length, amounts.prose / max(amounts.prose.sum(), 1.0))
    )
    density = links / np.maximum(length, 1)
    return np.bincount(groups)[groups], words[groups], density[groups], prose[groups]
