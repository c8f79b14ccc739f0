"""Whether an extractor's confidence means what it says: of the texts given 0.9, about nine in ten are good."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean

from newscorpus.evaluation.compare import PageResult
from newscorpus.evaluation.conventions import has_article

GOOD_F1 = 0.9
"""A text is good from this page F1 on."""
BINS = 10


@dataclass(frozen=True, slots=True)
class ConfidenceBin:
    """Texts of one extractor whose confidence lies in one tenth of 0..1.

    Attributes:
        extractor: name.
        pages: number of texts.
        confidence: their mean confidence.
        good: share of them that are good; equals `confidence` where that is calibrated.
    """

    extractor: str
    pages: int
    confidence: float
    good: float


def summarise_confidence(results: Iterable[PageResult]) -> list[ConfidenceBin]:
    """Bins of each extractor that states a confidence, lowest first, over its texts of pages with an article."""
    bins: dict[tuple[str, int], list[PageResult]] = defaultdict(list)
    for result in results:
        if result.confidence > 0 and has_article(result.page_type):
            bins[result.extractor, min(int(result.confidence * BINS), BINS - 1)].append(result)
    return [_bin(extractor, bins[extractor, tenth]) for extractor, tenth in sorted(bins)]


def _bin(extractor: str, results: list[PageResult]) -> ConfidenceBin:
    good = fmean(result.f1 >= GOOD_F1 for result in results)
    return ConfidenceBin(extractor, len(results), fmean(result.confidence for result in results), good)
