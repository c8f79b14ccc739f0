"""What every code point is: a letter, a digit, a mark of some kind; read from Python's own Unicode tables."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from newscorpus.text import UNSPACED

Kinds = NDArray[np.uint32]
Traits = NDArray[np.uint8]
Hashes = NDArray[np.uint64]

LETTER, UPPER, LOWER, DIGIT, SPACE, WORD, UNSPACED_WORD, ODD = (1 << bit for bit in range(8))
TERMINAL, COMMA, QUOTE, BAR, COPYRIGHT, ANGLE, AT, CALL, COLON, CLOSING, OPEN_END = (1 << bit for bit in range(8, 19))
"""The kinds of characters, a bit each.

WORD belongs to a word, UNSPACED_WORD to one of a script without spaces; ODD is all but letters of lower or no case;
CLOSING may follow the mark that ends a sentence; OPEN_END promises more.
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
"""Size of the Basic Multilingual Plane, and the code that stands for all code points beyond it."""

_TWO_IN_LOWER_CASE: Final = ord("İ")


@dataclass(frozen=True, slots=True)
class Table:
    """What every code point of the Basic Multilingual Plane is, and the one that stands for all beyond.

    Attributes:
        kinds: the bits of this module.
        traits: the first eight of them, in a byte, since passes over all characters cost most.
        hash_values: what the code point adds to the hash of a word: its lower case counts, and nothing outside words.
    """

    kinds: Kinds
    traits: Traits
    hash_values: Hashes


@cache
def table() -> Table:
    """The table; made once, in some 50 ms."""
    plane = np.arange(PLANE, dtype=np.uint32).view("<U1")
    kinds = _read_kinds(plane)
    lowers = np.append(np.strings.lower(plane).view(np.uint32), PLANE).astype(np.uint64)
    lowers[_TWO_IN_LOWER_CASE] = _TWO_IN_LOWER_CASE
    hash_values = np.where(kinds & WORD, lowers + np.uint64(1), np.uint64(0))
    return Table(kinds, (kinds & 0xFF).astype(np.uint8), hash_values)


def _read_kinds(plane: NDArray[np.str_]) -> Kinds:
    is_letter, is_upper = np.strings.isalpha(plane), np.strings.isupper(plane)
    is_word = np.strings.isalnum(plane)
    kinds = np.zeros(PLANE + 1, np.uint32)
    for kind, flags in (
        (LETTER, is_letter),
        (UPPER, is_upper),
        (LOWER, np.strings.islower(plane)),
        (DIGIT, np.strings.isdigit(plane)),
        (SPACE, np.strings.isspace(plane)),
        (WORD, is_word | (plane == "_")),
        (ODD, ~is_letter | is_upper),
    ):
        kinds[:PLANE][flags] |= kind
    for run in re.finditer(f"[{UNSPACED}]+", "".join(map(chr, range(PLANE)))):
        kinds[run.start() : run.end()][is_word[run.start() : run.end()]] |= UNSPACED_WORD
    for kind, marks in MARKS.items():
        kinds[[ord(mark) for mark in marks]] |= kind
    # Beyond the plane stand rare Han characters and symbols; a symbol among the words does no harm.
    kinds[PLANE] = LETTER | WORD | UNSPACED_WORD
    return kinds
