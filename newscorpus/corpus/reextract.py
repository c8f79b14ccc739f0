"""Extract the pages of an archive again, with today's model, templates and filters, without the network.

The result is a corpus of its own (`store`), or goes into the intake of the crawled corpus (`apply`), where the newest
row of every page counts.
"""

import shutil
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from newscorpus.config import BuildConfig, Limits
from newscorpus.data import LOW_CONFIDENCE, Rejected
from newscorpus.errors import CorpusError
from newscorpus.files import exclusive, replacing, sync_folder
from newscorpus.layout import BUILD_LOCK, INTAKE, INTAKE_SEGMENT, LEDGER, REJECTED, UNFINISHED_INTAKE
from newscorpus.lines import writable
from newscorpus.page.judge import Judgement, Rules, judge, lost_page, tally_rules
from newscorpus.page.profiles.learn import Named
from newscorpus.page.recipe import Recipe, add_profile, extractor_of, prepare
from newscorpus.page.rows import Fetch, Row, Withdrawal, encode_row
from newscorpus.page.source_page import SourcePage
from newscorpus.page.template import RuleTally, version_of
from newscorpus.portal.portal import Portal
from newscorpus.portal.profile import profiles_of
from newscorpus.store.intake import IntakeWriter, encode_header, journal_line, read_intake
from newscorpus.store.ledger import REJECTIONS, Ledger, Series, UrlOutcome
from newscorpus.store.ledger.addresses import unfinished_captures
from newscorpus.store.pages import finished_captures, page_of_capture
from newscorpus.urls import document_id
from newscorpus.workers import Lost, in_order

SEGMENTS = Series(INTAKE_SEGMENT, encode_header(BuildConfig().signature))

PAGES_A_COMMIT = 100
"""Pages that a kill in the midst of `apply` costs at most; they are extracted again by the next one."""

FAULTS = frozenset({"worker_failed", "timeout"})
"""Reasons that say nothing of a page: `apply` leaves it what it was, and the next one tries again."""


@dataclass(frozen=True, slots=True)
class Applied:
    """What `apply` did."""

    outcomes: Mapping[str, int]  # numbers of "kept" and of rejections, as "stage/reason"
    n_passed: int  # pages that were passed over


@dataclass(frozen=True, slots=True)
class Archived:
    """A corpus, its archive, and how the pages of that are extracted."""

    corpus: Path  # its folder
    files: Sequence[Path]  # of the archive
    recipe: Recipe
    portals: Sequence[Portal] = ()  # whose rules and languages count now
    jobs: int = 0  # number of processes; 0: this one


Extracted = tuple[SourcePage | None, Row | Rejected]
"""A page and what became of it; None for damage of the archive."""


@dataclass(frozen=True, slots=True)
class Reextraction:
    """What was made of an archive."""

    outcomes: Mapping[str, int]  # numbers of "kept" and of rejections, as "stage/reason"
    read: frozenset[Fetch]  # every page


def reextract(
    files: Sequence[Path],
    recipe: Recipe,
    portals: Sequence[Portal],
    jobs: int = 0,
    prepare: Callable[[SourcePage], SourcePage | None] = lambda page: page,
    tally: RuleTally | None = None,
    unfinished: Collection[tuple[str, int]] = (),
) -> Iterator[Extracted]:
    """Extract every page of WARC files, in order.

    Args:
        files: of the archive.
        recipe: how pages are extracted.
        portals: whose rules and languages count now.
        jobs: number of processes; 0 for this one, in which a page may take any time.
        prepare: gives the page as it is extracted, or None where it is passed over.
        tally: counts what the rules of templates find.
        unfinished: pages that are passed over, as `unfinished_captures` gives them.

    Raises:
        ArchiveError: a file cannot be read.
        ValueError: the recipe is wrong.
        ImportError: the extractor needs a package that is not here.
    """
    captures = finished_captures(files, unfinished)
    pages = (found if isinstance(found, Rejected) else page_of_capture(found, portals) for found in captures)
    prepared = (page if isinstance(page, Rejected) else prepare(page) for page in pages)
    yield from extract_pages((page for page in prepared if page), recipe, jobs, tally)


def extract_pages(
    pages: Iterable[SourcePage | Rejected], recipe: Recipe, jobs: int = 0, tally: RuleTally | None = None
) -> Iterator[Extracted]:
    """Extract pages in order; what could not be read passes. Arguments and errors are those of `reextract`."""
    extractor_of(recipe)
    seconds = Limits().page_seconds
    for page, found in in_order(partial(_judge, Rules(recipe)), pages, jobs, seconds, partial(prepare, recipe)):
        if isinstance(page, Rejected):
            yield None, page
        else:
            judged = Judgement(lost_page(page, found)) if isinstance(found, Lost) else found
            if tally:
                tally_rules(tally, page, judged)
            yield page, judged.decided


