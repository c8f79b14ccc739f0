"""Decide what becomes of one page: a row of the intake, or a rejection.

The crawl, `extract`, `reextract`, WARC files and `explain` all call `process_page`.
"""

import logging
from collections.abc import Mapping
from dataclasses import replace

from newscorpus.config import QualityConfig
from newscorpus.data import Article, Page, Rejected
from newscorpus.page.extractor import TEMPLATE_SHORT, BlockSystemExtractor, Extractor, join
from newscorpus.page.fields.structured import ARTICLES as ARTICLE_KINDS
from newscorpus.page.profiles.learn import SeenPage, document_of
from newscorpus.page.quality import judge_quality
from newscorpus.page.quality.language import judge_language
from newscorpus.page.quality.masking import mask
from newscorpus.page.recipe import REVIEWED, Recipe, detector_of, extractor_of
from newscorpus.page.records import excerpt, make_record
from newscorpus.page.registry import ALONE
from newscorpus.page.rights import judge_rights
from newscorpus.page.rows import Row
from newscorpus.page.signature.signature import sign
from newscorpus.page.source_page import JudgedPage, SourcePage
from newscorpus.page.template import RuleTally
from newscorpus.page.text.carried import CLOSED
from newscorpus.page.walls import find_wall
from newscorpus.portal.addresses import PROMISING, AddressTrust
from newscorpus.tokens import collapse
from newscorpus.workers import Lost

NO_ARTICLES = frozenset(
    "CollectionPage ContactPage AboutPage DiscussionForumPosting ItemPage JobPosting Product ProfilePage QAPage"
    " SearchResultsPage SocialMediaPosting".split()
)
"""What a page may declare itself to be that is no article, however much text it holds."""

DECLARED_SURE, PAGE_SURE, SURE = 0.5, 0.75, 0.97
"""Least probability of an article where the address looks like a section's: if the page declares itself one, if it does
not, and if its text or its address looks like a list; benchmarks/results/lost.md shows what they cost and keep."""

logger = logging.getLogger(__name__)


def process_page(recipe: Recipe, page: SourcePage | Page) -> Row | Rejected:
    """Extract a page, judge it as a crawl does (rights, quality, language) and sign it: a `Row` or a `Rejected`.

    Arguments and errors are those of `judge_page`.
    """
    return judge_page(recipe, page).outcome


def judge_page(recipe: Recipe, page: SourcePage | Page, extractor: Extractor | None = None) -> JudgedPage:
    """Extract, judge and sign a page. A fault of ours is a rejection too, so that it costs this page only.

    Args:
        recipe: what is the same for all pages.
        page: a `Page` alone has no portal, and may be in any language.
        extractor: in place of the recipe's.

    Raises:
        ValueError: there is no such extractor, its model is missing, or a rule of the template is broken.
        ImportError: the extractor needs a package that is not installed.
    """
    page = SourcePage(page) if isinstance(page, Page) else page
    extractor = extractor or extractor_of(recipe, page)
    try:
        article = extract_article(extractor, page)
        if isinstance(article, Rejected):
            return JudgedPage(article if article.detail == CLOSED else find_wall(page.page, None) or article)
        row = make_row(recipe, article, page)
        if wall := find_wall(page.page, article if isinstance(row, Row) else None):
            return JudgedPage(wall)
        return JudgedPage(row, article.rule_hits, TEMPLATE_SHORT in article.flags)
    except Exception as error:
        logger.exception("%s failed", page)
        detail = collapse(f"{type(error).__name__}: {error}")
        return JudgedPage(Rejected("extract", "worker_failed", detail, page.page.url))


def tally_rules(tally: RuleTally, page: SourcePage, judged: JudgedPage) -> Mapping[str, int]:
    """Count what the rules of a page's portal found; gives what that adds, as `RuleTally.add`."""
    if page.template is None or judged.rule_hits is None:
        return {}
    return tally.add(page.source, page.template, judged.rule_hits, judged.is_short)


def lost_page(page: SourcePage, lost: Lost) -> Rejected:
    """Reject a page whose process was killed or died."""
    return Rejected("extract", lost.reason, lost.detail, page.page.url)


