"""A simple tokeniser for every script, for exports and examples.

A token is a word, with the apostrophes, hyphens and combining marks inside it; a number, with the separators inside it;
one character of a script that sets no spaces between words; or one punctuation mark, or a run of the same one. Characters
that do not show, other than inside a word, are left out. Nothing is known of any language: abbreviations lose their full
stop, and clitics stay where they are.
"""

import re
import sys
import unicodedata
from functools import cache

from newscorpus.text import UNSPACED

FIRST_MARK = 0x0300
"""No combining mark has a lower code point."""


@cache
def _pattern() -> re.Pattern[str]:
    marks, formats = _characters("M"), _characters("Cf")
    letter = rf"(?:[^\W\d{UNSPACED}]|[{marks}{formats}])"
    word = rf"[^\W\d{UNSPACED}](?:{letter}|\d)*(?:['’‑-](?:{letter}|\d)+)*"
    number = r"\d+(?:[.,:]\d+)*"
    return re.compile(rf"[{UNSPACED}][{marks}]*|{word}|{number}(?:{letter}|\d)*|([^\s\w{formats}])\1*|\S[{marks}]*")


def _characters(category: str) -> str:
    """All characters of a category of Unicode, as they stand in a set of a regular expression."""
    points = (0xAD, *range(FIRST_MARK, sys.maxunicode + 1))
    return "".join(chr(point) for point in points if unicodedata.category(chr(point)).startswith(category))


def tokenise(text: str) -> list[str]:
    """The tokens of a text, in order."""
    return [token for token, _ in glued_tokens(text)]


def glued_tokens(text: str) -> list[tuple[str, bool]]:
    """The tokens of a text, in order, each with whether it follows the one before it without a space."""
    found = [match for match in _pattern().finditer(text) if match[0].isprintable() or match[0][0].isalnum()]
    ends = [0, *(match.end() for match in found)]
    return [(match[0], 0 < end == match.start()) for match, end in zip(found, ends, strict=False)]
