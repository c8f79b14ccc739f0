"""What a card says of the documents of a part, counted as they pass."""

from collections import Counter
from collections.abc import Iterable, Iterator

from newscorpus.corpus.tally import Tally
from newscorpus.data import Record

DAY_LENGTH = len("2026-03-01")


class Census:
    """Counts documents as they pass.

    Attributes:
        tally: documents and words, also by portal and language.
        licenses: documents by the licence they declare.
        days: documents by day of publication, "" where it is unknown.
        fetched: the last day of a fetch, or "".
        paywalled: documents that are declared not free.
    """

    def __init__(self) -> None:
        self.tally = Tally()
        self.licenses: Counter[str] = Counter()
        self.days: Counter[str] = Counter()
        self.fetched = ""
        self.paywalled = 0

    def count(self, records: Iterable[Record]) -> Iterator[Record]:
        """The same records."""
        for record in self.tally.count(records):
            self.licenses[record.license] += 1
            self.days[record.published[:DAY_LENGTH]] += 1
            self.fetched = max(self.fetched, record.fetched[:DAY_LENGTH])
            self.paywalled += record.paywalled
            yield record

    @property
    def languages(self) -> list[str]:
        """Primary tags of the known languages, sorted."""
        return sorted({share.language for share in self.tally.shares if share.language})

    @property
    def period(self) -> tuple[str, str]:
        """First and last day of publication; "" where none is known."""
        days = sorted(filter(None, self.days))
        return (days[0], days[-1]) if days else ("", "")
