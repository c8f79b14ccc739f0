"""Evaluate a folder (Bakić 2012): pages in `html/`, gold in `clean/`, one more subfolder for each extractor.

Files that belong together share their name up to the last dot: `html/1.html`, `clean/1.txt`, `bte/1.txt`. The pages may
also be HTML files or WARC files, and the gold may be marked.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass
from functools import partial
from pathlib import Path

from rich.console import Console

from newscorpus.config import Limits
from newscorpus.data import Article, Page, Rejected
from newscorpus.errors import LabError
from newscorpus.files import replacing
from newscorpus.lab.evaluation.scores import Overlap, lcs_overlap, ngram_overlap, word_edits
from newscorpus.lab.evaluation.summary import print_table
from newscorpus.lab.gold.pages import CLEAN, has_article, read_pages
from newscorpus.layout import ARCHIVE, GOLD
from newscorpus.lines import csv_lines
from newscorpus.page.loading import extractor_of
from newscorpus.page.page_files import PageOrigin
from newscorpus.page.recipe import Recipe
from newscorpus.store.archive.values import ByteRange
from newscorpus.store.pages import SAVED, read_saved, saved_pages
from newscorpus.tokens import words
from newscorpus.urls import document_id, is_web
from newscorpus.workers import Lost, in_order

RESULT = "evaluation.csv"
COLUMNS = (
    *("common", "extracted", "gold", "precision", "recall", "f1"),
    *("ngram_precision", "ngram_recall", "ngram_f1", "edits"),
)
"""Figures of the table: the longest common subsequence of words (of all, not of ASCII alone as by Bakić 2012), word
4-grams, and the Levenshtein distance in words."""
TOTAL = "total"
NOT_EXTRACTED = frozenset({SAVED, CLEAN, GOLD, ARCHIVE})
"""Subfolders that are no extractor's."""


@dataclass(frozen=True, slots=True)
class TextScores:
    """Scores of a text against the gold; scores of many texts add up."""

    words: Overlap  # longest common subsequence of words
    ngrams: Overlap  # word 4-grams
    edits: int  # Levenshtein distance in words

    def __add__(self, other: "TextScores") -> "TextScores":
        return TextScores(self.words + other.words, self.ngrams + other.ngrams, self.edits + other.edits)

    @property
    def cells(self) -> tuple[object, ...]:
        """The values of `COLUMNS` but the first."""
        return (*astuple(self.words), *_figures(self.words), *_figures(self.ngrams), self.edits)


@dataclass(frozen=True, slots=True)
class FolderScores:
    """Scores of a subfolder's files."""

    name: str
    files: Mapping[str, TextScores]

    @property
    def total(self) -> TextScores:
        """The sum over all files."""
        return sum(self.files.values(), TextScores(Overlap(), Overlap(), 0))


def text_of(recipe: Recipe, origin: PageOrigin, page: Page) -> bytes | Rejected:
    """Return the text of the article of a page."""
    article = extractor_of(recipe, origin(page))(page)
    return article.text.encode("utf-8", "replace") if isinstance(article, Article) else article


def extract_folder(
    folder: Path, target: Path, convert: Callable[[Page], bytes | Rejected], jobs: int = 1, suffix: str = ".txt"
) -> Iterator[tuple[str, Rejected | None]]:
    """Write what `convert` makes of each page of `folder` into a file of `target`; yield the pages as they are done.

    A rejected page, such as one that takes too long, has no file. With several `jobs`, `convert` runs in worker
    processes.

    Raises:
        LabError: `target` is the folder of the pages, the gold or a file, or a worker died.
        CorpusError: there are no pages.
    """
    pages = saved_pages(folder)
    if (
        target.resolve() in {folder.resolve(), *((folder / name).resolve() for name in NOT_EXTRACTED)}
        or target.is_file()
    ):
        raise LabError(f"{target}: not a folder for what is extracted")
    target.mkdir(parents=True, exist_ok=True)
    read = partial(_convert, folder, convert)
    found = (
        in_order(read, pages.values(), jobs, Limits().page_seconds)
        if jobs > 1
        else zip(pages.values(), map(read, pages.values()), strict=True)
    )
    for name, (place, content) in zip(pages, found, strict=True):
        if isinstance(content, Lost) and content.reason == "worker_failed":  # no fault of the extractor: no score
            raise LabError(f"{folder / place.file}: {content.detail}")
        file = target / f"{file_stem(name)}{suffix}"
        if isinstance(content, bytes):
            with replacing(file) as out:
                out.write(content)
            yield name, None
        else:
            file.unlink(missing_ok=True)  # of an earlier run
            yield name, Rejected("extract", content.reason, content.detail) if isinstance(content, Lost) else content


