"""Score the documents of an export by perplexity.

newscorpus export corpora/vesti --format parquet --output scored --scorer examples.language_model.scorer:perplexity

The model is trained, when the first text is scored, on the texts in the file that the variable TRAINING_TEXTS names:
one paragraph a line.
"""

import os
from functools import cache
from pathlib import Path

from examples.language_model.kneser_ney import Model, train_words
from newscorpus.tokens import paragraphs, words


@cache
def _model() -> Model:
    text = Path(os.environ["TRAINING_TEXTS"]).read_text("utf-8")
    return train_words(map(words, paragraphs(text)), len(set(text)))


def perplexity(text: str) -> dict[str, float]:
    """Return the perplexity per word, ends of paragraphs included."""
    found = [tuple(words(line)) for line in paragraphs(text)]
    tokens = sum(len(one) + 1 for one in found)
    return {"perplexity": 2 ** (_model().bits(found) / tokens) if tokens else 0.0}
