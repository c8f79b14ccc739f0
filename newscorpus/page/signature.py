"""Sign texts by MinHash, and compare signatures and sets of shingles, based on 64-bit hashes of words and n-grams.

A text is normalised to NFC and folded character by character: letters to lower case (the first character, if there
are several; final sigma to sigma); digits and combining marks are kept; format characters (soft hyphen, joiners) and
the dot that Turkish leaves above a lower-case i are dropped; all others, and characters of later versions of Unicode,
separate words. In scripts without spaces every character is a word, so that shingles are n-grams of characters.

The hash of a word is a polynomial of its characters modulo 2**64 (Karp and Rabin 1987), mixed; that of an n-gram is a
polynomial of the hashes of its words. Hashes are the same on every machine.

A signature is stored as little-endian unsigned 32-bit integers, one per permutation. Its values are those of
datasketch's `MinHash(scheme="affine32", hashfunc=shingle_hash)`, so that datasketch's indexes accept them. Only
signatures with equal `SignatureParameters` can be compared, so these are stored with them.
"""

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from newscorpus.code_points import ALONE, DROPPED, GAP, folding
from newscorpus.config import SignatureParameters

if TYPE_CHECKING:  # it loads parts of scipy, half a second, which only signing needs
    from datasketch import MinHash

PARAMETERS = SignatureParameters()

WORD_BASE = np.uint64(0x9E3779B97F4A7C15)
RUN_BASE = np.uint64(0xC2B2AE3D27D4EB4F)
MIX = np.uint64(0xD6E8FEB86659FD93)
"""Odd numbers with bits all over: 2**64 over the golden ratio, and multipliers of xxHash64 and of rrmxmx (Evensen)."""
HALF = np.uint64(32)
ONE = np.uint64(1)
NEWLINE = ord("\n")

SHIFT_13 = np.uint32(13)
SHIFT_16 = np.uint32(16)
MURMUR_1 = np.uint32(0x85EBCA6B)
MURMUR_2 = np.uint32(0xC2B2AE35)
"""The finaliser of MurmurHash3, with which datasketch's scheme "affine32" begins."""

STORED = np.dtype("<u4")
"""Type of one value of a stored signature."""

CONTENT_BYTES = 16

MOST_CHARACTERS = 2**20
"""Characters of a text read in one step, which takes 40 MB."""

SHINGLES_AT_ONCE = 8192
"""Shingles permuted in one step: 4 MB, however long the text."""


def word_hashes(text: str) -> NDArray[np.uint64]:
    """Hash the folded words of `text`, shape (words,); case, space and punctuation are ignored."""
    return read_words(text)[0]


def read_words(text: str) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the words of `text` as `word_hashes`, and the number of words up to the end of each line."""
    if len(text) <= MOST_CHARACTERS:
        return _read_words(text)
    parts, n_words = [], 0
    # Cut at spaces and ends of lines, which separate words and which NFC leaves alone.
    for piece in re.finditer(rf"(?s).{{1,{MOST_CHARACTERS}}}[^ \n]*[ \n]?", text):
        words, ends = _read_words(piece.group())
        parts.append((words, ends[:-1] + n_words))
        n_words += len(words)
    return np.concatenate([words for words, _ in parts]), np.append(
        np.concatenate([ends for _, ends in parts]), n_words
    )


def _read_words(text: str) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    # Code points in NFC, halves of surrogate pairs included.
    codes = np.frombuffer(unicodedata.normalize("NFC", text).encode("utf-32-le", "surrogatepass"), np.dtype("<u4"))
    folded = folding()[codes]
    stays = folded != DROPPED
    folded = folded[stays]
    alone = (folded & ALONE) != 0
    is_gap = folded == GAP
    # A word begins after a gap, at a character that is a word, and after one.
    begins = ~is_gap & (alone | np.concatenate([[True], is_gap | alone])[:-1])
    ends = np.append(np.cumsum(begins)[codes[stays] == NEWLINE], np.count_nonzero(begins))
    values: NDArray[np.uint64] = (folded[~is_gap] & ~ALONE).astype(np.uint64) + ONE
    if not len(values):
        return values, ends
    starts = np.flatnonzero(begins[~is_gap])
    lengths = np.append(starts[1:], len(values)) - starts  # in a fifth of the time of `np.diff` with `append`
    powers = np.full(lengths.max(), WORD_BASE)
    powers[0] = ONE
    within = np.arange(len(values)) - np.repeat(starts, lengths)
    return mixed(np.add.reduceat(values * np.cumprod(powers)[within], starts)), ends


def content_hash(words: NDArray[np.uint64]) -> bytes:
    """Hash (16 bytes) of a text's words: equal for exact duplicates."""
    return hashlib.blake2b(words.astype("<u8").tobytes(), digest_size=CONTENT_BYTES).digest()


def shingles(words: NDArray[np.uint64], size: int = PARAMETERS.shingle_words) -> NDArray[np.uint64]:
    """Return the set of n-grams of `size` words as sorted hashes; one of all words if there are fewer."""
    return np.unique(hash_runs(words, size))


def shingle_hash(shingle: bytes | str) -> int:
    """Return the 32-bit hash of one shingle, a text of some words: `hashfunc` for datasketch."""
    words = word_hashes(shingle if isinstance(shingle, str) else shingle.decode("utf-8", "surrogatepass"))
    return int(hash_runs(words, len(words))[0] >> HALF)


