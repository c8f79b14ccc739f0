"""Turn a page into an article: read it once, let a template or a system decide, assemble what was found.

The module follows a page from top to bottom: what an extractor is; `read`, which gives all that extractors decide on;
`SystemExtractor`, which names every stage once and in order; `assemble`, which makes the article; and `join`, which
makes one article of several pages.
"""

import re
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Protocol

from lxml.html import HtmlElement

from newscorpus.arrays import Floats
from newscorpus.config import Limits, Part
from newscorpus.data import (
    LOW_CONFIDENCE,
    Article,
    Block,
    Evidence,
    Fields,
    Label,
    LabelledBlock,
    Page,
    Rejected,
    RuleHit,
)
from newscorpus.page.fields import read_fields
from newscorpus.page.fields.learned import MODEL as FIELDS_MODEL
from newscorpus.page.fields.reading import FieldReading
from newscorpus.page.fields.structured import ARTICLES
from newscorpus.page.listing import find_listing
from newscorpus.page.locks import is_locked
from newscorpus.page.parsing.decode import REPAIRED, decode, repair, repair_fields
from newscorpus.page.parsing.parse import parse
from newscorpus.page.parsing.segment import find_excess, segment
from newscorpus.page.template import TemplateRules
from newscorpus.page.text.post_analysis import revise
from newscorpus.tokens import collapse, count_words
from newscorpus.urls import document_id

TEMPLATE_SHORT = "template_short"
"""Flag of a text of a template that looks cut off."""
NO_MAIN_TEXT = "no_main_text"
"""Reason of a page on which no text was found."""
PROFILE = "profile"
"""Reason of the blocks on which the other pages of the portal decided otherwise than the model."""
COMPARED = 10
"""One page in so many, by the hash of its address, on which the text of a template is compared."""
LITTLE_WORDS = 50
"""Words below which the text of a template is compared on every page, and left for a much longer one: fewer than a lead
and a paragraph have, which is what remains where a redesign has taken the place of most of the rules."""
SHORT = 0.5
"""Share of the characters below which a text is much shorter: less than half of it is a lead or a stray paragraph."""


MARKUP = re.compile(
    r"<(?:div|table|iframe|span|section|ul|figure|script)\s[^<>]*\b(?:class|style|id|src)=[\"']", re.IGNORECASE
)
"""How a paragraph begins that is markup: code to embed an article, or what a script should have put in place."""


class Extractor(Protocol):
    """Anything that makes an article of a page. Never raises for what a page may hold."""

    def __call__(self, page: Page) -> Article | Rejected:
        """The article on `page`, or why there is none."""
        ...


class BlockExtractor(Extractor, Protocol):
    """An extractor that decides block by block and can show its verdicts."""

    def label(self, page: Page) -> tuple[LabelledBlock, ...]:
        """Every block of `page` with the verdict on it; empty where the page cannot be read."""
        ...


class Review(Protocol):
    """What is known of a portal from its other pages, and judges the blocks of a page again."""

    def __call__(self, reading: "Reading", probability: Floats, words: Floats) -> Floats:
        """Per block the probability of being main text, from the one that the page alone gives and its words."""
        ...


@dataclass(frozen=True, slots=True)
class Reading:
    """A page that was read: all that extractors decide on."""

    page: Page
    html: str  # its decoded text
    # The parsed page, without what a template removes, for extractors that cut it in their own way; nobody changes it.
    tree: HtmlElement
    blocks: tuple[Block, ...]  # its blocks, without what a template removes, and without hidden ones if it is closed
    fields: Fields  # title, dates and the rest
    article_body: str  # the text that the page's structured data gives for the article, or ""
    # The paragraphs that a template finds; empty where there is none, or it finds nothing.
    template_text: tuple[str, ...]
    evidence: tuple[Evidence, ...] = ()  # every candidate of every source for the fields
    rule_hits: tuple[RuleHit, ...] = ()  # the rules of a template that find something
    limits: Limits = Limits()  # those within which it was read
    # The page is declared not free, and that is respected: only what it shows is read.
    is_closed: bool = False
    all_blocks: tuple[Block, ...] = ()  # its blocks, and hidden ones in any case
    leave_out: tuple[Part, ...] = ()  # parts of articles that are not wanted
    review: Review | None = None  # None where nothing is known of the portal

    @property
    def head_title(self) -> str:
        """The text of `<title>`, or ""."""
        return collapse(self.tree.findtext("head/title") or "")


@dataclass(frozen=True, slots=True)
class ParsedPage(Page):
    """A page that is parsed already, for those who read more of it than the extractor does."""

    html: str = ""  # its decoded text
    tree: HtmlElement = field(kw_only=True)  # nobody changes it
    described: FieldReading | None = None  # its fields, where they were read, without a template


