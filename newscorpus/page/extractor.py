"""Turn a page into an article: read it once, find its text by a template or a system, assemble the article.

The module follows a page from top to bottom: the extractor protocols; `read`, which gathers the input of extractors;
`SystemExtractor`, which runs the stages in order; `assemble`, which makes the article; and `join`, which merges the
articles of several pages.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from typing import Protocol

from lxml.html import HtmlElement

from newscorpus.arrays import Floats
from newscorpus.config import Part, Revision
from newscorpus.data import (
    LOW_CONFIDENCE,
    Article,
    Block,
    Evidence,
    Fields,
    LabelledBlock,
    Page,
    Rejected,
    RuleHit,
)
from newscorpus.model_folders import FIELDS_MODEL
from newscorpus.page.fields.images import find_images
from newscorpus.page.fields.markup import merge_images
from newscorpus.page.fields.people import agencies_alone
from newscorpus.page.fields.reading import PageFields, read_fields
from newscorpus.page.fields.structured import ARTICLES
from newscorpus.page.listing import find_listing
from newscorpus.page.parsing.decode import REPAIRED, decode, repair, repair_fields
from newscorpus.page.parsing.parse import parse
from newscorpus.page.parsing.segment import elements_around, find_excess, segment
from newscorpus.page.template import TemplateRules
from newscorpus.page.text.clean import SPONSORED_LABELS, find_named
from newscorpus.page.text.post_analysis import is_heading, lower_words, phrase_key, possible_headlines
from newscorpus.tokens import collapse, count_words
from newscorpus.urls import document_id

MOST_WORDS = 60
"""Maximum number of words of a page's text beside a password form; the notice above the form has ten to thirty."""
LEAST_WORDS = 3
"""Minimum number of words of a prompt; scripts fill empty boxes once a visitor has used up the free articles."""

_PROMPT = re.compile(
    r"(?<![^\s_-])(?:paywall|regwall|upgrade-cta|post-upgrade|(?:members?|subscribers?)-?only|content-gate"
    r"|premium-(?:box|content|message|notice|wall)|(?:members?|subscri\w+)-(?:wall|gate))(?![^\s_-])"
)
"""Class names and ids, lower case, of boxes that ask for a subscription in place of the rest."""
_PARTS_OF_PROMPTS = ("wall", "upgrade", "member", "subscri", "content-gate", "premium-")
"""One of these is in every match, and is found ten times as fast."""
SPONSORED = "sponsored"
"""Flag of an article that the page says is paid for."""
NEAR_HEADLINE, MAX_LABEL = 3, 60
"""Number of blocks on either side of the headline that may be a label of paid articles, and its maximum length in
characters (choices: kicker, author and date)."""
NEAR_TEXT = 2
"""Number of blocks on either side of the text's end that may name the agency (a choice: teasers below name theirs)."""
_ARTICLES = frozenset({"article", "main"})
_NAMING = frozenset({"text", "email", "tel", ""})


def is_locked(tree: HtmlElement, blocks: Sequence[Block], paragraphs: Sequence[str]) -> bool:
    """Tell whether the page shows a prompt in the box of its text, or a form with only a password.

    If the text is short, and thus perhaps a teaser, the prompt may stand anywhere in the same article.
    """
    is_short = all(total <= MOST_WORDS for total in accumulate(map(count_words, paragraphs)))
    for form in tree.iter("form") if is_short else ():
        kinds = {(one.get("type") or "").lower() for one in form.iter("input")}
        if "password" in kinds and not _NAMING & kinds:  # unlike a login form
            return True
    names = {each: f"{each.classes} {each.id}" for each in elements_around(blocks)}
    if not (prompts := find_named(names, _PROMPT, _PARTS_OF_PROMPTS)):  # as on most pages
        return False
    lines = frozenset(paragraphs)
    boxes = {block.parent for block in blocks if block.text in lines}
    if is_short:
        boxes |= {around for box in boxes for around in box.ancestry if around.tag in _ARTICLES}
    for block in blocks:
        element = block.element
        if block.text in lines or count_words(block.text) < LEAST_WORDS or element.is_unseen:
            continue
        around = next((outer for outer, here in pairwise(element.ancestry) if here in prompts), None)
        if around is not None and (around in boxes or (is_short and not boxes.isdisjoint(element.ancestry))):
            return True
    return False


