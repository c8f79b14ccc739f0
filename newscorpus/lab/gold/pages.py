"""Read pages with gold text, one by one, from JSONL files (plain, gzip or zstd)."""

import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

import msgspec
import zstandard

from newscorpus.data import Page, Rejected
from newscorpus.lines import unpacked_lines
from newscorpus.page.parsing.decode import decode
from newscorpus.store.archive.read import read_capture
from newscorpus.store.archive.values import ArchiveError, ByteRange

Row = TypeVar("Row")


TEACH: Final = "teach"
MEASURE: Final = "measure"
"""What a page that a person marked is for."""
PAGES, CLEAN = "html", "clean"
"""The subfolders of a folder of pages and of their texts (Bakić 2012)."""


ALL_SPLITS = "all"

ANY_POSITION = -1
"""Stands for every block of a path."""

_OBJECTS = msgspec.json.Decoder(dict[str, Any])

ARTICLE = "article"

NO_ARTICLE = frozenset({"collection", "listing", "product", "service"})
"""Kinds of page that an extractor should reject. Forum and documentation pages hold running text: either is right."""

HEADLINE_IN_GOLD = frozenset({"cleaneval"})
"""Sets whose gold holds the headline: there the headline that an extractor gives apart is put before its text."""

LISTS_MISSING = frozenset({"fundus"})
"""Sets whose gold lacks most list items: an item amid good blocks says nothing there."""

LICENCES: Mapping[str, str] = {"wcxb": "CC-BY-4.0", "fundus": "MIT", "daniel": "GPL-3.0", "dragnet": "AGPL-3.0"}
"""The sets whose licence allows to train shipped models on their texts, and that licence."""

TEXT_LICENCES: Mapping[str, str] = {**LICENCES, "misinformation": "MIT", "article_extraction": "Apache-2.0"}
"""The same for the default model; the published systems stay with the sets that their documented results are from."""

FIELD_LICENCES: Mapping[str, str] = {**LICENCES, "htmldate": "Apache-2.0"}
"""The same for title, date and authors; it has sets without gold text, too."""

SET_WEIGHTS: Mapping[str, float] = {
    "wcxb": 1.0, "fundus": 3.0, "daniel": 0.7, "dragnet": 0.7, "misinformation": 1.0, "article_extraction": 1.0,
}  # fmt: skip
"""How much a page counts in training: the small set of many languages more, those whose gold keeps bylines less."""

PLATFORMS = frozenset({"posterous.com", "typepad.com"})
"""Domains whose hosts are sites of their own, beside those that the public suffix list names."""

ARCHIVE_DOMAINS = frozenset({"archive.org", "google.com"})
"""Domains that show pages of others: their pages are of no one site."""


class PagesError(ValueError):
    """A file of pages that cannot be read; the message is one line that names the file and the line."""


