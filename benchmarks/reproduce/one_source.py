"""Kazennikov (2013), his purpose: learn a source from a marked sample of its pages, as a learning curve."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.reproduce.tables import table
from newscorpus.lab.gold.pages import read_pages
from newscorpus.lab.training.node_svm import LEAST_F1, fit_nodes, make_node_page, score_choices

SOURCES = {"we-dwoje.pl": "daniel", "biolog.pl": "daniel", "yahoo.com": "ir_research", "nymag.com": "ir_research"}
"""The largest single sources, each with its set."""
SAMPLES = (5, 10, 20, 40)
"""Pages learned from."""
DRAWS = 5
FEWEST = 10
"""Pages left to test on; larger samples of a source are left out."""

COLUMNS = ("source", "pages", "learned from", "right element", "two stages", "F1", "F1, two stages", "F1, ideal")


def reproduce(data: Path) -> str:
    """A line for each source and each size of its sample."""
    rows = [row for source, dataset in SOURCES.items() for row in _curve(data, source, dataset)]
    return (
        "# One source from its marked sample (Kazennikov 2013)\n\n"
        f"`node-svm` learned from pages of one source drawn at random, tested on its other pages: means of {DRAWS} "
        "draws. Right element: share of pages on which its F1 is within 0.01 of the best candidate's. F1: of words; "
        "ideal: of the best candidate.\n\n"
        f"{table(COLUMNS, rows)}"
    )


def _curve(data: Path, source: str, dataset: str) -> Iterator[tuple[object, ...]]:
    pages = [page for page in read_pages(data / f"{dataset}.jsonl.zst") if page.domain == source and page.text]
    made = [found for page in pages if (found := make_node_page(page))]
    for size in SAMPLES:
        if len(made) - size >= FEWEST:
            scores = []
            for seed in range(DRAWS):
                order = np.random.default_rng(seed).permutation(len(made)).tolist()
                learned, rest = ([made[at] for at in part] for part in (order[:size], order[size:]))
                model = fit_nodes([page for page in learned if page.best_f1 >= LEAST_F1] or learned)
                one = score_choices(rest, model)
                scores.append((one.right, one.right_cleaned, one.f1, one.f1_cleaned, one.best_f1))
            yield (source, len(made), size, *np.mean(scores, axis=0).tolist())
