"""Restore rows that an intake has lost (truncated by a power failure, deleted, or damaged) from the archive.

The archived page is extracted again and its row appended. Pages that the archive does not hold stay queued: the next
crawl fetches them unconditionally.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path

from newscorpus.config import BuildConfig, Limits
from newscorpus.corpus.reextract import FAULTS, SEGMENTS
from newscorpus.data import Rejected
from newscorpus.layout import INTAKE, inside
from newscorpus.lines import blank, writable
from newscorpus.page.judgement import lost_page, prepare, process_page
from newscorpus.page.recipe import Recipe, add_profile
from newscorpus.page.registry import DEFAULT, names
from newscorpus.page.rows import Row, encode_row
from newscorpus.page.source_page import SourcePage
from newscorpus.portal.portal import Portal
from newscorpus.portal.profile import Profiles, profiles_of
from newscorpus.portal.schema import readable_portals
from newscorpus.store.archive.read import read_capture
from newscorpus.store.archive.values import ArchiveError, Capture
from newscorpus.store.intake import DamagedLine, journal_line, read_intake
from newscorpus.store.ledger import REJECTIONS, Ledger, UrlOutcome
from newscorpus.store.ledger.addresses import lines_known
from newscorpus.store.ledger.recover import FilePart, LostPage
from newscorpus.store.pages import page_of_capture
from newscorpus.workers import Lost, in_order


@dataclass(frozen=True, slots=True)
class LostSource:
    """A lost page, read from the archive."""

    lost: LostPage
    page: SourcePage

    def __str__(self) -> str:
        return str(self.page)


class Restoration:
    """Store the outcomes of lost pages; after a kill, the next crawl or build continues.

    `held` comes from `held_pages`.
    """

    def __init__(self, corpus: Path, ledger: Ledger, portals: Sequence[Portal], held: Mapping[int, int]) -> None:
        self._corpus = corpus
        self._ledger = ledger
        self._portals = portals
        self._held = held
        self.restored = 0  # rows

    def pages(self) -> Iterator[LostSource]:
        """Read the lost pages that the archive holds."""
        for lost in self._ledger.losses.archived():
            try:
                found = read_capture(inside(self._corpus, lost.archived[0]), lost.archived[1])
            except ArchiveError:  # the next crawl fetches the page
                continue
            if isinstance(found, Capture):
                yield LostSource(lost, page_of_capture(found, self._portals))

    def store(self, source: LostSource, outcome: Row | Rejected) -> None:
        """Store the outcome of a page, unless it is a timeout or a failed worker: then it is fetched again."""
        if isinstance(outcome, Row):
            row: Row = writable(replace(outcome, reextraction=self._held.get(_name(outcome), -1) + 1))
            place = self._ledger.append(SEGMENTS, encode_row(row))
            self._ledger.restore(source.lost, UrlOutcome.of(row.record, place))
            self.restored += 1
        elif outcome.reason not in FAULTS:
            place = self._ledger.append(REJECTIONS, journal_line(outcome))
            self._ledger.restore(source.lost, UrlOutcome.of(outcome, place))
        self._ledger.commit()


def held_pages(corpus: Path) -> Mapping[int, int]:
    """Return the number of the last re-extraction of every page fetch in the intake, by a hash of the fetch."""
    held: dict[int, int] = {}
    for row in _rows(corpus):
        name = _name(row)
        held[name] = max(row.reextraction, held.get(name, 0))
    return held


def count_rows(corpus: Path, portals: Sequence[str]) -> Mapping[str, tuple[int, int]]:
    """Count the page fetches with a row in the intake, and the words of these rows, by portal.

    With a single portal, rows of other sources count as its rows: their spider names no portals of its own.
    """
    seen: set[int] = set()
    kept, words = Counter[str](), Counter[str]()
    for row in _rows(corpus):
        if (name := _name(row)) not in seen:
            seen.add(name)
            source = row.record.source
            portal = source if source in portals or len(portals) != 1 else portals[0]
            kept[portal] += 1
            words[portal] += row.record.n_words
    return {portal: (n, words[portal]) for portal, n in kept.items()}


def restore_lines(corpus: Path, damaged: Sequence[DamagedLine]) -> int:
    """Restore the rows of damaged lines, blank these lines, and return the number of restored rows.

    The pages are extracted by the extractor of most other rows, with the default filters. Lines that the ledger does
    not know, such as earlier texts of a document, are left alone.

    Raises:
        CorpusError: there is no ledger, or a crawl is running.
        ImportError: the extractor needs a package that is not installed.
    """
    parts: dict[FilePart, list[DamagedLine]] = {}
    for line in damaged:  # join consecutive ones: a row may have been cut in two, or two joined
        name, start, end = f"{INTAKE}/{line.segment.name}", line.offset, line.offset + line.length + 1
        last = next(reversed(parts), None)
        if last and (name, start) == (last[0], last[2]):
            parts[name, last[1], end] = [*parts.pop(last), line]
        else:
            parts[name, start, end] = [line]
    known = lines_known(corpus, parts)
    made = Counter(row.recipe.partition("@")[0] for row in _rows(corpus))
    extractor = next((name for name, _ in made.most_common() if name in names()), DEFAULT)
    with Ledger.open(corpus, damaged=known) as ledger:
        restoration = Restoration(corpus, ledger, readable_portals(), held_pages(corpus))
        recipe, seconds = Recipe(extractor), Limits().page_seconds
        judge = partial(_judged, recipe, profiles_of(corpus))
        for source, outcome in in_order(judge, restoration.pages(), 1, seconds, partial(prepare, recipe)):
            restoration.store(source, lost_page(source.page, outcome) if isinstance(outcome, Lost) else outcome)
        ledger.settle_losses(count_rows(corpus, ledger.portal_names()))
    for line in chain.from_iterable(parts[part] for part in known):
        blank(line.segment, line.offset, line.length)
    return restoration.restored


def _judged(recipe: Recipe, profiles: Profiles, source: LostSource) -> Row | Rejected:
    """Judge a page in a worker process."""
    return process_page(recipe, add_profile(recipe, profiles, source.page))


def _rows(corpus: Path) -> Iterator[Row]:
    """Read the intact rows of the intake."""
    lines = read_intake(corpus / INTAKE, BuildConfig().signature, damaged=lambda _: None)
    yield from (line for _, line in lines if isinstance(line, Row))


def _name(row: Row) -> int:
    """Hash the page fetch that a row comes from."""
    return hash((row.fetch, row.page or row.record.url))
