"""Counts of records, taken as they pass."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from newscorpus.data import Record


@dataclass(frozen=True, slots=True)
class Share:
    """What one portal has in one language."""

    source: str
    language: str
    documents: int
    words: int


class Tally:
    """Counts what a manifest says of its records.

    Attributes:
        documents: number of records.
        words: number of words in their texts.
        extractors: number of records by what extracted them.
    """

    def __init__(self) -> None:
        self.documents = 0
        self.words = 0
        self.extractors: Counter[str] = Counter()
        self._documents: Counter[tuple[str, str]] = Counter()
        self._words: Counter[tuple[str, str]] = Counter()

    def count(self, records: Iterable[Record]) -> Iterator[Record]:
        """The same records."""
        for record in records:
            self.documents += 1
            self.words += record.n_words
            self.extractors[record.extractor] += 1
            self._documents[record.source, record.language] += 1
            self._words[record.source, record.language] += record.n_words
            yield record

    @property
    def shares(self) -> tuple[Share, ...]:
        """Records and words by portal and language, sorted."""
        return tuple(Share(*key, count, self._words[key]) for key, count in sorted(self._documents.items()))
