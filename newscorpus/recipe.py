"""Decide what becomes of one page: a row of the intake, or a rejection.

The crawl, `extract`, `reextract`, WARC files and `explain` all call `process_page`.
"""

import hashlib
import logging
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import msgspec

from newscorpus.artifacts import read_metadata
from newscorpus.config import Part, QualityConfig, Revision
from newscorpus.corpus.detectors import LanguageDetector, by_fasttext, by_langid
from newscorpus.corpus.intake import excerpt
from newscorpus.corpus.language import judge_language
from newscorpus.corpus.masking import mask
from newscorpus.corpus.quality import judge_quality
from newscorpus.corpus.quality.letters import MODEL as LETTERS_MODEL
from newscorpus.corpus.records import make_record
from newscorpus.corpus.rows import Row
from newscorpus.crawl.robots import RightsPolicy, judge_rights
from newscorpus.data import SCHEMA, Article, Evidence, Page, Rejected, RuleHit
from newscorpus.dedup.signature import sign
from newscorpus.discovery.addresses import PORTAL_EVIDENCE, PROMISING, AddressTrust
from newscorpus.extraction.extractor import (
    TEMPLATE_SHORT,
    BlockSystemExtractor,
    Extractor,
    SystemExtractor,
    join,
)
from newscorpus.extraction.fields.entities import ARTICLES as ARTICLE_KINDS
from newscorpus.extraction.fields.learned import MODEL as FIELDS_MODEL
from newscorpus.extraction.second_opinion import PACKAGE
from newscorpus.portals.portal import Portal, TemplateSection
from newscorpus.portals.template import RuleTally, TemplateRules
from newscorpus.profiles.learn import SeenPage, document_of
from newscorpus.profiles.profile import ProfileFile, Profiles
from newscorpus.profiles.review import MODEL as REVIEW_MODEL
from newscorpus.profiles.review import load_review
from newscorpus.published.registry import ALONE, DEFAULT, load
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

REVIEWED = frozenset({DEFAULT, ALONE})
"""The extractors that judge pages by what the others of their portal say."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SourcePage:
    """A page that may hold an article, with what its source says of it."""

    page: Page
    source: str = ""  # name of the portal, or of the site
    languages: tuple[str, ...] = ()  # the languages that the portal is declared to write; empty: any
    template: TemplateSection | None = None  # the portal's own rules; None where it has none
    following: tuple[Page, ...] = ()  # the further pages of an article that is spread over several
    # What the address says; the less it promises, the more the page has to prove.
    trust: AddressTrust = AddressTrust.CERTAIN
    respect_paywall: bool = True  # what a page declared not free does not show is left out
    leave_out: tuple[Part, ...] = ()  # parts of articles that are left out of the texts
    extractor: str = ""  # the portal's own, by name or folder; "" where it names none
    revision: Revision = Revision()  # how the portal has the blocks of its extractor labelled
    document: str = ""  # id of the document, where it was given with the page; "": by its address
    fields_model: str = ""  # folder of the portal's own model of fields; "" where it names none
    profile: ProfileFile | None = None  # what the portal's other pages say; None where nothing was learned of them
    # What became of it, where that was found out when it was read for its links.
    judged: "JudgedPage | None" = None

    def __str__(self) -> str:
        return f"page {self.page.url}"


def page_of_portal(
    page: Page, portal: Portal, following: tuple[Page, ...] = (), trust: AddressTrust = AddressTrust.CERTAIN
) -> SourcePage:
    """Join a page with what the file of its portal says now; what the file said when it was fetched is dropped."""
    evidence = tuple(one for one in page.evidence if one.source != PORTAL_EVIDENCE)
    if len(portal.languages) == 1:
        evidence += (Evidence("language", portal.languages[0], PORTAL_EVIDENCE),)
    page = replace(page, evidence=evidence)
    return SourcePage(
        page=page,
        source=portal.name,
        languages=portal.languages,
        template=portal.template_for(page.fetched),
        following=following,
        trust=trust,
        respect_paywall=portal.respect_paywall,
        leave_out=portal.leave_out,
        extractor=portal.extractor,
        revision=Revision(portal.post_analysis, portal.upper, portal.lower, portal.end_phrases or None),
        fields_model=portal.fields_model,
    )


def template_of(rules: Mapping[str, tuple[str, ...]] | None) -> TemplateSection | None:
    """Read the template that an archive holds as plain values; rules of fields that no longer exist are left out."""
    if rules is None:
        return None
    return TemplateSection(**{name: tuple(rules[name]) for name in TemplateSection.__slots__ if name in rules})


@dataclass(frozen=True, slots=True)
class Recipe:
    """How pages become rows; the same for all pages of a run."""

    extractor: str = DEFAULT  # its name, or the folder of its model; another than the default goes before the portal's
    rights: RightsPolicy = RightsPolicy.RECORD  # what is done where a site reserves the use
    # Which articles are kept, and what is masked; None: all, in any language, without tags and masks.
    quality: QualityConfig | None = QualityConfig()
    revision: Revision = Revision()  # how blocks are labelled
    leave_out: tuple[Part, ...] = ()  # parts of articles that are left out of all texts
    second_opinion: bool = True  # whether main-text asks another extractor where it is unsure
    # Model that reads the fields that a page does not declare; another than the default goes before the portal's.
    fields_model: str = FIELDS_MODEL

    def decider_for(self, page: SourcePage) -> tuple[str, Revision]:
        """The extractor of a page and how it labels blocks: the portal's, unless the recipe says otherwise."""
        if self.extractor not in (DEFAULT, ALONE):
            return self.extractor, self.revision
        return page.extractor or self.extractor, self.revision.or_else(page.revision)

    def fields_model_for(self, page: SourcePage) -> str:
        """The model of fields of a page: the portal's, unless the recipe names one."""
        return self.fields_model if self.fields_model != FIELDS_MODEL else page.fields_model or FIELDS_MODEL

    def version_for(self, page: SourcePage) -> str:
        """Name all that decides on a page, such as "main-text@2+0c4f9a2b7d"; equal recipes, equal names."""
        name, revision = self.decider_for(page)
        of_source = page.template, page.languages, page.trust, page.respect_paywall, page.leave_out
        # where the profile lies does not count
        profile, fields_model = page.profile.hash if page.profile else "", self.fields_model_for(page)
        return _version(name, self, fields_model, *of_source, profile, revision=revision)


