"""Count characters and words of all blocks of a page at once, in any script.

The joined texts are one array of code points; every count is one NumPy pass over it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from newscorpus import code_points as kinds
from newscorpus.arrays import Flags, Hashes, Integers
from newscorpus.code_points import ODD, PLANE, SPACE, UNSPACED_WORD, UPPER, WORD, Kinds, Traits, table

_DOT: Final = ord(".")
_HASH_BASE: Final = 0x9E3779B97F4A7C15
_SMALL_POWERS: Final = 256


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a sequence of texts: counts per text, but `text` and `hash` per word."""

    count: Integers  # words
    capitalised: Integers  # words that start in upper case
    all_caps: Integers  # words of two characters or more, all in upper case
    long: Integers  # words longer than the mean of their text
    short: Integers  # words of up to three characters
    unspaced: Integers  # words of scripts without spaces
    characters: Integers  # characters that belong to words
    text: Integers  # the index of the word's text
    hash: Hashes  # of the word's lower-case form; equal words hash alike
    others: tuple[Hashes, ...]  # word hashes of each further text


@dataclass(frozen=True, slots=True)
class Characters:
    """Counts over a sequence of texts; arrays are per text, except `odd_text` and `odd_kinds`.

    Attributes:
        length, letters, spaces: counts of characters.
        sentences: marks that end a sentence, followed by white space or the text's end.
        first_kinds, last_kinds: bits of the first and last character; those of a space where the text is empty.
        ends_in_dots: ends with three full stops.
        odd_text, odd_kinds: for each character of the kind ODD, the index of its text and its bits. All counted
            characters are odd; most others are not.
        words: the words.
    """

    length: Integers
    letters: Integers
    spaces: Integers
    sentences: Integers
    first_kinds: Kinds
    last_kinds: Kinds
    ends_in_dots: Flags
    odd_text: Integers
    odd_kinds: Kinds
    words: Words

    def count(self, kind: int) -> Integers:
        """Return per text the number of characters of `kind`: UPPER, DIGIT or a mark."""
        return np.bincount(self.odd_text[self.odd_kinds & kind != 0], minlength=len(self.length))


def count_characters(texts: Sequence[str], others: Sequence[str] = ()) -> Characters:
    """Count over `texts`, at least one; of `others` only the words are read. Line feeds count as spaces."""
    n = len(texts)
    codes, all_lengths = _join([*texts, *others])
    all_starts = np.cumsum(all_lengths + 1) - all_lengths - 1
    lengths, starts = all_lengths[:n], all_starts[:n]
    traits, kind_of_code = table().traits[codes], table().kinds
    text_of = np.repeat(np.arange(n), lengths + 1)
    odd = np.flatnonzero(traits[: len(text_of)] & ODD != 0)
    odd_kinds, odd_text = kind_of_code[codes[odd]], text_of[odd]
    ends_sentence = odd_kinds[:-1] & kinds.TERMINAL != 0
    ends_sentence &= (odd_kinds[1:] & SPACE != 0) & (odd[1:] - odd[:-1] == 1)
    lasts = starts + np.maximum(lengths - 1, 0)
    last_three = codes.take(lasts[:, None] - np.arange(3), mode="clip")
    no_letters = np.bincount(odd_text[odd_kinds & kinds.LETTER == 0], minlength=n)
    return Characters(
        length=lengths,
        letters=lengths + 1 - no_letters,
        spaces=np.bincount(odd_text[odd_kinds & SPACE != 0], minlength=n) - 1,
        sentences=np.bincount(odd_text[:-1][ends_sentence], minlength=n),
        first_kinds=kind_of_code[codes[starts]],
        last_kinds=kind_of_code[codes[lasts]],
        ends_in_dots=(last_three == _DOT).all(axis=1) & (lengths >= 3),
        odd_text=odd_text,
        odd_kinds=odd_kinds,
        words=_read_words(codes, traits, text_of, all_starts[n:]),
    )


def _join(texts: Sequence[str]) -> tuple[Integers, Integers]:
    """Return the code points of all texts, each followed by a line feed, and the length of each text."""
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    raw = np.frombuffer("\n".join([*texts, ""]).encode("utf-32-le", "surrogatepass"), "<u4")
    return np.minimum(raw, PLANE).astype(np.int64), lengths


def _read_words(codes: Integers, traits: Traits, text_of: Integers, others: Integers) -> Words:
    """Return the words; `text_of` gives the text of each character, `others` the starts of further texts."""
    n_texts = int(text_of[-1]) + 1
    is_word, is_unspaced = traits & WORD != 0, traits & UNSPACED_WORD != 0
    stands_apart = is_unspaced[1:] | is_unspaced[:-1]
    at = np.flatnonzero(np.concatenate((is_word[:1], is_word[1:] & (~is_word[:-1] | stands_apart))))
    sizes = np.flatnonzero(is_word[:-1] & (~is_word[1:] | stands_apart)) + 1 - at  # the text ends outside a word
    hashes = _hash(codes, at)
    bounds = [*np.searchsorted(at, others).tolist(), len(at)]
    at, sizes = at[: bounds[0]], sizes[: bounds[0]]
    text = text_of[at]

    def per_text(flags: Flags) -> Integers:
        return np.bincount(text[flags], minlength=n_texts)

    first = traits[at]
    count = np.bincount(text, minlength=n_texts)
    characters = np.bincount(text, weights=sizes, minlength=n_texts).astype(np.int64)
    candidates = np.flatnonzero((sizes > 1) & (traits[at + 1] & UPPER != 0))  # few words go on in upper case
    begins, length = at[candidates], sizes[candidates]
    uppers = np.flatnonzero(traits & UPPER != 0)
    all_upper = np.zeros(len(at), bool)
    all_upper[candidates] = np.searchsorted(uppers, begins + length) - np.searchsorted(uppers, begins) == length
    return Words(
        count=count,
        capitalised=per_text(first & UPPER != 0),
        all_caps=per_text(all_upper),
        long=per_text(sizes > (characters / np.maximum(count, 1))[text]),
        short=per_text(sizes <= 3),
        unspaced=per_text(first & UNSPACED_WORD != 0),
        characters=characters,
        text=text,
        hash=hashes[: bounds[0]],
        others=tuple(hashes[start:end] for start, end in pairwise(bounds)),
    )


def _hash(codes: Integers, at: Integers) -> Hashes:
    """Return a polynomial hash of each word, modulo 2**64: the sum of its characters times powers of a base.

    The powers run over all words; dividing by the power at the word's start makes equal words hash alike.
    """
    if not len(at):
        return np.zeros(0, np.uint64)
    small, large = _powers(_HASH_BASE, len(codes))
    terms = table().hash_values[codes]
    terms *= np.multiply.outer(large, small).ravel()[: len(codes)]
    small, large = _powers(pow(_HASH_BASE, -1, 2**64), len(codes))
    return np.asarray(np.add.reduceat(terms, at) * small[at % _SMALL_POWERS] * large[at // _SMALL_POWERS])


def _powers(base: int, count: int) -> tuple[Hashes, Hashes]:
    """Return small and large powers of `base`, modulo 2**64; their products give more than `count` powers."""
    small = np.full(_SMALL_POWERS, base, np.uint64)
    large = np.full(count // _SMALL_POWERS + 1, pow(base, _SMALL_POWERS, 2**64), np.uint64)
    small[0] = large[0] = 1
    return np.cumprod(small), np.cumprod(large)
