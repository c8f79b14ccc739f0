"""Find where each field went after a redesign, for a new version of a portal's template."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from newscorpus.crawl.ledger.looks import alarms
from newscorpus.errors import CorpusError
from newscorpus.portals.portal import Portal, TemplateSection
from newscorpus.portals.writing import Notes
from newscorpus.recipe import Recipe
from newscorpus.upkeep.check import LEAST_PAGES, PortalCheck, Watcher, check_pages, chosen_pages
from newscorpus.upkeep.templates.field_rules import find_field_rules
from newscorpus.upkeep.templates.learn import notes_of
from newscorpus.upkeep.templates.lessons import Lesson, solve
from newscorpus.upkeep.templates.text_rules import find_text_rules


@dataclass(frozen=True, slots=True)
class HealedTemplate:
    """The rules of a new design."""

    since: date  # the first day on which a page of it was fetched, in UTC
    before: TemplateSection  # the rules of the old design
    rules: TemplateSection
    check: PortalCheck  # how they do on its pages


def heal_template(
    corpus: Path, portal: Portal, recipe: Recipe, since: str = "", jobs: int = 1, watch: Watcher = lambda found: found
) -> HealedTemplate:
    """Learn what the rules of a portal's newest template became; the rules that are right still stay.

    Args:
        corpus: its folder.
        portal: with a template.
        recipe: how pages are extracted.
        since: when the first page of the new design was fetched, ISO 8601; "": as the alarm says.
        jobs: number of processes.
        watch: shows the progress.

    Raises:
        CorpusError: no redesign is known, no template is there, or there are too few pages of the new design.
        ArchiveError, PagesError, ValueError, ImportError: as for `check`.
    """
    before = portal.template_for("")
    if before is None:
        raise CorpusError(f"portal {portal.name} has no template; `newscorpus portal learn {portal.name}` makes one")
    since = since or _noticed(corpus, portal)
    lessons = solve(recipe, chosen_pages(corpus, portal, recipe, since), jobs, watch)
    taught = _of_new_design(lessons, before)
    rules = healed_rules(taught, before)
    pages = [replace(lesson.page, template=rules) for lesson in taught]
    check = check_pages(corpus, pages, recipe, jobs, watch)
    return HealedTemplate(date.fromisoformat(since[:10]), before, rules, check)


def healed_rules(lessons: Sequence[Lesson], before: TemplateSection) -> TemplateSection:
    """The rules of a new design: those of the old one that are right still, and others in place of the rest.

    Raises:
        CorpusError: there are too few pages.
    """
    if len(lessons) < LEAST_PAGES:
        raise CorpusError(f"{len(lessons)} pages of the new design have an article; {LEAST_PAGES} are the least")
    found = find_text_rules(lessons, before) | find_field_rules(lessons, before)
    others = {key: getattr(before, key) for key in TemplateSection.__slots__ if key not in found}
    kept = {key: tuple(rule for rule in rules if _hits(rule, lessons)) for key, rules in others.items()}
    wanted = {key: rules for key, rules in found.items() if key == "remove" or getattr(before, key)}
    return TemplateSection(**kept, **wanted)


def notes_of_moves(healed: HealedTemplate) -> Notes:
    """Say of each field how it does, and which rules it had before; of each rule what `notes_of` says."""
    notes = dict(notes_of(healed.check))
    for key in TemplateSection.__slots__:
        old, new = getattr(healed.before, key), getattr(healed.rules, key)
        if old != new and old:
            notes[key, ""] = f"{notes.get((key, ''), '')}; before: {', '.join(old)}".removeprefix("; ")
    return notes


def _hits(rule: str, lessons: Sequence[Lesson]) -> bool:
    return any(lesson.found(rule) for lesson in lessons)


def _noticed(corpus: Path, portal: Portal) -> str:
    """When the first page was fetched of the last redesign that the template does not know."""
    known = [one.since for one in alarms(corpus, portal.name) if not one.until]
    if not known:
        raise CorpusError(f"{corpus}: no redesign of {portal.name} was noticed; name its first day by --since")
    return max(known)


def _of_new_design(lessons: Sequence[Lesson], before: TemplateSection) -> Sequence[Lesson]:
    """The pages on which the old rules find no text, if those are enough: a roll-out may reach some pages only."""
    changed = [lesson for lesson in lessons if not any(lesson.covered(rule).any() for rule in before.text)]
    return changed if len(changed) >= LEAST_PAGES else lessons