def store(extracted: Iterable[Extracted], folder: Path) -> Reextraction:
    """Write `intake/` and `rejected.jsonl` of a new corpus, which `newscorpus build` publishes.

    Both appear when they are complete; what a killed run left is written anew.

    Raises:
        CorpusError: the folder holds an intake already.
    """
    if (folder / INTAKE).exists():
        raise CorpusError(
            f"{folder / INTAKE}: is there already; publish it (newscorpus build {folder}) or name a new folder"
        )
    unfinished = folder / UNFINISHED_INTAKE
    if unfinished.exists():
        shutil.rmtree(unfinished)
    unfinished.mkdir(parents=True)
    counts: Counter[str] = Counter()
    read: set[Fetch] = set()
    signed = BuildConfig().signature
    with replacing(folder / REJECTED) as journal, IntakeWriter(unfinished, signed) as intake:
        for page, outcome in extracted:
            counts[_counted(outcome)] += 1
            read |= {(page.source, page.page.fetched)} if page else set()
            if isinstance(outcome, Row):
                intake.append(outcome)
            else:
                journal.write(journal_line(outcome))
    unfinished.rename(folder / INTAKE)
    sync_folder(folder)
    return Reextraction(counts, frozenset(read))


def apply(
    archived: Archived,
    watch: Callable[[Iterable[Extracted]], Iterable[Extracted]] = lambda extracted: extracted,
    tally: RuleTally | None = None,
    sources: Collection[str] | None = None,
    untouched: Collection[Named] = (),
) -> Applied:
    """Append to the intake of a crawled corpus what the recipe makes of its pages; `newscorpus build` publishes it.

    The profiles that the corpus keeps are used. Pages whose newest row is of this recipe are passed over, so that a run
    that was broken off is completed by the next one. The counts of the ledger follow.

    Args:
        archived: the corpus, and how its pages are extracted.
        watch: shows the progress.
        tally: as for `reextract`.
        sources: whose pages are extracted; None: all.
        untouched: documents of which a profile changes no verdict; they are passed over where a row that is not
            doubtful was made without a profile.

    Raises:
        CorpusError, LedgerError: the corpus was not crawled, or a crawl or a build is at work.
        ArchiveError, ValueError, ImportError: as `reextract`.
    """
    corpus, recipe = archived.corpus, archived.recipe
    if not (corpus / LEDGER).is_file():
        raise CorpusError(f"{corpus / LEDGER}: no ledger here; only what was crawled can be changed in place")
    counts: Counter[str] = Counter()
    seen: Counter[bool] = Counter()
    with exclusive(corpus / BUILD_LOCK), Ledger.open(corpus) as ledger:
        history, profiles = History(corpus / INTAKE, recipe), profiles_of(corpus)
        _end_alarms(ledger, archived.portals)

        def prepare(page: SourcePage) -> SourcePage | None:
            if sources is not None and page.source not in sources:
                return None
            stands = history.stands(page, untouched)
            page = add_profile(recipe, profiles, page)
            due = not stands and history.is_due(page)
            seen[due] += 1
            return page if due else None

        unfinished = unfinished_captures(corpus)
        extracted = reextract(archived.files, recipe, archived.portals, archived.jobs, prepare, tally, unfinished)
        for number, (page, outcome) in enumerate(watch(extracted), 1):
            counts[_counted(outcome)] += 1
            if page and not (isinstance(outcome, Rejected) and outcome.reason in FAULTS):
                _append(ledger, page, history.lines(page, outcome), history)
            if number % PAGES_A_COMMIT == 0:
                ledger.commit()
    return Applied(counts, seen[False])


