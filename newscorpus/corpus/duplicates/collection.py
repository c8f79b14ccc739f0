"""View several indexes as one collection of documents, and read their rows."""

from collections.abc import Sequence
from functools import cached_property

import msgspec
import numpy as np
import zstandard
from numpy.typing import NDArray

from newscorpus.corpus.duplicates.store import COUNTED, DOCUMENT, Store, spans
from newscorpus.data import Record
from newscorpus.page.records import encode
from newscorpus.store.intake import RowPlace, read_row

DAY_SECONDS = 86_400

RANGE_BITS = 21
"""Ranges have at most two to this many days, counted from 1970 less half of these: 5,700 years."""


class GivenLine(msgspec.Struct):
    """The keys of a line of JSON that are used here; all others are kept in the row."""

    id: str | int
    text: str
    url: str | None = None
    source: str | None = None
    title: str | None = None
    published: str | None = None
    fetched: str | None = None
    revision: str | None = None


GIVEN_LINES = msgspec.json.Decoder(GivenLine)


class Collection:
    """Documents by position: first all of the references, then all of the indexes to deduplicate (`own`).

    Documents of a reference count if they were kept there, and are never removed. Own documents count unless `doubtful`
    marks their text as untrusted (default: none).
    """

    def __init__(
        self, own: Sequence[Store], references: Sequence[Store] = (), doubtful: NDArray[np.bool_] | None = None
    ) -> None:
        self.stores = (*references, *own)
        self.starts = np.cumsum([0, *map(len, self.stores)])  # positions of the first documents of the indexes
        self.n_references = int(self.starts[len(references)])
        self._kept_references = np.concatenate([np.empty(0, bool), *(store.kept for store in references)])
        self._doubtful = np.zeros(len(self) - self.n_references, bool) if doubtful is None else doubtful

    def __len__(self) -> int:
        return int(self.starts[-1])

    @cached_property
    def documents(self) -> NDArray[np.void]:
        """The documents, of dtype `DOCUMENT`; `source` indexes the sources of the collection."""
        found = np.empty(len(self), DOCUMENT)
        numbers = {name: number for number, name in enumerate(self.sources)}
        for store, start in zip(self.stores, self.starts, strict=False):
            part = found[start : start + len(store)]
            part[:] = store.documents
            renumbered = np.array([numbers[name] for name in store.state.sources], np.uint32)
            part["source"] = renumbered[part["source"]] if len(part) else part["source"]
        return found

    @cached_property
    def sources(self) -> list[str]:
        """The names of all sources, sorted."""
        return sorted({name for store in self.stores for name in store.state.sources})

    def source_of(self, position: int) -> str:
        """Return the source of a document."""
        return self.sources[int(self.documents["source"][position])]

    @cached_property
    def ids(self) -> list[str]:
        """The id of each document."""
        return [name for store in self.stores for name in store.ids]

    @cached_property
    def id_ranks(self) -> NDArray[np.int64]:
        """The rank of each document's id among all ids; equal ids have equal ranks."""
        names = np.empty(len(self), object)
        names[:] = self.ids
        ranks: NDArray[np.int64] = np.unique(names, return_inverse=True)[1]
        return ranks

    @cached_property
    def current(self) -> NDArray[np.bool_]:
        """Which documents count: those kept in references, and own documents that are newest and not doubtful."""
        return np.concatenate([self._kept_references, self._newest & ~self._doubtful])

    @property
    def doubtful(self) -> NDArray[np.int64]:
        """The positions of own documents that are excluded only because they are doubtful."""
        return np.flatnonzero(self._newest & self._doubtful) + self.n_references

    @cached_property
    def _newest(self) -> NDArray[np.bool_]:
        """Which own rows come from the last re-extraction of their fetch and were not withdrawn by it."""
        own = self.documents[self.n_references :]
        if not own["reextraction"].any():
            return np.ones(len(own), bool)
        keys = (own["space"], self.id_ranks[self.n_references :], np.nan_to_num(own["fetched"]))
        fetches = np.unique(np.rec.fromarrays(keys), return_inverse=True)[1]
        last = np.zeros(len(own), own["reextraction"].dtype)
        np.maximum.at(last, fetches, own["reextraction"])
        newest: NDArray[np.bool_] = (own["reextraction"] == last[fetches]) & ~own["withdrawn"]
        return newest

    def by_day(self, positions: NDArray[np.int64], most: int) -> list[NDArray[np.int64]]:
        """Sort positions by day of publication (of the fetch, if unknown), then by id; returns them by range of days.

        A range has 2**n days counted from a fixed one, with the largest n that gives none over `most` documents.
        """
        published, fetched = self.documents["published"][positions], self.documents["fetched"][positions]
        moments = np.nan_to_num(np.where(np.isnan(published), fetched, published))
        days = (moments // DAY_SECONDS).astype(np.int64) + (1 << RANGE_BITS - 1)
        order = np.lexsort((self.id_ranks[positions], days))
        bits = RANGE_BITS
        while bits and np.unique_counts(days >> bits).counts.max(initial=0) > most:
            bits -= 1
        return np.split(positions[order], np.flatnonzero(np.diff(days[order] >> bits)) + 1)

    def signatures(self, positions: NDArray[np.int64]) -> NDArray[np.uint32]:
        """Return the signatures at some positions, shape (positions, permutations)."""
        if len(self.stores) == 1:
            return self.stores[0].signatures[positions]
        gathered = np.empty((len(positions), self.stores[-1].signatures.shape[1]), np.uint32)
        order = np.argsort(positions)
        bounds = np.searchsorted(positions[order], self.starts)
        for store, start, first, end in zip(self.stores, self.starts, bounds, bounds[1:], strict=False):
            if first < end:
                here = order[first:end]
                gathered[here] = store.signatures[positions[here] - start]
        return gathered

    def _locate(self, position: int) -> tuple[Store, np.void]:
        """Return the index that holds a document, and its entry there."""
        owner = int(np.searchsorted(self.starts, position, "right")) - 1
        store = self.stores[owner]
        return store, store.documents[position - int(self.starts[owner])]

    def record(self, position: int) -> Record:
        """Read the record of a document from the intake beside its index."""
        store, document = self._locate(position)
        return read_row(
            RowPlace(store.files[document["file"]], int(document["offset"]), int(document["length"]))
        ).record

    def line(self, position: int) -> bytes:
        """Read a document as a line of JSON."""
        store, document = self._locate(position)
        if store.rows is None:
            return encode(self.record(position))
        with store.rows.open("rb", buffering=0) as file:
            file.seek(int(document["offset"]))
            return zstandard.ZstdDecompressor().decompress(file.read(int(document["length"])))

    def described(self, position: int) -> GivenLine | Record:
        """Read the text, title and address of a document."""
        is_record = self._locate(position)[0].rows is None
        return self.record(position) if is_record else GIVEN_LINES.decode(self.line(position))

    def text(self, position: int) -> str:
        """Read the text of a document."""
        return self.described(position).text

    def title(self, position: int) -> str:
        """Read the headline of a document; "" if it has none."""
        return self.described(position).title or ""

    def values(self, column: str, positions: NDArray[np.int64]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Return the "runs" or "paragraphs" of some documents, and by value its document as an index of `positions`."""
        counts = self.documents[COUNTED[column]].astype(np.int64)
        starts = np.cumsum(counts) - counts
        values = np.concatenate([store.column(column) for store in self.stores])
        lengths = counts[positions]
        return values[spans(starts[positions], lengths)], np.repeat(np.arange(len(positions)), lengths)
