"""Turn blocks into a matrix of features, one row a block.

No feature knows a language: they count characters, words and marks, look at the block's place in the tree, and compare
it with the rest of the page and with what the page's head says of its article.
"""

from newscorpus.page.text.features.measure import FEATURES, Hints, PageFeatures, measure

__all__ = ["FEATURES", "Hints", "PageFeatures", "measure"]
