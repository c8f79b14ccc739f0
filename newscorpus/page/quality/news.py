"""Filter what news portals publish beside articles: tickers, galleries, stubs, lists, horoscopes, tables of odds.

A filter is a function from a measured article to what is wrong with it, one line for a person, or "" to keep it.
"""

import re
from itertools import chain
from operator import gt, lt

from newscorpus.config import QualityConfig
from newscorpus.data import PAYWALLED_TEXT_NOT_USED
from newscorpus.page.quality.measured import Measured, any_of, by_language
from newscorpus.tokens import count_words

TICKER_KINDS = {"LiveBlogPosting"}
GALLERY_KINDS = {"ImageGallery", "MediaGallery"}
"""Kinds of page as schema.org names them (`Fields.kind`)."""

CLOCK_TIME = re.compile(r"[\[(]?(?P<hour>[01]?\d|2[0-3])[:.h](?P<minute>[0-5]\d)(?::[0-5]\d)?(?![:.]?\d)")
"""A time of day at the start of a paragraph: 14:05, [9.30], 18h45; not 12.05.2024."""

SENTENCE_END = frozenset(".!?…:;\"'»”’“)]。！？」』।؟")

ODDS = re.compile(r"(?<![\d.,])[1-9]?\d[.,]\d\d(?![\d.,]?\d)(?!\s*(?:[%€$£]|eur|kč|zł|kn|din))", re.IGNORECASE)
"""Decimal odds: 1.85, 12,50; not 1.850, a percentage or a price."""

FREE_OFFER = re.compile(
    r"\b(?:rss|newsletter|podcast|youtube|facebook|instagram|telegram|телеграм|whatsapp|viber|вайбер|google news)",
    re.IGNORECASE,
)
"""What one can subscribe to beside a paper, and without paying."""


def empty_text(measured: Measured, _config: QualityConfig) -> str:
    """No word in the text."""
    return "" if any(measured.line_words) else "no words"


def live_ticker(measured: Measured, config: QualityConfig) -> str:
    """Says that it is a live blog; or many paragraphs start with a time of day, and the latest comes first.

    Where times rise, the headline must speak of a live report: a day is told in this order too, chapters are numbered
    so (4.10, 4.11, 4.12), and so are places in a film of which the text is the transcript.
    """
    fields, lines = measured.article.fields, measured.lines
    if fields.kind in TICKER_KINDS:
        return f"the page calls itself {fields.kind}"
    times = [(int(time["hour"]), int(time["minute"])) for time in map(CLOCK_TIME.match, lines) if time]
    if len(times) < max(config.min_ticker_entries, config.min_ticker_share * len(lines)):
        return ""
    n_falls, n_rises = (sum(map(compare, times, times[1:])) for compare in (gt, lt))
    is_ticker = n_falls > n_rises or any_of("live").search(fields.title)
    return f"{len(times)} of {len(lines)} paragraphs start with a time of day" if is_ticker else ""


def gallery(measured: Measured, config: QualityConfig) -> str:
    """Says that it is a gallery, and has no long text."""
    kind = measured.article.fields.kind
    is_gallery = kind in GALLERY_KINDS and measured.n_words <= config.max_gallery_words
    return f"the page calls itself {kind}" if is_gallery else ""


def photo_page(measured: Measured, config: QualityConfig) -> str:
    """Many images and little text."""
    images, words = len(measured.article.fields.images), measured.n_words
    many = images >= config.min_gallery_images and words < images * config.min_words_an_image
    return f"{words} words beside {images} images" if many else ""


def paywall_stub(measured: Measured, config: QualityConfig) -> str:
    """Little text, and the page is not free and shows no more of it, or the text ends in a call to subscribe.

    A news item in many short paragraphs, of which the last is a whole sentence, is no opening of another text.
    """
    words = measured.n_words
    if words >= config.max_stub_words:
        return ""
    is_item = words >= config.min_words and len(measured.lines) > config.max_stub_lines
    is_item = is_item and measured.lines[-1][-1] in SENTENCE_END
    if measured.article.fields.paywalled and (not is_item or PAYWALLED_TEXT_NOT_USED in measured.article.flags):
        return f"{words} words of an article that is not free"
    last = measured.lines[-1:]
    prompted = any(
        count_words(line) <= config.max_prompt_words and any_of("paywall").search(line) and not FREE_OFFER.search(line)
        for line in last
    )
    return f"{words} words that end in a call to subscribe" if prompted else ""


def too_short(measured: Measured, config: QualityConfig) -> str:
    """Fewer words than an article has; of flash news, and where the page surely holds an article, than a sentence."""
    may_be_short = is_flash(measured) or measured.is_surely_article(config)
    least = config.min_flash_words if may_be_short else config.min_words
    return f"{measured.n_words} words, fewer than {least}" if measured.n_words < least else ""


def is_flash(measured: Measured) -> bool:
    """Check whether the headline begins like that of flash news."""
    return bool(any_of("flash").match(measured.article.fields.title.lstrip(" [(‹«\"'+|")))


def listing(measured: Measured, config: QualityConfig) -> str:
    """Paragraphs that are short on average and of which hardly one ends as a sentence does: a list of headlines.

    The share is that of FineWeb's filter of line ends (Penedo et al. 2024, section 3.6), which drops long lines too. A
    text that has an article's worth of sentences beside its list or table is kept.
    """
    lines = measured.lines
    if len(lines) < config.min_listing_lines or measured.n_words > config.max_listing_words * len(lines):
        return ""
    ended = [len(words) for line, words in zip(lines, measured.line_words, strict=True) if line[-1] in SENTENCE_END]
    few = len(ended) <= config.max_listing_ended * len(lines) and sum(ended) < config.max_listing_sentences
    return f"{len(ended)} of {len(lines)} short paragraphs end as sentences" if few else ""


def horoscope(measured: Measured, config: QualityConfig) -> str:
    """Paragraphs that start with signs of the zodiac."""
    languages = by_language("zodiac")
    any_sign = tuple(chain.from_iterable(languages.values()))
    starts = [line for line in map(str.lower, measured.lines) if line.startswith(any_sign)]
    for signs in languages.values():
        found = sum(any(start.startswith(sign) for start in starts) for sign in signs)
        if found >= config.min_horoscope_signs:
            return f"paragraphs start with {found} signs of the zodiac"
    return ""


def odds_table(measured: Measured, config: QualityConfig) -> str:
    """Many decimal odds, and a word of bookmakers."""
    text = measured.article.text
    odds = len(ODDS.findall(text))
    many = odds >= config.min_odds and odds >= config.min_odds_share * measured.n_words
    return f"{odds} odds among {measured.n_words} words" if many and any_of("betting").search(text) else ""
