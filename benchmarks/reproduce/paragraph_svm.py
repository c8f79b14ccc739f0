"""The paragraph SVM (Novotný 2016): the same few sites to train and to test on, and then sites never seen."""

import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import fmean

from benchmarks.reproduce.block_systems import NEWS, articles, fit_artifact, text_of
from benchmarks.reproduce.tables import table
from newscorpus.evaluation.scores import Overlap, ngram_overlap, word_edits
from newscorpus.extraction.extractor import Extractor
from newscorpus.extractors.line import keep_good
from newscorpus.extractors.paragraph_svm import ParagraphSvm
from newscorpus.extractors.registry import load
from newscorpus.learning.block_learner import labelled_pages
from newscorpus.learning.pages import GoldPage
from newscorpus.learning.paragraph_svm import PARAGRAPH_SVM, fit

PEER = "boilerpipe-article"
PUBLISHED = {"paragraph-svm": (0.872, 58.62), PEER: (0.854, 78.97)}
"""F1, and words edited a page; 82,538 pages of the four Czech sites of the 330,127 that it was trained on."""

SITES, SITE_PAGES = 4, 20
"""As many sites as published, and fewest pages of each."""

TESTED = 5
"""One page of so many is tested on: the share of the publication."""


def reproduce(data: Path) -> str:
    """The published protocol on the largest sites of a set; the shipped model on sites never seen."""
    pages = largest_sites(articles(data, "ir_research", "all"))
    train = [page for page in pages if not is_tested(page)]
    test = [page for page in pages if is_tested(page)]
    learners = {
        "at once": PARAGRAPH_SVM,
        "streamed": replace(PARAGRAPH_SVM, fit=partial(fit, held_blocks=0, batch_pages=10)),
    }
    machines: dict[str, Extractor] = {
        f"paragraph-svm, {how}": keep_good(ParagraphSvm(fit_artifact(learner, labelled_pages(learner, train))[0]))
        for how, learner in learners.items()
    }
    peer = load(PEER)
    of_sites = ", ".join(f"{site} {number}" for site, number in sorted(Counter(page.domain for page in pages).items()))
    published = [(name, None, *figures) for name, figures in PUBLISHED.items()]
    same = [(name, *_figures(extractor, test)) for name, extractor in {**machines, PEER: peer}.items()]
    unseen = {dataset: list(articles(data, dataset)) for dataset in NEWS}
    return (
        "# The paragraph SVM (Novotný 2016)\n\n"
        f"## The same sites\n\n{len(train)} pages of ir_research to train on, {len(test)} to test, of the sites "
        f"{of_sites}. Labels come from the gold text.\n\n{table(COLUMNS, same)}\n"
        f"## Sites never seen\n\nThe shipped model on the development pages.\n\n"
        f"{_by_set({'paragraph-svm': load('paragraph-svm'), PEER: peer}, unseen)}\n"
        f"## As published\n\n{table(COLUMNS, published)}"
    )


COLUMNS = ("system", "pages", "F1", "words edited a page")


def largest_sites(pages: Iterable[GoldPage]) -> list[GoldPage]:
    """The pages of the `SITES` sites that have most, each at least `SITE_PAGES`; of equals the first by name."""
    pages = list(pages)
    numbers = Counter(page.domain for page in pages if page.domain)
    largest = sorted(numbers, key=lambda site: (-numbers[site], site))[:SITES]
    return [page for page in pages if page.domain in largest and numbers[page.domain] >= SITE_PAGES]


def is_tested(page: GoldPage) -> bool:
    """Whether a page is tested on, by its id."""
    return zlib.crc32(page.id.encode()) % TESTED == 0


def _figures(extractor: Extractor, pages: Sequence[GoldPage]) -> tuple[int, float, float]:
    """Number of pages, F1 of word 4-grams (summed over the pages), words edited a page."""
    texts = [(text_of(extractor, page), page.text) for page in pages]
    overlap = sum((ngram_overlap(text, gold) for text, gold in texts), Overlap())
    return len(pages), overlap.scores.f1, fmean(word_edits(text, gold) for text, gold in texts)


def _by_set(extractors: Mapping[str, Extractor], unseen: Mapping[str, Sequence[GoldPage]]) -> str:
    rows = [
        (dataset, name, *_figures(extractor, pages))
        for dataset, pages in unseen.items()
        for name, extractor in extractors.items()
    ]
    return table(("set", *COLUMNS), rows)
