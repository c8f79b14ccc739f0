"""Filter news portals' pages that are no articles, and apply the language-independent rules of Gopher, C4 and FineWeb.

A filter takes a measured article, its text split once into lines and words, and returns a one-line reason for rejection
or "" to keep it. The language need not be known: `phrases.toml` has the phrases of many.

- Gopher: Rae et al. 2021, "Scaling Language Models", appendix A.1.1; shares of repetition in its table A1.
- C4: Raffel et al. 2020, "Exploring the Limits of Transfer Learning", section 2.2.
- FineWeb: Penedo et al. 2024, "The FineWeb Datasets", section 3.6.

Our lines are paragraphs, so Gopher's rules on lines and on paragraphs coincide.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, filterfalse
from operator import gt, lt

import numpy as np

from newscorpus.config import QualityConfig
from newscorpus.data import PAYWALLED_TEXT_NOT_USED, Article
from newscorpus.page.signature import hash_runs
from newscorpus.resources import read_toml
from newscorpus.tokens import IDEOGRAPHS, SOUTHEAST_ASIAN, count_words, paragraphs, word_ngrams, words

IDEOGRAMS = re.compile(f"[{IDEOGRAPHS}]")
"""Chinese characters and Japanese kana."""
SOUTHEAST = re.compile(f"[{SOUTHEAST_ASIAN}]")
"""Thai, Lao, Burmese and Khmer characters."""

IDEOGRAMS_A_WORD = 1.6
"""Characters per word of Chinese, as segmented in the Penn Chinese Treebank (Xue et al. 2005); Japanese has more."""
SOUTHEAST_A_WORD = 4.0
"""Characters per word of Thai, vowel signs and tones included; a rough figure."""

TICKER_KINDS = {"LiveBlogPosting"}
GALLERY_KINDS = {"ImageGallery", "MediaGallery"}
"""Kinds of page as schema.org names them (`Fields.kind`)."""

CLOCK_TIME = re.compile(r"[\[(]?(?P<hour>[01]?\d|2[0-3])[:.h](?P<minute>[0-5]\d)(?::[0-5]\d)?(?![:.]?\d)")
"""A time of day at the start of a paragraph: 14:05, [9.30], 18h45; not 12.05.2024."""

SENTENCE_END = frozenset(".!?…:;\"'»”’“)]。！？」』।؟")

ODDS = re.compile(r"(?<![\d.,])[1-9]?\d[.,]\d\d(?![\d.,]?\d)(?!\s*(?:[%€$£]|eur|kč|zł|kn|din))", re.IGNORECASE)
"""Decimal odds: 1.85, 12,50; not 1.850, a percentage or a price."""

HUNDREDTHS = re.compile(r"[.,]\d\d")
"""A part of each of these, found much faster."""

FREE_OFFER = re.compile(
    r"\b(?:rss|newsletter|podcast|youtube|facebook|instagram|telegram|телеграм|whatsapp|viber|вайбер|google news)"
)
"""Free subscriptions, lower case, other than to a paper."""

ELLIPSES = ("…", "...")
BULLETS = ("•", "●", "▪", "‣", "◦", "·", "*", "-")
SYMBOLS = re.compile(r"#|…|\.\.\.")
PLACEHOLDER = "lorem ipsum"
CODE = re.compile(r"[{}]|\bfunction\s*\(|\);$|=>|</?(?:div|span|script|p)\b", re.IGNORECASE)
CODE_SIGNS = ("{", "}", "<", "=>", ");", "unct")
"""Every match has one of these, in lower case."""
WORDS_A_SIGN = 20
"""C4 drops any page with a brace, but news and text editions use them now and then. A line with at least one such sign
per this many words counts as code."""

LAST_EUROPEAN = "\u052f"
"""The last letter of Latin, Greek and Cyrillic in Unicode's order."""

FIRST_TOP, FIRST_DUPLICATE = 2, 5
"""Length of the n-grams to which the first of `max_top_ngrams` and of `max_duplicate_ngrams` applies."""


@dataclass(frozen=True, slots=True)
class Measured:
    """An article and the counts that filters use."""

    article: Article  # the article
    lines: tuple[str, ...]  # its paragraphs, white space collapsed, empty ones left out
    # words of each line; in scripts without spaces every character is one (`newscorpus.tokens`)
    line_words: tuple[tuple[str, ...], ...]
    words: tuple[str, ...]  # the words of all lines, in order
    n_words: int  # words of the text, estimated from the characters in scripts without spaces
    characters_a_word: int  # 1; for a text mostly in a script without spaces, its rounded number of characters per word

    def is_surely_article(self, config: QualityConfig) -> bool:
        """Check whether the page very probably holds an article, regardless of its text."""
        probability = self.article.is_article
        return probability is not None and probability >= config.sure_article

    def has_sentences(self, config: QualityConfig) -> bool:
        """Check for the sentences of an article: words of different paragraphs that end like one."""
        by_line = zip(self.lines, self.line_words, strict=True)
        n_words = sum(len(words) for line, words in dict(by_line).items() if line[-1] in SENTENCE_END)
        return n_words >= config.min_sentence_words * self.characters_a_word


