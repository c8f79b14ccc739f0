"""Arrange the statistics of a corpus as tables, for the terminal, the page and the picture."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size

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
"""Most bars of a chart; the table has the rest."""
LABEL_WIDTH = 30
"""Longest label of a bar, in Latin letters; a Chinese or Japanese character is as wide as two."""


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
    """All tables that have a row, in their order."""
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
