"""Check a portal's file against the pages of its archive: which rules match, and whether their values are right.

The template's values are compared with the model, with structured data and with a person's marks.
"""

import heapq
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from newscorpus.config import Limits
from newscorpus.data import STATED, Article, Page, Rejected, RuleHit
from newscorpus.lab.evaluation.scores import ngram_scores
from newscorpus.lab.gold.pages import GoldPage, read_pages
from newscorpus.layout import GOLD
from newscorpus.page.extractor import parse_page, read
from newscorpus.page.fields.dates import parse_date
from newscorpus.page.fields.people import squeezed
from newscorpus.page.judge import extract_article
from newscorpus.page.loading import extractor_of
from newscorpus.page.recipe import Recipe, add_profile
from newscorpus.page.source_page import SourcePage
from newscorpus.page.template import FITS, TemplateRules
from newscorpus.portal.addresses import AddressTrust
from newscorpus.portal.portal import Portal, TemplateSection
from newscorpus.portal.profile import profiles_of
from newscorpus.store.ledger.addresses import unfinished_captures
from newscorpus.store.ledger.portals import Look, alarms
from newscorpus.store.pages import archive_files, finished_captures, page_of_capture
from newscorpus.store.redesigns import MISSING
from newscorpus.urls import document_id
from newscorpus.workers import Lost, in_order

MOST_PAGES = 300
"""Pages sampled from an archive, by the hash of their address; shares are then accurate to 0.06."""
LEAST_PAGES = 5
"""Minimum pages with an article to judge a rule."""
MOST_MISSED = 0.1
"""Maximum share of pages on which the template finds no text or too little: about the share of galleries and videos."""
MOST_WRONG = 0.2
"""Maximum share of values that differ from the structured data: sites state other headlines and names there."""
EXAMPLES = 3

SAME_TEXT = 0.9
"""Minimum F1 of word 4-grams at which two texts agree: a good text in the evaluation."""

COMPARED_FIELDS = tuple(name for name in TemplateSection.__slots__ if name != "remove")
"""The text, and the fields that a template may have rules for."""

EXAMPLE_CHARACTERS = 120
PATTERNS = ("articles", "sections", "ignore")
PAGES_A_STEP = 10
"""Pages per step of the trend of a share."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One field of a page by the portal's file, and whether other sources agree; None: they have no value."""

    is_filled: bool = False  # there is a value, from any source
    by_template: bool = False  # a rule of the template found it
    by_model: bool | None = None  # agrees with extraction without the template
    by_structured: bool | None = None  # agrees with the page's structured data
    by_marks: bool | None = None  # agrees with a person's marks


@dataclass(frozen=True, slots=True)
class Examined:
    """A page of a portal, read by its file."""

    url: str
    hits: tuple[RuleHit, ...]  # the rules of the template that matched
    fields: Mapping[str, Compared]  # by name; "text" is one of them
    is_cut_short: bool  # the text of the template is less than half as long as the model's


def examine(recipe: Recipe, given: tuple[SourcePage, GoldPage | None]) -> Examined | None:
    """Read a page with the template of its portal and without it; None if a crawl would find no article.

    Raises:
        ValueError: the recipe or a rule of the template is wrong.
    """
    source, marks = given
    found = extract_article(extractor_of(recipe, source), source)
    if isinstance(found, Rejected):
        return None
    bare = replace(source, template=None)
    alone = extract_article(extractor_of(recipe, bare), bare) if source.template else found
    marked: dict[str, tuple[str, ...]] = {}
    if marks:
        one = {"text": marks.text, "title": marks.title, "published": marks.date}
        marked = {name: (value,) for name, value in one.items() if value} | {"authors": marks.authors}
    ours, theirs, stated = _values(found), _values(alone), _stated(source.page)
    is_from_template = found.extractor.startswith("template:")
    by_template = {hit.field for hit in found.rule_hits} - ({"text"} if not is_from_template else set())
    fields = {
        name: Compared(
            bool(value),
            name in by_template,
            _agreed(name, value, theirs.get(name, ())) if name in by_template else None,
            _agreed(name, value, stated.get(name, ())) if name in by_template else None,
            _agreed(name, value, marked.get(name, ())),
        )
        for name, value in ours.items()
    }
    is_short = is_from_template and 2 * len(found.text) < sum(map(len, theirs.get("text", ())))
    return Examined(source.page.url, found.rule_hits, fields, is_short)


