"""The statistics of a corpus as tables, for the terminal, the page and the picture alike."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from newscorpus.stats.count import CorpusStats, Size

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


@dataclass(frozen=True, slots=True)
class Table:
    """A table whose first numbers are drawn as bars.

    Attributes:
        title: what it is about.
        header: names of the columns.
        rows: a label, and one or more numbers.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, tuple[int, ...]], ...]


def tables(stats: CorpusStats) -> Iterator[Table]:
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


def _sizes(title: str, kind: str, groups: Mapping[str, Size]) -> Table:
    rows = tuple((group, (size.documents, size.words)) for group, size in groups.items())
    return Table(title, (kind, "documents", "words"), rows)


def _counts(title: str, header: tuple[str, str], counts: Mapping[int, int] | Mapping[str, int]) -> Table:
    return Table(title, header, tuple((str(name), (count,)) for name, count in counts.items()))
