"""The filters and tags by name, and the verdict on an article.

To add a filter: a function, its entry in `FILTERS`, a test, a line in docs/quality.md.
"""

from collections.abc import Callable

from newscorpus.config import QualityConfig
from newscorpus.corpus.quality import literature, news, tags
from newscorpus.corpus.quality.measured import Measured, measure
from newscorpus.data import Article, Rejected

Filter = Callable[[Measured, QualityConfig], str]
Tag = Callable[[Measured, QualityConfig], bool]

FILTERS: dict[str, Filter] = {
    filter_.__name__: filter_
    for filter_ in (
        news.empty_text,
        news.live_ticker,
        news.photo_page,
        news.paywall_stub,
        news.too_short,
        news.horoscope,
        news.odds_table,
        news.listing,
        literature.placeholder,
        literature.code,
        literature.few_letters,
        literature.word_lengths,
        literature.symbols,
        literature.bullets,
        literature.cut_off_lines,
        literature.short_lines,
        literature.repeated_lines,
        literature.repeated_words,
    )
}
"""Filters by the reason they give, in the order they are asked: what says most about a page comes first."""

TAGS: dict[str, Tag] = {tag.__name__: tag for tag in (tags.flash_news, tags.machine_translated, tags.generated)}
"""Tags by the flag they set."""


def judge_quality(article: Article, config: QualityConfig = QualityConfig()) -> Rejected | None:
    """None where the article is kept; else why not, stage "quality", by the first filter that objects."""
    measured = measure(article)
    for reason, objection in FILTERS.items():
        if reason not in config.off and (detail := objection(measured, config)):
            return Rejected("quality", reason, detail, article.url)
    return None


def tags_of(article: Article, config: QualityConfig = QualityConfig()) -> tuple[str, ...]:
    """The flags that apply to an article."""
    measured = measure(article)
    return tuple(flag for flag, applies in TAGS.items() if applies(measured, config))
