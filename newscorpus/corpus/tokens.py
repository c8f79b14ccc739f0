"""A simple tokeniser for every script, for exports and examples.

A token is a word or number, with the apostrophes, hyphens and combining marks inside it, and the full stops, commas and
colons between its digits; one character of a script that sets no spaces between words; or one punctuation mark, or a
run of the same one.
Characters that do not show, other than inside a word, are left out. Nothing is known of any language: abbreviations
lose their full stop, and clitics stay where they are.
"""

import re
import unicodedata
from functools import cache

from newscorpus.text import UNSPACED

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
