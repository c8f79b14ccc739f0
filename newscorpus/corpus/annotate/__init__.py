"""Annotate a published corpus: sentences and tokens with lemma, tag and features, by tools of other people."""