def add_profile(recipe: Recipe, profiles: Profiles, page: SourcePage) -> SourcePage:
    """Join a page with the profile of its source, where there is one and its extractor uses it."""
    profile = profiles.get(page.source)
    return replace(page, profile=profile) if profile and recipe.decider_for(page)[0] in REVIEWED else page


@dataclass(frozen=True, slots=True)
class JudgedPage:
    """What became of a page, and what the template of its portal found on it."""

    outcome: Row | Rejected
    rule_hits: tuple[RuleHit, ...] | None = None  # None: there was no text to judge
    is_short: bool = False  # the template's text is much shorter than the extractor's
    # What its markup is made of, where it was read for a crawl.
    markup: frozenset[str] = frozenset()


def process_page(recipe: Recipe, page: SourcePage | Page) -> Row | Rejected:
    """Extract, judge and sign a page; arguments and errors as for `judge_page`."""
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
            return JudgedPage(article)
        return JudgedPage(make_row(recipe, article, page), article.rule_hits, TEMPLATE_SHORT in article.flags)
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
    return "" if trust is AddressTrust.LIKELY else _lacking(article, is_unlikely=trust is AddressTrust.UNLIKELY)


def _lacking(article: Article, *, is_unlikely: bool) -> str:
    """Say what a page lacks whose address looks like a section's, or like a list's or a forum's (`is_unlikely`)."""
    fields, sure = article.fields, article.is_article
    says_article = fields.kind in ARTICLE_KINDS
    if not says_article and (sure is None or (is_unlikely and not fields.published)):
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
        tags = judge_quality(article, quality)
        if isinstance(tags, Rejected):
            return replace(tags, excerpt=_excerpt(article, quality))
        article = replace(article, flags=(*article.flags, *tags))
    verdict = judge_language(
        article.text, page.languages, stated=article.fields.language, detector=_detector_of(recipe)
    )
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


def prepare(recipe: Recipe) -> None:
    """Load what every page needs, so that the first one does not wait for it; errors as for `judge_page`.

    Raises:
        CorpusError: the language model of the user's cannot be read.
    """
    extractor_of(recipe)
    _detector_of(recipe)("any text")


def _detector_of(recipe: Recipe) -> LanguageDetector:
    """The language detector of a recipe."""
    model = recipe.quality.language_model if recipe.quality else ""
    return by_fasttext(Path(model)) if model else by_langid


def extractor_of(recipe: Recipe, page: SourcePage | None = None) -> Extractor:
    """Load the extractor of a recipe, with template and profile of a page's source if it has them; once a process.

    Raises:
        ValueError: there is no such extractor, its model is missing, or a rule of the template is broken.
        ImportError: the extractor needs a package that is not installed.
    """
    page = page or SourcePage(Page("", b""))
    name, revision = recipe.decider_for(page)
    source = page.source if page.template else ""
    leave_out = tuple(part for part in Part if part in {*recipe.leave_out, *page.leave_out})
    extractor = _load(
        name,
        source,
        page.template,
        respect_paywall=page.respect_paywall,
        revision=revision,
        leave_out=leave_out,
        second_opinion=recipe.second_opinion and recipe.extractor != ALONE,
        fields_model=recipe.fields_model_for(page),
    )
    if page.profile is None:
        return extractor
    if name not in REVIEWED or not isinstance(extractor, SystemExtractor):
        raise ValueError(f"the extractor {name!r} uses no profile of a portal; {DEFAULT} does")
    return replace(extractor, review=load_review(page.profile))


@cache
def _load(
    name: str,
    source: str,
    template: TemplateSection | None,
    **options: Any,
) -> Extractor:
    return load(name, TemplateRules(source, template) if template else None, **options)


@cache
def _version(
    name: str,
    recipe: Recipe,
    fields_model: str,
    *of_source: Hashable,
    revision: Revision,
) -> str:
    decider = DEFAULT if name == ALONE else name
    models = [_model(model) for model in (decider, fields_model, LETTERS_MODEL, REVIEW_MODEL)]
    packages = [metadata.version(package) for package in ("newscorpus", PACKAGE, "ftfy")]
    decides = msgspec.json.encode([packages, SCHEMA, models, name, recipe, *of_source, revision])
    return f"{name}@{models[0].get('version', '0')}+{hashlib.sha256(decides).hexdigest()[:10]}"


def _model(name: str) -> dict[str, object]:
    """Version and hashes of the files of a model; nothing where the extractor has no model of its own."""
    known = read_metadata(name)
    return {"version": known.version, "files": known.files} if known else {}
