"""Silver pages: the pages of a stored crawl, with the text that the portals' own rules find on them (Novotný 2016)."""

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from newscorpus.artifacts import Metadata
from newscorpus.crawl.archive.read import read_captures
from newscorpus.crawl.archive.values import Capture, Rules
from newscorpus.crawl.archive.writer import FOLDER, SUFFIX
from newscorpus.data import Page, Rejected
from newscorpus.extraction.read import read
from newscorpus.learning.block_learner import BlockLearner, train
from newscorpus.learning.gold import Described, Progress, TrainingError
from newscorpus.learning.pages import GoldPage
from newscorpus.portals.portal import TemplateSection
from newscorpus.portals.template import TemplateRules


def train_on_silver(learner: BlockLearner, corpus: Path, output: Path, progress: Progress) -> Metadata:
    """Train on the archive of a crawl and write the model; a fifth of the pages is set aside for its scores.

    Raises:
        TrainingError: there is no archive, or nothing in it can be learned from.
        ArchiveError: a file of it cannot be read.
    """
    return train(learner, silver_pages(corpus, progress), lambda pages: _describe(corpus, pages), output)


def silver_pages(corpus: Path, progress: Progress) -> Iterator[GoldPage]:
    """The archived pages of portals that had a template, with the text that it finds; the others are passed over.

    They name no domain: crawls are of few sites, of which none can be spared for testing, so that single pages are.

    Raises:
        TrainingError: there is no archive.
        ArchiveError: a file of it cannot be read.
    """
    for path in _files(corpus):
        for capture in read_captures(path):
            if isinstance(capture, Capture) and capture.origin and capture.origin.template:
                for page in (capture.page, *capture.following):
                    yield from _silver(corpus.name, page, capture.origin.source, capture.origin.template)
        progress(f"{path.name} read")


def _silver(dataset: str, page: Page, portal: str, rules: Rules) -> Iterator[GoldPage]:
    reading = read(page, TemplateRules(portal, TemplateSection(**rules)))
    if isinstance(reading, Rejected) or not reading.template_text:
        return
    yield GoldPage(
        id=page.url,
        dataset=dataset,
        url=page.url,
        domain="",
        language=reading.fields.language,
        title=reading.fields.title,
        date="",
        authors=(),
        html=reading.html,
        text="\n".join(reading.template_text),
        page_type="",
        split="",
    )


def _files(corpus: Path) -> list[Path]:
    files = sorted((corpus / FOLDER).glob(f"*{SUFFIX}"))
    if not files:
        raise TrainingError(f"{corpus / FOLDER}: no archive here; crawl into this corpus first")
    return files


def _describe(corpus: Path, pages: Mapping[str, int]) -> Described:
    digest = hashlib.sha256()
    for path in _files(corpus):
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return {
        name: {"licence": "that of the portals", "pages": number, "sha256": digest.hexdigest()}
        for name, number in pages.items()
    }
