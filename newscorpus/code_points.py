"""Classify code points for the features of blocks and the signatures of texts.

Both agree on letters, digits, lower case and scripts without spaces. They differ where models or stored signatures
depend on it: for features, as in `newscorpus.tokens.words`, an underscore belongs to a word; for signatures it does
not, and all combining marks do, even those of symbols.
"""

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from newscorpus.arrays import Flags, Hashes
from newscorpus.tokens import COMBINING, N_LISTED, UNSPACED, categories

Kinds = NDArray[np.uint32]
Traits = NDArray[np.uint8]

LETTER, UPPER, LOWER, DIGIT, SPACE, WORD, UNSPACED_WORD, ODD = (1 << bit for bit in range(8))
TERMINAL, COMMA, QUOTE, BAR, COPYRIGHT, ANGLE, AT, CALL, COLON, CLOSING, OPEN_END = (1 << bit for bit in range(8, 19))
"""The kinds of characters, one bit each.

WORD: part of a word; UNSPACED_WORD: in a script without spaces; ODD: anything but lower-case and caseless letters;
CLOSING: may follow the mark that ends a sentence; OPEN_END: signals that the text continues elsewhere.
"""

MARKS: Final = {
    TERMINAL: ".!?…。！？．｡؟।։።",
    COMMA: ",;،、，；·",
    QUOTE: "\"'“”„‟«»‹›‘’「」『』",
    BAR: "|",
    COPYRIGHT: "©",
    ANGLE: "<>",
    AT: "@",
    CALL: "?!",
    COLON: ":",
    CLOSING: "\"'“”„«»‹›‘’)]」』）】 ",
    OPEN_END: "…»›→▸>",
}

PLANE: Final = 0x10000
"""Size of the Basic Multilingual Plane, and the code that features use for all code points beyond it."""

GAP: Final = np.uint32(0)
DROPPED: Final = np.uint32(0xFFFFFFFF)
ALONE: Final = np.uint32(1 << 31)
"""Values of `folding` besides folded characters; `ALONE` is added to characters that are words by themselves."""


@dataclass(frozen=True, slots=True)
class CodePoints:
    """Table of the features for the Basic Multilingual Plane, with one entry for all code points beyond it."""

    kinds: Kinds  # the bits of this module
    traits: Traits  # the first eight bits, as a byte, since passes over all characters cost most
    # Contribution to the hash of a word: the lower case; 0 outside words.
    hash_values: Hashes


@cache
def table() -> CodePoints:
    """Return the table of the features; computed once, in some 50 ms."""
    plane = _characters(PLANE)
    is_letter, is_upper = np.strings.isalpha(plane), np.strings.isupper(plane)
    is_word = np.strings.isalnum(plane)
    kinds = np.zeros(PLANE + 1, np.uint32)
    for kind, flags in (
        (LETTER, is_letter),
        (UPPER, is_upper),
        (LOWER, np.strings.islower(plane)),
        (DIGIT, np.strings.isdigit(plane)),
        (SPACE, np.strings.isspace(plane)),
        (WORD, is_word | np.isin(plane, ["_", *COMBINING])),
        (UNSPACED_WORD, is_word & _is_unspaced(PLANE)),
        (ODD, ~is_letter | is_upper),
    ):
        kinds[:PLANE][flags] |= kind
    for kind, marks in MARKS.items():
        kinds[[ord(mark) for mark in marks]] |= kind
    # Beyond the plane are rare Han characters and symbols; a symbol counted as a word does no harm.
    kinds[PLANE] = LETTER | WORD | UNSPACED_WORD
    lowers = np.append(_lower_case(PLANE), PLANE).astype(np.uint64)
    lowers[ord("İ")] = ord("İ")  # a separate letter for the models
    hash_values = np.where(kinds & WORD, lowers + np.uint64(1), np.uint64(0))
    return CodePoints(kinds, (kinds & 0xFF).astype(np.uint8), hash_values)


@cache
def folding() -> NDArray[np.uint32]:
    """Return the folding of code points for signatures, shape (0x110000,): lower case, `GAP`, or `DROPPED`."""
    table = np.zeros(0x110000, np.uint32)
    listed, kinds = table[:N_LISTED], np.array(categories())
    in_words = np.strings.isalnum(_characters(N_LISTED)) | np.strings.startswith(kinds, "M")
    listed[in_words] = _lower_case(N_LISTED)[in_words]
    listed[in_words & _is_unspaced(N_LISTED)] |= ALONE
    listed[kinds == "Cf"] = DROPPED
    listed[ord("\u0307")] = DROPPED  # the dot that Turkish leaves above a lower-case i
    listed[ord("ς")] = ord("σ")
    ideographs, tags = slice(0x20000, 0x40000), slice(0xE0000, 0xE1000)
    table[ideographs] = np.arange(ideographs.start, ideographs.stop, dtype=np.uint32) | ALONE
    table[tags] = DROPPED
    table.flags.writeable = False
    return table


def _characters(count: int) -> NDArray[np.str_]:
    """Return the first `count` code points as characters."""
    return np.arange(count, dtype=np.uint32).view("<U1")


def _lower_case(count: int) -> NDArray[np.uint32]:
    """Return the lower case of the first `count` code points; of several characters the first."""
    lower = np.strings.lower(_characters(count)).view(np.uint32)
    lower[ord("İ")] = ord("i")
    return lower


def _is_unspaced(count: int) -> Flags:
    """Flag which of the first `count` code points belong to scripts without spaces."""
    flags = np.zeros(count, bool)
    for run in re.finditer(f"[{UNSPACED}]+", "".join(map(chr, range(count)))):
        flags[run.start() : run.end()] = True
    return flags