class Mark(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a person said of one block."""

    block: str  # path of its element from the root, such as `html/body/div#main/p`, as the blocks of the page give it
    label: Literal["good", "bad"]  # whether it is main text
    who: str = ""  # the person, by whatever name they use
    when: str = ""  # ISO 8601
    position: int = ANY_POSITION  # among the blocks of the page, from 0, since siblings share a path


@dataclass(frozen=True, slots=True)
class GoldPage:
    """A page and the main text that people marked in it: one line of a file. What is not known is "" or ()."""

    id: str  # unique in its set
    dataset: str  # name of the set: the file's name before its first dot
    url: str = ""  # address of the page
    domain: str = ""  # registered domain; pages of one domain stay on one side of every split
    language: str = ""  # primary language tag
    title: str = ""  # headline
    date: str = ""  # publication date as the set gives it
    authors: tuple[str, ...] = ()  # names
    html: str = ""  # the page, decoded
    text: str = ""  # gold main text, one paragraph a line
    page_type: str = ""  # kind of page ("article", "listing" ...) where the set tells kinds apart
    split: str = ""  # "train" or "dev"
    list: Literal["", "measure", "teach"] = ""  # what a page that a person marked is for
    marks: tuple[Mark, ...] = ()  # on single blocks
    # where the page lies when the line has no `html`; its file is relative to the folder of the JSONL file
    archive: ByteRange | None = None
    fetched: str = ""  # when the page was fetched, ISO 8601, where its archive says so

    def is_in(self, split: str) -> bool:
        """Tell whether the page is in a split; one that names none is in all, as all are in `ALL_SPLITS`."""
        return split in (self.split, ALL_SPLITS) or not self.split

    @property
    def site(self) -> str:
        """What keeps pages together in splits and folds: the registered domain, or the id where that is unknown."""
        return self.domain or self.id


def read_pages(path: Path) -> Iterator[GoldPage]:
    """Read the pages of a JSONL file (`.zst` and `.gz` are unpacked), in order, one in memory at a time.

    Of a folder with pages in `html/` and their texts in `clean/`, those pages are read that have a text; files that
    belong together share their name up to the last dot.

    Raises:
        PagesError: the file cannot be opened or unpacked, a line is not a page, or its place in an archive holds none.
    """
    return _read_folder(path) if path.is_dir() else read_rows(path, partial(_read_page, path))


def _read_folder(folder: Path) -> Iterator[GoldPage]:
    if not all((folder / name).is_dir() for name in (PAGES, CLEAN)):
        raise PagesError(f"{folder}: name a file of pages with gold text, or a folder with {PAGES}/ and {CLEAN}/")
    try:
        texts = {path.stem: path for path in (folder / CLEAN).iterdir() if path.is_file()}
        for path in sorted((folder / PAGES).iterdir()):
            if path.stem in texts:
                html = decode(Page("", path.read_bytes()))
                text = texts[path.stem].read_text("utf-8-sig")
                yield GoldPage(path.stem, folder.name, html="" if isinstance(html, Rejected) else html, text=text)
    except (OSError, UnicodeDecodeError) as error:
        raise PagesError(f"{folder}: cannot be read: {getattr(error, 'strerror', None) or error}") from error


def read_rows(path: Path, read_row: Callable[[bytes], Row]) -> Iterator[Row]:
    """Read the lines of a JSONL file, in order, each by `read_row`; empty ones are passed over.

    Raises:
        PagesError: the file cannot be opened or unpacked, or `read_row` raises an error of msgspec or ArchiveError.
    """
    number = 0
    try:
        for number, line in enumerate(unpacked_lines(path), 1):  # noqa: B007  (named in the error below)
            if line and not line.isspace():
                yield read_row(line)
    except (msgspec.MsgspecError, ArchiveError) as error:
        raise PagesError(f"{path}, line {number}: {error}") from error
    except (OSError, EOFError, zlib.error, zstandard.ZstdError) as error:
        why = getattr(error, "strerror", None) or error
        raise PagesError(f"{path}{f', after line {number}' if number else ''}: cannot read: {why}") from error


def _read_page(path: Path, line: bytes) -> GoldPage:
    known = {key: value for key, value in _OBJECTS.decode(line).items() if value is not None}
    page = msgspec.convert(known | {"dataset": path.name.split(".")[0]}, GoldPage)
    if "html" in known:
        return page
    if page.archive is None:
        raise msgspec.ValidationError("Object missing required field `html`, or its place in an `archive`")
    file, offset = page.archive.file, page.archive.offset
    found = read_capture(path.parent / file, offset)
    html = found if isinstance(found, Rejected) else decode(found.page)
    if isinstance(html, Rejected):
        raise ArchiveError(f"`archive`: {file} has no page at offset {offset}: {html.stage}/{html.reason}")
    return replace(page, html=html, fetched="" if isinstance(found, Rejected) else found.page.fetched)


def has_article(page_type: str) -> bool:
    """Tell whether text scores count a page of this type; sets without types ("") hold articles only."""
    return page_type in ("", ARTICLE)


def as_gold_has_it(dataset: str, title: str, text: str) -> str:
    """Bring an extracted text into the form of the set's gold: the headline before it, unless it opens with that."""
    if dataset in HEADLINE_IN_GOLD and title and not text.lstrip().startswith(title):
        return f"{title}\n{text}"
    return text
