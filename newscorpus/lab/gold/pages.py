"""Read pages with gold text, one by one, from JSONL files (plain, gzip or zstd)."""

import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

import msgspec
import zstandard

from newscorpus.data import Rejected
from newscorpus.errors import CorpusError, LabError
from newscorpus.layout import GOLD
from newscorpus.lines import unpacked_lines
from newscorpus.page.fields.dates import Setting, parse_date
from newscorpus.page.parsing.decode import decode
from newscorpus.store.archive.values import ArchiveError, ByteRange
from newscorpus.store.pages import read_saved, saved_pages

Row = TypeVar("Row")

TEACH: Final = "teach"
MEASURE: Final = "measure"
"""The lists of marked pages: for training, and for evaluation."""
CLEAN = "clean"
"""Subfolder of the texts in a folder of pages and texts (Bakić 2012)."""

ALL_SPLITS = "all"

FEWEST = 10
"""Minimum number of pages to train on, for a meaningful cross-validation."""

ANY_POSITION = -1
"""Position of a mark on all blocks of a path."""

_OBJECTS = msgspec.json.Decoder(dict[str, Any])

ARTICLE = "article"

NO_ARTICLE = frozenset({"collection", "listing", "product", "service"})
"""Kinds of page that an extractor should reject; forums and documentation have running text and count neither way."""

HEADLINE_IN_GOLD = frozenset({"cleaneval"})
"""Sets whose gold includes the headline: an extractor's headline is put before its text there."""

LISTS_MISSING = frozenset({"fundus"})
"""Sets whose gold lacks most list items: items between good blocks are not used there."""

LICENCES: Mapping[str, str] = {"wcxb": "CC-BY-4.0", "fundus": "MIT", "daniel": "GPL-3.0", "dragnet": "AGPL-3.0"}
"""Sets whose licence allows training shipped models on their texts, with that licence."""

TEXT_LICENCES: Mapping[str, str] = {**LICENCES, "misinformation": "MIT", "article_extraction": "Apache-2.0"}
"""Sets for the default model; published systems use `LICENCES`, as in their documented results."""

FIELD_LICENCES: Mapping[str, str] = {**LICENCES, "htmldate": "Apache-2.0"}
"""Sets for title, date and authors, including one without gold text."""

SET_WEIGHTS: Mapping[str, float] = {
    "wcxb": 1.0, "fundus": 3.0, "daniel": 0.7, "dragnet": 0.7, "misinformation": 1.0, "article_extraction": 1.0,
}  # fmt: skip
"""Weight of a page in training: higher for the small multilingual set, lower for sets whose gold includes bylines."""

PLATFORMS = frozenset({"posterous.com", "typepad.com"})
"""Domains whose hosts are separate sites, in addition to those of the public suffix list."""

ARCHIVE_DOMAINS = frozenset({"archive.org", "google.com"})
"""Domains that show pages of other sites."""


