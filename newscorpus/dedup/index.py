"""Finds the texts alike to a given one: candidates by bands of the signatures, verified one by one."""

from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet

import numpy as np
from datasketch import MinHashLSH
from numpy.typing import NDArray

from newscorpus.config import DuplicateConfig, SignatureParameters
from newscorpus.dedup.signature import estimate, jaccard, minhash_of, shingles

TextOf = Callable[[int], str]
"""Gives the text of a document by its position; asked only near the threshold, since texts lie on disk."""


class Index:
    """Locality-sensitive hashing over signatures (Leskovec, Rajaraman and Ullman, Mining of Massive Datasets, 3.4).

    Args:
        matrix: signatures, shape (documents, permutations).
        positions: rows of `matrix` that are indexed.
        text_of: gives the text of a row.
        config: bands, threshold and margin.
        parameters: how the signatures were made.
    """

    def __init__(
        self,
        matrix: NDArray[np.uint32],
        positions: Iterable[int],
        text_of: TextOf,
        config: DuplicateConfig,
        parameters: SignatureParameters,
    ) -> None:
        self._matrix = matrix
        self._text_of = text_of
        self._config = config
        self._parameters = parameters
        self._bands = MinHashLSH(num_perm=parameters.permutations, params=(config.bands, config.rows))
        for position in positions:
            self._bands.insert(position, minhash_of(matrix[position], parameters))

    def alike(self, position: int, settled: AbstractSet[int]) -> Iterator[tuple[int, float]]:
        """The indexed documents at least as similar to this one as the threshold, with their Jaccard similarity.

        Args:
            position: row of the document.
            settled: rows that are not looked at.
        """
        found = set(self._bands.query(minhash_of(self._matrix[position], self._parameters)))
        candidates = sorted(found - settled - {position})
        own: frozenset[str] | None = None
        estimates = estimate(self._matrix[position], self._matrix[candidates])
        for candidate, similarity in zip(candidates, estimates, strict=True):
            if abs(similarity - self._config.threshold) < self._config.margin:
                own = self._shingles(position) if own is None else own
                similarity = jaccard(own, self._shingles(candidate))  # noqa: PLW2901
            if similarity >= self._config.threshold:
                yield candidate, similarity

    def _shingles(self, position: int) -> frozenset[str]:
        """The shingles of a document's text."""
        return shingles(self._text_of(position), self._parameters.shingle_words)
