"""Decide which articles belong in a corpus, and flag those that do; docs/quality.md lists the filters."""

from newscorpus.page.quality.assess import FILTERS, TAGS, assess_quality, measures_of, tags_of

__all__ = ["FILTERS", "TAGS", "assess_quality", "measures_of", "tags_of"]
