"""Check a portal's file against the pages of its archive: which rules hit, and whether what they find is right."""

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from newscorpus.config import Limits
from newscorpus.data import Rejected
from newscorpus.lab.gold.pages import GoldPage, read_pages
from newscorpus.layout import GOLD
from newscorpus.page.recipe import Recipe, add_profile
from newscorpus.page.source_page import SourcePage
from newscorpus.portal.addresses import AddressTrust
from newscorpus.portal.portal import Portal, TemplateSection
from newscorpus.portal.profile import profiles_of
from newscorpus.store.archives import archive_files, finished_captures, page_of_capture
from newscorpus.store.ledger.looks import alarms
from newscorpus.store.ledger.views.addresses import unfinished_captures
from newscorpus.upkeep.examine import COMPARED_FIELDS, Compared, Examined, MarkedPage, examine
from newscorpus.urls import document_id
from newscorpus.workers import Lost, in_order

MOST_PAGES = 300
"""Pages that are examined of an archive, chosen by the hash of their address; a share is then off by 0.06 at most."""
LEAST_PAGES = 5
"""Fewest pages with an article that say something of a rule."""
MOST_MISSED = 0.1
"""Share of the pages on which the template may find no text, or one cut short: galleries and films are as many."""
MOST_WRONG = 0.2
"""Share of the values that may differ from the structured data: sites write other headlines and names for machines."""
EXAMPLES = 3

Watcher = Callable[[Iterable[Examined | None]], Iterable[Examined | None]]


@dataclass(frozen=True, slots=True)
class RuleCheck:
    """How a rule did on the pages of its version of the template."""

    field: str
    rule: str
    pages: int  # that go by it
    hits: int  # on which it found something
    misfits: tuple[str, ...]  # values that cannot be what the field is, by examples


@dataclass(frozen=True, slots=True)
class FieldCheck:
    """How a field did; the pairs count pages that agree and pages that differ."""

    field: str
    filled: int  # pages with a value
    empty: int
    by_template: int  # of the filled, those by a rule
    model: tuple[int, int]  # with what is found without the template
    structured: tuple[int, int]  # with what the page states to machines
    marks: tuple[int, int]  # with what a person marked
    examples: tuple[str, ...]  # addresses that differ from one of them


@dataclass(frozen=True, slots=True)
class PortalCheck:
    """What came of a check."""

    pages: int  # with an article
    rules: tuple[RuleCheck, ...]
    fields: tuple[FieldCheck, ...]
    failed: Mapping[str, str]  # the checks that failed, by name, each with what is wrong
    warnings: tuple[str, ...]


def check(
    corpus: Path, portal: Portal, recipe: Recipe, jobs: int = 1, watch: Watcher = lambda found: found
) -> PortalCheck:
    """Run a portal's file over the archive of a corpus.

    Args:
        corpus: its folder.
        portal: what its file says now.
        recipe: how pages are extracted.
        jobs: number of processes.
        watch: shows the progress.

    Raises:
        ArchiveError: there is no archive, or it cannot be read.
        PagesError: a file of marked pages cannot be read.
        ValueError, ImportError: the recipe is wrong.
    """
    marks = marked_pages(corpus)
    given = [MarkedPage(page, marks.get(page.page.url)) for page in _chosen_pages(corpus, portal, recipe)]
    results = in_order(partial(examine, recipe), given, jobs, Limits().page_seconds)
    found = watch(None if isinstance(one, Lost) else one for _, one in results)
    pairs = [(one.page.template, page) for one, page in zip(given, found, strict=True) if page]
    rules = tuple(_rules(pairs))
    fields = tuple(_field(name, [page for _, page in pairs]) for name in COMPARED_FIELDS)
    failed = dict(_failures(pairs, rules, fields))
    if redesigns := [str(one) for one in alarms(corpus, portal.name) if not one.until]:
        failed["redesign"] = redesigns[-1]
    never = (one for one in rules if one.pages >= LEAST_PAGES and not one.hits)
    warnings = tuple(f"the rule {one.rule!r} of {one.field} never hits, on {one.pages} pages" for one in never)
    return PortalCheck(len(pairs), rules, fields, failed, warnings)


