"""Candidates of a page for one field, and which of them to prefer by their source alone."""

from collections.abc import Iterable
from dataclasses import dataclass

from newscorpus.data import Evidence

TRUST = (
    "template", "portal", "json-ld", "microdata", "meta", "sitemap", "feed", "text", "time-tag", "heading", "learned",
    "url",
)  # fmt: skip
"""Sources, the most trusted first: a portal's own rules, then what sites write for machines, then what people see."""
RANKS = {source: rank for rank, source in enumerate(TRUST)}


def of_field(field: str, evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """The candidates for `field`, by trust in their source; within a source in the order in which it gave them."""
    return tuple(sorted([item for item in evidence if item.field == field], key=lambda item: RANKS[item.source]))


def of_best_source(candidates: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    """The candidates that share the source of the first one."""
    return tuple(item for item in candidates if item.source == candidates[0].source)


@dataclass(frozen=True, slots=True)
class Decided:
    """The value of a field and the source it came from; both empty where there is none."""

    value: str = ""
    source: str = ""
