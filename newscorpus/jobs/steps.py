"""What becomes of one page, in a crawl and when it is extracted again: values in, values out."""

from dataclasses import dataclass
from functools import cache

from newscorpus.config import QualityConfig
from newscorpus.corpus.admit import admit
from newscorpus.corpus.intake import Row
from newscorpus.corpus.records import make_record
from newscorpus.crawl.rights import RightsPolicy, judge_rights
from newscorpus.data import Article, Rejected
from newscorpus.dedup.signature import sign
from newscorpus.extraction.extractor import Extractor
from newscorpus.extraction.join import join
from newscorpus.extractors.registry import DEFAULT, load
from newscorpus.portals.fetched import FetchedPage
from newscorpus.portals.schema import TemplateSection
from newscorpus.portals.template import TemplateRules


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
