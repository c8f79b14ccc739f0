"""Turn the bytes of a page into a judgement: a row of the corpus, or a rejection with its reason."""
