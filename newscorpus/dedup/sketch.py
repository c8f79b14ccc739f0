"""A sketch: what is kept of a text so that it can be compared with others without being read again."""

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newscorpus.config import DuplicateConfig
from newscorpus.dedup.signature import content_hash, read_words
from newscorpus.dedup.words import HALF, hash_parts, hash_runs, sizes_of

DIGEST_BYTES = 8


@dataclass(frozen=True, slots=True)
class Sketch:
    """What is known of a document.

    Attributes:
        id: of the document; equal for all its revisions.
        space: number of the space of names that the id belongs to; equal ids of two spaces name two documents.
        source: who published it: name of a portal, or "".
        content: hash of the words; equal for exact duplicates.
        signature: as `signature.sign` made it.
        runs: sampled runs of words, sorted, for finding excerpts.
        paragraphs: hashes of the paragraphs, in order.
        n_words: words of the text.
        published: seconds since the epoch; NaN where unknown.
        fetched: likewise.
        digest: of everything stored, 8 bytes, so that ties never depend on the order of arrival.
        file: number of the file that holds the row, as the index counts what it covers.
        offset: of the row in that file, in bytes.
        length: of the row, in bytes.
    """

    id: str
    space: int
    source: str
    content: bytes
    signature: bytes
    runs: NDArray[np.uint32]
    paragraphs: NDArray[np.uint32]
    n_words: int
    published: float
    fetched: float
    digest: bytes
    file: int
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class Content:
    """What a sketch holds of the text itself, where the names mean the same; and the hashes of its words."""

    words: NDArray[np.uint64]
    content: bytes
    runs: NDArray[np.uint32]
    paragraphs: NDArray[np.uint32]
    n_words: int


def read_content(text: str, config: DuplicateConfig) -> Content:
    """Read a text of one paragraph a line."""
    words, ends = read_words(text)
    sizes = sizes_of(ends)
    is_counted = sizes[sizes > 0] >= config.boilerplate_words
    return Content(
        words=words,
        content=content_hash(words),
        runs=_sampled(words, config),
        paragraphs=(hash_parts(words, ends[sizes > 0])[is_counted] >> HALF).astype(np.uint32),
        n_words=len(words),
    )


def digest(stored: bytes) -> bytes:
    """Hash (8 bytes) of all that is stored of a document."""
    return hashlib.blake2b(stored, digest_size=DIGEST_BYTES).digest()


def _sampled(words: NDArray[np.uint64], config: DuplicateConfig) -> NDArray[np.uint32]:
    """The runs of words whose hash is divisible by the sampling rate, as their upper halves (Manber 1994)."""
    runs = hash_runs(words, config.excerpt_words)
    return np.unique((runs[runs % np.uint64(config.excerpt_sample) == 0] >> HALF).astype(np.uint32))
