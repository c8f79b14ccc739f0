"""Find pages to learn from: gold sets whose licence allows it, or silver pages of an archived crawl.

The text of a silver page is what the portal's own rules find (Novotný 2016), or what a corpus has for its address
(Brezovnik 2021).
"""

import hashlib
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import msgspec
import numpy as np

from newscorpus.data import Page, Rejected
from newscorpus.lab.gold.pages import LICENCES, GoldPage, has_article, read_pages, read_rows
from newscorpus.layout import ARCHIVE, archived_files
from newscorpus.page.extractor import Reading, read
from newscorpus.page.template import TemplateRules
from newscorpus.portal.portal import TemplateSection
from newscorpus.store.archive.read import read_captures
from newscorpus.store.archive.values import Capture, Origin
from newscorpus.urls import canonical_url

Progress = Callable[[str], None]
"""Called with one line for each step."""

SITES_ASIDE = 5
"""One site in this many is held out for scores."""

FOLDS = 5
"""Folds of a cross-validation over the user's own pages."""
SEED = 1

Described = dict[str, dict[str, str | int]]
"""By set: licence, pages learned from, SHA-256 of the file; as `Metadata.data`."""


@dataclass(frozen=True, slots=True)
class TrainingPages:
    """Pages to learn from, read once, and how their sets are described by the number of pages learned from."""

    pages: Iterable[GoldPage]
    describe: Callable[[Mapping[str, int]], Described]
    learns_all: bool = False  # nothing is set aside for scores, which come from a cross-validation

    @property
    def articles(self) -> Iterator[GoldPage]:
        """Those of the pages that hold an article."""
        return (page for page in self.pages if has_article(page.page_type))

    def is_aside(self, site: str) -> bool:
        """Tell whether `site` is held out for scores."""
        return not self.learns_all and fold_of(site, SITES_ASIDE) == 0


class TrainingError(ValueError):
    """Training cannot begin; the message is one line."""


def gold_source(data: Path, progress: Progress, licences: Mapping[str, str] = LICENCES) -> TrainingPages:
    """Return the train split of the sets in `data` of `licences`: those that allow to train shipped models.

    Reading it raises TrainingError where a set is missing.
    """
    return TrainingPages(_gold_pages(data, licences, progress), partial(_describe_sets, data, licences))


def _gold_files(data: Path, licences: Mapping[str, str]) -> dict[str, Path]:
    """Return the files in `data` of the sets of `licences`, by set."""
    files = {name: data / f"{name}.jsonl.zst" for name in licences}
    missing = [path for path in files.values() if not path.is_file()]
    if len(missing) == len(files):
        raise TrainingError(f"{data}: in this folder are neither html/ and clean/ nor the sets {', '.join(licences)}")
    if missing:
        raise TrainingError(f"{missing[0]} is missing; the sets are {', '.join(licences)}")
    return files


def _gold_pages(data: Path, licences: Mapping[str, str], progress: Progress) -> Iterator[GoldPage]:
    for file in _gold_files(data, licences).values():
        yield from (page for page in read_pages(file) if page.split == "train")
        progress(f"{file.name} read")


def _describe_sets(data: Path, licences: Mapping[str, str], pages: Mapping[str, int]) -> Described:
    return {
        name: {"licence": licences[name], "pages": pages[name], "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
        for name, path in _gold_files(data, licences).items()
    }


def first_of_each_set(pages: Iterable[GoldPage], limit: int) -> Iterator[GoldPage]:
    """Yield the first `limit` of `pages` of each set."""
    seen: Counter[str] = Counter()
    for page in pages:
        seen[page.dataset] += 1
        if seen[page.dataset] <= limit:
            yield page


def fold_of(site: str, folds: int) -> int:
    """Return the fold of a site, so that no site is in two."""
    return zlib.crc32(site.encode()) % folds


def deal(sites: Sequence[str]) -> Iterator[tuple[list[int], list[int]]]:
    """Split pages by `sites` into random folds; yield training and held-out indices for each."""
    known = sorted(set(sites))
    order = np.random.default_rng(SEED).permutation(len(known)).tolist()
    fold = {site: place % FOLDS for site, place in zip(known, order, strict=True)}
    for held_out in range(min(FOLDS, len(known))):
        yield (
            [at for at, site in enumerate(sites) if fold[site] != held_out],
            [at for at, site in enumerate(sites) if fold[site] == held_out],
        )


FindText = Callable[[Page, Origin], tuple[Reading, str] | None]
"""From a page and what is known of its fetch to what was read of it and its text; None where there is none."""


class _TextRow(msgspec.Struct):
    url: str
    text: str


_TEXT_ROWS = msgspec.json.Decoder(_TextRow)


def silver_source(corpus: Path, progress: Progress, texts: Path | None = None) -> TrainingPages:
    """Return the archived pages of the crawl in `corpus` that have a text; others are skipped.

    They have no domain: a crawl has few sites, and none can be set aside for testing, so single pages are set aside.
    The texts are JSON lines with `url` and `text`, held in memory; without them the text is what the template that the
    portal had at the time finds. Reading the pages raises TrainingError where there is no archive, or no text of a page
    of it, ArchiveError where a file of it cannot be read.

    Raises:
        PagesError: `texts` cannot be read.
    """
    find: FindText = _by_template
    if texts:
        find = partial(_by_address, {canonical_url(row.url): row.text for row in read_rows(texts, _TEXT_ROWS.decode)})
    return TrainingPages(_silver_pages(corpus, find, progress), partial(_describe, corpus))


def _silver_pages(corpus: Path, find: FindText, progress: Progress) -> Iterator[GoldPage]:
    is_empty = True
    for path in _files(corpus):
        for page in _with_texts(path, corpus.name, find):
            is_empty = False
            yield page
        progress(f"{path.name} read")
    if is_empty:
        raise TrainingError(f"{corpus}: no page has a text, by a template of its portal or by --texts")


def _with_texts(path: Path, dataset: str, find: FindText) -> Iterator[GoldPage]:
    """Yield the pages of an archive file that have a text."""
    for capture in read_captures(path):
        if isinstance(capture, Capture) and capture.origin:
            for page in (capture.page, *capture.following):
                if found := find(page, capture.origin):
                    reading, text = found
                    fields, url = reading.fields, page.url
                    yield GoldPage(url, dataset, url, "", fields.language, fields.title, html=reading.html, text=text)


def _by_template(page: Page, origin: Origin) -> tuple[Reading, str] | None:
    if not origin.template:
        return None
    reading = read(page, TemplateRules(origin.source, TemplateSection(**origin.template)))
    if isinstance(reading, Rejected) or not reading.template_text:
        return None
    return reading, "\n".join(reading.template_text)


def _by_address(texts: Mapping[str, str], page: Page, origin: Origin) -> tuple[Reading, str] | None:
    addresses = map(canonical_url, (page.url, *origin.redirects))
    text = next((texts[address] for address in addresses if address in texts), "")
    reading = read(page) if text else None
    return (reading, text) if isinstance(reading, Reading) else None


def _files(corpus: Path) -> list[Path]:
    files = archived_files(corpus)
    if not files:
        raise TrainingError(f"{corpus / ARCHIVE}: no archive here; crawl into this corpus first")
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
