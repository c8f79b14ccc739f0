"""Cut the text of an article into lines and words once, for all filters; find phrases of many languages in it.

The phrases are in `phrases.toml`. Which language a text is in need not be known.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain

from newscorpus.config import QualityConfig
from newscorpus.data import Article
from newscorpus.resources import read_toml
from newscorpus.tokens import IDEOGRAPHS, SOUTHEAST_ASIAN, paragraphs, words

IDEOGRAMS = re.compile(f"[{IDEOGRAPHS}]")
"""Chinese characters and Japanese kana."""
SOUTHEAST = re.compile(f"[{SOUTHEAST_ASIAN}]")
"""Thai, Lao, Burmese and Khmer characters."""

IDEOGRAMS_A_WORD = 1.6
"""Characters in a word of Chinese, as the Penn Chinese Treebank cuts them (Xue et al. 2005); Japanese has some more."""
SOUTHEAST_A_WORD = 4.0
"""Characters in a word of Thai, vowel signs and tones included; a rough figure."""


@dataclass(frozen=True, slots=True)
class Measured:
    """An article and what filters count in its text."""

    article: Article  # the article
    lines: tuple[str, ...]  # its paragraphs, white space collapsed, empty ones left out
    # words of each line; in scripts without spaces every character is one (`newscorpus.tokens`)
    line_words: tuple[tuple[str, ...], ...]
    words: tuple[str, ...]  # the words of all lines, in order
    n_words: int  # words of the text, for scripts without spaces estimated from the characters
    characters_a_word: int  # 1; for a text mostly in a script without spaces, how many of its words make one, rounded

    def is_surely_article(self, config: QualityConfig) -> bool:
        """Check whether the page, whatever its text looks like, most probably holds an article."""
        probability = self.article.is_article
        return probability is not None and probability >= config.sure_article


def measure(article: Article) -> Measured:
    """Cut the text of an article into lines and words."""
    lines = tuple(paragraphs(article.text))
    line_words = tuple(tuple(words(line)) for line in lines)
    all_words = tuple(chain.from_iterable(line_words))
    total = len(all_words)
    ideograms, southeast = len(IDEOGRAMS.findall(article.text)), len(SOUTHEAST.findall(article.text))
    estimate = total - ideograms - southeast + ideograms / IDEOGRAMS_A_WORD + southeast / SOUTHEAST_A_WORD
    if 2 * (ideograms + southeast) <= total:
        characters = 1
    else:
        characters = round(IDEOGRAMS_A_WORD if ideograms > southeast else SOUTHEAST_A_WORD)
    return Measured(article, lines, line_words, all_words, round(estimate), characters)


def share(part: float, whole: float) -> float:
    """Divide `part` by `whole`; 0 where the whole is 0."""
    return part / whole if whole else 0.0


def characters(texts: Sequence[str]) -> int:
    """Add up the lengths of texts."""
    return sum(map(len, texts))


@cache
def any_of(kind: str) -> re.Pattern[str]:
    """Make the pattern that matches a phrase of one kind, in any language, at the start of a word."""
    phrases = dict.fromkeys(chain.from_iterable(by_language(kind).values()))
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, phrases))})", re.IGNORECASE)


@cache
def by_language(kind: str) -> Mapping[str, tuple[str, ...]]:
    """Read the phrases of one kind, lower case, by language."""
    return {language: tuple(phrases) for language, phrases in read_toml(__package__, "phrases.toml")[kind].items()}