def measure(article: Article) -> Measured:
    """Split the text of an article into lines and words."""
    lines = tuple(paragraphs(article.text))
    line_words = tuple(tuple(words(line)) for line in lines)
    all_words = tuple(chain.from_iterable(line_words))
    total = len(all_words)
    alone = "".join(word for word in all_words if len(word) == 1)
    ideograms, southeast = len(IDEOGRAMS.findall(alone)), len(SOUTHEAST.findall(alone))
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
    """Make the pattern that finds phrases of a kind, at the start of a word, in a lower-case text of any language."""
    phrases = dict.fromkeys(chain.from_iterable(by_language(kind).values()))
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, phrases))})")


@cache
def by_language(kind: str) -> Mapping[str, tuple[str, ...]]:
    """Read the phrases of one kind, lower case, by language."""
    return {language: tuple(phrases) for language, phrases in read_toml(__package__, "phrases.toml")[kind].items()}


def empty_text(measured: Measured, _config: QualityConfig) -> str:
    """Reject texts without words."""
    return "" if any(measured.line_words) else "no words"


def live_ticker(measured: Measured, config: QualityConfig) -> str:
    """Reject declared live blogs, and texts where many paragraphs start with a time of day, latest first.

    Ascending times count only if the headline announces a live report: they also occur in accounts of a day, numbers of
    chapters (4.10, 4.11, 4.12) and transcripts of films.
    """
    fields, lines = measured.article.fields, measured.lines
    if fields.kind in TICKER_KINDS:
        return f"the page calls itself {fields.kind}"
    times = [(int(time["hour"]), int(time["minute"])) for time in map(CLOCK_TIME.match, lines) if time]
    if len(times) < max(config.min_ticker_entries, config.min_ticker_share * len(lines)):
        return ""
    n_falls, n_rises = (sum(map(compare, times, times[1:])) for compare in (gt, lt))
    is_ticker = n_falls > n_rises or any_of("live").search(fields.title.lower())
    return f"{len(times)} of {len(lines)} paragraphs start with a time of day" if is_ticker else ""


def gallery(measured: Measured, config: QualityConfig) -> str:
    """Reject declared galleries without a long text."""
    kind = measured.article.fields.kind
    is_gallery = kind in GALLERY_KINDS and measured.n_words <= config.max_gallery_words
    return f"the page calls itself {kind}" if is_gallery else ""


def photo_page(measured: Measured, config: QualityConfig) -> str:
    """Reject pages with many images and little text."""
    images, words = len(measured.article.fields.images), measured.n_words
    many = images >= config.min_gallery_images and words < images * config.min_words_an_image
    return f"{words} words beside {images} images" if many else ""


def paywall_stub(measured: Measured, config: QualityConfig) -> str:
    """Reject short texts that are the visible part of a paywalled page, or end in a call to subscribe.

    A news item of many short paragraphs that ends in a whole sentence is no such part.
    """
    words = measured.n_words
    if words >= config.max_stub_words:
        return ""
    is_item = words >= config.min_words and len(measured.lines) > config.max_stub_lines
    is_item = is_item and measured.lines[-1][-1] in SENTENCE_END
    if measured.article.fields.paywalled and (not is_item or PAYWALLED_TEXT_NOT_USED in measured.article.flags):
        return f"{words} words of an article that is not free"
    last = measured.lines[-1].lower() if measured.lines else ""
    is_short = count_words(last) <= config.max_prompt_words
    prompted = is_short and any_of("paywall").search(last) and not FREE_OFFER.search(last)
    return f"{words} words that end in a call to subscribe" if prompted else ""


def too_short(measured: Measured, config: QualityConfig) -> str:
    """Reject texts shorter than an article; for flash news and very probable articles, shorter than a sentence."""
    may_be_short = is_flash(measured) or measured.is_surely_article(config)
    least = config.min_flash_words if may_be_short else config.min_words
    return f"{measured.n_words} words, fewer than {least}" if measured.n_words < least else ""


def is_flash(measured: Measured) -> bool:
    """Check whether the headline begins like that of flash news."""
    return bool(any_of("flash").match(measured.article.fields.title.lower().lstrip(" [(‹«\"'+|")))


