"""Score what may read a portal's pages on those that a person marked: the model, its profile, its template."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from newscorpus.config import Limits
from newscorpus.data import Article, Page
from newscorpus.evaluation.scores import Estimate, estimate, ngram_scores
from newscorpus.gold.pages import GoldPage, PagesError, read_pages
from newscorpus.portals.portal import Portal
from newscorpus.profiles.profile import ProfileFile
from newscorpus.recipe import Recipe, SourcePage, extract_article, extractor_of, page_of_portal
from newscorpus.workers import Lost, in_order

FEWEST = 2
"""Marked pages of which there is an interval."""
Z: Final = 1.96
"""Standard errors to each side of a mean in its 95 % interval."""
MOST_PAGES = 1_000
"""Pages that nobody marks for a difference that small."""


@dataclass(frozen=True, slots=True)
class ReaderScore:
    """How one of the readers did."""

    name: str  # "model", "profile" or "template"
    f1: Estimate  # mean page F1 of word 4-grams


@dataclass(frozen=True, slots=True)
class Lead:
    """By how much the best reader leads another one."""

    best: str
    other: str
    by: Estimate  # mean difference of page F1, paired by page
    more_pages: int | None  # to be marked until the interval shuts out 0; 0: it does so; None: more than `MOST_PAGES`


@dataclass(frozen=True, slots=True)
class PortalScore:
    """What came of scoring a portal."""

    pages: int
    readers: tuple[ReaderScore, ...]
    leads: tuple[Lead, ...]  # over every other reader


def score(
    portal: Portal,
    gold: Path,
    recipe: Recipe,
    profile: ProfileFile | None = None,
    jobs: int = 1,
    watch: Callable[[Iterable[Any]], Iterable[Any]] = lambda found: found,
) -> PortalScore:
    """Score the readers of a portal.

    Args:
        portal: whose file says the template, if it has one; the version of the day on which a page was fetched counts.
        gold: file of marked pages; those of other sites, and those without a text, are passed over.
        recipe: how pages are extracted.
        profile: of the portal; None: it is not scored.
        jobs: number of processes.
        watch: shows the progress.

    Raises:
        PagesError: the file cannot be read, or has fewer than two pages of the portal.
        ValueError, ImportError: the recipe is wrong.
    """
    pages = [page for page in read_pages(gold) if page.text and (not page.url or portal.covers(page.url))]
    if len(pages) < FEWEST:
        raise PagesError(f"{gold}: {len(pages)} marked pages of {portal.name}; {FEWEST} are the least")
    given = [one for page in pages for one in _read_by_all(page, portal, profile)]
    results = watch(in_order(partial(_f1, recipe), given, jobs, Limits().page_seconds))
    scores: dict[str, list[float]] = {}
    for (name, _, _), found in results:
        scores.setdefault(name, []).append(0.0 if isinstance(found, Lost) else found)
    readers = tuple(ReaderScore(name, _mean(f1s)) for name, f1s in scores.items())
    best = max(readers, key=lambda one: one.f1.value).name
    others = (name for name in scores if name != best)
    return PortalScore(len(pages), readers, tuple(_lead(best, name, scores) for name in others))


Reader = tuple[str, SourcePage, str]
"""The name of a reader, a page with what it goes by, and the gold text."""


def _read_by_all(gold: GoldPage, portal: Portal, profile: ProfileFile | None) -> Iterable[Reader]:
    page = page_of_portal(Page.from_html(gold.html, gold.url, gold.fetched), portal)
    yield "model", replace(page, template=None), gold.text
    if profile:
        yield "profile", replace(page, template=None, profile=profile), gold.text
    if portal.templates:
        yield "template", replace(page, profile=profile), gold.text


def _f1(recipe: Recipe, reader: Reader) -> float:
    _, page, text = reader
    found = extract_article(extractor_of(recipe, page), page)
    return ngram_scores(found.text if isinstance(found, Article) else "", text).f1


def _mean(values: Sequence[float]) -> Estimate:
    return estimate(np.array([(1.0, value) for value in values]), lambda sums: sums[:, 1] / sums[:, 0])


def _lead(best: str, other: str, scores: dict[str, list[float]]) -> Lead:
    differences = [ours - theirs for ours, theirs in zip(scores[best], scores[other], strict=True)]
    by = _mean(differences)
    return Lead(best, other, by, 0 if by.low > 0 else _more_pages(differences))


def _more_pages(differences: Sequence[float]) -> int | None:
    """How many pages more it takes until the interval of the mean shuts out 0, if mean and spread stay as they are."""
    mean, spread = float(np.mean(differences)), float(np.std(differences, ddof=1))
    wanted = (Z * spread / mean) ** 2 if mean else math.inf
    return max(1, math.ceil(wanted) - len(differences)) if wanted <= MOST_PAGES else None
