"""The ceiling: how well a perfect choice of blocks would do, by set."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from newscorpus.data import Page, Rejected
from newscorpus.evaluation.scores import Scores, harmonic_mean, ngram_scores
from newscorpus.extraction.extractor import read
from newscorpus.gold.align import align
from newscorpus.gold.conventions import has_article
from newscorpus.gold.pages import GoldPage, read_pages


@dataclass(frozen=True, slots=True)
class Ceiling:
    """Scores of a perfect choice of blocks over the articles of one set.

    Attributes:
        dataset: name of the set.
        pages: number of articles.
        precision: mean.
        recall: mean.
        f1: harmonic mean of the two.
        page_f1: mean of the pages' own F1.
    """

    dataset: str
    pages: int
    precision: float
    recall: float
    f1: float
    page_f1: float


def find_ceilings(datasets: Sequence[Path], split: str = "all") -> Iterator[Ceiling]:
    """The ceiling of every file of `datasets`; `split` is "train", "dev" or "all"."""
    for path in datasets:
        pages = [page for page in read_pages(path) if split in ("all", page.split) and has_article(page.page_type)]
        scores = [_perfect(page) for page in pages]
        if scores:
            precision, recall = fmean(s.precision for s in scores), fmean(s.recall for s in scores)
            page_f1 = fmean(s.f1 for s in scores)
            yield Ceiling(pages[0].dataset, len(pages), precision, recall, harmonic_mean(precision, recall), page_f1)


def _perfect(page: GoldPage) -> Scores:
    reading = read(Page.from_html(page.html, page.url))
    if isinstance(reading, Rejected):
        return ngram_scores("", page.text)
    good = align(reading.blocks, page.text).good
    chosen = [block.text for block, share in zip(reading.blocks, good, strict=True) if share > 0.5]
    return ngram_scores("\n".join(chosen), page.text)
