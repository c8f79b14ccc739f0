"""Find training pages: gold sets whose licence allows it, or silver pages of an archived crawl.

The text of a silver page comes from the portal's own rules (Novotný 2016), or from a corpus that has its address
(Brezovnik 2021).
"""

import hashlib
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from newscorpus.data import Page, Rejected
from newscorpus.errors import LabError
from newscorpus.lab.gold.pages import LICENCES, GoldPage, has_article, read_pages, read_rows
from newscorpus.layout import ARCHIVE, archived_files
from newscorpus.page.extractor import PreparedPage, read
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
    """Pages to learn from, read once; `describe` takes the number of pages learned from by set."""

    pages: Iterable[GoldPage]
    describe: Callable[[Mapping[str, int]], Described]
    learns_all: bool = False  # nothing is set aside for scores, which come from a cross-validation

    @property
    def articles(self) -> Iterator[GoldPage]:
        """Those of the pages that hold an article."""
        return (page for page in self.pages if has_article(page.page_type))

    def is_held_out(self, site: str) -> bool:
        """Tell whether `site` is held out for scores."""
        return not self.learns_all and fold_of(site, SITES_ASIDE) == 0


def gold_source(data: Path, progress: Progress, licences: Mapping[str, str] = LICENCES) -> TrainingPages:
    """Return the train split of the sets in `data` that `licences` names: those that allow to train shipped models.

    Reading it raises LabError where a set is missing.
    """

    def files() -> dict[str, Path]:
        found = {name: data / f"{name}.jsonl.zst" for name in licences}
        missing = [path for path in found.values() if not path.is_file()]
        if len(missing) == len(found):
            raise LabError(f"{data}: in this folder are neither html/ and clean/ nor the sets {', '.join(licences)}")
        if missing:
            raise LabError(f"{missing[0]} is missing; the sets are {', '.join(licences)}")
        return found

    def pages() -> Iterator[GoldPage]:
        for file in files().values():
            yield from (page for page in read_pages(file) if page.split == "train")
            progress(f"{file.name} read")

    def describe(learned: Mapping[str, int]) -> Described:
        hashes = {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files().items()}
        return {
            name: {"licence": licences[name], "pages": learned[name], "sha256": digest}
            for name, digest in hashes.items()
        }

    return TrainingPages(pages(), describe)


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


def fold_groups(sites: Sequence[str]) -> tuple[list[str], str]:
    """Return the group of each page that no fold divides, and what it is: its site, or the page where all have one."""
    if len(set(sites)) > 1:
        return list(sites), "sites" if len(set(sites)) < len(sites) else "pages"
    return [str(number) for number in range(len(sites))], "pages"


def group_kfold(sites: Sequence[str]) -> Iterator[tuple[list[int], list[int]]]:
    """Split pages by `sites` into random folds; yield training and held-out indices for each."""
    known = sorted(set(sites))
    order = np.random.default_rng(SEED).permutation(len(known)).tolist()
    fold = {site: place % FOLDS for site, place in zip(known, order, strict=True)}
    for held_out in range(min(FOLDS, len(known))):
        yield (
            [at for at, site in enumerate(sites) if fold[site] != held_out],
            [at for at, site in enumerate(sites) if fold[site] == held_out],
        )


class _TextRow(msgspec.Struct):
    url: str
    text: str


_TEXT_ROWS = msgspec.json.Decoder(_TextRow)


def silver_source(corpus: Path, progress: Progress, texts: Path | None = None) -> TrainingPages:
    """Return the archived pages of the crawl in `corpus` that have a text; others are skipped.

    A crawl has few sites, so single pages are held out: they have no domain. `texts` is a file of JSON lines with `url`
    and `text`, held in memory; without it the text of a page is what its portal's template at the time finds. Reading
    the pages raises LabError if there is no archive or no page has a text, ArchiveError if a file is unreadable.

    Raises:
        LabError: `texts` cannot be read.
    """
    rows = read_rows(texts, _TEXT_ROWS.decode) if texts else ()
    by_address = {canonical_url(row.url): row.text for row in rows}

    def find(page: Page, origin: Origin) -> tuple[PreparedPage | Rejected, str]:
        if texts:
            addresses = map(canonical_url, (page.url, *origin.redirects))
            text = next((by_address[address] for address in addresses if address in by_address), "")
            return read(page), text
        prepared = read(page, TemplateRules(origin.source, TemplateSection(**(origin.template or {}))))
        return prepared, "" if isinstance(prepared, Rejected) else "\n".join(prepared.template_text)

    def describe(learned: Mapping[str, int]) -> Described:
        digest = hashlib.sha256()
        for path in archived_files(corpus):
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        return {
            name: {"licence": "that of the portals", "pages": number, "sha256": digest.hexdigest()}
            for name, number in learned.items()
        }

    return TrainingPages(_silver_pages(corpus, find, progress), describe)


def _silver_pages(
    corpus: Path, find: Callable[[Page, Origin], tuple[PreparedPage | Rejected, str]], progress: Progress
) -> Iterator[GoldPage]:
    files = archived_files(corpus)
    if not files:
        raise LabError(f"{corpus / ARCHIVE}: no archive here; crawl into this corpus first")
    is_empty = True
    for path in files:
        for capture in read_captures(path):
            if not isinstance(capture, Capture) or not capture.origin:
                continue
            for page in (capture.page, *capture.following):
                prepared, text = find(page, capture.origin)
                if text and isinstance(prepared, PreparedPage):
                    is_empty = False
                    fields, url = prepared.fields, page.url
                    yield GoldPage(
                        url, corpus.name, url, "", fields.language, fields.title, html=prepared.html, text=text
                    )
        progress(f"{path.name} read")
    if is_empty:
        raise LabError(f"{corpus}: no page has a text, by a template of its portal or by --texts")