def parse_page(page: Page, limits: Limits = Limits()) -> ParsedPage | Rejected:
    """Decode and parse `page` unless it is parsed already; a rejection carries its address."""
    if isinstance(page, ParsedPage):
        return page
    html = decode(page, limits)
    tree = html if isinstance(html, Rejected) else parse(html, page.url, limits)
    if isinstance(html, Rejected) or isinstance(tree, Rejected):
        return tree
    given = {name: getattr(page, name) for name in Page.__slots__}
    return ParsedPage(**given, html=html, tree=tree)


def read(
    page: Page,
    template: TemplateRules | None = None,
    limits: Limits = Limits(),
    *,
    respect_paywall: bool = True,
    leave_out: tuple[Part, ...] = (),
    fields_model: str = FIELDS_MODEL,
) -> Reading | Rejected:
    """Segment `page`, parsed if it is not yet, and read its fields; a rejection carries the page's address.

    Hidden blocks of a page that is declared not free are left out where `respect_paywall` is true; `leave_out` is
    handed on to the extractors; `fields_model` reads the fields that the page does not declare.
    """
    parsed = parse_page(page, limits)
    if isinstance(parsed, Rejected):
        return parsed
    tree = parsed.tree
    evidence = template.read_fields(tree) if template else ()
    hits = template.hits(tree) if template else ()
    described = None if evidence or fields_model != FIELDS_MODEL else parsed.described
    described = described or read_fields(tree, page, evidence, fields_model)
    if template:
        tree = deepcopy(tree)
        template.remove_unwanted(tree)
    blocks = segment(tree, limits)
    if excess := find_excess(blocks, limits, page.url):
        return excess
    is_closed = respect_paywall and described.fields.paywalled
    return Reading(
        page=page,
        html=parsed.html,
        tree=tree,
        blocks=tuple(block for block in blocks if not block.element.is_unseen) if is_closed else blocks,
        fields=described.fields,
        article_body=described.article_body,
        template_text=template.read_text(tree) if template else (),
        evidence=described.evidence,
        rule_hits=hits,
        limits=limits,
        is_closed=is_closed,
        all_blocks=blocks,
        leave_out=leave_out,
    )


@dataclass(frozen=True, slots=True)
class FoundText:
    """The main text that an extractor found."""

    paragraphs: Sequence[str]  # the main text in order, headline excluded
    extractor: str  # what decided: "template:NAME@VERSION", "model:NAME@VERSION" or the extractor's name
    confidence: float = 0.0  # probability that the text is right, 0..1; 0 where the extractor does not say
    flags: tuple[str, ...] = ()  # remarks, snake_case
    is_article: float | None = None  # probability that the page holds an article; None where nothing says
    is_list: bool = False  # the text reads like a list of teasers
    # Where the text stands that the page does not show, as `Provenance.text` names it; "" for what it shows.
    source: str = ""

    @property
    def is_trusted(self) -> bool:
        """Whether the confidence in the text is not low."""
        return LOW_CONFIDENCE not in self.flags


