"""Split text into paragraphs, words and tokens, in every script.

A word is a run of letters, digits and underscores with their combining marks; in scripts without spaces between words
(Chinese, Japanese kana, Thai, Lao, Khmer, Burmese) every character is a word. A token, for exports, is a word, several
words joined by an apostrophe, a hyphen or the point in a number, or a punctuation mark. `newscorpus.code_points`
classifies single characters accordingly.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from zlib import crc32

IDEOGRAPHS = "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Kana and Han, for a character class of a regular expression."""
SOUTHEAST_ASIAN = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
"""Thai, Lao, Burmese and Khmer."""
UNSPACED = SOUTHEAST_ASIAN + IDEOGRAPHS
"""Scripts without spaces between words."""
COMBINING = "".join(
    char
    for char in map(chr, (*range(0x300, 0x2000), *range(0xA000, 0xAC00)))
    if unicodedata.category(char).startswith("M") and not re.match(f"[{UNSPACED}]", char)
)
"""Combining marks of letters, such as vowel signs; those of symbols and emoji are not among them."""

N_LISTED = 0x20000
"""Code points with a table entry; above are ideographs, and tags and selectors without a glyph."""

_LETTERS = rf"[^\W{UNSPACED}]"
_WORD = re.compile(  # in this order twice as fast
    rf"{_LETTERS}+(?:[{COMBINING}]+{_LETTERS}*)*|[{UNSPACED}]|[{COMBINING}]+(?:{_LETTERS}+[{COMBINING}]*)*"
)
_GAP_BEYOND_ASCII = re.compile(rf"[^\w\x00-\x7f{UNSPACED}{COMBINING}]")
_GAPS = bytes(byte if byte > 0x7F or chr(byte).isalnum() or byte == ord("_") else ord(" ") for byte in range(256))
_FIRST_SCRIPTS = bytes(range(0xE0))
"""Bytes of UTF-8 below U+0800, in scripts with spaces: there words are found by bytes, three times as fast."""


_COMMANDS = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that a terminal may interpret: controls (C0 and C1), direction marks, and lone surrogates."""

SOFT_HYPHEN = "\xad"
UNSEEN = "\xad\u200b\u200e\u200f\u2060\ufeff\ufffc"
"""Soft hyphen, zero-width space, direction marks, word joiner, byte order mark, object replacement character."""
_REMOVED = {
    SOFT_HYPHEN: re.compile("\xad(?<![ÂВΒĀÃĂГΓĆÎОΞĪÐĐРΠĞŠ]\xad)"),
    "\u200b": re.compile(f"\u200b(?<![{SOUTHEAST_ASIAN}]\u200b)"),
}
"""Exceptions: a soft hyphen after these letters may be the second byte of misdecoded UTF-8 ("í", "έ", "Э"), needed to
repair it; a zero-width space separates words of scripts without spaces."""
_OVERLAY = "\u0338"
"""A combining stroke that NFC would join with the character before it, even with the `>` of a tag."""


def words(text: str) -> list[str]:
    """Return the words of `text` in order, with their letter case."""
    spaced = _spaced(text)
    return _WORD.findall(text) if spaced is None else spaced.decode().split()


def folded_words(text: str) -> list[str]:
    """Return the words of `text` in order, case-folded."""
    return words(text.casefold())


def word_ngrams(words: Sequence[str], n: int) -> "zip[tuple[str, ...]]":
    """Yield the runs of `n` successive words, in order; none if there are fewer words."""
    return zip(*(words[at:] for at in range(n)), strict=False)


def count_words(text: str) -> int:
    """Return the number of words in `text`."""
    spaced = _spaced(text)
    return len(_WORD.findall(text) if spaced is None else spaced.split())


def _spaced(text: str) -> bytes | None:
    """Return the words of `text` between spaces, in UTF-8; None where a character is of a later script."""
    encoded = (text if text.isascii() else _GAP_BEYOND_ASCII.sub(" ", text)).encode()
    return None if encoded.translate(None, _FIRST_SCRIPTS) else encoded.translate(_GAPS)


@lru_cache(8_192)  # the words of dates and phrases are few
def fold(word: str) -> str:
    """Return `word` case-folded and without accents."""
    return "".join(char for char in unicodedata.normalize("NFKD", word.casefold()) if not unicodedata.combining(char))


def clean(text: str) -> str:
    """Normalise text or HTML to NFC and remove invisible characters, except joiners, which some scripts need."""
    if text.isascii():
        return text
    for character in UNSEEN:
        if character in text:  # much faster than one search for all
            text = _REMOVED[character].sub("", text) if character in _REMOVED else text.replace(character, "")
    return text if _OVERLAY in text else unicodedata.normalize("NFC", text)


def printable(line: str) -> str:
    """Remove characters that a terminal would interpret; line ends and tabs become spaces."""
    return _COMMANDS.sub("", line.translate({9: " ", 10: " ", 13: " "}))


def number_of(count: int, noun: str) -> str:
    """Format a count: "1 page", "2,000 pages"."""
    return f"{count:,} {noun}{'s' * (count != 1)}"


def counted(counts: Mapping[str, int]) -> str:
    """Format the counts above 0 in one line, the highest first."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{name} {count}" for name, count in ordered if count) or "nothing"


def collapse(text: str) -> str:
    """Collapse each run of white space in `text` to one space, and trim."""
    return " ".join(text.split())


def paragraphs(text: str) -> list[str]:
    """Return the non-empty lines of a text, one paragraph each, with white space collapsed."""
    return [line for line in map(collapse, text.split("\n")) if line]


def tokenise(text: str) -> list[str]:
    """Return the tokens of a text in order."""
    return [token for token, _ in glued_tokens(text)]


def glued_tokens(text: str) -> list[tuple[str, bool]]:
    """Return the tokens of a text in order, each with whether it follows its predecessor without a space."""
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
    """Return the general category of each of the first `N_LISTED` code points (Unicode Standard, section 4.5)."""
    return tuple(map(unicodedata.category, map(chr, range(N_LISTED))))


@cache
def _token_pattern() -> re.Pattern[str]:
    marks, hidden = (
        "".join(chr(point) for point, kind in enumerate(categories()) if kind.startswith(wanted))
        for wanted in ("M", "Cf")  # combining marks, and invisible characters such as the soft hyphen
    )
    # No possessive groups: Python 3.11.2 loses the last character before them; they would save nothing.
    word = rf"[^\W{UNSPACED}]+(?:[{marks}{hidden}]+[^\W{UNSPACED}]+)*[{marks}{hidden}]*"
    joined = rf"{word}(?:['’‑-]{word}|(?<=\d)[.,:](?=\d){word})*"
    return re.compile(rf"{joined}|[{UNSPACED}][{marks}]*|([^\s\w{hidden}])\1*|\S[{marks}]*")


def hash_headline(text: str) -> int:
    """Hash a headline without its numbers, such as a count of comments; 0 without a letter."""
    words = re.sub(r"[\W\d_]+", " ", text.casefold()).strip()
    return crc32(words.encode("utf-8", "surrogatepass")) if words else 0
