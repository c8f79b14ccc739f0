"""Extract the pages of an archive again, with today's model, templates and filters, without the network."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from newscorpus.config import BuildConfig
from newscorpus.corpus.intake import JOURNAL, IntakeWriter, Row, journal_line
from newscorpus.crawl.archive.read import read_captures
from newscorpus.data import Rejected
from newscorpus.errors import CorpusError
from newscorpus.portals.schema import Portal
from newscorpus.publish.index import INTAKE
from newscorpus.recipe import FetchedPage, Recipe, extractor_for, process
from newscorpus.stored import fetched_page
from newscorpus.tokens import collapse
from newscorpus.workers import Lost, in_order

PAGE_SECONDS = 30.0
"""Longest time for one page, as in a crawl."""

Read = tuple[str, str]
"""Source and time of the fetch of a page: what tells the pages of an archive apart."""


@dataclass(frozen=True, slots=True)
class Reextraction:
    """What was made of an archive.

    Attributes:
        outcomes: numbers of "kept" and of rejections, as "stage/reason".
        read: every page.
    """

    outcomes: Mapping[str, int]
    read: frozenset[Read]


def reextract(
    files: Sequence[Path], recipe: Recipe, portals: Sequence[Portal], jobs: int = 1
) -> Iterator[tuple[Read, Row | Rejected]]:
    """What becomes of every page of WARC files, in order.

    Args:
        files: of the archive.
        recipe: how pages are extracted.
        portals: whose rules and languages count now.
        jobs: number of processes.

    Raises:
        ArchiveError: a file cannot be read.
        ValueError: the recipe is wrong.
        ImportError: the extractor needs a package that is not here.
    """
    extractor_for(recipe.extractor)
    for given, outcome in in_order(partial(_outcome, recipe), _pages(files, portals), jobs, PAGE_SECONDS):
        read = ("", "") if isinstance(given, Rejected) else (given.source, given.page.fetched)
        yield read, _lost(given, outcome) if isinstance(outcome, Lost) else outcome


def store(outcomes: Iterable[tuple[Read, Row | Rejected]], folder: Path) -> Reextraction:
    """Write `intake/` and `rejected.jsonl` of a new corpus, which `newscorpus build` publishes.

    Raises:
        CorpusError: the folder holds an intake already.
    """
    if (folder / INTAKE).exists():
        raise CorpusError(f"{folder / INTAKE}: is there already; name a new folder")
    (folder / INTAKE).mkdir(parents=True)
    counts: Counter[str] = Counter()
    pages: set[Read] = set()
    signed = BuildConfig().signature
    with (folder / JOURNAL).open("wb") as journal, IntakeWriter(folder / INTAKE, signed) as intake:
        for read, outcome in outcomes:
            pages.add(read)
            if isinstance(outcome, Row):
                intake.append(outcome.record, outcome.signature)
                counts["kept"] += 1
            else:
                journal.write(journal_line(outcome))
                counts[f"{outcome.stage}/{outcome.reason}"] += 1
    return Reextraction(counts, frozenset(pages))


def _pages(files: Sequence[Path], portals: Sequence[Portal]) -> Iterator[FetchedPage | Rejected]:
    for path in files:
        for found in read_captures(path):
            yield found if isinstance(found, Rejected) else fetched_page(found, portals)


def _outcome(recipe: Recipe, given: FetchedPage | Rejected) -> Row | Rejected:
    """What becomes of a page; runs in a process of its own."""
    if isinstance(given, Rejected):
        return given
    try:
        return process(recipe, given)
    except Exception as error:  # noqa: BLE001 -- a fault of ours, whatever it is: the page is lost, the others are not
        return Rejected("extract", "worker_failed", collapse(f"{type(error).__name__}: {error}"), given.page.url)


def _lost(given: FetchedPage | Rejected, lost: Lost) -> Rejected:
    return given if isinstance(given, Rejected) else Rejected("extract", lost.reason, lost.detail, given.page.url)
