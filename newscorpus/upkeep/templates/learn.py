"""Learn the template of a portal from its archived pages, and keep what a person says of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from newscorpus.crawl.ledger.looks import alarms
from newscorpus.crawl.ledger.views.addresses import find
from newscorpus.data import Article, Rejected
from newscorpus.errors import CorpusError
from newscorpus.extraction.extractor import read
from newscorpus.extraction.fields.people import squeezed
from newscorpus.gold.marking import MarkedBlock, MarkLine, journal_of, place_of, save_mark
from newscorpus.gold.pages import MEASURE
from newscorpus.portals.portal import NO_RULES, Portal, TemplateSection
from newscorpus.portals.writing import Notes
from newscorpus.profiles.learn import sample_key
from newscorpus.recipe import Recipe, SourcePage, extract_article, extractor_of
from newscorpus.upkeep.check import LEAST_PAGES, FieldCheck, PortalCheck, Watcher, check_pages, chosen_pages
from newscorpus.upkeep.templates.field_rules import find_field_rules
from newscorpus.upkeep.templates.lessons import solve
from newscorpus.upkeep.templates.text_rules import find_text_rules

SHOWN_PAGES = 5
"""Pages that a person is asked about."""


@dataclass(frozen=True, slots=True)
class LearnedTemplate:
    """A template that was learned, and how it did on the pages of the design that it is for."""

    rules: TemplateSection
    check: PortalCheck
    pages: tuple[SourcePage, ...]  # with the template


def learn_template(
    corpus: Path, portal: Portal, recipe: Recipe, jobs: int = 1, watch: Watcher = lambda found: found
) -> LearnedTemplate:
    """Learn the rules of the design since the last redesign that was noticed; arguments and errors as for `check`.

    Raises:
        CorpusError: there are too few pages with an article, or no rule finds on most of them what the model finds.
    """
    since = max((one.since for one in alarms(corpus, portal.name)), default="")
    pages = chosen_pages(corpus, portal, recipe, since)
    lessons = solve(recipe, pages, jobs, watch)
    if len(lessons) < LEAST_PAGES:
        raise CorpusError(
            f"{corpus}: {len(lessons)} pages with an article of portal {portal.name}; {LEAST_PAGES} are the least"
        )
    rules = TemplateSection(**find_text_rules(lessons), **find_field_rules(lessons))
    if rules == NO_RULES:
        raise CorpusError(f"{corpus}: no rule finds what the model finds; it reads {portal.name} better by itself")
    with_rules = tuple(replace(page, template=rules) for page in pages)
    return LearnedTemplate(rules, check_pages(corpus, with_rules, recipe, jobs, watch), with_rules)


def notes_of(check: PortalCheck) -> Notes:
    """Say of each rule on how many pages it hits, and of each field how it agrees with the model and others."""
    fields = {(one.field, ""): _note(one) for one in check.fields}
    return fields | {(one.field, one.rule): f"hits {one.hits} of {one.pages} pages" for one in check.rules}


def _note(field: FieldCheck) -> str:
    others = (("the model", field.model), ("structured data", field.structured), ("what was marked", field.marks))
    said = [f"{name} on {same} of {same + other}" for name, (same, other) in others if same + other]
    return f"pages as {', '.join(said)}" if said else "nothing to compare with"


def pages_to_show(pages: Sequence[SourcePage]) -> list[SourcePage]:
    """Choose the pages that a person is asked about, by the hash of their address."""
    return sorted(pages, key=lambda page: sample_key(page.page.url))


def read_by_template(recipe: Recipe, page: SourcePage) -> Article | None:
    """The article that the template of a page gives; None where it gives none."""
    found = extract_article(extractor_of(recipe, page), page)
    return found if isinstance(found, Article) and found.extractor.startswith("template:") else None


def keep_answer(corpus: Path, page: SourcePage, article: Article, who: str, *, is_right: bool) -> None:
    """Keep a person's answer as marks: a right page is done, a wrong one is begun, to be marked in the browser.

    Raises:
        CorpusError: the ledger does not know where the page lies.
    """
    entry = find(corpus, page.page.url)
    if entry is None or not entry.archived[0]:
        raise CorpusError(f"{page.page.url}: the ledger knows no archived page of it; the answer cannot be kept")
    reading = read(page.page)
    blocks = () if isinstance(reading, Rejected) else reading.blocks
    wanted = set(map(squeezed, article.text.split("\n")))
    kinds = {squeezed(article.fields.title): "title"} | dict.fromkeys(wanted, "good")
    marked = tuple(
        MarkedBlock(block.position, kind, block.element.path, block.text)
        for block in blocks
        if is_right and (kind := kinds.get(squeezed(block.text)))
    )
    place = place_of(*entry.archived) if is_right else None
    now = datetime.now(UTC).isoformat(timespec="seconds")
    line = MarkLine(page.page.url, MEASURE, who, now, marked, place, len(blocks) if is_right else 0)
    save_mark(journal_of(corpus, page.source), line)
