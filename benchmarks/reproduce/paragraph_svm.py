"""The paragraph SVM (Novotný 2016): on the sites it was trained on, and on sites never seen."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import fmean

from benchmarks.reproduce.block_systems import (
    LARGE_SITES,
    NEWS,
    articles,
    counted_sites,
    fit_artifact,
    folds,
    large_sites,
    text_of,
)
from benchmarks.reproduce.tables import table
from newscorpus.lab.evaluation.scores import Overlap, ngram_overlap, word_edits
from newscorpus.lab.gold.pages import GoldPage
from newscorpus.lab.systems.blocks import keep_good
from newscorpus.lab.systems.paragraph_svm import make_system
from newscorpus.lab.training.block_learner import BlockLearner, labelled_pages
from newscorpus.lab.training.block_systems import PARAGRAPH_SVM, fit_machine
from newscorpus.page.extractor import Extractor
from newscorpus.page.loading import load

PEER = "boilerpipe-article"
PUBLISHED = {"paragraph-svm": (0.872, 58.62), PEER: (0.854, 78.97)}
"""F1, and words edited a page; 82,538 pages of the four Czech sites of the 330,127 that it was trained on."""

FOLDS = 5
"""One page of five is tested on: the share of the publication."""

COLUMNS = ("system", "pages", "F1", "words edited a page")
LEARNERS = {
    "at once": PARAGRAPH_SVM,
    "streamed": replace(PARAGRAPH_SVM, fit=partial(fit_machine, held_blocks=0, batch_pages=10)),
}

Texts = list[tuple[str, str]]
"""For each page the text found, and the gold."""


def reproduce(data: Path) -> str:
    """The published protocol on sites with many pages; the shipped model on sites never seen."""
    pages = large_sites(data)
    peer = load(PEER)
    same = {f"paragraph-svm, {how}": _cross_validated(learner, pages) for how, learner in LEARNERS.items()}
    same[PEER] = _texts(peer, pages)
    unseen = {dataset: list(articles(data, dataset)) for dataset in NEWS}
    return (
        "# The paragraph SVM (Novotný 2016)\n\n"
        f"## The same sites\n\n{len(pages)} pages of {' and '.join(LARGE_SITES)}, a fifth tested on what the others "
        f"teach, in turn; the labels come from the gold text. Pages of the sites: {counted_sites(pages)}.\n\n"
        f"{table(COLUMNS, [(name, *_figures(texts)) for name, texts in same.items()])}\n"
        f"## Sites never seen\n\nThe shipped model on the development pages.\n\n"
        f"{_by_set({'paragraph-svm': load('paragraph-svm'), PEER: peer}, unseen)}\n"
        f"## As published\n\n{table(COLUMNS, [(name, None, *figures) for name, figures in PUBLISHED.items()])}"
    )


def _cross_validated(learner: BlockLearner, pages: Sequence[GoldPage]) -> Texts:
    found: Texts = []
    for train, test in folds(pages, FOLDS):
        machine, _ = fit_artifact(learner, labelled_pages(learner, train))
        found += _texts(keep_good(make_system(machine)), test)
    return found


def _texts(extractor: Extractor, pages: Iterable[GoldPage]) -> Texts:
    return [(text_of(extractor, page), page.text) for page in pages]


def _figures(texts: Texts) -> tuple[int, float, float]:
    """Number of pages, F1 of word 4-grams (summed over the pages), words edited a page."""
    overlap = sum((ngram_overlap(text, gold) for text, gold in texts), Overlap())
    return len(texts), overlap.scores.f1, fmean(word_edits(text, gold) for text, gold in texts)


def _by_set(extractors: Mapping[str, Extractor], unseen: Mapping[str, Sequence[GoldPage]]) -> str:
    rows = [
        (dataset, name, *_figures(_texts(extractor, pages)))
        for dataset, pages in unseen.items()
        for name, extractor in extractors.items()
    ]
    return table(("set", *COLUMNS), rows)
