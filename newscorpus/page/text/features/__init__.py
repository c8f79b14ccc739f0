"""Turn blocks into a matrix of features, one row per block.

No feature depends on a language: they count characters, words and marks, describe the block's place in the tree, and
compare it with the rest of the page and with the texts in its head.
"""

from newscorpus.page.text.features.measure import FEATURES, Hints, PageFeatures, measure

__all__ = ["FEATURES", "Hints", "PageFeatures", "measure"]
