"""What the protocols share, most of all those of the systems that decide block by block."""

import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from newscorpus.artifacts import Artifact
from newscorpus.data import Article, Page
from newscorpus.lab.gold.pages import GoldPage, has_article, read_pages
from newscorpus.lab.training.block_learner import BlockLearner, LabelledPage
from newscorpus.model_folders import Metadata
from newscorpus.page.extractor import Extractor

NEWS = ("fundus", "wcxb", "daniel", "dragnet", "l3s_gn1", "ir_research")
"""The sets of news pages, for tables on the development split."""

LARGE_SITES = ("ir_research", "daniel")
"""The sets that have sites of `SITE_PAGES` pages of news."""

SITE_PAGES = 20
"""Fewest pages of a site for protocols that train and test on the same sites."""


def articles(data: Path, dataset: str, split: str = "dev") -> Iterator[GoldPage]:
    """The articles of a set's split, those without gold text left out; the split "all" has all pages."""
    for page in read_pages(data / f"{dataset}.jsonl.zst"):
        if split in (page.split, "all") and page.text and has_article(page.page_type):
            yield page


def large_sites(data: Path) -> list[GoldPage]:
    """The pages of the sites that have at least `SITE_PAGES`."""
    pages = [page for dataset in LARGE_SITES for page in articles(data, dataset, "all") if page.domain]
    numbers = Counter(page.domain for page in pages)
    return [page for page in pages if numbers[page.domain] >= SITE_PAGES]


def counted_sites(pages: Iterable[GoldPage]) -> str:
    """The sites of `pages`, each with its number of pages."""
    return ", ".join(f"{site} {number}" for site, number in sorted(Counter(page.domain for page in pages).items()))


def folds(pages: Sequence[GoldPage], number: int) -> Iterator[tuple[list[GoldPage], list[GoldPage]]]:
    """`pages` in so many ways to train on and to test on, each page tested on once; sites stand on both sides."""
    places = [zlib.crc32(page.id.encode()) % number for page in pages]
    for at in range(number):
        yield (
            [page for page, place in zip(pages, places, strict=True) if place != at],
            [page for page, place in zip(pages, places, strict=True) if place == at],
        )


def fetched(page: GoldPage) -> Page:
    """A page with gold text as an extractor gets it."""
    return Page.from_html(page.html, page.url)


def text_of(extractor: Extractor, page: GoldPage) -> str:
    """The text that an extractor finds, "" for none."""
    found = extractor(fetched(page))
    return found.text if isinstance(found, Article) else ""


def fit_artifact(learner: BlockLearner, pages: Iterable[LabelledPage]) -> tuple[Artifact, str]:
    """A model that is not shipped, fitted to all of `pages`, and how it was fitted."""
    fitted = learner.fit(pages)
    metadata = Metadata(learner.name, "reproduced", learner.features, {**fitted.parameters}, {}, {}, {}, {})
    return Artifact(metadata, fitted.weights), fitted.how