def _stated(page: Page) -> Mapping[str, tuple[str, ...]]:
    """Return the values in the page's structured data, by field; the article's body as "text"."""
    prepared = read(page)
    if isinstance(prepared, Rejected):
        return {}
    by_field: dict[str, tuple[str, ...]] = {"text": (prepared.article_body,) if prepared.article_body else ()}
    for item in prepared.evidence:
        if item.source in STATED:
            values = item.value.split(",") if item.field == "tags" else [item.value]  # pages state all tags in one
            by_field[item.field] = (*by_field.get(item.field, ()), *values)
    return by_field


def _values(found: Article | Rejected) -> Mapping[str, tuple[str, ...]]:
    """Return the text and the fields of an article, each as a tuple."""
    if isinstance(found, Rejected):
        return {}
    values = {"text": (found.text,)}
    for name in COMPARED_FIELDS:
        if name != "text":
            held = getattr(found.fields, name)
            values[name] = held if isinstance(held, tuple) else (held,) if held else ()
    return values


def _agreed(name: str, value: Collection[str], other: Collection[str]) -> bool | None:
    """Whether any of the other values is the same; None if either side has none."""
    if not value or not other:
        return None
    same = SAME.get(name)
    return any(same(mine, theirs) if same else squeezed(mine) == squeezed(theirs) for mine in value for theirs in other)


def _same_headline(mine: str, theirs: str) -> bool:
    """Whether two headlines are the same; in structured data, sites add their name before or after it."""
    ours, other = squeezed(mine), squeezed(theirs)
    return other.startswith(ours) or other.endswith(ours)


def _same_day(mine: str, theirs: str) -> bool:
    return parse_date(mine)[:10] == parse_date(theirs)[:10] != ""


def _same_text(mine: str, theirs: str) -> bool:
    return ngram_scores(mine, theirs).f1 >= SAME_TEXT


SAME: Mapping[str, Callable[[str, str], bool]] = {
    **dict.fromkeys(("text", "lead"), _same_text),
    **dict.fromkeys(("published", "modified"), _same_day),
    "title": _same_headline,
}
"""Tests of whether two values of a field are the same; for other fields, letters and digits must be equal."""


@dataclass(frozen=True, slots=True)
class RuleTrial:
    """Matches of a rule on some pages."""

    key: str  # of the portal's file
    rule: str
    hits: int  # pages on which it matched, or whose address it matches
    pages: int  # that could be read
    examples: tuple[str, ...]  # matched values
    misfit: str = ""  # a value that is impossible for the field


def try_rules(portal: Portal, pages: Sequence[SourcePage]) -> list[RuleTrial]:
    """Try each rule of the current template, and each address pattern."""
    trials = []
    if section := portal.template_for(""):
        rules = TemplateRules(portal.name, section)
        parsed = (parse_page(page.page) for page in pages)
        trees = [one.tree for one in parsed if not isinstance(one, Rejected)]
        for key in TemplateSection.__slots__:
            for position, rule in enumerate(getattr(section, key)):
                found = [values for tree in trees if (values := rules.found_by(key, position, tree))]
                firsts = tuple(dict.fromkeys(values[0][:EXAMPLE_CHARACTERS] for values in found))[:EXAMPLES]
                misfit = next((values[0] for values in found if not FITS.get(key, bool)(values[0])), "")
                name = f"template.{key}[{position}]"
                trials.append(RuleTrial(name, rule, len(found), len(trees), firsts, misfit))
    for key in PATTERNS:
        for position, pattern in enumerate(getattr(portal, key)):
            alone = replace(portal, **{key: (pattern,)})  # type: ignore[arg-type]
            urls = [page.page.url for page in pages if alone.find_pattern(key, page.page.url)]
            trials.append(RuleTrial(f"{key}[{position}]", pattern, len(urls), len(pages), tuple(urls[:EXAMPLES])))
    return trials


def found_lately(looks: Sequence[Look]) -> Mapping[str, Sequence[float]]:
    """Return, for each field missing on some recent pages, the shares of pages that have it, oldest first."""
    missing = sorted({sign for look in looks for sign in look.signs if sign.startswith(MISSING)})
    steps = [looks[start : start + PAGES_A_STEP] for start in range(0, len(looks), PAGES_A_STEP)]
    return {
        sign.removeprefix(MISSING): [sum(sign not in look.signs for look in step) / len(step) for step in steps]
        for sign in missing
    }


