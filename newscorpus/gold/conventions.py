"""What is peculiar to each set of pages with gold text: the one place where the evaluation knows a set by name."""

ARTICLE = "article"

HEADLINE_IN_GOLD = frozenset({"cleaneval"})
"""Sets whose gold holds the headline: there the headline that an extractor gives apart is put before its text."""

NO_ARTICLE = frozenset({"collection", "listing", "product", "service"})
"""Kinds of page that an extractor should reject. Forum and documentation pages hold running text: either is right."""


def has_article(page_type: str) -> bool:
    """Whether text scores count a page of this type; sets that tell no types apart ("") hold articles only."""
    return page_type in ("", ARTICLE)


def as_gold_has_it(dataset: str, title: str, text: str) -> str:
    """An extracted text in the convention of the set's gold.

    Args:
        dataset: name of the set.
        title: the headline as the extractor gives it, or "".
        text: the main text; where it opens with the headline already, nothing is added.
    """
    if dataset in HEADLINE_IN_GOLD and title and not text.lstrip().startswith(title):
        return f"{title}\n{text}"
    return text