def is_sponsored(blocks: Sequence[Block], fields: Fields) -> bool:
    """Tell whether the page says that the article is paid for: by its type or section, or a label at the headline.

    The label stands in a box of the headline, but not in a menu.
    """
    if fields.kind == "AdvertiserContentArticle" or phrase_key(fields.section) in SPONSORED_LABELS:
        return True
    headlines = possible_headlines(fields.title)
    at = next((at for at, each in enumerate(blocks) if is_heading(each) and lower_words(each.text) in headlines), None)
    if at is None:
        return False
    around = frozenset(blocks[at].element.ancestry)
    for block in blocks[max(at - NEAR_HEADLINE, 0) : at + 1 + NEAR_HEADLINE]:
        is_label = len(block.text) <= MAX_LABEL and block.tag != "li" and not is_heading(block)
        if is_label and not around.isdisjoint(block.element.ancestry[-3:]):
            key = phrase_key(block.text)
            if key in SPONSORED_LABELS or any(key[:length] in SPONSORED_LABELS for length in (2, 3)):
                return True
    return False


TEMPLATE_SHORT = "template_short"
"""Flag of a template's text that looks truncated."""
NO_MAIN_TEXT = "no_main_text"
"""Reason of a page on which no text was found."""
PROFILE = "profile"
"""Reason of blocks whose label the portal's profile changed."""
COMPARED = 10
"""On one page in so many, chosen by the hash of the address, the template's text is compared with the system's."""
LITTLE_WORDS = 50
"""A template's text with fewer words is always compared, and replaced by a much longer one: after a redesign that
breaks most rules, less than a lead and a paragraph remains."""
SHORT = 0.5
"""Share of the other text's characters below which a text is much shorter: a lead or a stray paragraph."""


MARKUP = re.compile(
    r"<(?:div|table|iframe|span|section|ul|figure|script)\s[^<>]*\b(?:class|style|id|src)=[\"']", re.IGNORECASE
)
"""Beginnings of paragraphs that are markup: embed codes, or placeholders that a script should have filled."""


class Extractor(Protocol):
    """A callable that extracts the article of a page. No content of a page makes it raise."""

    def __call__(self, page: Page) -> Article | Rejected:
        """Return the article on `page`, or why there is none."""
        ...


class Review(Protocol):
    """A second judge of a page's blocks, learned from other pages of the portal."""

    def __call__(self, prepared: "PreparedPage", probability: Floats, words: Floats) -> Floats:
        """Return per block the probability of main text, given its number of words and the page's own probability."""
        ...


@dataclass(frozen=True, slots=True)
class Options:
    """How an extractor reads and labels pages."""

    respect_paywall: bool = True  # the hidden text of a page declared paywalled is left out
    leave_out: tuple[Part, ...] = ()  # parts of articles to leave out; only the default system supports this
    fields_model: str = FIELDS_MODEL  # name or folder of the model that reads the fields a page does not declare
    revision: Revision = Revision()  # of the labels, for systems that decide block by block
    second_opinion: bool = True  # the default system asks another extractor where it is unsure


WHOLE = Options(respect_paywall=False)
"""Options for pages with gold text, which also has the hidden text of paywalled pages."""


@dataclass(frozen=True, slots=True)
class PreparedPage:
    """A parsed page: the input of every extractor."""

    page: Page
    html: str  # its decoded text
    # Without elements that a template removes, for extractors with a segmentation of their own; not to be modified.
    tree: HtmlElement
    blocks: tuple[Block, ...]  # without those that a template removes, and without hidden ones if `is_closed`
    fields: Fields  # title, dates and the rest
    article_body: str  # text of the article in the page's structured data, or ""
    # Paragraphs found by the template; empty without a template or a match.
    template_text: tuple[str, ...]
    evidence: tuple[Evidence, ...] = ()  # all candidates for the fields
    rule_hits: tuple[RuleHit, ...] = ()  # template rules that matched
    # The page is declared paywalled, and that is respected: only visible text is used.
    is_closed: bool = False
    all_blocks: tuple[Block, ...] = ()  # hidden ones included
    leave_out: tuple[Part, ...] = ()  # parts of articles to leave out
    review: Review | None = None  # None where the portal has no profile

    @property
    def head_title(self) -> str:
        """The text of `<title>`, or ""."""
        return collapse(self.tree.findtext("head/title") or "")


@dataclass(frozen=True, slots=True)
class ParsedPage(Page):
    """A page with its tree, shared by the extractor and other readers."""

    html: str = ""  # its decoded text
    tree: HtmlElement = field(kw_only=True)  # not to be modified
    described: PageFields | None = None  # its fields without a template, if already read


