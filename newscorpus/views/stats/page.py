"""Arrange the crawl of a corpus and what is in it as tables, as an HTML page, and its charts as an SVG picture.

No script, no other file, all texts escaped. The browser side shows the same parts.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from rich.cells import cell_len, set_cell_size

from newscorpus.corpus.export.tei import NO_XML
from newscorpus.files import is_held
from newscorpus.layout import CRAWL_LOCK
from newscorpus.store.ledger.addresses import (
    LastPage,
    QueuedAddress,
    SpanOfTime,
    last_pages,
    next_addresses,
    over_time,
)
from newscorpus.store.ledger.portals import SitePace, site_paces
from newscorpus.store.ledger.status import PortalStatus, status
from newscorpus.views.stats.count import CorpusStats, Size

TITLES = {
    "portal": "Portals",
    "year": "Years of publication",
    "month": "Months of publication",
    "language": "Languages",
    "section": "Sections",
    "length": "Words in a document",
    "confidence": "Confidence of the extraction",
    "flag": "Flags",
}
MAX_BARS = 30
"""Maximum bars of a chart; the table has the rest."""

LABEL_WIDTH = 30
"""Longest label of a bar, in Latin letters; a Chinese or Japanese character is as wide as two."""


@dataclass(frozen=True, slots=True)
class PortalCrawl:
    """Status of the crawl of one portal."""

    status: PortalStatus
    spans: tuple[SpanOfTime, ...]  # what it gave over time
    shortfalls: tuple[str, ...]  # what is missing and why: lines for a person
    next: tuple[QueuedAddress, ...]  # the addresses that are asked for next


@dataclass(frozen=True, slots=True)
class CrawlState:
    """How the crawl of a corpus stands."""

    time: datetime  # when this was so
    is_running: bool
    portals: tuple[PortalCrawl, ...]  # by name
    sites: tuple[SitePace, ...]  # by name
    last: tuple[LastPage, ...]  # the latest first


def crawl_state(corpus: Path) -> CrawlState:
    """How the crawl of a corpus stands.

    Raises:
        LedgerError: there is no ledger, or it cannot be read.
    """
    now = datetime.now(UTC)
    portals = []
    for one in status(corpus, now):
        spans, following = over_time(corpus, one.portal), next_addresses(corpus, one.portal)
        portals.append(PortalCrawl(one, tuple(spans), tuple(one.shortfalls()), tuple(following)))
    return CrawlState(
        now,
        is_held(corpus / CRAWL_LOCK),
        tuple(portals),
        tuple(site_paces(corpus)),
        tuple(last_pages(corpus)),
    )


@dataclass(frozen=True, slots=True)
class Bar:
    """A row of a chart: its length as a share of the longest bar, 0..1, and the numbers at its end."""

    label: str
    share: float
    numbers: str

    @property
    def short_label(self) -> str:
        """As much of the label as fits beside the bar."""
        fits = cell_len(self.label) <= LABEL_WIDTH
        return self.label if fits else set_cell_size(self.label, LABEL_WIDTH - 1).rstrip() + "…"


@dataclass(frozen=True, slots=True)
class StatsTable:
    """A table whose first numbers are drawn as bars."""

    title: str  # what it is about
    header: tuple[str, ...]  # names of the columns
    rows: tuple[tuple[str, tuple[int, ...]], ...]  # a label, and one or more numbers

    @property
    def bars(self) -> list[Bar]:
        """The first rows as bars; the numbers beside the first stand in brackets, with their names."""
        shown = self.rows[:MAX_BARS]
        longest = max((first for _, (first, *_) in shown), default=0) or 1
        names = self.header[2:]
        return [
            Bar(label, first / longest, " ".join([f"{first:,}", *map("({:,} {})".format, others, names)]))
            for label, (first, *others) in shown
        ]


def summary(stats: CorpusStats) -> str:
    """The corpus in one line."""
    left_out, refused = sum(stats.duplicates.values()), sum(one.number for one in stats.refusals)
    return (
        f"{stats.total.documents:,} documents, {stats.total.words:,} words, {stats.bytes:,} bytes; "
        f"{left_out:,} left out as duplicates, {refused:,} pages rejected"
    )


def tables(stats: CorpusStats) -> Iterator[StatsTable]:
    """Return all non-empty tables, in order."""
    made = (
        *(_sizes(TITLES[kind], kind, groups) for kind, groups in stats.groups.items()),
        _counts("Clusters of near-duplicates", ("documents in the cluster", "clusters"), stats.clusters),
        _counts("Documents left out as duplicates", ("kind", "documents"), stats.duplicates),
        _counts(
            "Rejections by stage and reason",
            ("stage and reason", "pages"),
            {f"{one.stage}/{one.reason}": one.number for one in stats.refusals},
        ),
    )
    return (table for table in made if table.rows)


def _sizes(title: str, kind: str, groups: Mapping[str, Size]) -> StatsTable:
    rows = tuple((group, (size.documents, size.words)) for group, size in groups.items())
    return StatsTable(title, (kind, "documents", "words"), rows)


def _counts(title: str, header: tuple[str, str], counts: Mapping[int, int] | Mapping[str, int]) -> StatsTable:
    return StatsTable(title, header, tuple((str(name), (count,)) for name, count in counts.items()))


FOLDER = Path(__file__).parent / "templates"

TEMPLATES = Environment(
    loader=FileSystemLoader(FOLDER), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
)

STYLE = "".join((FOLDER / name).read_text("utf-8") for name in ("bars.css", "corpus.css"))


def page(stats: CorpusStats, crawls: Sequence[CrawlState] = ()) -> bytes:
    """The crawls of corpora, and the charts, tables and samples of what is in them, as one HTML page in UTF-8."""
    return _fill("page.html", stats, crawls=crawls, tries=False)


def picture(stats: CorpusStats) -> bytes:
    """The charts as one SVG picture, in UTF-8."""
    return _fill("picture.svg", stats)


def _fill(template: str, stats: CorpusStats, **values: object) -> bytes:
    return NO_XML.sub("", TEMPLATES.get_template(template).render(**shown(stats), **values)).encode()


def shown(stats: CorpusStats) -> dict[str, object]:
    """What the parts of the page that show statistics take."""
    return {"stats": stats, "summary": summary(stats), "tables": list(tables(stats))}
