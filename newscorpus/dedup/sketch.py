"""Sketch a text: keep what compares it with others without reading it again."""

import hashlib
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newscorpus.config import BuildConfig
from newscorpus.dedup.signature import content_hash, read_words, sign_words
from newscorpus.dedup.words import HALF, hash_parts, hash_runs

DIGEST_BYTES = 8


@dataclass(frozen=True, slots=True)
class Sketch:
    """What is known of a document.

    Attributes:
        id: of the document; equal for all its revisions.
        source: who published it: name of a portal, or "".
        content: hash of the words; equal for exact duplicates.
        signature: as `signature.sign` made it.
        runs: sampled runs of words, sorted, for finding excerpts.
        paragraphs: hashes of the paragraphs, in order.
        n_words: words of the text.
        published: seconds since the epoch; NaN where unknown.
        fetched: seconds since the epoch; NaN where unknown.
        digest: of everything stored, 8 bytes, so that ties never depend on the order of arrival.
        space: number of the name space of the id; equal ids in two spaces name two documents.
        file: number of the file that holds the row, as the index counts what it covers.
        offset: of the row in that file, in bytes.
        length: of the row, in bytes.
        reextraction: how often the page had been extracted again; of the rows of one fetch the highest counts.
        withdrawn: that extraction gave no document.
    """

    id: str
    source: str
    content: bytes
    signature: bytes
    runs: NDArray[np.uint32]
    paragraphs: NDArray[np.uint32]
    n_words: int
    published: float = math.nan
    fetched: float = math.nan
    digest: bytes = b""
    space: int = 0
    file: int = 0
    offset: int = 0
    length: int = 0
    reextraction: int = 0
    withdrawn: bool = False


def make_sketch(name: str, source: str, text: str, config: BuildConfig, signature: bytes = b"") -> Sketch:
    """Sketch a text of one paragraph a line; the other attributes are the caller's to replace.

    Args:
        name: id of the document.
        source: who published it, or "".
        text: the text.
        config: what runs, paragraphs and signatures are made of.
        signature: of the text, where it is known.
    """
    words, ends = read_words(text)
    sizes = np.diff(ends, prepend=0)
    is_counted = sizes[sizes > 0] >= config.duplicates.boilerplate_words
    runs = hash_runs(words, config.duplicates.excerpt_words)
    is_sampled = runs % np.uint64(config.duplicates.excerpt_sample) == 0  # by value, not by place (Manber 1994)
    return Sketch(
        id=name,
        source=source,
        content=content_hash(words),
        signature=signature or sign_words(words, config.signature),
        runs=np.unique((runs[is_sampled] >> HALF).astype(np.uint32)),
        paragraphs=(hash_parts(words, ends[sizes > 0])[is_counted] >> HALF).astype(np.uint32),
        n_words=len(words),
    )


def digest(stored: bytes) -> bytes:
    """Hash (8 bytes) of all that is stored of a document."""
    return hashlib.blake2b(stored, digest_size=DIGEST_BYTES).digest()
