"""Extract the pages of an archive again, with the current model, templates and filters, without network access.

The result becomes a new corpus (`store`) or is appended to the intake of the crawled corpus (`apply`), where the newest
row of each page counts.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from newscorpus.config import BuildConfig, Limits
from newscorpus.data import LOW_CONFIDENCE, Rejected
from newscorpus.errors import CorpusError
from newscorpus.files import exclusive, replacing
from newscorpus.layout import BUILD_LOCK, INTAKE, INTAKE_SEGMENT, LEDGER, REJECTED
from newscorpus.lines import writable
from newscorpus.page.judgement import Judgement, Rules, RuleTally, extractor_of, judge, lost_page, prepare
from newscorpus.page.recipe import Recipe, add_profile
from newscorpus.page.rows import Fetch, Row, Withdrawal, encode_row
from newscorpus.page.source_page import Named, SourcePage
from newscorpus.portal.portal import Portal, version_of
from newscorpus.portal.profile import profiles_of
from newscorpus.store.intake import journal_line, read_intake, segments, write_segment
from newscorpus.store.ledger import REJECTIONS, ROWS, Ledger, UrlOutcome
from newscorpus.store.ledger.addresses import unfinished_captures
from newscorpus.store.pages import finished_captures, page_of_capture
from newscorpus.workers import Lost, in_order

PAGES_A_COMMIT = 100
"""Most pages that a killed `apply` loses; the next call extracts them again."""

FAULTS = frozenset({"worker_failed", "timeout"})
"""Reasons that say nothing about a page: `apply` keeps its earlier outcome, and the next call tries again."""


@dataclass(frozen=True, slots=True)
class Applied:
    """Counts of `apply`."""

    outcomes: Mapping[str, int]  # numbers of "kept" and of rejections, as "stage/reason"
    n_passed: int  # skipped pages


@dataclass(frozen=True, slots=True)
class Archived:
    """A crawled corpus, and how to extract its archive."""

    corpus: Path  # its folder
    files: Sequence[Path]  # of the archive
    recipe: Recipe
    portals: Sequence[Portal] = ()  # with their current rules and languages
    jobs: int = 0  # number of processes; 0 for none but this one


Extracted = tuple[SourcePage | None, Row | Rejected]
"""A page and its outcome; None instead of the page for a damaged record of the archive."""


@dataclass(frozen=True, slots=True)
class Reextraction:
    """Counts and pages of `store`."""

    outcomes: Mapping[str, int]  # numbers of "kept" and of rejections, as "stage/reason"
    read: frozenset[Fetch]  # every page of the archive


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

    Without processes (`jobs` is 0) a page has no time limit. `prepare` changes a page before it is extracted, or
    returns None to skip it; the pages in `unfinished`, from `unfinished_captures`, are skipped too.

    Raises:
        ArchiveError: a file cannot be read.
        ValueError: the recipe is invalid.
        ImportError: the extractor needs a package that is not installed.
    """
    captures = finished_captures(files, unfinished)
    pages = (found if isinstance(found, Rejected) else page_of_capture(found, portals) for found in captures)
    prepared = (page if isinstance(page, Rejected) else prepare(page) for page in pages)
    yield from extract_pages((page for page in prepared if page), recipe, jobs, tally)


def extract_pages(
    pages: Iterable[SourcePage | Rejected], recipe: Recipe, jobs: int = 0, tally: RuleTally | None = None
) -> Iterator[Extracted]:
    """Extract pages in order, and pass rejections on; arguments and errors as for `reextract`."""
    extractor_of(recipe)
    seconds = Limits().page_seconds
    for page, found in in_order(partial(_judge, Rules(recipe)), pages, jobs, seconds, partial(prepare, recipe)):
        if isinstance(page, Rejected):
            yield None, page
        else:
            judged = Judgement(lost_page(page, found)) if isinstance(found, Lost) else found
            if tally:
                tally.add(page, judged)
            yield page, judged.decided


def store(extracted: Iterable[Extracted], folder: Path) -> Reextraction:
    """Write `intake/` and `rejected.jsonl` of a new corpus, which `newscorpus build` publishes.

    Both appear when complete, the intake last; after a kill they are written anew.

    Raises:
        CorpusError: the folder already holds an intake.
    """
    if segments(folder / INTAKE):
        raise CorpusError(
            f"{folder / INTAKE}: is there already; publish it (newscorpus build {folder}) or name a new folder"
        )
    segment = folder / INTAKE_SEGMENT.format(1)
    counts: Counter[str] = Counter()
    read: set[Fetch] = set()
    with write_segment(segment, BuildConfig().signature) as append, replacing(folder / REJECTED) as journal:
        for page, outcome in extracted:
            counts[_counted(outcome)] += 1
            read |= {(page.source, page.page.fetched)} if page else set()
            if isinstance(outcome, Row):
                append(outcome)
            else:
                journal.write(journal_line(outcome))
    return Reextraction(counts, frozenset(read))


