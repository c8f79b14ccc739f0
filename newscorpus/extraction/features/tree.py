"""A block's place in the tree: its parent, those like it, and how the page's prose lies around it."""

import numpy as np

from newscorpus.arrays import Floats, Integers
from newscorpus.extraction.features.amounts import Amounts, Columns
from newscorpus.extraction.features.structure import Structure, common_depth, main_container, sum_below


def measure_tree(structure: Structure, amounts: Amounts) -> Columns:
    """The features that the elements above a block give."""
    return {**_groups(structure, amounts), **_twins(structure), **_below(structure, amounts)}


def distance(structure: Structure, element: int) -> tuple[Integers, Integers]:
    """Per block how far `element` stands below what both have in common, and how far the block does."""
    common = common_depth(structure, element)[structure.block_element]
    return structure.depth[element] - common, structure.depth[structure.block_element] - common


def _groups(structure: Structure, amounts: Amounts) -> Columns:
    """Blocks of the same parent, and of the same path."""
    parents, paths = structure.block_parent, structure.path[structure.block_element]
    is_same_parent, is_same_path = parents[1:] == parents[:-1], paths[1:] == paths[:-1]
    parent_blocks, parent_words, parent_links, parent_prose = _totals(parents, amounts)
    path_blocks, path_words, path_links, path_prose = _totals(paths, amounts)
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
    }


def _totals(groups: Integers, amounts: Amounts) -> tuple[Integers, Floats, Floats, Floats]:
    """Per block of its group: blocks, words, link density and share of the page's prose."""
    words, links, length, prose = (
        np.bincount(groups, weights=values).astype(np.float64, copy=False)
        for values in (amounts.words, amounts.links, amounts.length, amounts.prose / max(amounts.prose.sum(), 1.0))
    )
    density = links / np.maximum(length, 1)
    return np.bincount(groups)[groups], words[groups], density[groups], prose[groups]


def _twins(structure: Structure) -> Columns:
    """How many elements share the path of an element above the block."""
    of_path = np.bincount(structure.path)[structure.path]
    parent = structure.block_parent
    grandparent = structure.parent[parent]
    return {
        "parent_twins": of_path[parent],
        "grandparent_twins": of_path[grandparent],
        "great_twins": of_path[structure.parent[grandparent]],
    }


def _below(structure: Structure, amounts: Amounts) -> Columns:
    """What lies below the elements above the block, and where the block stands from the boxes that hold the prose."""
    prose_below, words_below, links_below, length_below, blocks_below = sum_below(
        structure, amounts.prose, amounts.words, amounts.links, amounts.length, np.ones(len(amounts.words))
    )
    share_below = prose_below / max(prose_below[0], 1.0)
    density_below = links_below / np.maximum(length_below, 1)
    parent = structure.block_parent
    grandparent = structure.parent[parent]
    core = main_container(structure, prose_below, 0.9)
    gap, below = distance(structure, main_container(structure, prose_below, 0.5))
    return {
        "depth": structure.depth[structure.block_element],
        "parent_prose_below": share_below[parent],
        "grandparent_prose_below": share_below[grandparent],
        "great_prose_below": share_below[structure.parent[grandparent]],
        "element_words_share": amounts.words / np.maximum(words_below[parent], 1),
        "parent_link_below": density_below[parent],
        "grandparent_link_below": density_below[grandparent],
        "grandparent_blocks_below": blocks_below[grandparent],
        "in_core": (structure.block_element >= core) & (structure.block_element < structure.end[core]),
        "container_gap": gap,
        "container_below": below,
    }
