"""Parse a page of a crawl once, for what discovery needs of it and for what becomes of it."""

from dataclasses import dataclass, replace

from newscorpus.data import Rejected
from newscorpus.discover.listing import read_day
from newscorpus.discover.period import ALWAYS, Period
from newscorpus.page.extractor import parse_page
from newscorpus.page.fields import read_fields
from newscorpus.page.judge import judge_page
from newscorpus.page.links import FIRST_FOLLOWING, PageReading, first_part, next_part, read_tree
from newscorpus.page.profiles.names import markup_signs
from newscorpus.page.recipe import Recipe
from newscorpus.page.rows import Row
from newscorpus.page.source_page import JudgedPage, SourcePage
from newscorpus.page.walls import WALLS, find_wall
from newscorpus.portal.addresses import PROMISING

WALL_LINKS = 30
"""Links from which on a page that is read for these is what it should be: sections have more, walls have a menu."""


@dataclass(frozen=True, slots=True)
class ReadPage:
    """What one parse of a page gives to a crawl."""

    reading: PageReading  # what discovery needs
    # What became of it; None where that is not asked, or depends on further pages; a wall is noted always.
    judged: JudgedPage | None = None

    @property
    def wall(self) -> Rejected | None:
        """The wall that stands in place of the page."""
        outcome = self.judged.outcome if self.judged else None
        return outcome if isinstance(outcome, Rejected) and outcome.reason in WALLS else None


def read_and_judge(recipe: Recipe | None, page: SourcePage, period: Period) -> ReadPage:
    """Parse a page once, read it for discovery, and judge it.

    Args:
        recipe: as for `judge_page`; None: it is only read.
        page: may hold an article.
        period: the days of articles; one of another day is not judged, nor one that goes on on further pages. Where the
            address does not promise an article, its first page has to be one by itself: lists have further pages, too.
    """
    parsed = parse_page(page.page)
    if isinstance(parsed, Rejected):
        return ReadPage(PageReading(), judge_page(recipe, page) if recipe else None)
    reading = read_tree(parsed.tree, parsed.url)
    if period != ALWAYS:
        described = read_fields(parsed.tree, parsed)
        parsed = replace(parsed, described=described)
        reading = replace(reading, published=read_day(described.fields.published))
    goes_on = next_part(parsed.url, FIRST_FOLLOWING, reading.part_links)
    if recipe is None:
        wall = find_wall(parsed, None, parsed.tree) if len(reading.links) < WALL_LINKS else None
        return ReadPage(reading, JudgedPage(wall) if wall else None)
    if (goes_on and page.trust in PROMISING) or not period.takes(reading.published):
        return ReadPage(reading)
    markup = markup_signs(parsed.tree)  # before the template removes anything
    judged = judge_page(recipe, replace(page, page=parsed))
    if isinstance(judged.outcome, Row):
        if first := first_part(parsed.url, reading.part_links):
            judged = JudgedPage(Rejected("discovery", "part_of_another", f"of {first}", parsed.url))
        elif goes_on:
            return ReadPage(reading)
    return ReadPage(reading, replace(judged, markup=markup))
