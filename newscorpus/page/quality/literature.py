"""Filter by the rules of Gopher, C4 and FineWeb that hold in any language; none needs a list of words.

- Gopher: Rae et al. 2021, "Scaling Language Models", appendix A.1.1; shares of repetition in its table A1.
- C4: Raffel et al. 2020, "Exploring the Limits of Transfer Learning", section 2.2.
- FineWeb: Penedo et al. 2024, "The FineWeb Datasets", section 3.6.

A line of ours is a paragraph, so that Gopher's rules on lines and on paragraphs are one.
"""

import re
from collections import Counter
from collections.abc import Sequence

from newscorpus.config import QualityConfig
from newscorpus.page.quality.measured import Measured, characters, share

ELLIPSES = ("…", "...")
BULLETS = ("•", "●", "▪", "‣", "◦", "·", "*", "-")
SYMBOLS = re.compile(r"#|…|\.\.\.")
PLACEHOLDER = re.compile(r"lorem ipsum", re.IGNORECASE)
CODE = re.compile(r"[{}]|\bfunction\s*\(|\);$|=>|</?(?:div|span|script|p)\b", re.IGNORECASE)
WORDS_A_SIGN = 20
"""C4 drops any page with a brace; news and editions of texts have them now and then. A line that has one such sign for
every so many words, or more of them, is taken for code."""

LAST_EUROPEAN = "\u052f"
"""The last letter of Latin, Greek and Cyrillic in Unicode's order."""

FIRST_TOP, FIRST_DUPLICATE = 2, 5
"""Lengths of the n-grams that the first of `max_top_ngrams` and of `max_duplicate_ngrams` is for."""


def repeated_lines(measured: Measured, config: QualityConfig) -> str:
    """Gopher: the share of characters in lines that stood there before.

    The share of such lines by number is left out: short repeated lines of a table say nothing of the text.
    """
    repeated = characters(measured.lines) - characters(list(dict.fromkeys(measured.lines)))
    found = share(repeated, characters(measured.lines))
    many = found > config.max_repeated_lines
    return f"{found:.0%} of the characters are in lines that stood there before" if many else ""


def repeated_words(measured: Measured, config: QualityConfig) -> str:
    """Gopher: the share of characters in the most frequent 2-, 3- or 4-gram, or in 5- to 10-grams that stood before."""
    if measured.n_words < config.min_repetition_words:
        return ""
    words, step = measured.words, measured.characters_a_word
    total = characters(words)
    for n, most in enumerate(config.max_top_ngrams, FIRST_TOP):
        if (found := share(_top(words, n * step), total)) > most:
            return f"{found:.0%} of the characters are one {n}-gram"
    for n, most in enumerate(config.max_duplicate_ngrams, FIRST_DUPLICATE):
        found = share(_repeated(words, n * step), total)
        if found > most:
            return f"{found:.0%} of the characters are {n}-grams that stood there before"
        if found < min(config.max_duplicate_ngrams):  # longer ones repeat less
            return ""
    return ""


def word_lengths(measured: Measured, config: QualityConfig) -> str:
    """Gopher: words are on average shorter or longer than those of a language; of European scripts only.

    Korean writes a syllable as one character, and the vowel signs of Indian scripts end our words.
    """
    words = measured.words
    european = [word for word in words if word[0] <= LAST_EUROPEAN]
    if 2 * len(european) <= len(words):
        return ""
    mean = characters(european) / len(european)
    within = config.min_mean_word_length <= mean <= config.max_mean_word_length
    return "" if within else f"a word has {mean:.1f} characters on average"


def few_letters(measured: Measured, config: QualityConfig) -> str:
    """Gopher: too many words have no letter in them, as in tables of results, of rates and of programmes."""
    words = measured.words
    lettered = share(sum(word.isalpha() or any(map(str.isalpha, word)) for word in words), len(words))
    return "" if not words or lettered >= config.min_lettered_words else f"{lettered:.0%} of the words have letters"


def symbols(measured: Measured, config: QualityConfig) -> str:
    """Gopher: too many hash signs and ellipses for the words there are."""
    found = len(SYMBOLS.findall(measured.article.text))
    many = found > config.max_symbols_a_word * measured.n_words
    return f"{found} hash signs and ellipses among {measured.n_words} words" if many else ""


def bullets(measured: Measured, config: QualityConfig) -> str:
    """Gopher: nearly all lines are items of a list."""
    found = sum(line.startswith(BULLETS) for line in measured.lines)
    return _too_many(found, measured, config, config.max_bullet_lines, "start with a bullet")


def cut_off_lines(measured: Measured, config: QualityConfig) -> str:
    """Gopher: many lines end in an ellipsis, as teasers do."""
    found = sum(line.endswith(ELLIPSES) for line in measured.lines)
    return _too_many(found, measured, config, config.max_ellipsis_lines, "end in an ellipsis")


def short_lines(measured: Measured, config: QualityConfig) -> str:
    """FineWeb: most lines have fewer than 30 characters; in scripts without spaces, half as many."""
    width = config.short_line_characters / (2 if measured.characters_a_word > 1 else 1)
    found = sum(len(line) < width for line in measured.lines)
    return _too_many(found, measured, config, config.max_short_lines, f"have fewer than {width:.0f} characters")


def code(measured: Measured, config: QualityConfig) -> str:
    """After C4: lines of program code or markup rather than text."""
    signs = [len(CODE.findall(line)) for line in measured.lines]
    pairs = zip(signs, measured.line_words, strict=True)
    found = sum(count > 0 and count * WORDS_A_SIGN >= len(words) for count, words in pairs)
    return _too_many(found, measured, config, config.max_code_lines, "look like code")


def placeholder(measured: Measured, _config: QualityConfig) -> str:
    """C4: filler text of a template."""
    found = PLACEHOLDER.search(measured.article.text)
    return f"holds {found[0]!r}" if found else ""


def _too_many(found: int, measured: Measured, config: QualityConfig, most: float, what: str) -> str:
    """Object to a share of lines that is too high; with only a few lines, a share means nothing."""
    lines = len(measured.lines)
    many = lines >= config.min_listing_lines and found > most * lines
    return f"{found} of {lines} lines {what}" if many else ""


def _top(words: Sequence[str], n: int) -> int:
    """Count characters in all occurrences of the n-gram that takes up the most; 0 where none occurs twice."""
    counts = Counter(_ngrams(words, n))
    return max((characters(gram) * count for gram, count in counts.most_common(1) if count > 1), default=0)


def _ngrams(words: Sequence[str], n: int) -> "zip[tuple[str, ...]]":
    return zip(*(words[at:] for at in range(n)), strict=False)


def _repeated(words: Sequence[str], n: int) -> int:
    """Count characters in n-grams that occurred before, none of them twice."""
    seen: set[tuple[str, ...]] = set()
    found = at = 0
    grams = list(_ngrams(words, n))
    while at < len(grams):
        gram = grams[at]
        if gram in seen:
            found += characters(gram)
            at += n
        else:
            seen.add(gram)
            at += 1
    return found
