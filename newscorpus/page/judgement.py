"""Define what is asked of a judge of pages, and what it returns; the judge itself runs in worker processes.

`RuleTally` counts the template rules that matched the judged pages.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from newscorpus.data import Article, Page, Rejected, RuleHit
from newscorpus.page.recipe import Recipe
from newscorpus.page.refusals import WALLS
from newscorpus.page.rows import Row
from newscorpus.page.source_page import SourcePage
from newscorpus.portal.portal import TemplateSection
from newscorpus.tokens import number_of
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
class PageLinks:
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
    forbids_following: bool = False  # the page asks robots not to follow its links: `<meta name=robots>`
    is_amp: bool = False  # the page declares itself an AMP version: `<html amp>` or `<html ⚡>`
    # Address of the same page in the first of its language's scripts (`hreflang`), if this one is in another; else "".
    first_script: str = ""
    # 16 hex digits, equal for pages with the same headings and paragraphs; "" where there is too little text. Links are
    # left out and every number counts as 0: menus, counters and dates differ between copies of a page.
    signature: str = ""
    # In text outside links, menus included: pages of the same signature may differ in table cells.
    letters: int = 0
    # Hash of all text, links included, and of the articles linked: some section pages differ only in these.
    shown: str = ""
    # Day of publication; None where unknown, or where articles of all days are kept.
    published: date | None = None


NO_LINKS = PageLinks()


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
    links: PageLinks = NO_LINKS  # empty unless requested
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


class RuleTally:
    """Counts per portal and template rule of the pages on which it matches."""

    def __init__(self) -> None:
        self._pages: Counter[tuple[str, str, str]] = Counter()
        self._short: Counter[str] = Counter()
        self._found: Counter[tuple[str, str, str]] = Counter()
        self._misfits: dict[tuple[str, str, str], str] = {}

    def add(self, page: SourcePage, judged: Judgement) -> Mapping[str, int]:
        """Count a judged page; return the increment of each rule's count, by PORTAL/FIELD/RULE."""
        if page.template is None or judged.rule_hits is None:
            return {}
        source, by_rule = page.source, {(hit.field, hit.position): hit for hit in judged.rule_hits}
        added: Counter[tuple[str, str, str]] = Counter()
        for key in TemplateSection.__slots__:
            for position, rule in enumerate(getattr(page.template, key)):
                hit = by_rule.get((key, position))
                added[source, key, rule] += bool(hit)
                if hit and hit.misfit:
                    self._misfits.setdefault((source, key, rule), hit.misfit)
        self._pages.update(added.keys())
        self._short[source] += judged.is_short
        self._found.update(added)  # with the zeros
        return {"/".join(rule_of): n for rule_of, n in added.items()}

    def warnings(self) -> Iterator[str]:
        """Yield warnings of rules without matches or with implausible values, and of truncated texts."""
        for (source, key, rule), n in self._found.items():
            if not n:
                pages = self._pages[source, key, rule]
                yield f"template of {source}: the rule {rule!r} of {key} found nothing on {number_of(pages, 'page')}"
        for (source, key, rule), value in self._misfits.items():
            yield f"template of {source}: the rule {rule!r} of {key} finds what cannot be its value, such as {value!r}"
        for source, n in self._short.items():
            if n:
                yield (
                    f"template of {source}: pages whose text is less than half as long as the extractor finds it: {n}"
                    " of the tenth that is compared; their rows have the flag template_short"
                )


def lost_page(page: SourcePage, lost: Lost) -> Rejected:
    """Reject a page whose process was killed or died."""
    return Rejected("extract", lost.reason, lost.detail, page.page.url)


extractor_of: "Callable[..., Extractor]" = ByName("newscorpus.page.loading:extractor_of")
judge: Callable[[SourcePage, Rules], Judgement] = ByName("newscorpus.page.judge:judge")
process_page: Callable[[Recipe, SourcePage | Page], Row | Rejected] = ByName("newscorpus.page.judge:process_page")
prepare: Callable[[Recipe], None] = ByName("newscorpus.page.loading:prepare")
read_page: Callable[[Page], PageLinks] = ByName("newscorpus.page.links:read_page")
"""Functions for processes that let their workers read pages, and so need not load what reads them."""
