"""Which articles do not belong in a corpus: empty ones, stubs, tickers, photo pages, lists of links.

Each filter is a function from an article to what is wrong with it, one line for a person, or "" to keep it. `FILTERS`
gives them their reasons and order; the first that objects decides. To add one: a function, an entry there, a test.
"""

import re
from collections.abc import Callable
from statistics import median

from newscorpus.config import QualityConfig
from newscorpus.data import Article, Rejected
from newscorpus.text import count_words, paragraphs

Filter = Callable[[Article, QualityConfig], str]

DEFAULTS = QualityConfig()

TICKER_KINDS = {"LiveBlogPosting"}
GALLERY_KINDS = {"ImageGallery", "MediaGallery"}
"""Kinds of page as schema.org names them (`Fields.kind`)."""

CLOCK_TIME = re.compile(r"[\[(]?(?:[01]?\d|2[0-3])[:.h][0-5]\d(?::[0-5]\d)?(?![:.]?\d)")
"""A time of day at the start of a paragraph: 14:05, [9.30], 18h45; not 12.05.2024."""

PAYWALL_PROMPT = re.compile(
    r"předplat|predplat|pretplat|претплат|naročni|передплат|подписк|подпиш|подписчик|абонамент|абонирай|συνδρομ"
    r"|prenumerat|subskryp|\bsubscribe\b|subscription|subscribers only|abonnement|abonnieren|abonne[zr]|s'abonner"
    r"|suscríb|suscrip|abbonamento|abbonati|odemkn|odomkn|otključa|откључа|odklen",
    re.IGNORECASE,
)
"""Stems of "subscribe", "subscription" and "unlock" in the languages of the portals; inflected forms share them."""

SENTENCE_END = frozenset(".!?…:;\"'»”’“)]。！？」』।؟")


def empty_text(article: Article, _config: QualityConfig) -> str:
    """No word in the text."""
    return "" if count_words(article.text) else "no words"


def live_ticker(article: Article, config: QualityConfig) -> str:
    """Says that it is a live blog, or many of its paragraphs start with a time of day."""
    if article.fields.kind in TICKER_KINDS:
        return f"the page calls itself {article.fields.kind}"
    lines = paragraphs(article.text)
    timed = sum(bool(CLOCK_TIME.match(line)) for line in lines)
    many = timed >= config.min_ticker_entries and timed >= config.min_ticker_share * len(lines)
    return f"{timed} of {len(lines)} paragraphs start with a time of day" if many else ""


def photo_page(article: Article, config: QualityConfig) -> str:
    """Says that it is a gallery, or has many images and little text."""
    if article.fields.kind in GALLERY_KINDS:
        return f"the page calls itself {article.fields.kind}"
    images, words = len(article.fields.images), count_words(article.text)
    many = images >= config.min_gallery_images and words < images * config.min_words_an_image
    return f"{words} words beside {images} images" if many else ""


def paywall_stub(article: Article, config: QualityConfig) -> str:
    """Little text, and the page is declared not free, or ends in a call to subscribe."""
    words = count_words(article.text)
    if words >= config.max_stub_words:
        return ""
    if article.fields.paywalled:
        return f"{words} words of an article declared not free"
    last = paragraphs(article.text)[-1:]
    prompted = any(count_words(line) <= config.max_prompt_words and PAYWALL_PROMPT.search(line) for line in last)
    return f"{words} words that end in a call to subscribe" if prompted else ""


def too_short(article: Article, config: QualityConfig) -> str:
    """Fewer words than an article has; in scripts without spaces every character is a word."""
    words = count_words(article.text)
    return f"{words} words, fewer than {config.min_words}" if words < config.min_words else ""


def listing(article: Article, config: QualityConfig) -> str:
    """Many short paragraphs of which hardly one ends as a sentence does: a list of headlines."""
    lines = paragraphs(article.text)
    if len(lines) < config.min_listing_lines or median(map(count_words, lines)) > config.max_listing_words:
        return ""
    ended = sum(line[-1] in SENTENCE_END for line in lines)
    few = ended <= config.max_listing_ended * len(lines)
    return f"{ended} of {len(lines)} short paragraphs end as sentences" if few else ""


FILTERS: tuple[tuple[str, Filter], ...] = (
    ("empty_text", empty_text),
    ("live_ticker", live_ticker),
    ("photo_page", photo_page),
    ("paywall_stub", paywall_stub),
    ("too_short", too_short),
    ("listing", listing),
)
"""Reason and filter, in the order they are asked: what says most about a page comes first."""


def judge_quality(article: Article, config: QualityConfig = DEFAULTS) -> Rejected | None:
    """None where the article is kept; else why not, stage "quality", by the first filter that objects."""
    for reason, objection in FILTERS:
        if detail := objection(article, config):
            return Rejected("quality", reason, detail, article.url)
    return None
