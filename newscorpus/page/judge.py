"""Parse, extract and filter a page, by `judge`.

The crawl, `extract`, `reextract`, `explain`, the batch jobs and the readers of WARC files call it.
"""

import logging
from dataclasses import replace
from urllib.parse import urlsplit

from newscorpus.config import QualityConfig
from newscorpus.data import Article, Page, Record, Rejected
from newscorpus.page.extractor import TEMPLATE_SHORT, BlockSystemExtractor, Extractor, ParsedPage, join, parse_page
from newscorpus.page.fields.dates import parse_moment
from newscorpus.page.fields.reading import read_fields
from newscorpus.page.fields.structured import ARTICLES as ARTICLE_KINDS
from newscorpus.page.judgement import NO_LINKS, Judgement, PageLinks, Rules
from newscorpus.page.links import read_part_links, read_tree
from newscorpus.page.loading import detector_of, extractor_of
from newscorpus.page.parts import FIRST_FOLLOWING, MAY_FOLLOW, first_part, next_part
from newscorpus.page.profiles.learn import SeenPage, document_of, markup_signs
from newscorpus.page.quality.assess import assess_quality
from newscorpus.page.quality.language import judge_language
from newscorpus.page.quality.masking import mask
from newscorpus.page.recipe import REVIEWED, Recipe
from newscorpus.page.records import excerpt, make_record
from newscorpus.page.refusals import NEEDS_SCRIPT
from newscorpus.page.registry import NO_FALLBACK
from newscorpus.page.rights import judge_rights
from newscorpus.page.rows import Row
from newscorpus.page.signature import sign
from newscorpus.page.source_page import SourcePage
from newscorpus.page.text.hidden import CLOSED
from newscorpus.page.walls import find_wall
from newscorpus.portal.addresses import LAST_CHANGE, PROMISING, AddressTrust, is_about_site, is_front
from newscorpus.tokens import collapse

NO_ARTICLES = frozenset(
    "CollectionPage ContactPage AboutPage DiscussionForumPosting ItemPage JobPosting Product ProfilePage QAPage"
    " SearchResultsPage SocialMediaPosting".split()
)
"""schema.org types of pages that are no articles, however much text they hold."""

DECLARED_SURE, PAGE_SURE, SURE = 0.5, 0.75, 0.97
"""Minimum probability of an article where the address looks like a section's: for pages that declare an article, for
others, and where text or address looks like a list; see benchmarks/results/lost.md for their cost and benefit."""

WALL_LINKS = 30
"""A page read for its links that has this many is no wall: sections have more, walls have only a menu."""

logger = logging.getLogger(__name__)


def process_page(recipe: Recipe, page: SourcePage | Page) -> Row | Rejected:
    """Extract a page, apply the crawl's filters (rights, quality, language) and sign the text.

    A bare `Page` has no portal and may be in any language. Errors as for `judge`.
    """
    return judge(SourcePage(page) if isinstance(page, Page) else page, Rules(recipe)).decided


def judge(page: SourcePage, rules: Rules) -> Judgement:
    """Parse a page once and judge it. An unexpected exception rejects only this page.

    The first page of a multi-page article gets no outcome until it comes with the articles of all pages. Where the
    address does not promise an article, the first page must pass alone, since lists are paginated, too.

    Raises:
        ValueError: there is no such extractor, its model is missing, or a rule of the template is broken.
        ImportError: the extractor needs a package that is not installed.
    """
    recipe, links, markup = rules.recipe, NO_LINKS, frozenset[str]()
    if recipe and rules.for_profile:
        if recipe.decider_for(page)[0] not in REVIEWED or page.trust is AddressTrust.SECTION:
            return Judgement()
        # Neither a second opinion nor further pages label the blocks
        page, recipe = replace(page, profile=None, extractor="", following=()), replace(recipe, extractor=NO_FALLBACK)
    extractor = rules.extractor or (extractor_of(recipe, page) if recipe else None)
    try:
        if rules.for_profile and isinstance(extractor, BlockSystemExtractor):
            return Judgement(seen=_see(page, extractor))
        if recipe and page.articles:
            return _conclude(recipe, page, join(page.articles[0], page.articles[1:]))
        parsed = parse_page(page.page)
        if rules.reads_links and isinstance(parsed, ParsedPage):
            links, markup = read_tree(parsed.tree, parsed.url), markup_signs(parsed.tree)
            if rules.days:
                described = read_fields(parsed.tree, parsed)
                parsed, moment = replace(parsed, described=described), parse_moment(described.fields.published)
                links = replace(links, published=moment.date() if moment else None)
        if recipe is None or extractor is None:
            judged = Judgement(find_wall(parsed, None) if len(links.links) < WALL_LINKS else None)
        elif rules.days and links.published and not rules.days[0] <= links.published <= rules.days[1]:
            judged = Judgement()
        else:
            judged = _judge_text(page, parsed, recipe, extractor, links)
    except Exception as error:
        logger.exception("%s failed", page)
        detail = collapse(f"{type(error).__name__}: {error}")
        judged = Judgement(Rejected("extract", "worker_failed", detail, page.page.url))
    is_closed = judged.wall is not None and judged.wall.reason != NEEDS_SCRIPT  # its links do not lead into the site
    return replace(judged, links=NO_LINKS if is_closed else links, markup=markup)