def extract_article(extractor: Extractor, page: SourcePage) -> Article | Rejected:
    """Extract the article of a page, joined with its further pages."""
    if page.trust is AddressTrust.SECTION:
        return Rejected("discovery", "section", "by its address", page.page.url)
    article = extractor(page.page)
    if doubt := _doubt(article, page.trust):
        return Rejected("discovery", "section", doubt, page.page.url)
    if isinstance(article, Rejected):
        return article
    return join(article, [part for part in map(extractor, page.following) if isinstance(part, Article)])


def see_page(recipe: Recipe, page: SourcePage) -> SeenPage | None:
    """What the model alone makes of a page, to learn a profile from; None where it finds no article.

    Errors as for `extractor_of`.
    """
    if recipe.decider_for(page)[0] not in REVIEWED or page.trust is AddressTrust.SECTION:
        return None
    # A second opinion says nothing of the blocks, nor do further pages.
    page = replace(page, profile=None, extractor="", following=())
    extractor = extractor_of(replace(recipe, extractor=ALONE), page)
    if not isinstance(extractor, BlockSystemExtractor):
        return None
    reading = extractor.read(page.page)
    if isinstance(reading, Rejected) or not isinstance(extract_article(extractor.after(reading), page), Article):
        return None
    return SeenPage(document_of(reading), extractor.label_blocks(reading), reading.fields)


def _doubt(article: Article | Rejected, trust: AddressTrust) -> str:
    """Say why what was found does not prove an article where the address leaves it open; "" where it does."""
    if isinstance(article, Rejected):
        return article.reason if trust not in PROMISING and article.stage == "extract" else ""
    if trust is AddressTrust.CERTAIN:
        return ""
    if article.fields.kind in NO_ARTICLES:
        return f"declares itself a {article.fields.kind}"
    if article.listing:
        return article.listing
    return "" if trust is AddressTrust.LIKELY else _lacking(article, trust)


def _lacking(article: Article, trust: AddressTrust) -> str:
    """Say what a page lacks whose address looks like a section's, or like a list's or a forum's."""
    fields, sure = article.fields, article.is_article
    says_article = fields.kind in ARTICLE_KINDS
    is_unlikely = trust in {AddressTrust.UNLIKELY, AddressTrust.LISTED}
    is_dated = fields.declares_date if trust is AddressTrust.LISTED else bool(fields.published)
    if not says_article and (sure is None or (is_unlikely and not is_dated)):
        return "neither declared an article nor dated" if is_unlikely else "not declared an article"
    is_declared = says_article or fields.declares_date
    least = SURE if is_unlikely or article.is_list else DECLARED_SURE if is_declared else PAGE_SURE
    is_short = sure is not None and sure < least
    return f"probability of an article {sure:.2f}, below {least}" if is_short else ""


def make_row(recipe: Recipe, article: Article, page: SourcePage) -> Row | Rejected:
    """Judge an article by its rights, its text and its language, and make its row."""
    if rejected := judge_rights(article.fields.rights, recipe.rights, article.url):
        return rejected
    if quality := recipe.quality:
        judged = judge_quality(article, quality)
        if isinstance(judged, Rejected):
            return replace(judged, excerpt=_excerpt(article, quality))
        article = judged
    verdict = judge_language(article.text, page.languages, stated=article.fields.language, detector=detector_of(recipe))
    if quality and not verdict.ok:
        detail = f"{verdict.language or 'unknown'} ({verdict.score:.2f}), expected {', '.join(page.languages)}"
        return Rejected("language", "unexpected_language", detail, article.url, _excerpt(article, quality))
    article = mask(article, quality.mask) if quality else article
    record = make_record(article, page.source, verdict.language, verdict.score)
    record = replace(record, id=page.document or record.id)
    address = page.page.url
    version = recipe.version_for(page)
    return Row(record, sign(record.text), version, address if address != record.url else "")


def _excerpt(article: Article, quality: QualityConfig) -> str:
    """Quote headline and first words, masked as the text would be."""
    masked = mask(article, quality.mask)
    return excerpt(masked.fields.title, masked.text)
