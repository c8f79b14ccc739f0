"""MinHash signatures of texts, over word shingles, by datasketch.

A signature is opaque bytes on its way through the crawl: little-endian unsigned 32-bit integers, one a permutation.
Signatures compare only when their `SignatureParameters` are equal; whoever stores them stores these too.
"""

import hashlib
import unicodedata
from collections.abc import Sequence
from functools import cache
from itertools import islice

import numpy as np
from datasketch import MinHash
from numpy.typing import NDArray

from newscorpus.config import SignatureParameters
from newscorpus.text import words

PARAMETERS = SignatureParameters()

STORED = np.dtype("<u4")
"""Type of one value of a stored signature."""

SHINGLES_AT_ONCE = 8192
"""Shingles permuted in one step: 4 MB, however long the text."""


def normalise(text: str) -> list[str]:
    """The words of `text` in lower case: what copies of a text that differ in case, space or punctuation share."""
    return words(unicodedata.normalize("NFC", text).lower())


def content_hash(text: str) -> bytes:
    """Hash (16 bytes) of the normalised text: equal for exact duplicates."""
    return hashlib.sha256(" ".join(normalise(text)).encode("utf-8", "surrogatepass")).digest()[:16]


def shingles(text: str, size: int = PARAMETERS.shingle_words) -> frozenset[str]:
    """The runs of `size` words of the normalised text; all of it where it has fewer, none where it has no words."""
    tokens = normalise(text)
    starts = range(max(len(tokens) - size + 1, min(len(tokens), 1)))
    return frozenset(" ".join(tokens[start : start + size]) for start in starts)


def sign(text: str, parameters: SignatureParameters = PARAMETERS) -> bytes:
    """The signature of `text`, 4 bytes a permutation (Broder 1997).

    Raises:
        ValueError: the parameters name a scheme, hash or normaliser that is unknown here.
    """
    minhash = _empty(parameters).copy()
    grams = iter([gram.encode("utf-8", "surrogatepass") for gram in shingles(text, parameters.shingle_words)])
    while batch := list(islice(grams, SHINGLES_AT_ONCE)):
        minhash.update_batch(batch)
    return bytes(minhash.hashvalues.astype(STORED).tobytes())


def stack(signatures: Sequence[bytes], permutations: int) -> NDArray[np.uint32]:
    """Signatures as a matrix of shape (signatures, permutations)."""
    return np.frombuffer(b"".join(signatures), STORED).reshape(len(signatures), permutations)


def minhash_of(signature: NDArray[np.uint32], parameters: SignatureParameters) -> MinHash:
    """The signature as datasketch's own object, as its indexes take it."""
    minhash = _empty(parameters)
    return MinHash(
        hashvalues=signature, permutations=minhash.permutations, seed=parameters.seed, scheme=parameters.scheme
    )


def estimate(one: NDArray[np.uint32], others: NDArray[np.uint32]) -> list[float]:
    """Estimated Jaccard similarity of one signature, shape (permutations,), to others, shape (n, permutations)."""
    similarities: list[float] = (others == one).mean(axis=1).tolist()
    return similarities


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Exact Jaccard similarity of two sets; two empty ones are alike."""
    union = len(one | other)
    return len(one & other) / union if union else 1.0


@cache
def _empty(parameters: SignatureParameters) -> MinHash:
    """The signature of nothing; its copies share the permutations, which cost more to draw than most texts to sign."""
    _refuse_unknown(parameters)
    return MinHash(num_perm=parameters.permutations, seed=parameters.seed, scheme=parameters.scheme)


def _refuse_unknown(parameters: SignatureParameters) -> None:
    """Refuse names that this module has no code for."""
    for name in ("normaliser", "hashing", "scheme"):
        asked, known = getattr(parameters, name), getattr(PARAMETERS, name)
        if asked != known:
            raise ValueError(f"signature parameter {name} = {asked!r} is unknown; known: {known!r}")
