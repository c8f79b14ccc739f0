"""Compile the inner loops of signatures to machine code by numba; the NumPy code beside them gives the same values.

The functions are compiled when first called, which takes two seconds, and kept on disk beside this file or, where that
cannot be written, in the user's cache, so that other processes load them in some 0.1 s.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newscorpus.code_points import ALONE, DROPPED, GAP

WORD_BASE = np.uint64(0x9E3779B97F4A7C15)
RUN_BASE = np.uint64(0xC2B2AE3D27D4EB4F)
MIX = np.uint64(0xD6E8FEB86659FD93)
"""Odd numbers with bits all over: 2**64 over the golden ratio, and multipliers of xxHash64 and of rrmxmx (Evensen)."""

HALF = np.uint64(32)
ONE = np.uint64(1)

NEWLINE = ord("\n")
ZERO = np.uint64(0)
CHARACTER = ~ALONE

SHIFT_13 = np.uint32(13)
SHIFT_16 = np.uint32(16)
MURMUR_1 = np.uint32(0x85EBCA6B)
MURMUR_2 = np.uint32(0xC2B2AE35)
"""The finaliser of MurmurHash3, with which datasketch's scheme "affine32" begins."""


@cache
def compiled(function: Callable[..., Any]) -> Callable[..., Any] | None:
    """One of the functions below as machine code that runs without the interpreter's lock; None without numba."""
    try:
        from numba import njit  # noqa: PLC0415 -- takes half a second, which only those who sign should pay
    except ImportError:
        return None
    try:
        return njit(cache=True, nogil=True)(function)
    except RuntimeError:  # no folder for its cache can be written
        return njit(nogil=True)(function)


def hash_words(
    codes: NDArray[np.uint32], folding: NDArray[np.uint32], hashes: NDArray[np.uint64], ends: NDArray[np.int64]
) -> int:
    """Write the hashes of the words, and the number of words up to the end of each line; give that of all.

    Args:
        codes: the text.
        folding: what each code point is folded to.
        hashes: room for one a code point.
        ends: room for one a line.
    """
    n_words = n_lines = 0
    value, power = ZERO, ONE
    inside = after_alone = False
    for index in range(len(codes) + 1):
        folded = folding[codes[index]] if index < len(codes) else GAP
        if folded == DROPPED:
            continue
        alone = (folded & ALONE) != 0
        if inside and (folded == GAP or alone or after_alone):
            value = (value ^ (value >> HALF)) * MIX
            hashes[n_words] = value ^ (value >> HALF)
            n_words += 1
            value, power, inside = ZERO, ONE, False
        if folded != GAP:
            value += (np.uint64(folded & CHARACTER) + ONE) * power
            power *= WORD_BASE
            inside = True
        if index == len(codes) or codes[index] == NEWLINE:
            ends[n_lines] = n_words
            n_lines += 1
        after_alone = alone
    return n_words


def minima(
    words: NDArray[np.uint64], size: int, first: NDArray[np.uint32], second: NDArray[np.uint32]
) -> NDArray[np.uint32]:
    """The least value of each permutation, `first * hash + second`, over all runs of `size` words; shape of `first`."""
    least = np.full(len(first), 0xFFFFFFFF, np.uint32)
    size = min(size, len(words))
    if size == 0:
        return least
    leaving = ONE
    for _ in range(size):
        leaving *= RUN_BASE
    run = ZERO
    for index in range(len(words)):
        run = run * RUN_BASE + words[index]
        if index >= size:
            run -= words[index - size] * leaving
        if index >= size - 1:
            value = np.uint32(((run ^ (run >> HALF)) * MIX) >> HALF)
            value = np.uint32((value ^ (value >> SHIFT_16)) * MURMUR_1)
            value = np.uint32((value ^ (value >> SHIFT_13)) * MURMUR_2)
            value ^= value >> SHIFT_16
            for permutation in range(len(first)):
                permuted = np.uint32(first[permutation] * value + second[permutation])
                least[permutation] = min(least[permutation], permuted)
    return least


def count_equal(one: NDArray[np.uint32], others: NDArray[np.uint32]) -> NDArray[np.int64]:
    """How many values of each of some signatures, shape (n, permutations), equal those of one."""
    counts = np.empty(len(others), np.int64)
    for row in range(len(others)):
        count = 0
        for place in range(len(one)):
            count += others[row, place] == one[place]
        counts[row] = count
    return counts


def count_shared(one: NDArray[np.uint64], other: NDArray[np.uint64]) -> int:
    """How many values two sorted arrays of different values have in common."""
    count = at = place = 0
    while at < len(one) and place < len(other):
        first, second = one[at], other[place]
        count += first == second
        at += first <= second
        place += second <= first
    return count
