"""Compare what a portal's template reads on a page with the model, with structured data and with a person's marks."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

from newscorpus.data import STATED, Article, Fields, Page, Rejected, RuleHit
from newscorpus.lab.evaluation.scores import ngram_scores
from newscorpus.lab.gold.pages import GoldPage
from newscorpus.page.extractor import read
from newscorpus.page.fields.dates import parse_date
from newscorpus.page.fields.people import squeezed
from newscorpus.page.judge import extract_article
from newscorpus.page.recipe import Recipe, extractor_of
from newscorpus.page.source_page import SourcePage
from newscorpus.portal.portal import TemplateSection

SAME_TEXT = 0.9
"""F1 of word 4-grams from which on two texts agree: what the evaluation calls a good text."""

COMPARED_FIELDS = tuple(name for name in TemplateSection.__slots__ if name != "remove")
"""The text, and the fields that a template may have rules for."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One field of a page as the portal's file gives it, and whether others say the same; None: they are silent."""

    is_filled: bool = False  # there is a value, from whichever source
    by_template: bool = False  # a rule of the template found it
    by_model: bool | None = None  # the same as without the template
    by_structured: bool | None = None  # the same as one that the page states to machines
    by_marks: bool | None = None  # the same as a person marked


@dataclass(frozen=True, slots=True)
class Examined:
    """A page of a portal as its file reads it."""

    url: str
    fetched: str  # ISO 8601
    hits: tuple[RuleHit, ...]  # the rules of the template that found something
    fields: Mapping[str, Compared]  # by name; "text" is one of them
    is_cut_short: bool  # the text of the template is less than half as long as what the model finds


@dataclass(frozen=True, slots=True)
class MarkedPage:
    """A page to be examined, with what a person marked on it."""

    page: SourcePage
    marks: GoldPage | None = None


def examine(recipe: Recipe, given: MarkedPage) -> Examined | None:
    """Read a page with the template of its portal and without it; None where a crawl would find no article.

    Raises:
        ValueError: the recipe or a rule of the template is wrong.
    """
    page = given.page.page
    found = extract_article(extractor_of(recipe, given.page), given.page)
    if isinstance(found, Rejected):
        return None
    bare = replace(given.page, template=None)
    alone = extract_article(extractor_of(recipe, bare), bare) if given.page.template else found
    ours, theirs, stated, marked = _values(found), _values(alone), _stated(page), _marked(given.marks)
    by_template = {hit.field for hit in found.rule_hits} - ({"text"} if not _is_from_template(found) else set())
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
    is_short = _is_from_template(found) and 2 * len(found.text) < sum(map(len, theirs.get("text", ())))
    return Examined(page.url, page.fetched, found.rule_hits, fields, is_short)


def _stated(page: Page) -> Mapping[str, tuple[str, ...]]:
    """What the page states to machines, by field; the article's body as "text"."""
    reading = read(page)
    if isinstance(reading, Rejected):
        return {}
    by_field: dict[str, tuple[str, ...]] = {"text": (reading.article_body,) if reading.article_body else ()}
    for item in reading.evidence:
        if item.source in STATED:
            values = item.value.split(",") if item.field == "tags" else [item.value]  # pages state all tags in one
            by_field[item.field] = (*by_field.get(item.field, ()), *values)
    return by_field


def _values(found: Article | Rejected) -> Mapping[str, tuple[str, ...]]:
    """The text and the fields of an article, each as a list."""
    if isinstance(found, Rejected):
        return {}
    names = (name for name in COMPARED_FIELDS if name != "text")
    return {"text": (found.text,)} | {name: _listed(found.fields, name) for name in names}


def _listed(fields: Fields, name: str) -> tuple[str, ...]:
    held = getattr(fields, name)
    return held if isinstance(held, tuple) else (held,) if held else ()


def _marked(marks: GoldPage | None) -> Mapping[str, tuple[str, ...]]:
    if marks is None:
        return {}
    one = {"text": marks.text, "title": marks.title, "published": marks.date}
    return {name: (value,) for name, value in one.items() if value} | {"authors": marks.authors}


def _is_from_template(article: Article) -> bool:
    return article.extractor.startswith("template:")


def _agreed(name: str, value: Collection[str], other: Collection[str]) -> bool | None:
    """Whether some of the other values are the same; None where there is none to compare with."""
    if not value or not other:
        return None
    same = SAME.get(name, _same_words)
    return any(same(mine, theirs) for mine in value for theirs in other)


def _same_words(mine: str, theirs: str) -> bool:
    return squeezed(mine) == squeezed(theirs)


def _same_headline(mine: str, theirs: str) -> bool:
    """Whether two headlines are the same; sites write their name before or behind the one for machines."""
    ours, other = squeezed(mine), squeezed(theirs)
    return other.startswith(ours) or other.endswith(ours)


def _same_day(mine: str, theirs: str) -> bool:
    return parse_date(mine)[:10] == parse_date(theirs)[:10] != ""


SAME: Mapping[str, Callable[[str, str], bool]] = {
    "text": lambda mine, theirs: ngram_scores(mine, theirs).f1 >= SAME_TEXT,
    "title": _same_headline,
    "published": _same_day,
    "modified": _same_day,
    "lead": lambda mine, theirs: ngram_scores(mine, theirs).f1 >= SAME_TEXT,
}
"""When two values of a field are the same; for others, when their letters and digits are."""
