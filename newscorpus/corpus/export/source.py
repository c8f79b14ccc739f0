"""Hold what an export is made of: documents in parts, their description, and the bounds of a file."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from newscorpus.config import ExportConfig
from newscorpus.corpus.manifest import Manifest
from newscorpus.data import Record


@dataclass(frozen=True, slots=True)
class About:
    """What is said of a corpus as a whole."""

    name: str  # of the corpus
    creator: str = ""  # who publishes it, or ""
    url: str = ""  # where it is published, or ""


@dataclass(frozen=True, slots=True)
class ExportPart:
    """Documents that belong together."""

    name: str  # "train", "validation" or "test"; "" where the corpus is not split
    records: Callable[[], Iterator[Record]]  # gives the documents, from the first, at each call; a format calls it once


@dataclass(frozen=True, slots=True)
class ExportSource:
    """A published corpus, ready to be written in another form."""

    about: About  # what is said of it
    manifest: Manifest  # how it was made
    parts: tuple[ExportPart, ...]  # its documents, in the order of the corpus within each part
    config: ExportConfig  # how it is cut into files


def bounded(records: Iterable[Record], max_bytes: int) -> Iterator[tuple[str, Iterator[Record]]]:
    """Records in groups of at most so many bytes of text, each with its number as five digits; each to be read once."""
    for number, group in groupby(_numbered(records, max_bytes), key=itemgetter(0)):
        yield f"{number:05}", (record for _, record in group)


def _numbered(records: Iterable[Record], max_bytes: int) -> Iterator[tuple[int, Record]]:
    """Each record with the number of its group."""
    number = filled = 0
    for record in records:
        size = len(record.text.encode())
        if filled and filled + size > max_bytes:
            number, filled = number + 1, 0
        filled += size
        yield number, record
