"""Sign texts by MinHash, and compare signatures and sets of shingles, based on 64-bit hashes of words and n-grams.

A text is normalised to NFC and folded character by character: letters to lower case, digits and combining marks as
they are, format characters (soft hyphen, joiners) and the dot that Turkish leaves above a lower-case i to nothing,
everything else to a gap between words. Final sigma is folded to sigma, and what has several lower-case characters to
the first of them. In scripts that set no spaces between words every character is a word, so that shingles of words are
n-grams of characters. A character that a later version of Unicode added is a gap.

The hash of a word is a polynomial of its characters modulo 2**64 (Karp and Rabin 1987), mixed, and that of a run of
words a polynomial of theirs. Equal words have equal hashes on every machine.

A signature is opaque bytes on its way through the crawl: little-endian unsigned 32-bit integers, one a permutation. Its
values are those of datasketch's `MinHash(scheme="affine32", hashfunc=shingle_hash)`, so that all its indexes take them.
Signatures compare only when their `SignatureParameters` are equal; whoever stores them stores these too.
"""

import hashlib
import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from newscorpus.code_points import ALONE, DROPPED, GAP, folding
from newscorpus.config import SignatureParameters
from newscorpus.page.signature import kernel
from newscorpus.page.signature.kernel import HALF, MIX, NEWLINE, ONE, RUN_BASE, WORD_BASE

if TYPE_CHECKING:  # it loads parts of scipy, half a second, and only what signs needs it
    from datasketch import MinHash

PARAMETERS = SignatureParameters()

STORED = np.dtype("<u4")
"""Type of one value of a stored signature."""

CONTENT_BYTES = 16

SHINGLES_AT_ONCE = 8192
"""Shingles permuted in one step by NumPy: 4 MB, however long the text."""


def word_hashes(text: str) -> NDArray[np.uint64]:
    """Hash the folded words of `text`, shape (words,); case, space and punctuation are ignored."""
    return read_words(text)[0]


def read_words(text: str) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the words of `text` as `word_hashes`, and the number of words up to the end of each line."""
    codes = code_points(text)
    fast = kernel.compiled(kernel.hash_words)
    if fast is None:
        return hash_words(codes)
    hashes = np.empty(len(codes), np.uint64)
    ends = np.empty(np.count_nonzero(codes == NEWLINE) + 1, np.int64)
    return hashes[: fast(codes, folding(), hashes, ends)], ends


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
    fast = kernel.compiled(kernel.minima)
    if fast is None:
        return _minima(hash_runs(words, parameters.shingle_words), first, second).astype(STORED).tobytes()
    return fast(words, parameters.shingle_words, first, second).astype(STORED, copy=False).tobytes()  # type: ignore[no-any-return]


def _minima(runs: NDArray[np.uint64], first: NDArray[np.uint32], second: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return each permutation's minimum over hashes of n-grams, by NumPy; as `kernel.minima`."""
    least = np.full(len(first), 0xFFFFFFFF, np.uint32)
    for start in range(0, len(runs), SHINGLES_AT_ONCE):
        values = (runs[start : start + SHINGLES_AT_ONCE] >> HALF).astype(np.uint32)
        values = (values ^ (values >> kernel.SHIFT_16)) * kernel.MURMUR_1
        values = (values ^ (values >> kernel.SHIFT_13)) * kernel.MURMUR_2
        values ^= values >> kernel.SHIFT_16
        least = np.minimum(least, (values[:, None] * first + second).min(axis=0))
    return least


def stack(signatures: Sequence[bytes], permutations: int) -> NDArray[np.uint32]:
    """Signatures as a matrix of shape (signatures, permutations)."""
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
    """Estimated Jaccard similarity of one signature, shape (permutations,), to others, shape (n, permutations)."""
    fast = kernel.compiled(kernel.count_equal)
    equal = np.count_nonzero(others == one, axis=1) if fast is None else fast(one, others)
    similarities: NDArray[np.float64] = equal / len(one)
    return similarities


def jaccard(one: NDArray[np.uint64], other: NDArray[np.uint64]) -> float:
    """Exact Jaccard similarity of two sets of shingles, sorted; two empty ones are alike."""
    shared = _count_shared(one, other)
    union = len(one) + len(other) - shared
    return shared / union if union else 1.0


def containment(part: NDArray[np.uint64], whole: NDArray[np.uint64]) -> float:
    """Share of a set of shingles that is in another, both sorted; of an empty one nothing (Broder 1997)."""
    return _count_shared(part, whole) / len(part) if len(part) else 0.0


def _count_shared(one: NDArray[np.uint64], other: NDArray[np.uint64]) -> int:
    fast = kernel.compiled(kernel.count_shared)
    return int(fast(one, other)) if fast else len(np.intersect1d(one, other, assume_unique=True))


@cache
def _permutations(parameters: SignatureParameters) -> NDArray[np.uint32]:
    """Factors and summands of the permutations, shape (2, permutations), as datasketch draws them."""
    from datasketch import MinHash  # noqa: PLC0415 -- see above

    for name in ("normaliser", "hashing", "scheme"):
        asked, known = getattr(parameters, name), getattr(PARAMETERS, name)
        if asked != known:
            raise ValueError(f"signature parameter {name} = {asked!r} is unknown; known: {known!r}")
    drawn: NDArray[np.uint32] = MinHash(
        num_perm=parameters.permutations, seed=parameters.seed, scheme=parameters.scheme
    ).permutations
    return drawn


def code_points(text: str) -> NDArray[np.uint32]:
    """Return the code points of the text in NFC, halves of surrogate pairs included."""
    return np.frombuffer(unicodedata.normalize("NFC", text).encode("utf-32-le", "surrogatepass"), np.dtype("<u4"))


def hash_words(codes: NDArray[np.uint32]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the hashes of the words in a text, and the number of words up to the end of each line, by NumPy.

    `kernel.hash_words` gives the same.
    """
    folded = folding()[codes]
    stays = folded != DROPPED
    folded = folded[stays]
    alone = (folded & ALONE) != 0
    parts = (folded == GAP) | alone
    # A word begins after a gap, at a character that is a word, and after one.
    begins = (folded != GAP) & (alone | np.concatenate([[True], parts])[:-1])
    ends = np.append(np.cumsum(begins)[codes[stays] == NEWLINE], np.count_nonzero(begins))
    return _hash_folded(folded, begins), ends


def _hash_folded(folded: NDArray[np.uint32], begins: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Hash words, given their folded characters and starts."""
    inside = folded != GAP
    starts = np.flatnonzero(begins[inside])
    values: NDArray[np.uint64] = (folded[inside] & ~ALONE).astype(np.uint64) + ONE
    if not len(values):
        return values
    lengths = np.diff(starts, append=len(values))
    powers = np.full(lengths.max(), WORD_BASE)
    powers[0] = ONE
    within = np.arange(len(values)) - np.repeat(starts, lengths)
    return mixed(np.add.reduceat(values * np.cumprod(powers)[within], starts))


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
    """The hash of each of several parts of a text as one run, what `hash_runs` gives of it alone; shape of `ends`.

    `ends` are numbers of words up to the end of each part, ascending; the last one's is that of all words.
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