def _end_alarms(ledger: Ledger, portals: Iterable[Portal]) -> None:
    """Let the templates that the files of portals hold now end the alarms over those before them."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    for portal in portals:
        if template := portal.template_for(now):
            ledger.looks.end_alarms(portal.name, version_of(template), now)


@dataclass(frozen=True, slots=True)
class Held:
    """The newest line of a document."""

    reextraction: int  # that made it
    is_row: bool
    page: str  # its address
    recipe: str
    is_doubtful: bool = False  # it is a row, and the confidence in its text is low


class History:
    """Knows what the intake of a corpus holds of each page, and decides what to append.

    Args:
        intake: the folder.
        recipe: that is applied now.
    """

    def __init__(self, intake: Path, recipe: Recipe) -> None:
        self._recipe = recipe
        self._pages: dict[tuple[Fetch, str], tuple[int, str]] = {}
        self._documents: dict[Fetch, dict[str, Held]] = {}
        self._newest: dict[tuple[str, str], str] = {}
        self._words: dict[tuple[str, str], int] = {}
        # What is damaged is held no more, and its page is due.
        lines = read_intake(intake, BuildConfig().signature, damaged=lambda _: None) if intake.is_dir() else ()
        for _, line in lines:
            is_row = isinstance(line, Row)
            page = (line.page or line.record.url) if isinstance(line, Row) else line.url
            times = (line.reextraction, line.recipe)
            self._pages[line.fetch, page] = max(times, self._pages.get((line.fetch, page), times))
            source, fetched = line.fetch
            self._newest[source, page] = max(fetched, self._newest.get((source, page), ""))
            self._words[source, page] = line.record.n_words if isinstance(line, Row) else 0
            documents = self._documents.setdefault(line.fetch, {})
            held = documents.get(line.document)
            if held is None or (held.reextraction, held.is_row) <= (line.reextraction, is_row):
                is_doubtful = isinstance(line, Row) and LOW_CONFIDENCE in line.record.flags
                documents[line.document] = Held(line.reextraction, is_row, page, line.recipe, is_doubtful)

    def is_due(self, page: SourcePage) -> bool:
        """Whether the newest line of a page is of another recipe."""
        return self._pages.get(_name(page), (0, ""))[1] != self._recipe.version_for(page)

    def stands(self, page: SourcePage, documents: Collection[Named]) -> bool:
        """Whether a page is one of some documents, by a row that this recipe made and that is not doubtful."""
        fetch, address = _name(page)
        held = self._documents.get(fetch, {}) if documents else {}
        rows = (
            (page.source, name) in documents and row.is_row and not row.is_doubtful
            for name, row in held.items()
            if row.page == address
        )
        return any(rows) and not self.is_due(page)

    def is_newest(self, page: SourcePage) -> bool:
        """Whether nothing is held of a later fetch of the page."""
        return page.page.fetched >= self._newest.get((page.source, page.page.url), "")

    def n_words(self, page: SourcePage) -> int:
        """Words of the row that the page is; 0 where it is none."""
        return self._words.get((page.source, page.page.url), 0)

    def lines(self, page: SourcePage, outcome: Row | Rejected) -> Iterator[Row | Withdrawal]:
        """What is appended for a page: its row; and a withdrawal for each document that it is no more, at least one.

        A page that never was a document has a withdrawal that names none, so that it is not extracted again.
        """
        times = self._pages.get(_name(page), (0, ""))[0] + 1
        gone = self._earlier(page)
        if isinstance(outcome, Row):
            yield replace(outcome, reextraction=times)
            gone = [name for name in gone if name != outcome.document]
            outcome = Rejected("extract", "other_document", f"the page is now document {outcome.document}")
        else:
            gone = gone or [""]
        why = (outcome.stage, outcome.reason, outcome.detail, page.page.url, outcome.excerpt)
        recipe = self._recipe.version_for(page)
        for name in gone:
            yield Withdrawal(name, *why, page.source, page.page.fetched, recipe, times)

    def _earlier(self, page: SourcePage) -> list[str]:
        """The documents that a page is; of rows that do not name their page, the one that it must be."""
        fetch, address = _name(page)
        held = self._documents.get(fetch, {})
        rows = {name: row for name, row in held.items() if row.is_row}
        own = [name for name, row in rows.items() if row.page == address]
        return own or [
            name for name, row in rows.items() if not row.recipe and (name == document_id(address) or len(held) == 1)
        ]


def _name(page: SourcePage) -> tuple[Fetch, str]:
    return (page.source, page.page.fetched), page.page.url


def _append(ledger: Ledger, page: SourcePage, lines: Iterable[Row | Withdrawal], history: History) -> None:
    """Append the lines of a page; the ledger notes the first of its newest fetch as what became of its address.

    A rejection goes to the journal too; that of a page which the ledger does not know, from a WARC file, only where it
    costs a document, since nobody would take its earlier line out.
    """
    placed = [(line, ledger.append(SEGMENTS, encode_row(writable(line)))) for line in lines]
    if not history.is_newest(page):
        return
    line, at = placed[0]
    if isinstance(line, Withdrawal) and (line.withdrawn or ledger.knows(page.page.url)):
        at = ledger.append(REJECTIONS, journal_line(line.rejected))
    outcome = UrlOutcome.of(line.record if isinstance(line, Row) else line.rejected, at)
    ledger.replace_outcome(page.page.url, outcome, history.n_words(page))


def _counted(outcome: Row | Rejected) -> str:
    return "kept" if isinstance(outcome, Row) else f"{outcome.stage}/{outcome.reason}"


def _judge(rules: Rules, given: SourcePage | Rejected) -> Judgement:
    """Judge a page in a process of its own; damage of the archive passes."""
    return Judgement(given) if isinstance(given, Rejected) else judge(given, rules)