def file_stem(page: str) -> str:
    """Return the name of a page's file, without suffix: that of its own file, or the id of its address."""
    return document_id(page) if is_web(page) else page


def _convert(folder: Path, convert: Callable[[Page], bytes | Rejected], place: ByteRange) -> bytes | Rejected:
    page = read_saved(folder, place)
    return page if isinstance(page, Rejected) else convert(page)


def gold_texts(folder: Path, split: str) -> dict[str, str]:
    """Return the gold texts of a folder by `file_stem`: those of the pages in a split, or without one.

    Pages without a text, such as those that were finished with nothing marked, are left out.

    Raises:
        LabError: there are none, or a file cannot be read.
    """
    pages = (page for page in read_pages(folder) if page.is_in(split) and has_article(page.page_type))
    texts = {file_stem(page.id): page.text for page in pages if page.text}
    if not texts:
        raise LabError(f"{folder}: no page with gold text in the split '{split}'")
    return texts


def evaluate_folder(folder: Path, split: str = "dev") -> list[FolderScores]:
    """Score each subfolder with extracted texts, sorted by name; `evaluation.csv` in it has a row for each file.

    `evaluation.csv` in `folder` has a row for each subfolder. A missing file counts as an empty text.

    Raises:
        LabError: there is no gold, or a file belongs to no page or is not UTF-8.
        CorpusError: there are no pages.
    """
    gold, known = gold_texts(folder, split), {file_stem(name) for name in saved_pages(folder)}
    scored = []
    for subfolder in sorted(path for path in folder.iterdir() if path.is_dir() and path.name not in NOT_EXTRACTED):
        files = (path for path in subfolder.iterdir() if path.is_file() and path.name[0] != ".")  # of a killed run
        found = {path.stem: path for path in files if path.name != RESULT}
        if strange := sorted(found.keys() - gold.keys() - known):
            raise LabError(f"{found[strange[0]]}: no page has this name")
        texts = {stem: _read(found[stem]) if stem in found else "" for stem in sorted(gold)}
        scored.append(FolderScores(subfolder.name, {stem: _score(text, gold[stem]) for stem, text in texts.items()}))
        total = (TOTAL, *scored[-1].total.cells)
        _write(subfolder, "file", [total, *((name, *scores.cells) for name, scores in scored[-1].files.items())])
    _write(folder, "system", [(one.name, *one.total.cells) for one in scored])
    return scored


def _score(text: str, gold: str) -> TextScores:
    return TextScores(lcs_overlap(text, gold, words), ngram_overlap(text, gold), word_edits(text, gold))


def _write(folder: Path, first: str, rows: Iterable[tuple[object, ...]]) -> None:
    with replacing(folder / RESULT) as file:
        file.writelines(csv_lines([(first, *COLUMNS), *rows]))


def print_folder(scores: Iterable[FolderScores], console: Console) -> None:
    """Print the totals of each subfolder as a line."""
    columns = ("subfolder", "files", *COLUMNS[:6], "4-gram f1", "edits")
    rows = []
    for row in scores:
        cells = row.total.cells
        rows.append((row.name, len(row.files), *cells[:6], cells[8], cells[9]))
    print_table(console, "longest common subsequence, 4-grams and edits of words", columns, rows)


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise LabError(f"{path}: not UTF-8: {error}") from error


def _figures(overlap: Overlap) -> tuple[str, ...]:
    scores = overlap.scores
    return tuple(f"{value:.5f}" for value in (scores.precision, scores.recall, scores.f1))
