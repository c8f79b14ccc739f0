"""What the protocols of the systems that decide block by block share."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from newscorpus.artifacts import WEIGHTS, Artifact, Metadata
from newscorpus.data import Article, Page
from newscorpus.evaluation.conventions import has_article
from newscorpus.extraction.extractor import Extractor
from newscorpus.learning.block_learner import BlockLearner, LabelledPage
from newscorpus.learning.pages import GoldPage, read_pages

NEWS = ("fundus", "wcxb", "daniel", "dragnet", "l3s_gn1", "ir_research")
"""The sets of news pages, for tables on the development split."""


def articles(data: Path, dataset: str, split: str = "dev") -> Iterator[GoldPage]:
    """The articles of a set's split, those without gold text left out; the split "all" has all pages."""
    for page in read_pages(data / f"{dataset}.jsonl.zst"):
        if split in (page.split, "all") and page.text and has_article(page.page_type):
            yield page


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
    return Artifact(metadata, {WEIGHTS: fitted.weights}), fitted.how
