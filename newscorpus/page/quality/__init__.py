"""Decide which articles belong in a corpus, and flag those that do; docs/quality.md lists the filters."""

from newscorpus.page.quality.judge import FILTERS, TAGS, judge_quality, tags_of

__all__ = ["FILTERS", "TAGS", "judge_quality", "tags_of"]