def _judge_text(
    page: SourcePage, parsed: ParsedPage | Rejected, recipe: Recipe, extractor: Extractor, links: PageLinks
) -> Judgement:
    """Extract the text of a page, and judge it unless further pages follow."""
    url = page.page.url
    if isinstance(parsed, ParsedPage):  # a page that we cannot parse, another tool may
        page = replace(page, page=parsed)
    if page.part_of:
        part = extractor(page.page)
        return Judgement(article=part if isinstance(part, Article) else None)
    article = extract_article(extractor, page)
    if isinstance(article, Rejected):
        return Judgement((find_wall(parsed, None) if article.detail != CLOSED else None) or article)
    goes_on = not page.following and next_part(url, FIRST_FOLLOWING, links.part_links)
    if goes_on and page.trust in PROMISING:
        return Judgement(article=article)
    judged = _conclude(recipe, page, article)
    is_row = isinstance(judged.outcome, Row)
    if wall := find_wall(parsed, article if is_row else None):
        return Judgement(wall)
    shown = links.part_links
    if is_row and links is NO_LINKS and isinstance(parsed, ParsedPage) and MAY_FOLLOW.search(url):
        shown = read_part_links(parsed.tree, url)
    if is_row and (first := first_part(url, shown)):
        return Judgement(Rejected("discovery", "part_of_another", f"of {first}", url))
    return Judgement(article=article) if is_row and goes_on else judged


def _conclude(recipe: Recipe, page: SourcePage, article: Article) -> Judgement:
    """Judge an article that is joined with its further pages."""
    outcome = make_row(recipe, article, page)
    return Judgement(outcome, rule_hits=article.rule_hits, is_short=TEMPLATE_SHORT in article.flags)


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


def _see(page: SourcePage, extractor: BlockSystemExtractor) -> SeenPage | None:
    """Label the blocks of a page; None if it holds no article."""
    prepared = extractor.read(page.page)
    if isinstance(prepared, Rejected) or not isinstance(extract_article(extractor.after(prepared), page), Article):
        return None
    return SeenPage(document_of(prepared), extractor.label_blocks(prepared), prepared.fields.title)


def _doubt(article: Article | Rejected, trust: AddressTrust) -> str:
    """Say why the page is doubted as an article, given its address; "" where it is not."""
    if isinstance(article, Rejected):
        return article.reason if trust not in PROMISING and article.stage == "extract" else ""
    if trust is AddressTrust.CERTAIN:
        return ""
    fields, sure = article.fields, article.is_article
    if fields.kind in NO_ARTICLES:
        return f"declares itself a {fields.kind}"
    # Without a path, a site may show its front page whatever the query asks for
    has_path = bool(urlsplit(article.url).path.strip("/"))
    names_front = not has_path and fields.canonical_url != "" and is_front(fields.canonical_url)
    if article.listing or names_front or (trust is AddressTrust.LIKELY and has_path):
        return article.listing or ("its canonical address is a front page" if names_front else "")
    # The evidence required where the address looks like a section, list or forum
    says_article = fields.kind in ARTICLE_KINDS
    is_unlikely = trust in {AddressTrust.UNLIKELY, AddressTrust.LISTED}
    is_about = trust is AddressTrust.LISTED and is_about_site(article.url)
    # Lists show the dates of others; some systems declare every page an article, those of shops and about the site too
    is_own = trust is AddressTrust.UNLIKELY or (says_article and not is_about)
    is_bare = is_unlikely and not fields.declares_date and not (fields.published and is_own)
    if is_bare or (not says_article and (is_about or sure is None)):
        return "not dated" if is_bare else "not declared an article"
    is_declared = says_article or fields.declares_date
    least = SURE if is_unlikely or article.is_list else DECLARED_SURE if is_declared else PAGE_SURE
    return f"probability of an article {sure:.2f}, below {least}" if sure is not None and sure < least else ""


def make_row(recipe: Recipe, article: Article, page: SourcePage) -> Row | Rejected:
    """Judge the rights, text and language of an article, and make its row."""
    if rejected := judge_rights(article.fields.rights, recipe.rights, article.url):
        return rejected
    if quality := recipe.quality:
        judged = assess_quality(article, quality)
        if isinstance(judged, Rejected):
            return replace(judged, excerpt=_excerpt(article, quality))
        article = judged
    verdict = judge_language(article.text, page.languages, stated=article.fields.language, detector=detector_of(recipe))
    if quality and not verdict.ok:
        detail = f"{verdict.language or 'unknown'} ({verdict.score:.2f}), expected {', '.join(page.languages)}"
        return Rejected("language", "unexpected_language", detail, article.url, _excerpt(article, quality))
    article = replace(article, flags=(*article.flags, *verdict.flags))
    article = mask(article, quality.mask) if quality else article
    record = make_record(article, page.source, verdict.language, verdict.score)
    record = _dated(replace(record, id=page.document or record.id), page.page)
    address = page.page.url
    version = recipe.version_for(page)
    return Row(record, sign(record.text), version, address if address != record.url else "")


def _dated(record: Record, page: Page) -> Record:
    """Return `record` with the date of the page's last change in a sitemap, if the page and its feed name none.

    It is too weak to tell articles from other pages.
    """
    changed = next((one.value for one in page.evidence if one.field == LAST_CHANGE), "")
    moment = parse_moment(changed)
    if record.published or moment is None:
        return record
    day = moment.date().isoformat()
    published = day if changed == day else moment.isoformat()
    return replace(record, published=published, provenance=replace(record.provenance, published=LAST_CHANGE))


def _excerpt(article: Article, quality: QualityConfig) -> str:
    """Quote the headline and the first words, masked like the text."""
    masked = mask(article, quality.mask)
    return excerpt(masked.fields.title, masked.text)
