"""The article of several pages, from the articles of each."""

from collections.abc import Sequence
from dataclasses import replace

from newscorpus.data import Article

FLAG = "several_pages"


def join(first: Article, others: Sequence[Article]) -> Article:
    """`first` with the paragraphs of the pages that follow it; what was there before, such as the lead, comes once.

    The fields are those of the first page, and the confidence is the lowest of all.
    """
    lines = list(dict.fromkeys(line for article in (first, *others) for line in article.text.split("\n")))
    if lines == list(dict.fromkeys(first.text.split("\n"))):
        return first
    confidence = min(article.confidence for article in (first, *others))
    return replace(first, text="\n".join(lines), confidence=confidence, flags=(*first.flags, FLAG))
