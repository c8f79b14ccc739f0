"""Restore from the archive the rows that an intake has lost: cut off by a power failure, deleted, or damaged.

A page is extracted again as it was fetched, and its row appended. What the archive does not hold stays queued: the next
crawl asks for it as if for the first time.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path

from newscorpus.config import BuildConfig, Limits
from newscorpus.corpus.reextract import FAULTS, SEGMENTS
from newscorpus.data import Rejected
from newscorpus.errors import PortalError
from newscorpus.layout import INTAKE, inside
from newscorpus.lines import blank, writable
from newscorpus.page.judge import lost_page, process_page
from newscorpus.page.recipe import Recipe, add_profile, prepare
from newscorpus.page.registry import DEFAULT, names
from newscorpus.page.rows import Row, encode_row
from newscorpus.page.source_page import SourcePage
from newscorpus.portal.portal import Portal
from newscorpus.portal.profile import Profiles, profiles_of
from newscorpus.portal.schema import list_portals, load_portal
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
    """A lost page, as the archive holds it."""

    lost: LostPage
    page: SourcePage

    def __str__(self) -> str:
        return str(self.page)


class Restoration:
    """Stores what was made of lost pages; where the process dies the next one goes on.

    Args:
        corpus: the folder.
        ledger: open.
        portals: whose rules and languages count.
        held: as `held_pages` gives it.
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
            except ArchiveError:  # it is asked for again
                continue
            if isinstance(found, Capture):
                yield LostSource(lost, page_of_capture(found, self._portals))

    def store(self, source: LostSource, outcome: Row | Rejected) -> None:
        """Store what became of a page; where a fault of ours hides that, it is asked for again."""
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
    """Give of every fetch of a page in the intake, by a hash, the number of its last re-extraction."""
    held: dict[int, int] = {}
    for row in _rows(corpus):
        name = _name(row)
        held[name] = max(row.reextraction, held.get(name, 0))
    return held


def count_rows(corpus: Path, portals: Sequence[str]) -> Mapping[str, tuple[int, int]]:
    """Count the fetches of pages that have a row in the intake, and the words of these rows, by portal.

    A spider that names no portals of its own is the one portal of all its rows.
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
    """Restore the rows of damaged lines, and blank these; gives the number of rows.

    The extractor is that of the other rows, filters are the default ones. Lines that the ledger does not know, such as
    earlier texts of a document, stay as they are.

    Raises:
        LedgerError: there is no ledger, or a crawl is at work.
        ImportError: the extractor needs a package that is not installed.
    """
    parts = _parts(damaged)
    known = lines_known(corpus, parts)
    with Ledger.open(corpus, damaged=known) as ledger:
        restoration = Restoration(corpus, ledger, readable_portals(), held_pages(corpus))
        recipe, seconds = Recipe(_extractor(corpus)), Limits().page_seconds
        judge = partial(_judged, recipe, profiles_of(corpus))
        for source, outcome in in_order(judge, restoration.pages(), 1, seconds, partial(prepare, recipe)):
            restoration.store(source, lost_page(source.page, outcome) if isinstance(outcome, Lost) else outcome)
        ledger.settle_losses(count_rows(corpus, ledger.portal_names()))
    for line in chain.from_iterable(parts[part] for part in known):
        blank(line.segment, line.offset, line.length)
    return restoration.restored


def _parts(damaged: Sequence[DamagedLine]) -> dict[FilePart, list[DamagedLine]]:
    """Join damaged lines that follow each other: a row may have been cut in two, or two joined."""
    parts: dict[FilePart, list[DamagedLine]] = {}
    for line in damaged:
        name, start, end = f"{INTAKE}/{line.segment.name}", line.offset, line.offset + line.length + 1
        last = next(reversed(parts), None)
        if last and (name, start) == (last[0], last[2]):
            parts[name, last[1], end] = [*parts.pop(last), line]
        else:
            parts[name, start, end] = [line]
    return parts


def _extractor(corpus: Path) -> str:
    """The extractor that made most rows of the intake."""
    made = Counter(row.recipe.partition("@")[0] for row in _rows(corpus))
    known = names()
    return next((name for name, _ in made.most_common() if name in known), DEFAULT)


def _judged(recipe: Recipe, profiles: Profiles, source: LostSource) -> Row | Rejected:
    """What becomes of a page; runs in a process of its own."""
    return process_page(recipe, add_profile(recipe, profiles, source.page))


def readable_portals() -> list[Portal]:
    """The portals whose files can be read; for others counts what the archive says of them."""
    found = []
    for name in list_portals():
        with suppress(PortalError):
            found.append(load_portal(name))
    return found


def _rows(corpus: Path) -> Iterator[Row]:
    """The rows of the intake that can be read."""
    if (corpus / INTAKE).is_dir():
        lines = read_intake(corpus / INTAKE, BuildConfig().signature, damaged=lambda _: None)
        yield from (line for _, line in lines if isinstance(line, Row))


def _name(row: Row) -> int:
    """A hash of the fetch of a page that a row was made of."""
    return hash((row.fetch, row.page or row.record.url))
