"""Cut text into words and tokens, and say what every code point is; alike for every script.

A word is a run of letters, digits and underscores; in scripts that set no spaces between words (Chinese, Japanese kana,
Thai, Lao, Khmer, Burmese) every character is one.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from newscorpus.arrays import Hashes

UNSPACED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff"  # Burmese, Khmer
    "\u3040-\u30ff\u31f0-\u31ff"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    "\U00020000-\U0003ffff"  # Han, supplementary planes
)
WORD_PATTERN = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}]+")


def words(text: str) -> list[str]:
    """The words of `text`, in order, letter case kept."""
    return WORD_PATTERN.findall(text)


def count_words(text: str) -> int:
    """Number of words in `text`."""
    return len(WORD_PATTERN.findall(text))


def collapse(text: str) -> str:
    """`text` with every run of white space made one space, trimmed."""
    return " ".join(text.split())


def paragraphs(text: str) -> list[str]:
    """The lines of a text of one paragraph a line, white space collapsed, empty ones left out."""
    return [line for line in map(collapse, text.split("\n")) if line]


Kinds = NDArray[np.uint32]
Traits = NDArray[np.uint8]

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


MARKS_FROM, MARKS_TO = 0x0300, 0x1FFFF
"""Combining marks and characters that do not show lie between, but for the soft hyphen and tags of no use in text."""


@cache
def _pattern() -> re.Pattern[str]:
    kinds = {chr(point): unicodedata.category(chr(point)) for point in (0xAD, *range(MARKS_FROM, MARKS_TO + 1))}
    marks = "".join(character for character, kind in kinds.items() if kind.startswith("M"))
    hidden = "".join(character for character, kind in kinds.items() if kind == "Cf")
    # No possessive groups: Python 3.11.2 loses the last character before them. Nothing behind a word can fail to match.
    word = rf"[^\W{UNSPACED}]+(?:[{marks}{hidden}]+[^\W{UNSPACED}]+)*[{marks}{hidden}]*"
    joined = rf"{word}(?:['’‑-]{word}|(?<=\d)[.,:](?=\d){word})*"
    return re.compile(rf"{joined}|[{UNSPACED}][{marks}]*|([^\s\w{hidden}])\1*|\S[{marks}]*")


def tokenise(text: str) -> list[str]:
    """The tokens of a text, in order."""
    return [token for token, _ in glued_tokens(text)]


def glued_tokens(text: str) -> list[tuple[str, bool]]:
    """The tokens of a text, in order, each with whether it follows the one before it without a space."""
    found: list[tuple[str, bool]] = []
    end = 0
    for match in _pattern().finditer(text):
        token = match[0]
        if token.isprintable() or token[0].isalnum():
            found.append((token, bool(found) and match.start() == end))
            end = match.end()
    return found
