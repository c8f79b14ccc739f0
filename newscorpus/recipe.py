"""A page on its way to the extractor, with what its portal says.

Whether an article comes into the corpus, and as what: quality, language, tags, masks.

What becomes of one page, in a crawl and when it is extracted again: values in, values out.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from newscorpus.config import QualityConfig
from newscorpus.corpus.intake import Row
from newscorpus.corpus.language import judge_language
from newscorpus.corpus.masking import mask
from newscorpus.corpus.quality import judge_quality, tags_of
from newscorpus.corpus.records import make_record
from newscorpus.crawl.robots import RightsPolicy, judge_rights
from newscorpus.data import Article, Evidence, Page, Rejected
from newscorpus.dedup.signature import sign
from newscorpus.extraction.extractor import Extractor, join
from newscorpus.portals.portal import Portal, TemplateSection
from newscorpus.portals.template import TemplateRules
from newscorpus.published.registry import DEFAULT, load
from newscorpus.tokens import collapse

STATED = "portal"
"""Source of the evidence that the portal file gives."""


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """A page that may hold an article.

    Attributes:
        page: the page.
        source: name of the portal.
        languages: the languages that the portal is declared to write; empty: any.
        template: the portal's own rules; None where it has none.
        following: the further pages of an article that is spread over several.
    """

    page: Page
    source: str
    languages: tuple[str, ...] = ()
    template: TemplateSection | None = None
    following: tuple[Page, ...] = ()

    def __str__(self) -> str:
        return f"page {self.page.url}"


def of_portal(page: Page, portal: Portal, following: tuple[Page, ...] = ()) -> FetchedPage:
    """A page of a portal: what the portal's file says now stands in place of what it said before."""
    evidence = tuple(one for one in page.evidence if one.source != STATED) + stated_by(portal)
    return FetchedPage(replace(page, evidence=evidence), portal.name, portal.languages, portal.template, following)


def stated_by(portal: Portal) -> tuple[Evidence, ...]:
    """What a portal's file says of each of its documents: the language, if it has but one."""
    return (Evidence("language", portal.languages[0], STATED),) if len(portal.languages) == 1 else ()


def template_of(rules: Mapping[str, tuple[str, ...]] | None) -> TemplateSection | None:
    """The template that an archive holds as plain values; rules of fields that are no more are passed over."""
    if rules is None:
        return None
    return TemplateSection(**{name: tuple(rules[name]) for name in TemplateSection.__slots__ if name in rules})


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


@dataclass(frozen=True, slots=True)
class Recipe:
    """What is the same for all pages.

    Attributes:
        extractor: its name.
        rights: what is done where a site reserves the use.
        quality: which articles are kept.
    """

    extractor: str = DEFAULT
    rights: RightsPolicy = RightsPolicy.RECORD
    quality: QualityConfig = QualityConfig()


def process(recipe: Recipe, fetched: FetchedPage) -> Row | Rejected:
    """All steps in their order: the row of the intake that a page becomes, or why it becomes none."""
    article = extract(fetched, recipe.extractor)
    if isinstance(article, Rejected):
        return article
    if rejected := judge_rights(article.fields.rights, recipe.rights, article.url):
        return rejected
    admitted = admit(article, fetched.languages, recipe.quality)
    if isinstance(admitted, Rejected):
        return admitted
    record = make_record(admitted.article, fetched.source, admitted.language, admitted.language_score)
    return Row(record, sign(record.text))


def extract(fetched: FetchedPage, extractor: str) -> Article | Rejected:
    """The article on a page and those that follow it, by the named extractor and the portal's template."""
    read = extractor_for(extractor, fetched.source if fetched.template else "", fetched.template)
    article = read(fetched.page)
    if isinstance(article, Rejected):
        return article
    return join(article, [part for part in map(read, fetched.following) if isinstance(part, Article)])


@cache
def extractor_for(name: str, source: str = "", template: TemplateSection | None = None) -> Extractor:
    """The named extractor, with the template of a portal if it has one; made once.

    Raises:
        ValueError: there is no such extractor, or its model is missing.
        ImportError: the extractor needs a package that is not here.
    """
    return load(name, template=TemplateRules(source, template) if template else None)