def listing(measured: Measured, config: QualityConfig) -> str:
    """Reject lists of headlines: paragraphs are short on average, and hardly any ends like a sentence.

    The share is that of FineWeb's filter of line ends (Penedo et al. 2024, section 3.6), which also drops long lines.
    """
    lines = measured.lines
    if len(lines) < config.min_listing_lines or measured.n_words > config.max_listing_words * len(lines):
        return ""
    ended = sum(line[-1] in SENTENCE_END for line in lines)
    few = ended <= config.max_listing_ended * len(lines)
    return f"{ended} of {len(lines)} short paragraphs end as sentences" if few else ""


def horoscope(measured: Measured, config: QualityConfig) -> str:
    """Reject texts with paragraphs that start with signs of the zodiac."""
    languages = by_language("zodiac")
    any_sign = tuple(chain.from_iterable(languages.values()))
    starts = [line for line in map(str.lower, measured.lines) if line.startswith(any_sign)]
    for signs in languages.values() if starts else ():
        found = sum(any(start.startswith(sign) for start in starts) for sign in signs)
        if found >= config.min_horoscope_signs:
            return f"paragraphs start with {found} signs of the zodiac"
    return ""


def odds_table(measured: Measured, config: QualityConfig) -> str:
    """Reject texts with many decimal odds and a betting term."""
    text = measured.article.text
    odds = len(ODDS.findall(text)) if len(HUNDREDTHS.findall(text)) >= config.min_odds else 0
    many = odds >= config.min_odds and odds >= config.min_odds_share * measured.n_words
    return f"{odds} odds among {measured.n_words} words" if many and any_of("betting").search(text.lower()) else ""


def repeated_lines(measured: Measured, config: QualityConfig) -> str:
    """Gopher: limit the share of characters in repeated lines.

    The share of repeated lines by number is left out: short repeated lines of a table are harmless.
    """
    found = repeated_line_share(measured)
    many = found > config.max_repeated_lines
    return f"{found:.0%} of the characters are in lines that stood there before" if many else ""


def repeated_words(measured: Measured, config: QualityConfig) -> str:
    """Gopher: limit the share of characters in the most frequent 2-, 3- or 4-gram, and in repeated 5- to 10-grams."""
    if measured.n_words < config.min_repetition_words:
        return ""
    words, step = measured.words, measured.characters_a_word
    total = characters(words)
    heaviest = max((len(word) * count for word, count in Counter(words).items()), default=0)
    for n, most in enumerate(config.max_top_ngrams, FIRST_TOP):
        if share(n * step * heaviest, total) <= most:  # as nearly always: no n-gram occurs more often than its words
            continue
        if (found := top_ngram_share(measured, n)) > most:
            return f"{found:.0%} of the characters are one {n}-gram"
    for n, most in enumerate(config.max_duplicate_ngrams, FIRST_DUPLICATE):
        found = duplicate_ngram_share(measured, n)
        if found > most:
            return f"{found:.0%} of the characters are {n}-grams that stood there before"
        if found < min(config.max_duplicate_ngrams):  # longer ones repeat less
            return ""
    return ""


def word_lengths(measured: Measured, config: QualityConfig) -> str:
    """Gopher: reject implausible mean lengths of words; for European scripts only.

    A Korean character is a syllable.
    """
    mean = mean_word_length(measured)
    within = config.min_mean_word_length <= mean <= config.max_mean_word_length
    return "" if within or not mean else f"a word has {mean:.1f} characters on average"


def few_letters(measured: Measured, config: QualityConfig) -> str:
    """Gopher: reject texts with too many words without letters, such as tables of results, rates and programmes."""
    lettered = lettered_share(measured)
    few = measured.words and lettered < config.min_lettered_words
    return f"{lettered:.0%} of the words have letters" if few else ""


def symbols(measured: Measured, config: QualityConfig) -> str:
    """Gopher: reject texts with too many hash signs or ellipses per word."""
    found = count_symbols(measured)
    many = found > config.max_symbols_a_word * measured.n_words
    return f"{found} hash signs and ellipses among {measured.n_words} words" if many else ""


def bullets(measured: Measured, config: QualityConfig) -> str:
    """Gopher: reject texts where nearly all lines are list items."""
    return _too_many(count_bullets(measured), measured, config, config.max_bullet_lines, "start with a bullet")


def cut_off_lines(measured: Measured, config: QualityConfig) -> str:
    """Gopher: reject texts where many lines end in an ellipsis, like teasers."""
    return _too_many(count_cut_off(measured), measured, config, config.max_ellipsis_lines, "end in an ellipsis")