def apply(
    archived: Archived,
    watch: Callable[[Iterable[Extracted]], Iterable[Extracted]] = lambda extracted: extracted,
    tally: RuleTally | None = None,
    sources: Collection[str] | None = None,
    untouched: Collection[Named] = (),
) -> Applied:
    """Extract the pages of a crawled corpus and append their rows to its intake; `newscorpus build` publishes them.

    The corpus's profiles are used. Pages whose newest row comes from this recipe are skipped, so the next call
    completes a killed one. The counts of the ledger are updated. Only pages of `sources` are extracted, by default all.
    `untouched` are documents whose verdicts a profile does not change; they are skipped if they have a row from this
    recipe without the profile that is not doubtful.

    Raises:
        CorpusError, LedgerError: the corpus was not crawled, or a crawl or a build is running.
        ArchiveError, ValueError, ImportError: as for `reextract`.
    """
    corpus, recipe = archived.corpus, archived.recipe
    if not (corpus / LEDGER).is_file():
        raise CorpusError(f"{corpus / LEDGER}: no ledger here; only what was crawled can be changed in place")
    counts: Counter[str] = Counter()
    seen: Counter[bool] = Counter()
    with exclusive(corpus / BUILD_LOCK), Ledger.open(corpus) as ledger:
        history, profiles = History(corpus / INTAKE, recipe), profiles_of(corpus)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        for portal in archived.portals:  # the templates of today end the redesign alarms over earlier ones
            if template := portal.template_for(now):
                ledger.looks.end_alarms(portal.name, version_of(template), now)

        def prepare(page: SourcePage) -> SourcePage | None:
            if sources is not None and page.source not in sources:
                return None
            is_untouched = history.is_untouched(page, untouched)
            page = add_profile(recipe, profiles, page)
            due = not is_untouched and history.is_due(page)
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


@dataclass(frozen=True, slots=True)
class Held:
    """The newest line of a document in the intake."""

    reextraction: int  # number of the re-extraction that wrote it; 0: the crawl
    is_row: bool  # rather than a withdrawal
    page: str  # address of the page
    recipe: str
    is_doubtful: bool = False  # a row whose text has low confidence


class History:
    """The lines of each page in the intake of a corpus; decides what to append."""

    def __init__(self, intake: Path, recipe: Recipe) -> None:
        self._recipe = recipe
        self._pages: dict[tuple[Fetch, str], tuple[int, str]] = {}
        self._documents: dict[Fetch, dict[str, Held]] = {}
        self._newest: dict[tuple[str, str], str] = {}
        self._words: dict[tuple[str, str], int] = {}
        # A damaged line counts as missing, so its page is due.
        for _, line in read_intake(intake, BuildConfig().signature, damaged=lambda _: None):
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
        """Check whether the newest line of a page comes from another recipe."""
        return self._pages.get(_name(page), (0, ""))[1] != self._recipe.version_for(page)

    def is_untouched(self, page: SourcePage, documents: Collection[Named]) -> bool:
        """Check whether a page is one of some documents, by a row of this recipe that is not doubtful."""
        fetch, address = _name(page)
        held = self._documents.get(fetch, {}) if documents else {}
        rows = (
            (page.source, name) in documents and row.is_row and not row.is_doubtful
            for name, row in held.items()
            if row.page == address
        )
        return any(rows) and not self.is_due(page)

    def is_newest(self, page: SourcePage) -> bool:
        """Check whether the intake holds no later fetch of the page."""
        return page.page.fetched >= self._newest.get((page.source, page.page.url), "")

    def n_words(self, page: SourcePage) -> int:
        """Return the number of words in the page's row; 0 if it has none."""
        return self._words.get((page.source, page.page.url), 0)

    def lines(self, page: SourcePage, outcome: Row | Rejected) -> Iterator[Row | Withdrawal]:
        """Yield the lines to append for a page: its row, if any, and a withdrawal of each document it no longer is.

        A rejected page that never was a document gets a withdrawal without a document, so that it is not extracted
        again.
        """
        fetch, address = _name(page)
        times = self._pages.get((fetch, address), (0, ""))[0] + 1
        held = self._documents.get(fetch, {})
        gone = [name for name, row in held.items() if row.is_row and row.page == address]
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


def _name(page: SourcePage) -> tuple[Fetch, str]:
    return (page.source, page.page.fetched), page.page.url


def _append(ledger: Ledger, page: SourcePage, lines: Iterable[Row | Withdrawal], history: History) -> None:
    """Append the lines of a page, and record the first line of its newest fetch as the outcome of its address.

    A rejection is written to the journal too. If the ledger does not know the page (from a WARC file), only a
    rejection that withdraws a document is, because nothing would remove an earlier line.
    """
    placed = [(line, ledger.append(ROWS, encode_row(writable(line)))) for line in lines]
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
    """Judge a page in a worker process; pass a rejection on."""
    return Judgement(given) if isinstance(given, Rejected) else judge(given, rules)
