"""Sum up crawls and contents of corpora, and show them as tables and as an HTML page.

The page has no scripts and loads no other files; all texts are escaped. The browser side shows the same parts.
"""

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

from rich.cells import cell_len, set_cell_size

from newscorpus.corpus.contents import ContentCounts, Contents, Size, read_contents
from newscorpus.corpus.export.text import NO_XML
from newscorpus.corpus.left_out import read_duplicates
from newscorpus.corpus.published import Watch, corpus_of, open_corpus
from newscorpus.files import is_held
from newscorpus.layout import BUILD_LOCK, CRAWL_LOCK, DUPLICATES
from newscorpus.store.crawl_log import is_crawling
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
from newscorpus.store.reasons import Refusals, refusals
from newscorpus.tokens import number_of
from newscorpus.views.theme import environment

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
"""Maximum bars of a chart; its table has all rows."""

LABEL_WIDTH = 30
"""Maximum width of a bar's label, in Latin letters; a Chinese or Japanese character counts as two."""


@dataclass(frozen=True, slots=True)
class PortalCrawl:
    """Status of the crawl of one portal."""

    status: PortalStatus
    spans: tuple[SpanOfTime, ...]  # pages and articles over time
    next: tuple[QueuedAddress, ...]  # the next addresses to be fetched


@dataclass(frozen=True, slots=True)
class CrawlState:
    """The state of the crawl of a corpus."""

    time: datetime  # of the state
    is_running: bool
    is_ending: bool  # the crawl is over, and its documents are being published
    portals: tuple[PortalCrawl, ...]  # by name
    sites: tuple[SitePace, ...]  # by name
    last: tuple[LastPage, ...]  # the latest first


def crawl_state(corpus: Path) -> CrawlState:
    """Read the state of the crawl of a corpus.

    Raises:
        LedgerError: there is no ledger, or it cannot be read.
    """
    now = datetime.now(UTC)
    spans = over_time(corpus)
    portals = [
        PortalCrawl(one, tuple(spans.get(one.portal, ())), tuple(next_addresses(corpus, one.portal)))
        for one in status(corpus, now)
    ]
    is_running = is_held(corpus / CRAWL_LOCK)
    is_ending = not is_running and (is_held(corpus / BUILD_LOCK) or is_crawling(corpus))
    last = tuple(last_pages(corpus))
    return CrawlState(now, is_running, is_ending, tuple(portals), tuple(site_paces(corpus)), last)


@dataclass(frozen=True, slots=True)
class CorpusStats:
    """Counts of the documents in one or more corpora, and of the excluded ones."""

    name: str  # of the folders
    total: Size  # all published documents
    bytes: int  # of the published files
    contents: Contents
    duplicates: Mapping[str, int]  # number of excluded documents, by kind
    refusals: tuple[Refusals, ...]  # by stage and reason, the most frequent first


def corpus_stats(*corpora: Path, watch: Watch | None = None) -> CorpusStats:
    """Count the contents of corpora: folders of crawls, or published ones, which have no rejections.

    With `watch` the documents are counted anew, and their files checked; else counts kept at publication are taken.

    Raises:
        CorpusError: a corpus is incomplete, or a file beside it is damaged.
    """
    published = [open_corpus(corpus) for corpus in corpora]
    is_counted = watch or len(published) > 1
    contents = None if is_counted else read_contents(published[0].folder, published[0].manifest.generation)
    if contents is None:
        counts, records = ContentCounts(), chain.from_iterable(one.records() for one in published)
        deque(counts.count(watch(records) if watch else records), maxlen=0)
        contents = counts.contents()
    roots = [corpus_of(one.folder) for one in published]
    lists = [path for root in roots if (path := root / DUPLICATES).exists()]
    duplicates = chain.from_iterable(map(read_duplicates, lists))
    return CorpusStats(
        name=", ".join(root.resolve().name for root in roots),
        total=Size(sum(one.manifest.documents for one in published), sum(one.manifest.words for one in published)),
        bytes=sum(one.manifest.bytes for one in published),
        contents=contents,
        duplicates=dict(Counter(line.kind.value for line in duplicates).most_common()),
        refusals=refusals(roots),
    )


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of a chart: its length as a share of the longest bar, 0..1, and the numbers at its end."""

    label: str
    share: float
    numbers: str

    @property
    def short_label(self) -> str:
        """The label, cut to the space beside the bar."""
        fits = cell_len(self.label) <= LABEL_WIDTH
        return self.label if fits else set_cell_size(self.label, LABEL_WIDTH - 1).rstrip() + "…"


@dataclass(frozen=True, slots=True)
class StatsTable:
    """A table; its first column of numbers is drawn as bars."""

    title: str
    header: tuple[str, ...]  # names of the columns
    rows: tuple[tuple[str, tuple[int, ...]], ...]  # a label, and one or more numbers

    @property
    def bars(self) -> list[Bar]:
        """The first rows as bars; the other numbers of a row are in brackets, with their names."""
        shown = self.rows[:MAX_BARS]
        longest = max((first for _, (first, *_) in shown), default=0) or 1
        names = self.header[2:]
        return [
            Bar(label, first / longest, " ".join([f"{first:,}", *map("({:,} {})".format, others, names)]))
            for label, (first, *others) in shown
        ]


def summary(stats: CorpusStats) -> str:
    """Summarise the corpus in one line."""
    left_out, refused = sum(stats.duplicates.values()), sum(one.number for one in stats.refusals)
    return (
        f"{number_of(stats.total.documents, 'document')}, {stats.total.words:,} words, {stats.bytes:,} bytes; "
        f"{left_out:,} left out as duplicates, {refused:,} pages rejected"
    )


def tables(stats: CorpusStats) -> list[StatsTable]:
    """Return all non-empty tables, in order."""
    made = []
    for kind, groups in stats.contents.groups.items():
        rows = tuple((group, (size.documents, size.words)) for group, size in groups.items())
        made.append(StatsTable(TITLES[kind], (kind, "documents", "words"), rows))
    rejections = {f"{one.stage}/{one.reason}": one.number for one in stats.refusals}
    counts: Sequence[tuple[str, tuple[str, str], Mapping[Any, int]]] = (
        ("Clusters of near-duplicates", ("documents in the cluster", "clusters"), stats.contents.clusters),
        ("Documents left out as duplicates", ("kind", "documents"), stats.duplicates),
        ("Rejections by stage and reason", ("stage and reason", "pages"), rejections),
    )
    for title, header, counted in counts:
        made.append(StatsTable(title, header, tuple((str(name), (count,)) for name, count in counted.items())))
    return [table for table in made if table.rows]


FOLDER = Path(__file__).parent / "templates"

TEMPLATES = environment(FOLDER)

STYLE = (FOLDER / "corpus.css").read_text("utf-8")


def page(stats: CorpusStats, crawls: Sequence[CrawlState] = ()) -> bytes:
    """Return the crawls of corpora, and charts, tables and samples of their contents, as one HTML page in UTF-8."""
    made = TEMPLATES.get_template("page.html").render(crawls=crawls, tries=False, **shown(stats))
    return NO_XML.sub("", made).encode()


def shown(stats: CorpusStats) -> dict[str, object]:
    """Return the variables of the templates that show statistics."""
    return {"stats": stats, "summary": summary(stats), "tables": tables(stats)}