Watcher = Callable[[Iterable[Examined | None]], Iterable[Examined | None]]


@dataclass(frozen=True, slots=True)
class RuleCheck:
    """Results of a rule on the pages of its version of the template."""

    field: str
    rule: str
    pages: int  # to which it applies
    hits: int  # on which it matched
    misfits: tuple[str, ...]  # examples of values that are impossible for the field


@dataclass(frozen=True, slots=True)
class FieldCheck:
    """Results of a field; the pairs count pages that agree and pages that differ."""

    field: str
    filled: int  # pages with a value
    empty: int
    by_template: int  # of the filled, those by a rule
    model: tuple[int, int]  # compared with extraction without the template
    structured: tuple[int, int]  # compared with structured data
    marks: tuple[int, int]  # compared with a person's marks
    examples: tuple[str, ...]  # addresses of pages that differ


@dataclass(frozen=True, slots=True)
class PortalCheck:
    """Results of a check."""

    pages: int  # with an article
    rules: tuple[RuleCheck, ...]
    fields: tuple[FieldCheck, ...]
    failed: Mapping[str, str]  # failed checks: name and explanation
    warnings: tuple[str, ...]


def check(
    corpus: Path, portal: Portal, recipe: Recipe, jobs: int = 0, watch: Watcher = lambda found: found
) -> PortalCheck:
    """Check a portal's file on the archive of a corpus.

    Raises:
        ArchiveError: there is no archive, or it cannot be read.
        LabError: a file of marked pages cannot be read.
        ValueError, ImportError: the recipe is wrong.
    """
    captures = finished_captures(archive_files(corpus), unfinished_captures(corpus))
    pages = (page_of_capture(found, (portal,)) for found in captures if not isinstance(found, Rejected))
    own = (page for page in pages if page.source == portal.name and page.trust is not AddressTrust.SECTION)
    chosen = heapq.nsmallest(MOST_PAGES, own, key=lambda page: (document_id(page.page.url), page.page.fetched))
    marks, profiles = marked_pages(corpus), profiles_of(corpus)
    given = [
        (add_profile(recipe, profiles, page), marks.get(page.page.url))
        for page in sorted(chosen, key=lambda page: (page.page.fetched, page.page.url))
    ]
    results = in_order(partial(examine, recipe), given, jobs, Limits().page_seconds)
    found = watch(None if isinstance(one, Lost) else one for _, one in results)
    pairs = [(source.template, page) for (source, _), page in zip(given, found, strict=True) if page]
    rules = tuple(_rules(pairs))
    fields = tuple(_field(name, [page for _, page in pairs]) for name in COMPARED_FIELDS)
    failed = dict(_failures(pairs, rules, fields))
    if redesigns := [str(one) for one in alarms(corpus, portal.name) if not one.until]:
        failed["redesign"] = redesigns[-1]
    never = (one for one in rules if one.pages >= LEAST_PAGES and not one.hits)
    warnings = tuple(f"the rule {one.rule!r} of {one.field} never hits, on {one.pages} pages" for one in never)
    return PortalCheck(len(pairs), rules, fields, failed, warnings)


def marked_pages(corpus: Path) -> dict[str, GoldPage]:
    """Read the pages that a person marked in a corpus, by address, without those that a model chose ("teach").

    Raises:
        LabError: a file cannot be read.
    """
    files = sorted((corpus / GOLD).glob("*.jsonl"))
    return {page.url: page for path in files for page in read_pages(path) if page.list != "teach" and page.text}


def _rules(pairs: Sequence[tuple[TemplateSection | None, Examined]]) -> Iterator[RuleCheck]:
    """Sum up each rule of each version of the template that applies to some page."""
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
    by_template = sum(one.by_template for _, one in found)
    model, structured, marks = (
        (verdicts.count(True), verdicts.count(False))
        for verdicts in ([getattr(one, by) for _, one in found] for by in ("by_model", "by_structured", "by_marks"))
    )
    examples = tuple(differing)[:EXAMPLES]
    return FieldCheck(name, filled, len(found) - filled, by_template, model, structured, marks, examples)


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
