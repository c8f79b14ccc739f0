"""Compare texts exactly, each pair once: what was found is kept on disk for the next run."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from newscorpus.config import BuildConfig
from newscorpus.dedup.signature import CONTENT_BYTES, containment, jaccard, shingles, word_hashes

TextOf = Callable[[int], str]
"""Gives the text of a document by its position; asked only where sketches do not decide, since texts lie on disk."""

FOUND = np.dtype([("one", f"S{CONTENT_BYTES}"), ("other", f"S{CONTENT_BYTES}"), ("kind", "S1"), ("value", "<f8")])
"""A comparison: hashes of both texts, what was measured, and the share that was found."""

VERIFIED = "verified"
"""Name of the file beside an index."""

JACCARD, CONTAINMENT = b"j", b"c"

Pair = tuple[bytes, bytes, bytes]


class Verifier:
    """Compares the texts of documents exactly, which it tells apart by the hashes `contents`.

    `path` is the file of what was found earlier, to which `save` adds.
    """

    def __init__(
        self, contents: NDArray[np.bytes_], text_of: TextOf, config: BuildConfig, path: Path | None = None
    ) -> None:
        self._contents = contents
        self._text_of = text_of
        self._shingle_words = config.signature.shingle_words
        self._excerpt_words = config.duplicates.excerpt_words
        self._path = path
        data = path.read_bytes() if path and path.exists() else b""
        rows = np.frombuffer(data, FOUND, len(data) // FOUND.itemsize)  # without one that was cut off at the end
        self._found: dict[Pair, float] = {(first, second, kind): value for first, second, kind, value in rows.tolist()}
        self._n_saved = len(self._found)

    def jaccard(self, one: int, other: int) -> float:
        """Jaccard similarity of the shingles of two documents."""
        first, second = sorted((one, other), key=lambda position: bytes(self._contents[position]))
        return self._recall(first, second, JACCARD, lambda: jaccard(*self._runs(one, other, self._shingle_words)))

    def containment(self, part: int, whole: int) -> float:
        """Share of the longer runs of words of one document that are in another."""
        return self._recall(
            part, whole, CONTAINMENT, lambda: containment(*self._runs(part, whole, self._excerpt_words))
        )

    def save(self) -> None:
        """Add what was found to the file."""
        fresh = list(self._found.items())[self._n_saved :]
        if self._path and fresh:
            rows = np.array([(*pair, value) for pair, value in fresh], FOUND)
            with self._path.open("ab") as file:
                file.truncate(self._n_saved * FOUND.itemsize)
                file.write(rows.tobytes())

    def _recall(self, one: int, other: int, kind: bytes, measure: Callable[[], float]) -> float:
        pair = (bytes(self._contents[one]), bytes(self._contents[other]), kind)
        if pair not in self._found:
            self._found[pair] = measure()
        return self._found[pair]

    def _runs(self, one: int, other: int, words: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        first, second = (shingles(word_hashes(self._text_of(position)), words) for position in (one, other))
        return first, second