class Mark(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A person's verdict on one block."""

    block: str  # path of its element from the root, such as `html/body/div#main/p`
    label: Literal["good", "bad"]  # whether it is main text
    who: str = ""  # any name
    when: str = ""  # ISO 8601
    position: int = ANY_POSITION  # among the blocks of the page, from 0, since siblings share a path


@dataclass(frozen=True, slots=True)
class GoldPage:
    """A page and its gold main text: one line of a file. Unknown values are "" or ()."""

    id: str  # unique in its set
    dataset: str  # name of the set: the file's name before its first dot
    url: str = ""  # address of the page
    domain: str = ""  # registered domain; never divided by a split
    language: str = ""  # primary language tag
    title: str = ""  # headline
    date: str = ""  # publication date, ISO 8601; as the set gives it where it cannot be read
    authors: tuple[str, ...] = ()  # names
    html: str = ""  # the page, decoded
    text: str = ""  # gold main text, one paragraph a line
    page_type: str = ""  # kind of page ("article", "listing" ...) if the set has kinds
    split: str = ""  # "train" or "dev"
    list: Literal["", "measure", "teach"] = ""  # purpose of a marked page
    marks: tuple[Mark, ...] = ()  # on single blocks
    archive: ByteRange | None = None  # place of a page without `html`; the file is relative to the JSONL file
    fetched: str = ""  # ISO 8601, if the archive has it

    def is_in(self, split: str) -> bool:
        """Tell whether the page is in a split; pages without a split are in all."""
        return split in (self.split, ALL_SPLITS) or not self.split

    @property
    def site(self) -> str:
        """The unit of splits and folds: the registered domain, or the id if that is unknown."""
        return self.domain or self.id


def read_pages(path: Path) -> Iterator[GoldPage]:
    """Read the pages of a JSONL file (`.zst` and `.gz` are unpacked) in order, one at a time.

    Of a folder (`saved_pages`), the marked pages in `gold/` are read, then those whose text in `clean/` has the same
    name up to the last dot.

    Raises:
        LabError: the file cannot be opened or unpacked, a line is not a page, or an archive has none there.
    """
    if not path.is_dir():
        yield from read_rows(path, partial(_read_page, path))
        return
    if not is_marked(path):
        raise LabError(f"{path}: neither texts in {CLEAN}/ nor marked pages in {GOLD}/")
    name, marked = path.name.split(".")[0], set[str]()
    for file in sorted((path / GOLD).glob("*.jsonl")):
        for page in read_pages(file):
            marked.add(page.id)
            yield replace(page, dataset=name)
    texts = {file.stem: file for file in sorted((path / CLEAN).glob("*")) if file.stem not in marked}
    try:
        for stem, place in saved_pages(path).items() if texts else ():
            if stem in texts:
                found = read_saved(path, place)
                html = found if isinstance(found, Rejected) else decode(found)
                text = texts[stem].read_text("utf-8-sig")
                yield GoldPage(stem, name, html="" if isinstance(html, Rejected) else html, text=text)
    except CorpusError as error:
        raise LabError(str(error)) from error
    except (OSError, UnicodeDecodeError) as error:
        raise LabError(f"{texts[stem]}: cannot be read: {getattr(error, 'strerror', None) or error}") from error


def is_marked(folder: Path) -> bool:
    """Tell whether a folder has gold texts, or pages that a person marked."""
    return (folder / CLEAN).is_dir() or any((folder / GOLD).glob("*.jsonl"))


def read_rows(path: Path, read_row: Callable[[bytes], Row]) -> Iterator[Row]:
    """Read the lines of a JSONL file by `read_row`, skipping empty ones.

    Raises:
        LabError: the file cannot be opened or unpacked, or `read_row` raises an error of msgspec or ArchiveError.
    """
    number = 0
    try:
        for number, line in enumerate(unpacked_lines(path), 1):  # noqa: B007  (named in the error below)
            if line and not line.isspace():
                yield read_row(line)
    except (msgspec.MsgspecError, ArchiveError) as error:
        raise LabError(f"{path}, line {number}: {error}") from error
    except (OSError, EOFError, zlib.error, zstandard.ZstdError) as error:
        why = getattr(error, "strerror", None) or error
        raise LabError(f"{path}{f', after line {number}' if number else ''}: cannot read: {why}") from error


def _read_page(path: Path, line: bytes) -> GoldPage:
    known = {key: value for key, value in _OBJECTS.decode(line).items() if value is not None}
    page = msgspec.convert(known | {"dataset": path.name.split(".")[0]}, GoldPage)
    labels = {(mark.block, mark.position): mark.label for mark in page.marks}
    if odd := next((mark for mark in page.marks if mark.label != labels[mark.block, mark.position]), None):
        raise msgspec.ValidationError(f"`marks` contradict each other: {odd.block} is good and bad")
    page = replace(page, date=parse_date(page.date, Setting(language=page.language)) or page.date)
    if "html" in known:
        return page
    if page.archive is None:
        raise msgspec.ValidationError("Object missing required field `html`, or its place in an `archive`")
    file, offset = page.archive.file, page.archive.offset
    found = read_saved(path.parent, page.archive)
    html = found if isinstance(found, Rejected) else decode(found)
    if isinstance(html, Rejected):
        raise ArchiveError(f"`archive`: {file} has no page at offset {offset}: {html.stage}/{html.reason}")
    return replace(page, html=html, fetched="" if isinstance(found, Rejected) else found.fetched)


def has_article(page_type: str) -> bool:
    """Tell whether a page of this type counts for text scores; sets without types ("") have articles only."""
    return page_type in ("", ARTICLE)


def as_gold_has_it(dataset: str, title: str, text: str) -> str:
    """Put the headline before an extracted text if the set's gold includes it and the text does not start with it."""
    if dataset in HEADLINE_IN_GOLD and title and not text.lstrip().startswith(title):
        return f"{title}\n{text}"
    return text