def sign(text: str, parameters: SignatureParameters = PARAMETERS) -> bytes:
    """Return the signature of `text`, 4 bytes a permutation (Broder 1997).

    Raises:
        ValueError: the parameters name a scheme, hash or normaliser that is unknown here.
    """
    return sign_words(word_hashes(text), parameters)


def sign_words(words: NDArray[np.uint64], parameters: SignatureParameters = PARAMETERS) -> bytes:
    """Sign a text given the hashes of its words, as `sign`."""
    first, second = _permutations(parameters)
    runs = hash_runs(words, parameters.shingle_words)
    least = np.full(len(first), 0xFFFFFFFF, np.uint32)
    for start in range(0, len(runs), SHINGLES_AT_ONCE):
        values = (runs[start : start + SHINGLES_AT_ONCE] >> HALF).astype(np.uint32)
        values = (values ^ (values >> SHIFT_16)) * MURMUR_1
        values = (values ^ (values >> SHIFT_13)) * MURMUR_2
        values ^= values >> SHIFT_16
        permuted = values[:, None] * first
        permuted += second
        least = np.minimum(least, permuted.min(axis=0))
    return least.astype(STORED).tobytes()


def stack(signatures: Sequence[bytes], permutations: int) -> NDArray[np.uint32]:
    """Return signatures as a matrix of shape (signatures, permutations)."""
    return np.frombuffer(b"".join(signatures), STORED).reshape(len(signatures), permutations)


def minhash_of(signature: NDArray[np.uint32], parameters: SignatureParameters = PARAMETERS) -> "MinHash":
    """Return the signature as datasketch's own object, as its indexes take it."""
    from datasketch import MinHash  # noqa: PLC0415 -- see above

    return MinHash(
        hashvalues=signature,
        permutations=_permutations(parameters),
        seed=parameters.seed,
        scheme=parameters.scheme,
        hashfunc=shingle_hash,
    )


def estimate(one: NDArray[np.uint32], others: NDArray[np.uint32]) -> NDArray[np.float64]:
    """Estimate the Jaccard similarity of one signature, shape (permutations,), or of n, to n others, row by row."""
    similarities: NDArray[np.float64] = np.count_nonzero(others == one, axis=1) / others.shape[1]
    return similarities


def jaccard(one: NDArray[np.uint64], other: NDArray[np.uint64]) -> float:
    """Return the Jaccard similarity of two sorted sets of shingles; 1 for two empty ones."""
    shared = _count_shared(one, other)
    union = len(one) + len(other) - shared
    return shared / union if union else 1.0


def containment(part: NDArray[np.uint64], whole: NDArray[np.uint64]) -> float:
    """Return the share of `part`, a sorted set of shingles, that is in `whole`; 0 for an empty one (Broder 1997)."""
    return _count_shared(part, whole) / len(part) if len(part) else 0.0


def _count_shared(one: NDArray[np.uint64], other: NDArray[np.uint64]) -> int:
    both = np.concatenate((one, other))
    both.sort(kind="stable")  # merges the two runs, in a tenth of the time of `np.intersect1d`
    return int(np.count_nonzero(both[1:] == both[:-1]))


@cache
def _permutations(parameters: SignatureParameters) -> NDArray[np.uint32]:
    """Return factors and summands of the permutations, shape (2, permutations), as datasketch draws them."""
    from datasketch import MinHash  # noqa: PLC0415 -- see above

    for name in ("normaliser", "hashing", "scheme"):
        asked, known = getattr(parameters, name), getattr(PARAMETERS, name)
        if asked != known:
            raise ValueError(f"signature parameter {name} = {asked!r} is unknown; known: {known!r}")
    drawn: NDArray[np.uint32] = MinHash(
        num_perm=parameters.permutations, seed=parameters.seed, scheme=parameters.scheme
    ).permutations
    return drawn


def hash_runs(words: NDArray[np.uint64], size: int) -> NDArray[np.uint64]:
    """Hash all n-grams of `size` words, in order; all words as one n-gram if there are fewer."""
    size = min(size, len(words))
    if not size:
        return words
    count = len(words) - size + 1
    hashes: NDArray[np.uint64] = words[:count]
    for start in range(1, size):
        hashes = hashes * RUN_BASE + words[start : start + count]
    return mixed(hashes)


def hash_parts(words: NDArray[np.uint64], ends: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Hash each of several consecutive parts of a text as one n-gram, as `hash_runs` would; shape of `ends`.

    `ends` are the numbers of words up to the end of each part, ascending; the last one is the number of all words.
    """
    sizes = np.diff(ends, prepend=0)
    if not len(sizes):
        return words
    powers = np.full(sizes.max(), RUN_BASE)
    powers[0] = ONE
    to_end = np.repeat(ends, sizes) - np.arange(1, len(words) + 1)
    return mixed(np.add.reduceat(words * np.cumprod(powers)[to_end], ends - sizes))


def mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Mix the bits of each value, bijectively."""
    spread: NDArray[np.uint64] = (values ^ (values >> HALF)) * MIX
    spread ^= spread >> HALF
    return spread
