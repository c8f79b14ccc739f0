"""Define what is asked of a judge of pages, and what it returns; the judge itself runs in worker processes."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from newscorpus.data import Article, Page, Rejected, RuleHit
from newscorpus.page.recipe import Recipe
from newscorpus.page.refusals import WALLS
from newscorpus.page.rows import Row
from newscorpus.page.source_page import SourcePage
from newscorpus.workers import ByName, Lost

if TYPE_CHECKING:
    from newscorpus.page.extractor import Extractor
    from newscorpus.page.profiles.learn import SeenPage


@dataclass(frozen=True, slots=True)
class PartLink:
    """A link that may lead to another page of the same article."""

    url: str  # absolute address
    number: int = 0  # page number in its text; 0: none
    is_next: bool = False  # the link has `rel=next`


@dataclass(frozen=True, slots=True)
class PageReading:
    """What discovery needs of a page; everything is empty for a page that cannot be parsed."""

    # Absolute addresses without fragment, in document order, deduplicated; http, https and file. Includes the next page
    # and the target of a refresh. Addresses of articles that only scripts receive come last.
    links: tuple[str, ...] = ()
    # Hash of the longest headline in the links to each of `links`, in the same order; 0 for none.
    headlines: tuple[int, ...] = ()
    # The address that the page gives as its own (`rel=canonical`), absolute; "" where it gives none.
    canonical: str = ""
    # Possible feeds and sitemaps: declared ones first, then links whose address looks like one.
    lists: tuple[str, ...] = ()
    part_links: tuple[PartLink, ...] = ()  # links that may lead to other pages of an article
    # `<title>` and first headline, case-folded and without numbers.
    names: tuple[str, ...] = ()
    is_amp: bool = False  # the page declares itself an AMP version: `<html amp>` or `<html ⚡>`
    # 16 hex digits, equal for pages with the same headings and paragraphs; "" where there is too little text. Links are
    # left out and every number counts as 0: menus, counters and dates differ between copies of a page.
    signature: str = ""
    # In text outside links, menus included: pages of the same signature may differ in table cells.
    letters: int = 0
    # Hash of all text, links included, and of the articles linked: some section pages differ only in these.
    shown: str = ""
    # Day of publication; None where unknown, or where articles of all days are kept.
    published: date | None = None


NO_LINKS = PageReading()


@dataclass(frozen=True, slots=True)
class Rules:
    """Settings shared by many pages; those of a portal's file come with its pages."""

    recipe: Recipe | None  # how pages become rows; None: only links are read
    reads_links: bool = False  # also read links and markup, as a crawl does
    days: tuple[date, date] | None = None  # first and last day of the articles to keep; None: all days
    extractor: "Extractor | None" = None  # replaces the recipe's
    for_profile: bool = False  # only label the blocks by the model alone, to learn a profile from them


@dataclass(frozen=True, slots=True)
class Judgement:
    """The result of judging a page."""

    # None: not requested, outside the requested days, or one of several pages.
    outcome: Row | Rejected | None = None
    links: PageReading = NO_LINKS  # empty unless requested
    article: Article | None = None  # of one page of several, still to be joined
    rule_hits: tuple[RuleHit, ...] | None = None  # of the portal's template; None: there was no text to judge
    is_short: bool = False  # the template's text is much shorter than the extractor's
    markup: frozenset[str] = frozenset()  # signs of its markup; empty unless links are read
    seen: "SeenPage | None" = None  # its labelled blocks, if requested and it holds an article

    @property
    def decided(self) -> Row | Rejected:
        """Return the outcome of a page that was judged with a recipe and its further pages."""
        assert self.outcome is not None  # noqa: S101 -- the caller's promise
        return self.outcome

    @property
    def wall(self) -> Rejected | None:
        """Return the wall that replaces the page, if any."""
        return self.outcome if isinstance(self.outcome, Rejected) and self.outcome.reason in WALLS else None


def lost_page(page: SourcePage, lost: Lost) -> Rejected:
    """Reject a page whose process was killed or died."""
    return Rejected("extract", lost.reason, lost.detail, page.page.url)


extractor_of: "Callable[..., Extractor]" = ByName("newscorpus.page.loading:extractor_of")
judge: Callable[[SourcePage, Rules], Judgement] = ByName("newscorpus.page.judge:judge")
process_page: Callable[[Recipe, SourcePage | Page], Row | Rejected] = ByName("newscorpus.page.judge:process_page")
prepare: Callable[[Recipe], None] = ByName("newscorpus.page.loading:prepare")
read_page: Callable[[Page], PageReading] = ByName("newscorpus.page.links:read_page")
"""Functions for processes that let their workers read pages, and so need not load what reads them."""
