"""Say what is peculiar to each set of pages with gold text: no other module knows a set by its name."""

from collections.abc import Mapping

ARTICLE = "article"

NO_ARTICLE = frozenset({"collection", "listing", "product", "service"})
"""Kinds of page that an extractor should reject. Forum and documentation pages hold running text: either is right."""

HEADLINE_IN_GOLD = frozenset({"cleaneval"})
"""Sets whose gold holds the headline: there the headline that an extractor gives apart is put before its text."""

LISTS_MISSING = frozenset({"fundus"})
"""Sets whose gold lacks most list items: an item amid good blocks says nothing there."""

LICENCES: Mapping[str, str] = {"wcxb": "CC-BY-4.0", "fundus": "MIT", "daniel": "GPL-3.0", "dragnet": "AGPL-3.0"}
"""The sets whose licence allows to train shipped models on their texts, and that licence."""

TEXT_LICENCES: Mapping[str, str] = {**LICENCES, "misinformation": "MIT", "article_extraction": "Apache-2.0"}
"""The same for the default model; the published systems stay with the sets that their documented results are from."""

FIELD_LICENCES: Mapping[str, str] = {**LICENCES, "htmldate": "Apache-2.0"}
"""The same for title, date and authors; it has sets without gold text, too."""

SET_WEIGHTS: Mapping[str, float] = {
    "wcxb": 1.0, "fundus": 3.0, "daniel": 0.7, "dragnet": 0.7, "misinformation": 1.0, "article_extraction": 1.0,
}  # fmt: skip
"""How much a page counts in training: the small set of many languages more, those whose gold keeps bylines less."""


def has_article(page_type: str) -> bool:
    """Whether text scores count a page of this type; sets without types ("") hold articles only."""
    return page_type in ("", ARTICLE)


def as_gold_has_it(dataset: str, title: str, text: str) -> str:
    """Bring an extracted text into the form of the set's gold: the headline before it, unless it opens with that."""
    if dataset in HEADLINE_IN_GOLD and title and not text.lstrip().startswith(title):
        return f"{title}\n{text}"
    return text


PLATFORMS = frozenset({"posterous.com", "typepad.com"})
"""Domains whose hosts are sites of their own, beside those that the public suffix list names."""

ARCHIVE_DOMAINS = frozenset({"archive.org", "google.com"})
"""Domains that show pages of others: their pages are of no one site."""
