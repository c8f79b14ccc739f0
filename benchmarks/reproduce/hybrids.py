"""The hybrids of Bakić (2012) on news, with the experts of the thesis and with those of today."""

from collections.abc import Mapping
from itertools import islice
from operator import attrgetter
from pathlib import Path

from benchmarks.reproduce.block_systems import articles
from benchmarks.reproduce.segmented import (
    by_document,
    by_segment,
    ideal,
    mean_f1,
    segmented,
    summed,
    texts_of,
    why_empty,
)
from benchmarks.reproduce.tables import table
from newscorpus.lab.evaluation.scores import ngram_overlap
from newscorpus.lab.gold.pages import LICENCES
from newscorpus.lab.systems.segment_systems import Expert, by_extractor, load_experts
from newscorpus.page.loading import load

PAGES = 100
"""Of each set at most; the thesis trained on 60 pages in all."""
UNSEEN = ("ir_research", "l3s_gn1")
"""Sets of news that are only tested on."""
MODERN = ("main-text", "trafilatura-no-comments", "readability", "justext")


def reproduce(data: Path) -> str:
    """The scores of experts, hybrids, and ideal choices, for both sets of experts."""
    modern = {name: by_extractor(load(name)) for name in MODERN}
    return (
        "# Hybrids on news (Bakić 2012, and in the same frame the extractors of today)\n\n"
        f"Trained on {PAGES} pages at most of the train split of {', '.join(LICENCES)}; tested on as many of the "
        f"dev split of these and of {', '.join(UNSEEN)}. Word 4-grams: lengths summed over the pages, and the mean F1 "
        "of the pages.\n\n"
        f"## Experts of the thesis\n\n{_scores(data, load_experts())}\n## Experts of today\n\n{_scores(data, modern)}"
    )


def _scores(data: Path, experts: Mapping[str, Expert]) -> str:
    train, test = (
        segmented((page for name in sets for page in islice(articles(data, name, split), PAGES)), experts)
        for sets, split in ((tuple(LICENCES), "train"), ((*LICENCES, *UNSEEN), "dev"))
    )
    best = ideal(test, ngram_overlap)
    chosen = by_document(train, test, ngram_overlap)
    texts = {name: [page.texts[name] for page in test] for name in experts}
    texts |= {
        "segment-svm": by_segment(train, test, attrgetter("features")),
        "hybrid-section": by_segment(train, test, attrgetter("hybrid_features")),
        "hybrid-document": texts_of(test, chosen),
        "perfect choice of segments": [page.text_of(page.good) for page in test],
        "ideal choice of an expert": texts_of(test, best),
    }
    rows = []
    for name, found in texts.items():
        scores = summed(test, found, ngram_overlap).scores
        counts = (chosen.count(name), best.count(name)) if name in experts else (None, None)
        rows.append((name, scores.precision, scores.recall, scores.f1, mean_f1(test, found), *counts))
    columns = ("system", "P", "R", "F1", "page F1", "chosen", "best")
    return (
        f"{len(train)} pages to train on, {len(test)} to test.\n\n{table(columns, rows)}\n"
        f"{why_empty(test, texts['segment-svm'])}"
    )
