"""Name the ways in which documents repeat each other, and compare texts exactly; results can be cached on disk."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from newscorpus.config import BuildConfig
from newscorpus.corpus.duplicates.collection import Collection
from newscorpus.page.signature import CONTENT_BYTES, containment, hash_runs, jaccard, shingles, word_hashes
from newscorpus.tokens import folded_words

FOUND = np.dtype([("one", f"S{CONTENT_BYTES}"), ("other", f"S{CONTENT_BYTES}"), ("kind", "S1"), ("value", "<f8")])
"""A cached comparison: hashes of both texts, the measure, and its value."""

JACCARD, CONTAINMENT = b"j", b"c"

RUNS_BYTES = 200_000_000
"""Most memory for the word n-grams of compared texts, which the next comparison may need again."""

Pair = tuple[bytes, bytes, bytes]

Measure = Callable[[NDArray[np.uint64], NDArray[np.uint64]], float]
"""Compares the sorted word n-grams of two texts."""


class DuplicateKind(StrEnum):
    """How a document repeats another: equal text, similar text, part of it, other revision, or contains several."""

    EXACT = "exact"
    NEAR = "near"
    EXCERPT = "excerpt"
    REVISION = "revision"
    CONTAINER = "contains_others"


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A document that is removed.

    A revision refers to the text chosen for its document, which may in turn be a duplicate; an exact or near-duplicate
    refers to a survivor or to an excerpt of one.
    """

    position: int  # of the document in the collection
    of: int  # position of the document it was compared with
    kind: DuplicateKind
    # Jaccard similarity of the shingles, 0..1 (estimated from the signatures for a revision); for an excerpt, the share
    # that the longer document contains; for a container, the share that consists of other documents.
    similarity: float


class Verifier:
    """Compare the texts of documents exactly; they are read only if sketches do not decide.

    Results are cached in the file at `path`, to which `save` appends; without one nothing is cached.
    """

    def __init__(self, collection: Collection, config: BuildConfig, path: Path | None = None) -> None:
        self._collection = collection
        self._contents = collection.documents["content"]
        self._shingle_words = config.signature.shingle_words
        self._excerpt_words = config.duplicates.excerpt_words
        self._path = path
        data = path.read_bytes() if path and path.exists() else b""
        rows = np.frombuffer(data, FOUND, len(data) // FOUND.itemsize)  # without a torn last one
        self._found: dict[Pair, float] = {(first, second, kind): value for first, second, kind, value in rows.tolist()}
        self._n_saved = len(self._found)
        self._runs: dict[tuple[int, int], NDArray[np.uint64]] = {}
        self._runs_bytes = 0

    def jaccard(self, one: int, other: int) -> float:
        """Return the Jaccard similarity of the shingles of two documents."""
        return self._recall(one, other, JACCARD, jaccard, self._shingle_words)

    def containment(self, part: int, whole: int) -> float:
        """Return the share of the word n-grams of one document (`excerpt_words` each) that another contains."""
        return self._recall(part, whole, CONTAINMENT, containment, self._excerpt_words)

    def headline(self, position: int) -> frozenset[str]:
        """Return the words of a document's headline without numbers."""
        return frozenset(word for word in folded_words(self._collection.title(position)) if not word.isdigit())

    def runs_in_order(self, position: int) -> NDArray[np.uint64]:
        """Return the hashes of the word n-grams of a document (`excerpt_words` each), in text order."""
        return hash_runs(word_hashes(self._collection.text(position)), self._excerpt_words)

    def save(self) -> None:
        """Append new results to the cache file."""
        fresh = list(self._found.items())[self._n_saved :]
        if self._path and fresh:
            rows = np.array([(*pair, value) for pair, value in fresh], FOUND)
            with self._path.open("ab") as file:
                file.truncate(self._n_saved * FOUND.itemsize)
                file.write(rows.tobytes())

    def _recall(self, one: int, other: int, kind: bytes, measure: Measure, words: int) -> float:
        if self._path is None:
            return measure(self._runs_of(one, words), self._runs_of(other, words))
        first, second = (bytes(self._contents[position]) for position in (one, other))
        if kind == JACCARD and second < first:
            first, second = second, first
        pair = (first, second, kind)
        if pair not in self._found:
            self._found[pair] = measure(self._runs_of(one, words), self._runs_of(other, words))
        return self._found[pair]

    def _runs_of(self, position: int, words: int) -> NDArray[np.uint64]:
        runs = self._runs.get((position, words))
        if runs is None:
            runs = shingles(word_hashes(self._collection.text(position)), words)
            self._runs_bytes += runs.nbytes
            if self._runs_bytes > RUNS_BYTES:
                self._runs.clear()
                self._runs_bytes = runs.nbytes
            self._runs[position, words] = runs
        return runs
