"""Hold what an export is made of: documents in parts, and their description."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from newscorpus.config import ExportConfig
from newscorpus.corpus.manifest import Manifest
from newscorpus.corpus.shards import bounded
from newscorpus.data import Record


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