def parse_page(page: Page) -> ParsedPage | Rejected:
    """Decode and parse `page` unless it is parsed already; a rejection carries its address."""
    if isinstance(page, ParsedPage):
        return page
    html = decode(page)
    tree = html if isinstance(html, Rejected) else parse(html, page.url)
    if isinstance(html, Rejected) or isinstance(tree, Rejected):
        return tree
    given = {name: getattr(page, name) for name in Page.__slots__}
    return ParsedPage(**given, html=html, tree=tree)


def read(
    page: Page,
    template: TemplateRules | None = None,
    options: Options = Options(),
    review: Review | None = None,
) -> PreparedPage | Rejected:
    """Parse `page` if needed, segment it and read its fields; a rejection carries the page's address.

    `review` and the parts to leave out are passed to the extractors.
    """
    parsed = parse_page(page)
    if isinstance(parsed, Rejected):
        return parsed
    tree = parsed.tree
    evidence = template.read_fields(tree) if template else ()
    hits = template.hits(tree) if template else ()
    described = None if evidence or options.fields_model != FIELDS_MODEL else parsed.described
    described = described or read_fields(tree, page, evidence, options.fields_model)
    if template:
        tree = deepcopy(tree)
        template.remove_unwanted(tree)
    blocks = segment(tree)
    if excess := find_excess(blocks, page.url):
        return excess
    is_closed = options.respect_paywall and described.fields.paywalled
    return PreparedPage(
        page=page,
        html=parsed.html,
        tree=tree,
        blocks=tuple(block for block in blocks if not block.element.is_unseen) if is_closed else blocks,
        fields=described.fields,
        article_body=described.article_body,
        template_text=template.read_text(tree) if template else (),
        evidence=described.evidence,
        rule_hits=hits,
        is_closed=is_closed,
        all_blocks=blocks,
        leave_out=options.leave_out,
        review=review,
    )


@dataclass(frozen=True, slots=True)
class FoundText:
    """The main text that an extractor found."""

    paragraphs: Sequence[str]  # the main text in order, headline excluded
    extractor: str  # deciding extractor: "template:NAME@VERSION", "model:NAME@VERSION" or the extractor's name
    confidence: float = 0.0  # probability that the text is right, 0..1; 0: not stated
    flags: tuple[str, ...] = ()  # remarks, snake_case
    is_article: float | None = None  # probability that the page holds an article; None: unknown
    is_list: bool = False  # the text reads like a list of teasers
    # Source of a text that the page does not show, as in `Provenance.text`; "" for visible text.
    source: str = ""

    @property
    def is_trusted(self) -> bool:
        """Whether the confidence in the text is not low."""
        return LOW_CONFIDENCE not in self.flags


@dataclass(frozen=True, slots=True)
class SystemExtractor:
    """The extractor of a system that finds main text; all stages but `find` are the same for every system."""

    find: Callable[[PreparedPage], FoundText | Rejected]  # returns the main text, or why there is none
    # Rules of the portal; the text that they match is taken. `find` is then called only on every tenth page, and where
    # the text has few words. A text much shorter than that of `find` is flagged `template_short`, or replaced by it if
    # it has few words.
    template: TemplateRules | None = None
    options: Options = Options()
    review: Review | None = None  # from the portal's profile, for systems that use it
    seeks_listing: bool = False  # whether to look for signs of a listing, where the address promises no article

    def __call__(self, page: Page) -> Article | Rejected:
        """Return the article on `page`, or why there is none."""
        prepared = self.read(page)
        return prepared if isinstance(prepared, Rejected) else self.decide(prepared)

    def decide(self, prepared: PreparedPage) -> Article | Rejected:
        """Return the article of a parsed page, or why there is none.

        The template's text is taken, unless it is empty or has few words, fewer than half of those of `find`.
        """
        text, template = prepared.template_text, self.template
        found: FoundText | Rejected
        if template and text:
            has_little = count_words(" ".join(text)) < LITTLE_WORDS
            is_asked = has_little or not int(document_id(prepared.page.url), 16) % COMPARED
            other = self.find(prepared) if is_asked else None
            is_short = isinstance(other, FoundText) and sum(map(len, text)) < SHORT * sum(map(len, other.paragraphs))
            if other is None or not (has_little and is_short):
                name, flags = f"template:{template.name}@{template.version}", (TEMPLATE_SHORT,) * is_short
                other = FoundText(text, name, 1.0, flags, is_article=1.0)
            found = other
        else:
            found = self.find(prepared)
        return found if isinstance(found, Rejected) else assemble(prepared, found, seeks_listing=self.seeks_listing)

    def read(self, page: Page) -> PreparedPage | Rejected:
        """Prepare a page for `find`."""
        return read(page, self.template, self.options, self.review)

    def after(self, prepared: PreparedPage) -> Extractor:
        """Return this extractor for callers that hold `prepared`, so that its page is not parsed again."""
        return lambda page: self.decide(prepared) if page is prepared.page else self(page)


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockSystemExtractor(SystemExtractor):
    """The extractor of a system that labels blocks one by one and can return the labels."""

    # Returns the blocks of a parsed page with their final labels.
    label_blocks: Callable[[PreparedPage], tuple[LabelledBlock, ...]]

    def label(self, page: Page) -> tuple[LabelledBlock, ...]:
        """Return every block of `page` with its label; empty where the page cannot be parsed."""
        prepared = self.read(page)
        return () if isinstance(prepared, Rejected) else self.label_blocks(prepared)