@dataclass(frozen=True, slots=True)
class SystemExtractor:
    """The extractor of a system that finds main text; all stages but `find` are the same for every system."""

    find: Callable[[Reading], FoundText | Rejected]  # the main text of a page that was read, or why there is none
    # Rules of the portal; where they give a text, that is taken. `find` is asked then on every tenth page, and where
    # they give few words, only. A text much shorter than what it finds has the flag `template_short`; where that text
    # has few words, what `find` gives is taken in its place.
    template: TemplateRules | None = None
    respect_paywall: bool = True  # text that a page declared not free does not show is not used
    leave_out: tuple[Part, ...] = ()  # parts of articles that are not wanted; only the default system knows them
    review: Review | None = None  # what is known of the portal, for a system that asks for it
    fields_model: str = FIELDS_MODEL  # name or folder of the model that reads the fields a page does not declare

    def __call__(self, page: Page) -> Article | Rejected:
        """The article on `page`, or why there is none."""
        reading = self.read(page)
        return reading if isinstance(reading, Rejected) else self.decide(reading)

    def decide(self, reading: Reading) -> Article | Rejected:
        """The article of what was read, or why there is none."""
        by_template = self._by_template(self.template, reading) if self.template else None
        found = by_template or self.find(reading)
        return found if isinstance(found, Rejected) else assemble(reading, found)

    def read(self, page: Page) -> Reading | Rejected:
        """What `find` gets of a page."""
        reading = read(
            page,
            self.template,
            respect_paywall=self.respect_paywall,
            leave_out=self.leave_out,
            fields_model=self.fields_model,
        )
        return reading if isinstance(reading, Rejected) else replace(reading, review=self.review)

    def after(self, reading: Reading) -> Extractor:
        """This extractor, for those who have read a page already: it does not read that one again."""
        return lambda page: self.decide(reading) if page is reading.page else self(page)

    def _by_template(self, template: TemplateRules, reading: Reading) -> FoundText | None:
        """What the template finds; None where that is nothing, or too little beside what `find` does."""
        text = reading.template_text
        if not text:
            return None
        has_little = count_words(" ".join(text)) < LITTLE_WORDS
        is_asked = has_little or not int(document_id(reading.page.url), 16) % COMPARED
        other = self.find(reading) if is_asked else None
        is_short = isinstance(other, FoundText) and sum(map(len, text)) < SHORT * sum(map(len, other.paragraphs))
        if has_little and is_short:
            return None
        flags = (TEMPLATE_SHORT,) if is_short else ()
        return FoundText(text, f"template:{template.name}@{template.version}", 1.0, flags, is_article=1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockSystemExtractor(SystemExtractor):
    """The extractor of a system that decides block by block and can show its verdicts."""

    # The blocks of a page that was read, with the final verdict on each.
    label_blocks: Callable[[Reading], tuple[LabelledBlock, ...]]

    def label(self, page: Page) -> tuple[LabelledBlock, ...]:
        """Every block of `page` with the verdict on it; empty where the page cannot be read."""
        reading = self.read(page)
        return () if isinstance(reading, Rejected) else self.label_blocks(reading)


class BlockSystem(Protocol):
    """A system that decides block by block; `name` says what decides."""

    name: str

    def label(self, reading: Reading) -> tuple[LabelledBlock, ...]:
        """The blocks of what was read, with the final verdict on each."""
        ...


def keep_good(system: BlockSystem, template: TemplateRules | None = None) -> BlockSystemExtractor:
    """The extractor whose text is the blocks that `system` labels good, without the headline, which is the title."""

    def label(reading: Reading) -> tuple[LabelledBlock, ...]:
        return revise(system.label(reading), reading.fields.title)

    return BlockSystemExtractor(
        find=lambda reading: FoundText(good_paragraphs(label(reading)), system.name),
        template=template,
        label_blocks=label,
    )


def good_paragraphs(labelled: Sequence[LabelledBlock]) -> list[str]:
    """The texts of the good blocks, in order."""
    return [item.block.text for item in labelled if item.label is Label.GOOD]


def assemble(reading: Reading, found: FoundText) -> Article | Rejected:
    """The article of what was read and found, without paragraphs of markup and mojibake; rejected where no text is."""
    prose = [each for each in found.paragraphs if not MARKUP.match(each)]
    shows_code = len(prose) < len(found.paragraphs) and next(reading.tree.iter("pre", "code"), None) is not None
    shown = "\n".join(filter(None, found.paragraphs if shows_code else prose))
    if not shown:
        return Rejected("extract", NO_MAIN_TEXT, url=reading.page.url)
    text, fields = repair(shown), repair_fields(reading.fields)
    if not fields.paywalled and not found.source and is_locked(reading.tree, reading.blocks, found.paragraphs):
        fields = replace(fields, paywalled=True)
    listing = ""
    if not found.source:
        is_declared = fields.declares_date or fields.kind in ARTICLES
        listing = find_listing(reading.tree, reading.page.url, found.paragraphs, is_declared=is_declared)
    return Article(
        url=reading.page.url,
        text=text,
        fields=replace(fields, provenance=replace(fields.provenance, text=found.source)) if found.source else fields,
        extractor=found.extractor,
        confidence=found.confidence,
        flags=found.flags if text == shown else (*found.flags, REPAIRED),
        fetched=reading.page.fetched,
        capture=reading.page.capture,
        rule_hits=reading.rule_hits,
        is_article=found.is_article,
        is_list=found.is_list,
        listing=listing,
    )


def join(first: Article, others: Sequence[Article]) -> Article:
    """The article of several pages: `first`, and the paragraphs of the others that do not stand before them.

    The fields are those of the first page, the confidence is the lowest of all, and the flags are those of all and
    `several_pages`.
    """
    pages = (first, *others)
    paragraphs = dict.fromkeys(line for article in pages for line in article.text.split("\n"))
    if len(paragraphs) == len(set(first.text.split("\n"))):
        return first
    return replace(
        first,
        text="\n".join(paragraphs),
        confidence=min(article.confidence for article in pages),
        flags=(*dict.fromkeys(flag for article in pages for flag in article.flags), "several_pages"),
    )
