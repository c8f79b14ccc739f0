"""Cut text into paragraphs, words and tokens, for every script alike.

A word is a run of letters, digits and underscores; in scripts that set no spaces between words (Chinese, Japanese kana,
Thai, Lao, Khmer, Burmese) every character is one. A token, for exports, is a word with its combining marks, several
words that an apostrophe, a hyphen or the point in a number joins, or a mark. `newscorpus.code_points` says the same of
single characters.
"""

import re
import unicodedata
from functools import cache, lru_cache
from zlib import crc32

IDEOGRAPHS = "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Kana and Han, as a class of a regular expression."""
SOUTHEAST_ASIAN = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
"""Thai, Lao, Burmese and Khmer."""
UNSPACED = SOUTHEAST_ASIAN + IDEOGRAPHS
"""Scripts that set no spaces between words."""

N_LISTED = 0x20000
"""Code points looked up one by one; above are ideographs, and tags and selectors without a shape of their own."""

_WORD = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}]+")


_COMMANDS = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What a terminal may obey: control characters (C0 and C1), marks that turn the direction, and lone surrogates."""

SOFT_HYPHEN = "\xad"
UNSEEN = "\xad\u200b\u200e\u200f\u2060\ufeff\ufffc"
"""Soft hyphen, zero-width space, marks of direction, word joiner, byte order mark, what stands for a pasted object."""
_REMOVED = {
    SOFT_HYPHEN: re.compile("\xad(?<![ÂВΒĀÃĂГΓĆÎОΞĪÐĐРΠĞŠ]\xad)"),
    "\u200b": re.compile(f"\u200b(?<![{SOUTHEAST_ASIAN}]\u200b)"),
}
"""Where they are removed, if not everywhere: a soft hyphen may be the second byte of misread UTF-8 (of "í", "έ", "Э"),
which only the one before it makes a letter again; a zero-width space parts words that are written without spaces."""
_OVERLAY = "\u0338"
"""A stroke that becomes one character with a sign before it, also with the one that ends a tag."""


def words(text: str) -> list[str]:
    """The words of `text`, in order, letter case kept."""
    return _WORD.findall(text)


def folded_words(text: str) -> list[str]:
    """The words of `text`, in order, case folded."""
    return _WORD.findall(text.casefold())


def count_words(text: str) -> int:
    """Number of words in `text`."""
    return len(_WORD.findall(text))


@lru_cache(8_192)  # the words of dates and phrases are few
def fold(word: str) -> str:
    """`word` in one case and without accents."""
    return "".join(char for char in unicodedata.normalize("NFKD", word.casefold()) if not unicodedata.combining(char))


def clean(text: str) -> str:
    """`text`, or HTML, composed (NFC), without characters that do not show; joiners stay, since scripts need them."""
    if text.isascii():
        return text
    for character in UNSEEN:
        if character in text:  # much faster than to look for all at once
            text = _REMOVED[character].sub("", text) if character in _REMOVED else text.replace(character, "")
    return text if _OVERLAY in text else unicodedata.normalize("NFC", text)


def printable(line: str) -> str:
    """Remove from a line what a terminal would obey instead of showing it; ends of lines and tabs become spaces."""
    return _COMMANDS.sub("", line.translate({9: " ", 10: " ", 13: " "}))


def number_of(count: int, noun: str) -> str:
    """Write a number of things: "1 page", "2,000 pages"."""
    return f"{count:,} {noun}{'s' * (count != 1)}"


def collapse(text: str) -> str:
    """`text` with every run of white space made one space, trimmed."""
    return " ".join(text.split())


def paragraphs(text: str) -> list[str]:
    """The lines of a text of one paragraph a line, white space collapsed, empty ones left out."""
    return [line for line in map(collapse, text.split("\n")) if line]


def tokenise(text: str) -> list[str]:
    """The tokens of a text, in order."""
    return [token for token, _ in glued_tokens(text)]


def glued_tokens(text: str) -> list[tuple[str, bool]]:
    """The tokens of a text, in order, each with whether it follows the one before it without a space."""
    found: list[tuple[str, bool]] = []
    end = 0
    for match in _token_pattern().finditer(text):
        token = match[0]
        if token.isprintable() or token[0].isalnum():
            found.append((token, bool(found) and match.start() == end))
            end = match.end()
    return found


@cache
def categories() -> tuple[str, ...]:
    """The general category of each of the first `N_LISTED` code points (Unicode Standard, section 4.5)."""
    return tuple(map(unicodedata.category, map(chr, range(N_LISTED))))


@cache
def _token_pattern() -> re.Pattern[str]:
    marks, hidden = (
        "".join(chr(point) for point, kind in enumerate(categories()) if kind.startswith(wanted))
        for wanted in ("M", "Cf")  # combining marks, and characters that do not show, such as the soft hyphen
    )
    # No possessive groups: Python 3.11.2 loses the last character before them. Nothing behind a word can fail to match.
    word = rf"[^\W{UNSPACED}]+(?:[{marks}{hidden}]+[^\W{UNSPACED}]+)*[{marks}{hidden}]*"
    joined = rf"{word}(?:['’‑-]{word}|(?<=\d)[.,:](?=\d){word})*"
    return re.compile(rf"{joined}|[{UNSPACED}][{marks}]*|([^\s\w{hidden}])\1*|\S[{marks}]*")


def hash_headline(text: str) -> int:
    """A hash of a headline that numbers do not change, such as how many comments there are; 0 without a letter."""
    words = re.sub(r"[\W\d_]+", " ", text.casefold()).strip()
    return crc32(words.encode("utf-8", "surrogatepass")) if words else 0
