"""Estimate figures that follow from sums over pages, with bootstrap intervals."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from newscorpus.arrays import Floats

ROUNDS = 1_000
"""Samples drawn, as in the article-extraction-benchmark (Scrapinghub 2020)."""
INTERVAL_PERCENT = (2.5, 97.5)
SEED = 0


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with the ends of its 95 % interval."""

    value: float
    low: float
    high: float


def estimate(
    pages: Floats, figure: Callable[[Floats], Floats], groups: Sequence[str] | None = None, seed: int = SEED
) -> Estimate:
    """Estimate a figure over all pages, with its percentile bootstrap interval.

    Args:
        pages: what each page adds to the sums, shape (pages, columns).
        figure: sums of shape (n, columns) to n figures.
        groups: one name a page, such as its domain: whole groups are drawn then, not pages.
        seed: of the random draw.

    Raises:
        ValueError: there are no pages.
    """
    if not len(pages):
        raise ValueError("no pages to estimate from")
    units = pages
    if groups is not None:
        names, index = np.unique(np.asarray(groups), return_inverse=True)
        units = np.zeros((len(names), pages.shape[1]))
        np.add.at(units, index, pages)
    n = len(units)
    drawn = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=ROUNDS)
    low, high = np.percentile(figure(drawn @ units), INTERVAL_PERCENT)
    return Estimate(float(figure(units.sum(axis=0, keepdims=True))[0]), float(low), float(high))
