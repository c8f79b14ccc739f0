"""Decide which articles belong in a corpus, and flag those that do; docs/quality.md lists the filters."""
