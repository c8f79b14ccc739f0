"""What an export is made of: documents in parts, what is said of them, and the bounds of a file."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from newscorpus.config import ExportConfig
from newscorpus.corpus.manifest import Manifest
from newscorpus.data import Record


@dataclass(frozen=True, slots=True)
class About:
    """What is said of a corpus as a whole.

    Attributes:
        name: of the corpus.
        creator: who publishes it, or "".
        url: where it is published, or "".
    """

    name: str
    creator: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """Documents that belong together.

    Attributes:
        name: "train", "validation" or "test"; "" where the corpus is not split.
        records: gives the documents, from the first, at each call; a format calls it once.
    """

    name: str
    records: Callable[[], Iterator[Record]]


@dataclass(frozen=True, slots=True)
class Source:
    """A published corpus, ready to be written in another form.

    Attributes:
        about: what is said of it.
        manifest: how it was made.
        parts: its documents, in the order of the corpus within each part.
        config: how it is cut into files.
    """

    about: About
    manifest: Manifest
    parts: tuple[Part, ...]
    config: ExportConfig


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
