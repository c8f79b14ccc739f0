"""Judge an article by all filters, tag what is kept, and read the configuration of both from a TOML file.

A filter takes a measured article and returns the reason for rejection or ""; a tag returns whether it applies. A new
one needs a function, its entry in `FILTERS` or `TAGS`, a test, a line in docs/quality.md, and an entry in `DOUBTS` if
good articles may trigger it.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from newscorpus.config import QualityConfig
from newscorpus.data import Article, Fields, Rejected
from newscorpus.page.quality import filters, letters
from newscorpus.page.quality.filters import Measured, any_of, is_flash, measure
from newscorpus.page.quality.language import check_fasttext
from newscorpus.page.quality.masking import KINDS
from newscorpus.resources import read_config, refuse_unknown

EDGE_LINES = 2
"""Paragraphs at either end that are searched for notes on a text's origin; others may be about the topic."""
NOTE_WORDS = 40
"""Maximum number of words of such a note."""


def flash_news(measured: Measured, config: QualityConfig) -> bool:
    """Tag very short texts, and those whose headline says flash news."""
    return measured.n_words < config.max_flash_words or is_flash(measured)


def machine_translated(measured: Measured, _config: QualityConfig) -> bool:
    """Tag texts declared machine-translated."""
    return _noted(measured, "machine_translated")


def generated(measured: Measured, _config: QualityConfig) -> bool:
    """Tag texts declared machine-written, or with phrases that language models use of themselves."""
    return _noted(measured, "generated")


def _noted(measured: Measured, kind: str) -> bool:
    """Look for a phrase of that kind in short paragraphs near the start and the end."""
    last = len(measured.lines) - EDGE_LINES
    return any(
        (at < EDGE_LINES or at >= last) and len(words) <= NOTE_WORDS and any_of(kind).search(line.lower())
        for at, (line, words) in enumerate(zip(measured.lines, measured.line_words, strict=True))
    )


Filter = Callable[[Measured, QualityConfig], str]
Tag = Callable[[Measured, QualityConfig], bool]

FILTERS: dict[str, Filter] = {
    objection.__name__: objection
    for objection in (
        filters.empty_text,
        filters.live_ticker,
        filters.gallery,
        filters.photo_page,
        filters.paywall_stub,
        filters.too_short,
        letters.unreadable,
        filters.horoscope,
        filters.odds_table,
        filters.listing,
        filters.placeholder,
        filters.code,
        filters.few_letters,
        filters.word_lengths,
        filters.symbols,
        filters.bullets,
        filters.cut_off_lines,
        filters.short_lines,
        filters.repeated_lines,
        filters.repeated_words,
    )
}
"""Filters by their reason, in the order applied: the most informative first."""

DOUBTS = frozenset(
    ("photo_page", "listing", "few_letters", "symbols", "bullets", "short_lines", "repeated_lines", "repeated_words")
)
"""Filters that good articles with tables, lists, pictures or refrains may trigger. They reject only if the page is
also doubted and the text has few sentences; else the article is kept with their name as a flag."""
DOUBTED = 0.5
"""Factor of the confidence of an article with such a flag: one of two signs is against it."""

TAGS: dict[str, Tag] = {tag.__name__: tag for tag in (flash_news, machine_translated, generated)}
"""Tags by the flag they set."""


def assess_quality(article: Article, config: QualityConfig = QualityConfig()) -> Rejected | Article:
    """Return the article with its tags if kept, else the first filter's rejection, stage "quality"."""
    measured = measure(article)
    is_article = measured.is_surely_article(config) or measured.has_sentences(config)
    doubts: tuple[str, ...] = ()
    for reason, objection in FILTERS.items():
        if reason not in config.off and (detail := objection(measured, config)):
            if not (is_article and reason in DOUBTS):
                return Rejected("quality", reason, detail, article.url)
            doubts += (reason,)
    flags = (*article.flags, *doubts, *tags_of(measured, config))
    return replace(article, flags=flags, confidence=round(article.confidence * (DOUBTED if doubts else 1), 4))


def tags_of(measured: Measured, config: QualityConfig = QualityConfig()) -> tuple[str, ...]:
    """Name the tags that apply to an article."""
    return tuple(flag for flag, applies in TAGS.items() if applies(measured, config))


def measures_of(text: str, config: QualityConfig = QualityConfig()) -> dict[str, float]:
    """Return the values that the filters of Gopher, C4 and FineWeb compare with a threshold, by name, as shares."""
    measured = measure(Article("", text, Fields(), ""))
    n_lines = len(measured.lines)
    gains = letters.letter_gains(text, config.letters_a_part)
    top = enumerate(config.max_top_ngrams, filters.FIRST_TOP)
    duplicate = enumerate(config.max_duplicate_ngrams, filters.FIRST_DUPLICATE)
    return {
        "words": float(measured.n_words),
        "mean_word_length": filters.mean_word_length(measured),
        "lettered_words": filters.lettered_share(measured),
        "symbols_a_word": filters.share(filters.count_symbols(measured), measured.n_words),
        "bullet_lines": filters.share(filters.count_bullets(measured), n_lines),
        "ellipsis_lines": filters.share(filters.count_cut_off(measured), n_lines),
        "short_lines": filters.share(filters.count_short(measured, config), n_lines),
        "ended_lines": filters.share(sum(line[-1] in filters.SENTENCE_END for line in measured.lines), n_lines),
        "code_lines": filters.share(filters.count_code(measured), n_lines),
        "repeated_lines": filters.repeated_line_share(measured),
        **{f"top_{n}gram": filters.top_ngram_share(measured, n) for n, _ in top},
        **{f"duplicate_{n}gram": filters.duplicate_ngram_share(measured, n) for n, _ in duplicate},
        "unreadable_parts": filters.share(float((gains < config.min_letter_gain).sum()), len(gains)),
        "least_letter_gain": float(gains.min()) if len(gains) else 0.0,
    }


def read_quality(path: Path) -> QualityConfig:
    """Read a configuration file with the keys of `QualityConfig`; missing keys have their defaults.

    Paths in it are relative to the folder of the file.

    Raises:
        ArgumentError: the file cannot be read, has an unknown key or a wrong value; the message names file and key.
    """
    config = read_config(path, QualityConfig)
    refuse_unknown(path, "filter in off:", config.off, FILTERS)
    refuse_unknown(path, "kind in mask:", config.mask, KINDS)
    if not config.language_model:
        return config
    model = path.parent.absolute() / config.language_model
    check_fasttext(model)
    return replace(config, language_model=str(model))
