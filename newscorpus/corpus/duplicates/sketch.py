"""Sketch a text: keep what compares it with others without reading it again."""

import hashlib
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newscorpus.config import BuildConfig
from newscorpus.page.signature.kernel import HALF
from newscorpus.page.signature.signature import content_hash, hash_parts, hash_runs, read_words, sign_words

DIGEST_BYTES = 8


@dataclass(frozen=True, slots=True)
class Sketch:
    """What is known of a document."""

    id: str  # of the document; equal for all its revisions
    source: str  # who published it: name of a portal, or ""
    content: bytes  # hash of the words; equal for exact duplicates
    signature: bytes  # as `signature.sign` made it
    runs: NDArray[np.uint32]  # sampled runs of words, sorted, for finding excerpts
    paragraphs: NDArray[np.uint32]  # hashes of the paragraphs, in order
    n_words: int  # words of the text
    published: float = math.nan  # seconds since the epoch; NaN where unknown
    fetched: float = math.nan  # seconds since the epoch; NaN where unknown
    digest: bytes = b""  # of everything stored, 8 bytes, so that ties never depend on the order of arrival
    page: int = 0  # id of the page that it was made of, where the document has the address of another; else 0
    space: int = 0  # number of the name space of the id; equal ids in two spaces name two documents
    file: int = 0  # number of the file that holds the row, as the index counts what it covers
    offset: int = 0  # of the row in that file, in bytes
    length: int = 0  # of the row, in bytes
    reextraction: int = 0  # how often the page had been extracted again; of the rows of one fetch the highest counts
    withdrawn: bool = False  # that extraction gave no document
    confidence: float = 0.0  # in the text, as its extractor stated it, 0..1; 0 for none
    is_doubtful: bool = False  # that is less than what its extractor calls enough
    is_list: bool = False  # its address is that of a list


def make_sketch(name: str, source: str, text: str, config: BuildConfig, signature: bytes = b"") -> Sketch:
    """Sketch a text of one paragraph a line; `name` is the document's id, and `signature` that of the text, if known.

    The other attributes are the caller's to replace.
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