def _chosen_pages(corpus: Path, portal: Portal, recipe: Recipe) -> list[SourcePage]:
    """Choose pages of a portal that may hold articles from its archive, by hash, in the order of their fetch."""
    captures = finished_captures(archive_files(corpus), unfinished_captures(corpus))
    pages = (page_of_capture(found, (portal,)) for found in captures if not isinstance(found, Rejected))
    own = (page for page in pages if page.source == portal.name and page.trust is not AddressTrust.SECTION)
    chosen = heapq.nsmallest(MOST_PAGES, own, key=lambda page: (document_id(page.page.url), page.page.fetched))
    profiles = profiles_of(corpus)
    in_order_of_fetch = sorted(chosen, key=lambda page: (page.page.fetched, page.page.url))
    return [add_profile(recipe, profiles, page) for page in in_order_of_fetch]


def marked_pages(corpus: Path) -> dict[str, GoldPage]:
    """Read the pages that a person marked in a corpus, by address; not those that a model chose ("teach").

    Raises:
        PagesError: a file cannot be read.
    """
    files = sorted((corpus / GOLD).glob("*.jsonl"))
    return {page.url: page for path in files for page in read_pages(path) if page.list != "teach" and page.text}


def _rules(pairs: Sequence[tuple[TemplateSection | None, Examined]]) -> Iterator[RuleCheck]:
    """Sum up each rule of each version of the template that some page goes by."""
    for section in dict.fromkeys(section for section, _ in pairs if section):
        pages = [page for of, page in pairs if of == section]
        for field in TemplateSection.__slots__:
            for position, rule in enumerate(getattr(section, field)):
                hits = [hit for page in pages for hit in page.hits if (hit.field, hit.position) == (field, position)]
                misfits = tuple(dict.fromkeys(hit.misfit for hit in hits if hit.misfit))[:EXAMPLES]
                yield RuleCheck(field, rule, len(pages), len(hits), misfits)


def _field(name: str, pages: Sequence[Examined]) -> FieldCheck:
    found = [(page.url, page.fields[name]) for page in pages]
    differing = (url for url, one in found if False in (one.by_model, one.by_structured, one.by_marks))
    filled = sum(one.is_filled for _, one in found)

    def counted(of: Callable[[Compared], bool | None]) -> tuple[int, int]:
        verdicts = [of(one) for _, one in found]
        return verdicts.count(True), verdicts.count(False)

    return FieldCheck(
        name,
        filled,
        len(found) - filled,
        sum(one.by_template for _, one in found),
        counted(lambda one: one.by_model),
        counted(lambda one: one.by_structured),
        counted(lambda one: one.by_marks),
        tuple(differing)[:EXAMPLES],
    )


def _failures(
    pairs: Sequence[tuple[TemplateSection | None, Examined]],
    rules: Sequence[RuleCheck],
    fields: Sequence[FieldCheck],
) -> Iterator[tuple[str, str]]:
    """Name each check that fails, and say why."""
    if len(pairs) < LEAST_PAGES:
        yield (
            "pages",
            f"the archive holds {len(pairs)} pages with an article, and {LEAST_PAGES} are the least that tell",
        )
        return
    with_text = [page for section, page in pairs if section and section.text]
    missed = [page.url for page in with_text if not page.fields["text"].by_template]
    if len(missed) > MOST_MISSED * len(with_text):
        yield "text_missed", f"the template finds no text on {len(missed)} of {len(with_text)} pages{_such_as(missed)}"
    short = [page.url for page in with_text if page.is_cut_short]
    if len(short) > MOST_MISSED * len(with_text):
        what = "has less than half of the text that the model finds"
        yield "text_short", f"the template {what} on {len(short)} of {len(with_text)} pages{_such_as(short)}"
    for one in rules:
        if one.misfits:
            yield (
                f"{one.field}_misfit",
                f"the rule {one.rule!r} finds what cannot be its value, such as {one.misfits[0]!r}",
            )
    for field in fields:
        for name, (same, other) in (("structured", field.structured), ("marks", field.marks)):
            is_loose = field.field == "text" and name == "structured"  # sites shorten the text that they state
            if not is_loose and other > MOST_WRONG * (same + other) and same + other >= LEAST_PAGES:
                where = "the structured data" if name == "structured" else "what was marked"
                what = f"differs from {where} on {other} of {same + other} pages{_such_as(field.examples)}"
                yield f"{field.field}_{name}", what


def _such_as(urls: Sequence[str]) -> str:
    return f", such as {', '.join(urls[:EXAMPLES])}" if urls else ""
