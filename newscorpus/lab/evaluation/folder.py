"""Evaluate a folder (Bakić 2012): pages in `html/`, gold in `clean/`, one more subfolder for each extractor.

Files that belong together share their name up to the last dot: `html/1.html`, `clean/1.txt`, `bte/1.txt`.
"""

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rich.console import Console

from newscorpus.config import Limits
from newscorpus.data import Article, Page, Rejected
from newscorpus.lab.evaluation.scores import Overlap, lcs_overlap, ngram_overlap
from newscorpus.lab.evaluation.summary import print_table
from newscorpus.lab.gold.pages import CLEAN as GOLD
from newscorpus.lab.gold.pages import PAGES
from newscorpus.page.page_files import PageOrigin
from newscorpus.page.recipe import Recipe, extractor_of
from newscorpus.workers import Lost, in_order

RESULT = "evaluation.csv"
COLUMNS = ("file", "common", "extracted", "gold", "precision", "recall", "f1")
NGRAM_COLUMNS = ("ngram_precision", "ngram_recall", "ngram_f1")
"""Scores of word 4-grams in any script; the other columns drop all characters that are not ASCII (Bakić 2012)."""
TOTAL = "total"


class FolderError(ValueError):
    """The folder is malformed; the message is one line that names the file."""


@dataclass(frozen=True, slots=True)
class FolderScores:
    """Overlap of a subfolder's files with the gold."""

    name: str
    files: Mapping[str, Overlap]  # longest common subsequence of words
    ngrams: Mapping[str, Overlap]  # word 4-grams

    @property
    def total(self) -> Overlap:
        """The sum over all files."""
        return sum(self.files.values(), Overlap())

    @property
    def total_ngrams(self) -> Overlap:
        """The sum of the 4-grams over all files."""
        return sum(self.ngrams.values(), Overlap())


def find_article(recipe: Recipe, origin: PageOrigin, page: Page) -> Article | Rejected:
    """Extract the article of a page for `evaluate FOLDER`."""
    return extractor_of(recipe, origin(page))(page)


def extract_folder(
    folder: Path, name: str, find: Callable[[Page], Article | Rejected], jobs: int = 1
) -> Iterator[Path]:
    """Extract the pages of `folder` into text files of its subfolder `name`; yield each file once it is written.

    A page without main text, or that takes too long, makes an empty file. With several `jobs`, `find` runs in worker
    processes.

    Raises:
        FolderError: there are no pages, the subfolder is that of the pages, the gold or a file, or a worker died.
    """
    pages = _files(folder / PAGES)
    if name in (PAGES, GOLD) or (folder / name).is_file():
        raise FolderError(f"{folder / name}: not a folder for what is extracted")
    (folder / name).mkdir(exist_ok=True)
    read = partial(_text_of, find)
    found = (
        in_order(read, pages.values(), jobs, Limits().page_seconds)
        if jobs > 1
        else zip(pages.values(), map(read, pages.values()), strict=True)
    )
    for path, text in found:
        if isinstance(text, Lost) and text.reason == "worker_failed":  # no fault of the extractor: it has no score
            raise FolderError(f"{path}: {text.detail}")
        target = folder / name / f"{path.stem}.txt"
        target.write_text(text if isinstance(text, str) else "", encoding="utf-8")
        yield target


def _text_of(find: Callable[[Page], Article | Rejected], path: Path) -> str:
    article = find(Page("", path.read_bytes()))
    return article.text if isinstance(article, Article) else ""


def evaluate_folder(folder: Path) -> Iterator[FolderScores]:
    """Score each subfolder with extracted texts, sorted by name, and write `evaluation.csv` into it.

    A missing file counts as an empty text.

    Raises:
        FolderError: there is no gold, or a file has no gold or is not UTF-8.
    """
    gold = {stem: _read(path) for stem, path in _files(folder / GOLD).items()}
    for subfolder in sorted(path for path in folder.iterdir() if path.is_dir() and path.name not in (PAGES, GOLD)):
        found = {path.stem: path for path in subfolder.iterdir() if path.is_file() and path.name != RESULT}
        if strange := sorted(found.keys() - gold.keys()):
            raise FolderError(f"{found[strange[0]]}: {GOLD} has no file of this name")
        texts = {stem: _read(found[stem]) if stem in found else "" for stem in gold}
        pairs = {stem: (texts[stem], gold[stem]) for stem in sorted(gold)}
        scores = FolderScores(
            name=subfolder.name,
            files={stem: lcs_overlap(*pair) for stem, pair in pairs.items()},
            ngrams={stem: ngram_overlap(*pair) for stem, pair in pairs.items()},
        )
        with (subfolder / RESULT).open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow((*COLUMNS, *NGRAM_COLUMNS))
            writer.writerow((TOTAL, *_cells(scores.total), *_figures(scores.total_ngrams)))
            writer.writerows(
                (name, *_cells(overlap), *_figures(scores.ngrams[name])) for name, overlap in scores.files.items()
            )
        yield scores


def print_folder(scores: Iterable[FolderScores], console: Console) -> None:
    """Print the totals of each subfolder as a line."""
    rows = []
    for row in scores:
        total = row.total
        figures = (total.scores.precision, total.scores.recall, total.scores.f1)
        counts = (len(row.files), total.common, total.predicted, total.gold)
        ngrams = f"{row.total_ngrams.scores.f1:.4f}"
        rows.append((row.name, *counts, *(f"{figure:.4f}" for figure in figures), ngrams))
    columns = ("subfolder", "files", *COLUMNS[1:], "4-gram f1")
    print_table(console, "longest common subsequence of ASCII words; 4-grams of all words", columns, rows)


def _files(folder: Path) -> dict[str, Path]:
    """Return the files of a folder by name up to the last dot."""
    try:
        files = {path.stem: path for path in sorted(folder.iterdir()) if path.is_file()}
    except OSError as error:
        raise FolderError(f"{folder}: cannot be read: {error.strerror}") from error
    if not files:
        raise FolderError(f"{folder}: no file in it")
    return files


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FolderError(f"{path}: not UTF-8: {error}") from error


def _cells(overlap: Overlap) -> tuple[object, ...]:
    return (overlap.common, overlap.predicted, overlap.gold, *_figures(overlap))


def _figures(overlap: Overlap) -> tuple[str, ...]:
    scores = overlap.scores
    return tuple(f"{value:.5f}" for value in (scores.precision, scores.recall, scores.f1))
