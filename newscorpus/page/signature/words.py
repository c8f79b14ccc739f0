"""Hash the words of a text and their runs to 64 bits; all that compares texts is made of these hashes.

A text is normalised to NFC and folded character by character: letters to lower case, digits and combining marks as
they are, format characters (soft hyphen, joiners) and the dot that Turkish leaves above a lower-case i to nothing,
everything else to a gap between words. Final sigma is folded to sigma, and what has several lower-case characters to
the first of them. In scripts that set no spaces between words every character is a word, so that shingles of words are
n-grams of characters. A character that a later version of Unicode added is a gap.

The hash of a word is a polynomial of its characters modulo 2**64 (Karp and Rabin 1987), mixed, and that of a run of
words a polynomial of theirs. Equal words have equal hashes on every machine.
"""

import unicodedata

import numpy as np
from numpy.typing import NDArray

from newscorpus.code_points import ALONE, DROPPED, GAP, folding

WORD_BASE = np.uint64(0x9E3779B97F4A7C15)
RUN_BASE = np.uint64(0xC2B2AE3D27D4EB4F)
MIX = np.uint64(0xD6E8FEB86659FD93)
"""Odd numbers with bits all over: 2**64 over the golden ratio, and multipliers of xxHash64 and of rrmxmx (Evensen)."""

HALF = np.uint64(32)
ONE = np.uint64(1)

NEWLINE = ord("\n")


def code_points(text: str) -> NDArray[np.uint32]:
    """The code points of the text in NFC, halves of surrogate pairs included."""
    return np.frombuffer(unicodedata.normalize("NFC", text).encode("utf-32-le", "surrogatepass"), np.dtype("<u4"))


def hash_words(codes: NDArray[np.uint32]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """The hashes of the words in a text, and the number of words up to the end of each line, by NumPy.

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
    """The hashes of words from their folded characters, and where they begin."""
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
    """The hashes of all runs of `size` words, in order; of all words as one run where there are fewer."""
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
    """The values with all their bits spread over all bits; different ones stay different."""
    spread: NDArray[np.uint64] = (values ^ (values >> HALF)) * MIX
    spread ^= spread >> HALF
    return spread
