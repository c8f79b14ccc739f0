"""Whether an article comes into the corpus, and as what: quality, language, tags, masks."""

from dataclasses import dataclass, replace

from newscorpus.config import QualityConfig
from newscorpus.corpus.language import judge_language
from newscorpus.corpus.masking import mask
from newscorpus.corpus.quality import judge_quality, tags_of
from newscorpus.data import Article, Rejected
from newscorpus.text import collapse


@dataclass(frozen=True, slots=True)
class Admitted:
    """An article that comes in.

    Attributes:
        article: with its tags as flags, and masked where that is asked for.
        language: primary tag.
        language_score: of the detector, 0..1.
    """

    article: Article
    language: str
    language_score: float


EXCERPT_CHARACTERS = 200
"""How much of a refused text is quoted, headline included: enough to see what it is."""


def admit(
    article: Article, languages: tuple[str, ...], quality: QualityConfig = QualityConfig()
) -> Admitted | Rejected:
    """The article, if it is good enough and in one of `languages` (none: any); a rejection quotes how it begins."""
    if rejected := judge_quality(article, quality):
        return replace(rejected, excerpt=_excerpt(article, quality))
    verdict = judge_language(article.text, languages, stated=article.fields.language)
    if not verdict.ok:
        detail = f"{verdict.language or 'unknown'} ({verdict.score:.2f}), expected {', '.join(languages)}"
        return Rejected("language", "unexpected_language", detail, article.url, _excerpt(article, quality))
    tagged = replace(article, flags=(*article.flags, *tags_of(article, quality)))
    return Admitted(mask(tagged, quality.mask), verdict.language, verdict.score)


def _excerpt(article: Article, quality: QualityConfig) -> str:
    """Headline and first words, masked as the text would be."""
    masked = mask(article, quality.mask)
    parts = map(collapse, (masked.fields.title, masked.text))
    return " | ".join(filter(None, parts))[:EXCERPT_CHARACTERS]