def short_lines(measured: Measured, config: QualityConfig) -> str:
    """FineWeb: reject texts where most lines have fewer than 30 characters, or 15 in scripts without spaces."""
    what = f"have fewer than {short_line_width(measured, config):.0f} characters"
    return _too_many(count_short(measured, config), measured, config, config.max_short_lines, what)


def code(measured: Measured, config: QualityConfig) -> str:
    """After C4: reject lines of program code or markup."""
    return _too_many(count_code(measured), measured, config, config.max_code_lines, "look like code")


def placeholder(measured: Measured, _config: QualityConfig) -> str:
    """C4: reject filler text of templates."""
    text = measured.article.text
    at = text.lower().find(PLACEHOLDER)
    return f"holds {text[at : at + len(PLACEHOLDER)]!r}" if at >= 0 else ""


def _too_many(found: int, measured: Measured, config: QualityConfig, most: float, what: str) -> str:
    """Reject too high a share of lines; with few lines, shares are not meaningful."""
    lines = len(measured.lines)
    many = lines >= config.min_listing_lines and found > most * lines
    return f"{found} of {lines} lines {what}" if many else ""


def count_symbols(measured: Measured) -> int:
    """Count hash signs and ellipses."""
    return len(SYMBOLS.findall(measured.article.text))


def count_bullets(measured: Measured) -> int:
    """Count lines that start with a bullet."""
    return sum(line.startswith(BULLETS) for line in measured.lines)


def count_cut_off(measured: Measured) -> int:
    """Count lines that end in an ellipsis."""
    return sum(line.endswith(ELLIPSES) for line in measured.lines)


def short_line_width(measured: Measured, config: QualityConfig) -> float:
    """Return the number of characters below which a line is short: half in scripts without spaces."""
    return config.short_line_characters / (2 if measured.characters_a_word > 1 else 1)


def count_short(measured: Measured, config: QualityConfig) -> int:
    """Count short lines."""
    width = short_line_width(measured, config)
    return sum(len(line) < width for line in measured.lines)


def count_code(measured: Measured) -> int:
    """Count lines of program code or markup."""
    if not _may_be_code(measured.article.text):
        return 0
    signs = [len(CODE.findall(line)) if _may_be_code(line) else 0 for line in measured.lines]
    pairs = zip(signs, measured.line_words, strict=True)
    return sum(count > 0 and count * WORDS_A_SIGN >= len(words) for count, words in pairs)


def _may_be_code(text: str) -> bool:
    lower = text.lower()
    return any(sign in lower for sign in CODE_SIGNS)


def repeated_line_share(measured: Measured) -> float:
    """Return the share of characters in lines that stood there before."""
    repeated = characters(measured.lines) - characters(list(dict.fromkeys(measured.lines)))
    return share(repeated, characters(measured.lines))


def top_ngram_share(measured: Measured, n: int) -> float:
    """Return the share of characters in the most frequent n-gram; 0 if none is repeated."""
    counts = Counter(word_ngrams(measured.words, n * measured.characters_a_word))
    top = max((characters(gram) * count for gram, count in counts.most_common(1) if count > 1), default=0)
    return share(top, characters(measured.words))


def duplicate_ngram_share(measured: Measured, n: int) -> float:
    """Return the share of characters in n-grams that stood there before, none counted twice."""
    words, size = measured.words, n * measured.characters_a_word
    seen: set[tuple[str, ...]] = set()
    found = end = 0
    hashes = hash_runs(np.fromiter(map(hash, words), np.int64, len(words)).view(np.uint64), size)
    ordered = np.sort(hashes)
    repeated = ordered[1:][ordered[1:] == ordered[:-1]]
    for at in np.flatnonzero(np.isin(hashes, repeated)).tolist() if len(repeated) else ():
        gram = tuple(words[at : at + size])
        if at >= end and gram in seen:
            found += characters(gram)
            end = at + size
        elif at >= end:
            seen.add(gram)
    return share(found, characters(words))


def mean_word_length(measured: Measured) -> float:
    """Return the mean length of words in European scripts; 0 if they are not most of the words."""
    european = [word for word in measured.words if word[0] <= LAST_EUROPEAN]
    return characters(european) / len(european) if 2 * len(european) > len(measured.words) else 0.0


def lettered_share(measured: Measured) -> float:
    """Return the share of words with a letter or, in Southeast Asian scripts, a vowel sign."""
    words = measured.words
    others = list(filterfalse(str.isalpha, words))
    signs = sum(SOUTHEAST.match(word) is not None and not word.isnumeric() for word in others)
    lettered = signs + sum(any(map(str.isalpha, word)) for word in others)
    return share(len(words) - len(others) + lettered, len(words))
