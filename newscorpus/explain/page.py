"""What an extractor makes of one page, shown to a person: every candidate for every field, and every block.

What `extract` writes of one page: its text, its record, or the verdicts on its blocks.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import msgspec

from newscorpus.corpus.intake import Row
from newscorpus.corpus.lines import writable
from newscorpus.data import Evidence, Fields, LabelledBlock, Page, Record, Rejected
from newscorpus.extraction.extractor import Extractor, read
from newscorpus.portals.template import TemplateRules
from newscorpus.published import registry
from newscorpus.recipe import Recipe, SourcePage, extractor_for, process_page
from newscorpus.stored import extract_page, rejection_line
from newscorpus.tokens import collapse
from newscorpus.urls import document_id

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


def inspect_page(fetched: SourcePage, recipe: Recipe) -> PageView:
    """Run all steps on a page, and tell what each field and block was decided on.

    Raises:
        ValueError: the recipe is wrong.
        ImportError: the extractor needs a package that is not here.
    """
    name = fetched.source if fetched.template else ""
    extractor = extractor_for(recipe.extractor, name, fetched.template)
    decided, outcome = _outcome(recipe.extractor, process_page(recipe, fetched))
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


COLUMNS = ("label", "score", "reasons", "path", "text")
"""Of the table of blocks, parted by tabs."""


class ShowError(ValueError):
    """There is nothing to show; the message is one line."""


def text(extractor: Extractor, page: Page) -> bytes:
    """The main text, one paragraph a line.

    Raises:
        ShowError: the page was rejected.
    """
    return _accepted(extractor, page).text.encode() + b"\n"


def brezovnik(extractor: Extractor, page: Page) -> bytes:
    """The page as the extractor of Brezovnik (2021) writes it: an object of JSON; what is unknown is "" or [].

    Raises:
        ShowError: the page was rejected.
    """
    found = _accepted(extractor, page)
    extracted = {
        "title": found.title,
        "subtitle": found.lead,
        "content": found.text,
        "images": [{"url": image.url, "alt": image.alt} for image in found.images],
    }
    shown = {"url": found.url, "date_accessed": found.fetched, "extracted_data": extracted}
    return msgspec.json.format(msgspec.json.encode(shown)) + b"\n"


def _accepted(extractor: Extractor, page: Page) -> Record:
    found = extract_page(extractor, page)
    if isinstance(found, Rejected):
        raise ShowError(f"{page.url or 'the page'} was rejected: {found.stage}/{found.reason} {found.detail}".rstrip())
    return found


def record(extractor: Extractor, page: Page) -> bytes:
    """The record as a line of JSON; of a rejected page `id`, `url` and `rejected`."""
    found = extract_page(extractor, page)
    if isinstance(found, Record):
        return msgspec.json.encode(found) + b"\n"
    return rejection_line(document_id(page.url), page.url, found)


def blocks(extractor: Extractor, page: Page) -> bytes:
    """A table of all blocks with the verdicts on them; the first line names the columns.

    Raises:
        ShowError: the extractor does not decide block by block.
    """
    label = getattr(extractor, "label", None)
    if label is None:
        names = ", ".join(name for name in registry.SYSTEMS if hasattr(registry.load(name), "label"))
        raise ShowError(f"this extractor does not decide block by block; those that do: {names or 'none'}")
    rows = [COLUMNS, *map(_cells, label(page))]
    return "".join("\t".join(row) + "\n" for row in rows).encode()


def _cells(labelled: LabelledBlock) -> tuple[str, ...]:
    block = labelled.block
    cells = (labelled.label, f"{labelled.score:.4f}", ",".join(labelled.reasons), block.element.path, block.text)
    return tuple(collapse(writable(cell)) for cell in cells)


FORMATS: Mapping[str, Callable[[Extractor, Page], bytes]] = {
    "text": text,
    "json": record,
    "blocks": blocks,
    "brezovnik": brezovnik,
}
