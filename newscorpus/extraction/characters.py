"""Counts over the characters and words of all blocks of a page at once, for every script alike.

The texts of the blocks are joined and looked at as one array of code points; every count is one pass of NumPy over it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from newscorpus.text import UNSPACED

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Hashes = NDArray[np.uint64]
Flags = NDArray[np.bool_]

LETTER, UPPER, LOWER, DIGIT, SPACE, WORD, UNSPACED_WORD, TERMINAL, COMMA = (1 << bit for bit in range(9))

_TERMINALS = ".!?…。！？．｡؟।։።"
_COMMAS = ",;،、，；·"
_PLANE: Final = 0x10000
_UNSPACED = re.compile(f"[{UNSPACED}]")
_HASH_BASE = np.uint64(0x9E3779B97F4A7C15)
_HASHED_LENGTH = 64
"""Characters of a word that enter its hash; longer words differ within them or are no words."""


@dataclass(frozen=True, slots=True)
class Characters:
    """What stands in a sequence of texts.

    Attributes:
        length, letters, uppers, digits, spaces, terminals, commas: per text, counts of characters.
        sentences: per text, marks that end a sentence with white space or the text's end behind them.
        words, capitalised, all_caps, long_words, short_words, unspaced_words: per text, counts of words: starting in
            upper case, two letters or more all in upper case, longer than the mean of their text, of up to three
            characters, of scripts without spaces.
        word_characters: per text, characters that belong to words.
        word_text: per word, the index of its text.
        word_hash: per word, a hash of its lower-case form.
        first, last: per text, code point of the first and last character; 0 where the text is empty.
        first_class, last_class: per text, their classes, bits as in this module.
    """

    length: Integers
    letters: Integers
    uppers: Integers
    digits: Integers
    spaces: Integers
    terminals: Integers
    commas: Integers
    sentences: Integers
    words: Integers
    capitalised: Integers
    all_caps: Integers
    long_words: Integers
    short_words: Integers
    unspaced_words: Integers
    word_characters: Integers
    word_text: Integers
    word_hash: Hashes
    first: Integers
    last: Integers
    first_class: Integers
    last_class: Integers


def count_characters(texts: Sequence[str]) -> Characters:
    """Count over `texts`, of which there must be at least one; line feeds in them count as spaces."""
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    starts = np.concatenate(([0], np.cumsum(lengths + 1)[:-1]))
    codes = np.frombuffer("\n".join([*texts, ""]).encode("utf-32-le", "surrogatepass"), "<u4")
    classes, lowers = _tables()
    codes = np.minimum(codes, _PLANE)
    kinds = classes[codes]

    def count(bits: int) -> Integers:
        return np.add.reduceat((kinds & bits) != 0, starts, dtype=np.int64)

    is_space = (kinds & SPACE) != 0
    ends_sentence = ((kinds & TERMINAL) != 0) & np.append(is_space[1:], True)
    first = codes[starts] * (lengths > 0)
    last = codes[starts + np.maximum(lengths - 1, 0)] * (lengths > 0)
    return Characters(
        length=lengths,
        letters=count(LETTER),
        uppers=count(UPPER),
        digits=count(DIGIT),
        spaces=count(SPACE) - 1,
        terminals=count(TERMINAL),
        commas=count(COMMA),
        sentences=np.add.reduceat(ends_sentence, starts, dtype=np.int64),
        first=first.astype(np.int64),
        last=last.astype(np.int64),
        first_class=classes[first].astype(np.int64),
        last_class=classes[last].astype(np.int64),
        **_count_words(kinds, lowers[codes], starts),
    )


def hash_words(text: str) -> Hashes:
    """The hashes of the words of `text`, in order; equal words of any two texts hash alike."""
    return count_characters([text]).word_hash


def _count_words(
    kinds: NDArray[np.uint16], lowers: NDArray[np.uint32], starts: Integers
) -> dict[str, NDArray[np.generic]]:
    n_texts = len(starts)
    is_word = (kinds & WORD) != 0
    is_unspaced = (kinds & UNSPACED_WORD) != 0
    begins = is_word.copy()
    begins[1:] &= ~is_word[:-1] | is_unspaced[1:] | is_unspaced[:-1]
    at = np.flatnonzero(begins)
    text_of = np.searchsorted(starts, at, side="right") - 1
    if not len(at):
        none = np.zeros(n_texts, np.int64)
        names = ("words", "capitalised", "all_caps", "long_words", "short_words", "unspaced_words", "word_characters")
        return {**dict.fromkeys(names, none), "word_text": text_of, "word_hash": np.zeros(0, np.uint64)}
    sizes = np.add.reduceat(is_word, at, dtype=np.int64)
    uppers = np.add.reduceat((kinds & UPPER) != 0, at, dtype=np.int64)

    def per_text(of_word: Flags | Integers) -> Integers:
        return np.bincount(text_of, weights=of_word, minlength=n_texts).astype(np.int64)

    words = np.bincount(text_of, minlength=n_texts)
    characters = per_text(sizes)
    mean_size = characters / np.maximum(words, 1)
    return {
        "words": words,
        "capitalised": per_text((kinds[at] & UPPER) != 0),
        "all_caps": per_text((sizes > 1) & (uppers == sizes)),
        "long_words": per_text(sizes > mean_size[text_of]),
        "short_words": per_text(sizes <= 3),
        "unspaced_words": per_text(is_unspaced[at]),
        "word_characters": characters,
        "word_text": text_of,
        "word_hash": _hash(lowers, is_word, at),
    }


def _hash(lowers: NDArray[np.uint32], is_word: Flags, at: Integers) -> Hashes:
    """One polynomial hash a word: the sum of its characters times the powers of a base, modulo 2**64."""
    first = at[0]
    place = np.arange(first, len(lowers)) - np.repeat(at, np.diff(np.append(at, len(lowers))))
    terms = (lowers[first:].astype(np.uint64) + np.uint64(1)) * _powers()[np.minimum(place, _HASHED_LENGTH)]
    terms[~is_word[first:]] = 0
    return np.add.reduceat(terms, at - first, dtype=np.uint64)


@cache
def _powers() -> Hashes:
    return np.cumprod(np.append(np.full(_HASHED_LENGTH, _HASH_BASE), np.uint64(0)), dtype=np.uint64)


@cache
def _tables() -> tuple[NDArray[np.uint16], NDArray[np.uint32]]:
    """Of every code point of the Basic Multilingual Plane, and of one that stands for all beyond: class bits, lower case."""
    characters = [chr(code) for code in range(_PLANE)]
    bits = np.zeros(_PLANE + 1, np.uint16)

    def mark(bit: int, flags: Sequence[bool]) -> None:
        bits[:_PLANE][np.fromiter(flags, bool, _PLANE)] |= bit

    mark(LETTER, [c.isalpha() for c in characters])
    mark(UPPER, [c.isupper() for c in characters])
    mark(LOWER, [c.islower() for c in characters])
    mark(DIGIT, [c.isdigit() for c in characters])
    mark(SPACE, [c.isspace() for c in characters])
    mark(WORD, [c.isalnum() or c == "_" for c in characters])
    mark(UNSPACED_WORD, [bool(_UNSPACED.match(c)) and c.isalnum() for c in characters])
    mark(TERMINAL, [c in _TERMINALS for c in characters])
    mark(COMMA, [c in _COMMAS for c in characters])
    # Beyond the plane stand rare Han characters and symbols; a symbol among the words does no harm.
    bits[_PLANE] = LETTER | WORD | UNSPACED_WORD
    lowers = np.arange(_PLANE + 1, dtype=np.uint32)
    lowers[:_PLANE] = [ord(lower) if len(lower := c.lower()) == 1 else ord(c) for c in characters]
    return bits, lowers
