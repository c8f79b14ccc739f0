"""What an extractor makes of one page, shown to a person: every candidate for every field, and every block."""

from dataclasses import dataclass

from newscorpus.corpus.intake import Row
from newscorpus.data import Evidence, Fields, LabelledBlock, Rejected
from newscorpus.extraction.read import read
from newscorpus.jobs.steps import Recipe, extractor_for, process
from newscorpus.portals.fetched import FetchedPage
from newscorpus.portals.template import TemplateRules

SHOWN = (
    *("title", "lead", "authors", "published", "modified", "section", "tags", "language", "license"),
    *("site_name", "description"),
)
"""Fields of which candidates are shown, in this order."""


@dataclass(frozen=True, slots=True)
class FieldView:
    """A field and what stands behind it.

    Attributes:
        field: its name.
        values: what the record would hold; empty where nothing.
        source: where that came from; "" where the record does not say.
        agree: other sources that say the same.
        others: candidates that say something else, as they came.
    """

    field: str
    values: tuple[str, ...]
    source: str
    agree: tuple[str, ...]
    others: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class BlockView:
    """A block and the verdict on it, as `LabelledBlock` has them."""

    label: str
    score: float
    reasons: tuple[str, ...]
    path: str
    text: str


@dataclass(frozen=True, slots=True)
class PageView:
    """What an extractor makes of a page.

    Attributes:
        extractor: what decided on the text; the name that was asked for where the page was rejected.
        outcome: the words and the confidence of the article, or why there is none.
        fields: empty where the page cannot be read.
        blocks: empty where it cannot be read, and of extractors that do not decide block by block.
    """

    extractor: str
    outcome: str
    fields: tuple[FieldView, ...] = ()
    blocks: tuple[BlockView, ...] = ()


def inspect_page(fetched: FetchedPage, recipe: Recipe) -> PageView:
    """Run all steps on a page, and tell what each field and block was decided on.

    Raises:
        ValueError: the recipe is wrong.
        ImportError: the extractor needs a package that is not here.
    """
    name = fetched.source if fetched.template else ""
    extractor = extractor_for(recipe.extractor, name, fetched.template)
    decided, outcome = _outcome(recipe.extractor, process(recipe, fetched))
    reading = read(fetched.page, TemplateRules(name, fetched.template) if fetched.template else None)
    if isinstance(reading, Rejected):
        return PageView(decided, outcome)
    label = getattr(extractor, "label", None)
    blocks = tuple(map(_block, label(fetched.page))) if label else ()
    fields = tuple(_field(field, reading.fields, reading.evidence) for field in SHOWN)
    return PageView(decided, outcome, fields, blocks)


def _outcome(extractor: str, found: Row | Rejected) -> tuple[str, str]:
    if isinstance(found, Rejected):
        return extractor, f"rejected: {found.stage}/{found.reason} {found.detail}".rstrip()
    record = found.record
    return record.extractor, f"article: {record.n_words} words, {record.language}, confidence {record.confidence:.2f}"


def _field(field: str, fields: Fields, evidence: tuple[Evidence, ...]) -> FieldView:
    held = getattr(fields, field)
    values = (held if isinstance(held, tuple) else (held,)) if held else ()
    candidates = dict.fromkeys(item for item in evidence if item.field == field)
    source = getattr(fields.provenance, field, "")
    agree = dict.fromkeys(item.source for item in candidates if item.value in values and item.source != source)
    others = tuple(item for item in candidates if item.value not in values)
    return FieldView(field, values, source, tuple(agree), others)


def _block(labelled: LabelledBlock) -> BlockView:
    block = labelled.block
    return BlockView(labelled.label, round(labelled.score, 4), labelled.reasons, block.element.path, block.text)
