"""What the tables of the segment and hybrid systems share: pages asked once, machines fitted, texts summed up."""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean

import numpy as np

from newscorpus.arrays import Matrix
from newscorpus.lab.evaluation.scores import Overlap, ngram_overlap
from newscorpus.lab.gold.pages import GoldPage
from newscorpus.lab.systems.segment_systems import Expert
from newscorpus.lab.training.segment_systems import (
    GOOD_SHARE,
    CompareTexts,
    SegmentedPage,
    fit_documents,
    fit_segments,
    make_segmented,
)

SEED = 1
"""Of the draw of pages to train on: the thesis does not say which they were."""

Texts = Sequence[str]
"""A text for each page."""

Rows = Callable[[SegmentedPage], Matrix]
"""What a machine sees of a page's segments."""


def segmented(pages: Iterable[GoldPage], experts: Mapping[str, Expert]) -> list[SegmentedPage]:
    """The pages that can be read, each cut and shown to the experts."""
    return [found for page in pages if (found := make_segmented(page, experts))]


def drawn(pages: Sequence[SegmentedPage], count: int) -> tuple[list[SegmentedPage], list[SegmentedPage]]:
    """`count` pages drawn at random, and the rest."""
    order = list(range(len(pages)))
    random.Random(SEED).shuffle(order)
    return [pages[at] for at in order[:count]], [pages[at] for at in order[count:]]


def by_segment(train: Sequence[SegmentedPage], test: Sequence[SegmentedPage], rows: Rows) -> list[str]:
    """The texts of `test` by a machine that chooses segments; `rows` are what it sees of them."""
    machine = fit_segments(train, [rows(page) for page in train]).machine
    return [page.text_of(machine.predict(rows(page)) if page.segments else ()) for page in test]


def by_document(train: Sequence[SegmentedPage], test: Sequence[SegmentedPage], overlap: CompareTexts) -> list[str]:
    """The name of the expert that a machine chooses for each page of `test`, having learned who was best on `train`."""
    machine = fit_documents(train, overlap).machine
    names = tuple(test[0].texts)
    return [names[place] for place in machine.predict(np.stack([page.whole for page in test]))]


def ideal(test: Sequence[SegmentedPage], overlap: CompareTexts) -> list[str]:
    """The name of the best expert for each page."""
    return [tuple(page.texts)[page.best_expert(overlap)] for page in test]


def texts_of(pages: Sequence[SegmentedPage], names: Iterable[str]) -> list[str]:
    """The text of the named expert for each page."""
    return [page.texts[name] for page, name in zip(pages, names, strict=True)]


def summed(pages: Sequence[SegmentedPage], texts: Texts, overlap: CompareTexts) -> Overlap:
    """What all `texts` and the gold share, lengths summed over the pages."""
    return sum((overlap(text, page.page.text) for page, text in zip(pages, texts, strict=True)), Overlap())


def mean_f1(pages: Sequence[SegmentedPage], texts: Texts) -> float:
    """Mean F1 of the pages over word 4-grams."""
    return fmean(ngram_overlap(text, page.page.text).scores.f1 for page, text in zip(pages, texts, strict=True))


def why_empty(test: Sequence[SegmentedPage], found: Texts) -> str:
    """Say on how many pages a machine finds nothing: no segment is good, or it takes none of the good ones."""
    empty = [page for page, text in zip(test, found, strict=True) if not text]
    hopeless = sum(not page.good.any() for page in empty)
    return (
        f"`segment-svm` finds nothing on {len(empty)} of {len(test)} pages. On {hopeless} of these no segment has more "
        f"than {GOOD_SHARE:.0%} of its words in the gold text; on the other {len(empty) - hopeless} the machine takes "
        "none of those that have.\n"
    )
