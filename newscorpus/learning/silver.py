"""Silver pages: archived pages with a text that nobody marked on them.

Either what the portals' own rules find (Novotný 2016), or what a corpus has for their addresses (Brezovnik 2021).
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

import msgspec

from newscorpus.crawl.archive.read import read_captures
from newscorpus.crawl.archive.values import Capture, Origin
from newscorpus.crawl.archive.writer import FOLDER, SUFFIX
from newscorpus.data import Page, Rejected
from newscorpus.extraction.read import Reading, read
from newscorpus.learning.gold import Described, Progress, Source, TrainingError
from newscorpus.learning.pages import GoldPage, read_rows
from newscorpus.portals.portal import TemplateSection
from newscorpus.portals.template import TemplateRules
from newscorpus.urls import canonical_url

Found = tuple[Reading, str]
"""What was read of a page, and its text."""

Finder = Callable[[Page, Origin], Found | None]
"""A page and how it came to its text; None where there is none."""


class _Row(msgspec.Struct):
    """One line of a corpus by address; other keys are ignored."""

    url: str
    text: str


def silver_source(corpus: Path, progress: Progress, texts: Path | None = None) -> Source:
    """The archived pages of the crawl in `corpus` for which there is a text; the others are passed over.

    They name no domain: crawls are of few sites, of which none can be spared for testing, so that single pages are.
    Reading it raises TrainingError where there is no archive, ArchiveError where a file of it cannot be read.

    Args:
        corpus: folder of the crawl.
        progress: is told each file.
        texts: JSON lines with `url` and `text`, held in memory; without them the text is what the template that the
            portal had at the time finds.

    Raises:
        PagesError: `texts` cannot be read.
    """
    find = partial(_by_address, _read_texts(texts)) if texts else _by_template
    return Source(_silver_pages(corpus, find, progress), partial(_describe, corpus))


def _read_texts(path: Path) -> dict[str, str]:
    return {canonical_url(row.url): row.text for row in read_rows(path, _Row)}


def _silver_pages(corpus: Path, find: Finder, progress: Progress) -> Iterator[GoldPage]:
    for path in _files(corpus):
        for capture in read_captures(path):
            if isinstance(capture, Capture) and capture.origin:
                for page in (capture.page, *capture.following):
                    if found := find(page, capture.origin):
                        yield _gold_page(corpus.name, *found)
        progress(f"{path.name} read")


def _by_template(page: Page, origin: Origin) -> Found | None:
    if not origin.template:
        return None
    reading = read(page, TemplateRules(origin.source, TemplateSection(**origin.template)))
    if isinstance(reading, Rejected) or not reading.template_text:
        return None
    return reading, "\n".join(reading.template_text)


def _by_address(texts: Mapping[str, str], page: Page, origin: Origin) -> Found | None:
    addresses = map(canonical_url, (page.url, *origin.redirects))
    text = next((texts[address] for address in addresses if address in texts), "")
    reading = read(page) if text else None
    return (reading, text) if isinstance(reading, Reading) else None


def _gold_page(dataset: str, reading: Reading, text: str) -> GoldPage:
    return GoldPage(
        id=reading.page.url,
        dataset=dataset,
        url=reading.page.url,
        domain="",
        language=reading.fields.language,
        title=reading.fields.title,
        date="",
        authors=(),
        html=reading.html,
        text=text,
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