def good_paragraphs(labelled: Sequence[LabelledBlock]) -> list[str]:
    """Return the texts of the good blocks, in order."""
    return [item.block.text for item in labelled if item.is_good]


def assemble(prepared: PreparedPage, found: FoundText, *, seeks_listing: bool = False) -> Article | Rejected:
    """Make the article, with markup paragraphs removed and mojibake repaired; reject an empty text."""
    prose = [each for each in found.paragraphs if not MARKUP.match(each)]
    shows_code = len(prose) < len(found.paragraphs) and next(prepared.tree.iter("pre", "code"), None) is not None
    shown = "\n".join(filter(None, found.paragraphs if shows_code else prose))
    if not shown:
        return Rejected("extract", NO_MAIN_TEXT, url=prepared.page.url)
    text, fields, url, listing = repair(shown), prepared.fields, prepared.page.url, ""
    if found.source:
        fields = replace(fields, provenance=replace(fields.provenance, text=found.source))
    else:
        images = find_images(prepared.tree, url, prepared.all_blocks, found.paragraphs, fields.images)
        is_closed = fields.paywalled or is_locked(prepared.tree, prepared.blocks, found.paragraphs)
        agencies = dict.fromkeys((*fields.agencies, *_agencies_below(prepared.blocks, found.paragraphs)))
        fields = replace(fields, images=images, paywalled=is_closed, agencies=tuple(agencies))
        is_declared = fields.declares_date or fields.kind in ARTICLES
        if seeks_listing:
            listing = find_listing(prepared.tree, url, found.paragraphs, is_declared=is_declared)
    return Article(
        url=url,
        text=text,
        fields=repair_fields(fields),
        extractor=found.extractor,
        confidence=found.confidence,
        flags=(
            *found.flags,
            *(REPAIRED,) * (text != shown),
            *(SPONSORED,) * is_sponsored(prepared.all_blocks or prepared.blocks, fields),
        ),
        fetched=prepared.page.fetched,
        capture=prepared.page.capture,
        rule_hits=prepared.rule_hits,
        is_article=found.is_article,
        is_list=found.is_list,
        listing=listing,
    )


def _agencies_below(blocks: Sequence[Block], paragraphs: Sequence[str]) -> Iterator[str]:
    """Yield the agencies that a line near the end of the text names alone."""
    lines = frozenset(paragraphs)
    last = max((at for at, block in enumerate(blocks) if block.text in lines), default=len(blocks))
    for block in blocks[max(last - NEAR_TEXT, 0) : last + 1 + NEAR_TEXT]:
        yield from agencies_alone(block.text)


def join(first: Article, others: Sequence[Article]) -> Article:
    """Join the articles of several pages; repeated paragraphs of the other pages are dropped.

    Fields come from the first page, but images from all; the confidence is the lowest, and the flags are the union and
    `several_pages`.
    """
    pages = (first, *others)
    paragraphs = dict.fromkeys(line for article in pages for line in article.text.split("\n"))
    if len(paragraphs) == len(set(first.text.split("\n"))):
        return first
    return replace(
        first,
        text="\n".join(paragraphs),
        fields=replace(first.fields, images=merge_images(image for page in pages for image in page.fields.images)),
        confidence=min(article.confidence for article in pages),
        flags=(*dict.fromkeys(flag for article in pages for flag in article.flags), "several_pages"),
    )
