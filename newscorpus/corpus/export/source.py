"""Hold what an export is made of, documents in parts and their description, and count what cards say of it."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date

from newscorpus.config import ExportConfig
from newscorpus.corpus.manifest import Manifest, RecordCounts
from newscorpus.corpus.shards import Shard, bounded
from newscorpus.data import Record

DAY_LENGTH = len("2026-03-01")


@dataclass(frozen=True, slots=True)
class About:
    """A description of a corpus as a whole."""

    name: str  # of the corpus
    creator: str = ""  # who publishes it, or ""
    url: str = ""  # where it is published, or ""


@dataclass(frozen=True, slots=True)
class ExportPart:
    """Documents that belong together."""

    name: str  # "train", "validation" or "test"; "" where the corpus is not split
    records: Callable[[], Iterator[Record]]  # gives the documents, from the first, at each call; a format calls it once

    def files(self, max_bytes: int) -> Iterator[tuple[str, Iterator[Record]]]:
        """Group the documents by at most so many bytes of text; each group comes with its number as five digits."""
        return bounded(self.records(), lambda record: len(record.text.encode()), max_bytes)


@dataclass(frozen=True, slots=True)
class ExportSource:
    """A published corpus, ready to be written in another form."""

    about: About  # its description
    manifest: Manifest  # how it was made
    parts: tuple[ExportPart, ...]  # its documents, in the order of the corpus within each part
    config: ExportConfig  # how it is cut into files


@dataclass(frozen=True, slots=True)
class SplitFiles:
    """The files that a split was written to."""

    name: str  # of the split
    folder: str  # that holds them, relative to that of the export
    files: tuple[Shard, ...]  # with rows, size and hash, in order
    expanded_bytes: int  # size of their columns before compression

    @property
    def rows(self) -> int:
        """Documents in all files."""
        return sum(file.rows for file in self.files)

    @property
    def bytes(self) -> int:
        """Size of all files."""
        return sum(file.bytes for file in self.files)


class Census:
    """Counts documents as they pass."""

    def __init__(self) -> None:
        self.counts = RecordCounts()
        self.licenses: Counter[str] = Counter()  # documents by the licence they declare
        self.first = self.last = ""  # days of publication of the oldest and the youngest document
        self.paywalled = 0  # documents that are declared not free

    def count(self, records: Iterable[Record]) -> Iterator[Record]:
        """Count records and pass them on."""
        for record in self.counts.count(records):
            self.licenses[record.license] += 1
            day = iso_day(record.published)
            self.first = min(filter(None, (self.first, day)), default="")
            self.last = max(self.last, day)
            self.paywalled += record.paywalled
            yield record

    @property
    def languages(self) -> list[str]:
        """Primary tags of the known languages, sorted."""
        return sorted({share.language for share in self.counts.shares if share.language})


def iso_day(moment: str) -> str:
    """Cut an ISO 8601 date to its day; "" for anything else."""
    try:
        return date.fromisoformat(moment[:DAY_LENGTH]).isoformat()
    except ValueError:
        return ""
