r"""Words and white space, alike for every script.

A word is a run of word characters (`\w`); in scripts that set no spaces between words (Chinese, Japanese kana, Thai,
Lao, Khmer, Burmese) every character is one.
"""

import re

UNSPACED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff"  # Burmese, Khmer
    "\u3040-\u30ff\u31f0-\u31ff"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    "\U00020000-\U0003ffff"  # Han, supplementary planes
)
WORD = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}]+")


def words(text: str) -> list[str]:
    """The words of `text`, in order, letter case kept."""
    return WORD.findall(text)


def count_words(text: str) -> int:
    """Number of words in `text`."""
    return len(WORD.findall(text))


def collapse(text: str) -> str:
    """`text` with every run of white space made one space, trimmed."""
    return " ".join(text.split())


def paragraphs(text: str) -> list[str]:
    """The lines of a text of one paragraph a line, white space collapsed, empty ones left out."""
    return [line for line in map(collapse, text.split("\n")) if line]
