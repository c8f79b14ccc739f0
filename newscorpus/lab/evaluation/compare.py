"""Run extractors side by side over pages with gold text, page by page."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice, product
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean

from newscorpus.data import Page, Rejected
from newscorpus.errors import LabError
from newscorpus.lab.evaluation.scores import (
    Confusion,
    Overlap,
    character_similarity,
    confusion,
    harmonic_mean,
    lcs_overlap,
    ngram_overlap,
    ngram_scores,
    word_edits,
)
from newscorpus.lab.gold.align import align, label_by_alignment
from newscorpus.lab.gold.pages import ALL_SPLITS, GoldPage, as_gold_has_it, has_article, read_pages
from newscorpus.page.extractor import Extractor, read
from newscorpus.page.loading import load_whole

WARM_UP = Page.from_html("<html><body><p>What is loaded on the first page is not that page's time.</p></body></html>")

Load = Callable[[str], Extractor]


@dataclass(frozen=True, slots=True)
class PageResult:
    """The result of one extractor on one page; the first six fields are those of the `GoldPage`."""

    dataset: str
    id: str
    url: str
    domain: str
    language: str
    page_type: str
    extractor: str  # name
    rejected: str  # "stage/reason" where the page was refused, else ""
    confidence: float  # of the extractor, 0..1
    ngrams: Overlap  # shared word 4-grams
    lcs: Overlap  # longest common subsequence of words (Bakić 2012)
    edits: int  # words to edit (Novotný 2016)
    similarity: float  # of the characters, 0..1 (Brezovnik 2021)
    blocks: Confusion  # verdicts on blocks (good is positive); empty unless the extractor decides block by block
    seconds: float  # CPU time

    @property
    def f1(self) -> float:
        """F1 of word 4-grams on this page, 0..1."""
        return self.ngrams.scores.f1


def evaluate(
    datasets: Sequence[Path],
    extractors: Sequence[str],
    split: str = "dev",
    jobs: int = 1,
    load: Load = load_whole,
) -> Iterator[PageResult]:
    """Run all extractors on each page of the sets in turn, and yield one result per extractor and page.

    Args:
        datasets: files for `newscorpus.lab.gold.pages.read_pages`.
        extractors: names for `load`.
        split: "train", "dev" or "all".
        jobs: number of processes, on which the order of the results depends. CPU times are comparable only if there
            are as many idle cores.
        load: makes an extractor from its name; with several jobs it must be a function of a module.

    Raises:
        LabError: a set has no page with gold text in the split, or a file cannot be read.
    """
    for path in datasets:
        if next(_pages(path, split), None) is None:
            raise LabError(f"{path}: no page with gold text in the split '{split}'")
    shares = list(product(datasets, range(jobs)))
    run = partial(_evaluate_share, tuple(extractors), split, jobs, load)
    if jobs == 1:
        yield from chain.from_iterable(map(run, shares))
        return
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        yield from chain.from_iterable(pool.map(partial(_as_list, run), shares))


def _as_list(run: Callable[[tuple[Path, int]], Iterator[PageResult]], share: tuple[Path, int]) -> list[PageResult]:
    return list(run(share))


def _evaluate_share(
    names: tuple[str, ...], split: str, step: int, load: Load, share: tuple[Path, int]
) -> Iterator[PageResult]:
    """Evaluate every `step`-th page of a set; each process reads the file itself, so that no pages are pickled."""
    path, first = share
    extractors = {name: load(name) for name in names}
    for extractor in extractors.values():
        extractor(WARM_UP)
    for page in islice(_pages(path, split), first, None, step):
        fetched = Page.from_html(page.html, page.url)
        for name, extractor in extractors.items():
            start = time.process_time()
            found = extractor(fetched)
            seconds = time.process_time() - start
            label = getattr(extractor, "label", None)  # of extractors that decide block by block
            labelled = label(fetched) if label and has_article(page.page_type) else ()
            gold = label_by_alignment([item.block for item in labelled], page) if labelled else ()
            text = "" if isinstance(found, Rejected) else as_gold_has_it(page.dataset, found.fields.title, found.text)
            yield PageResult(
                dataset=page.dataset,
                id=page.id,
                url=page.url,
                domain=page.domain,
                language=page.language,
                page_type=page.page_type,
                extractor=name,
                rejected=f"{found.stage}/{found.reason}" if isinstance(found, Rejected) else "",
                confidence=0.0 if isinstance(found, Rejected) else found.confidence,
                ngrams=ngram_overlap(text, page.text),
                lcs=lcs_overlap(text, page.text),
                edits=word_edits(text, page.text),
                similarity=character_similarity(text, page.text),
                blocks=confusion((item.is_good for item in labelled), gold),
                seconds=seconds,
            )


def _pages(path: Path, split: str) -> Iterator[GoldPage]:
    for page in read_pages(path):
        if page.is_in(split) and (page.text or not has_article(page.page_type)):
            yield page


@dataclass(frozen=True, slots=True)
class Ceiling:
    """Scores of a perfect choice of blocks over the articles of a set: mean P and R, their F1, and mean page F1."""

    dataset: str
    pages: int
    precision: float
    recall: float
    f1: float
    page_f1: float


def find_ceilings(datasets: Sequence[Path], split: str = ALL_SPLITS) -> Iterator[Ceiling]:
    """Score a perfect choice of blocks (those of more than half gold text): the upper bound of block classifiers."""
    for path in datasets:
        pages = [page for page in read_pages(path) if page.is_in(split) and has_article(page.page_type)]
        scores = []
        for page in pages:
            prepared = read(Page.from_html(page.html, page.url))
            blocks = () if isinstance(prepared, Rejected) else prepared.blocks
            shares = align(blocks, page.text).good
            chosen = (block.text for block, share in zip(blocks, shares, strict=True) if share > 0.5)
            scores.append(ngram_scores("\n".join(chosen), page.text))
        if scores:
            precision, recall = fmean(page.precision for page in scores), fmean(page.recall for page in scores)
            page_f1 = fmean(page.f1 for page in scores)
            yield Ceiling(pages[0].dataset, len(pages), precision, recall, harmonic_mean(precision, recall), page_f1)
