"""Show what an extractor makes of one page: its text, its record, or what each field and block was decided on."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import msgspec

from newscorpus.corpus.intake import Row
from newscorpus.corpus.lines import encode_line
from newscorpus.data import Evidence, Fields, LabelledBlock, Record, Rejected
from newscorpus.extraction.extractor import read
from newscorpus.portals.template import TemplateRules
from newscorpus.published import registry
from newscorpus.recipe import Recipe, SourcePage, extractor_of, process_page
from newscorpus.stored import rejection_line
from newscorpus.tokens import collapse, printable
from newscorpus.urls import ID_LENGTH, document_id

FIELDS = (
    *("title", "lead", "authors", "published", "modified", "section", "tags", "language", "license"),
    *("site_name", "description"),
)
"""Fields whose candidates are shown, in this order."""

COLUMNS = ("label", "score", "reasons", "path", "text")
"""Of the table of blocks, separated by tabs."""

FILTER_STAGES = frozenset({"rights", "quality", "language"})
"""Stages at which `--no-filters` would have let a page pass."""


class ShowError(ValueError):
    """There is nothing to show; the message is one line."""


@dataclass(frozen=True, slots=True)
class FieldView:
    """A field and what stands behind it."""

    field: str  # its name
    values: tuple[str, ...]  # what the record would hold; empty where nothing
    source: str  # where that came from; "" where the record does not say
    agree: tuple[str, ...]  # other sources that say the same
    others: tuple[Evidence, ...]  # candidates that say something else, as they came


@dataclass(frozen=True, slots=True)
class BlockView:
    """A block and the verdict on it, in the form that `--json` prints."""

    label: str
    score: float
    reasons: tuple[str, ...]
    path: str
    text: str


@dataclass(frozen=True, slots=True)
class PageView:
    """What an extractor makes of a page. Pages that cannot be read have neither fields nor blocks."""

    extractor: str  # what decided on the text; the name that was asked for where the page was rejected
    outcome: str  # the words and the confidence of the article, or why there is none
    fields: tuple[FieldView, ...] = ()
    blocks: tuple[BlockView, ...] = ()  # empty for extractors that do not decide block by block


def inspect_page(recipe: Recipe, page: SourcePage) -> PageView:
    """Process a page, and list what each field and block was decided on.

    Raises:
        ValueError: the recipe is wrong.
        ImportError: the extractor needs a package that is not installed.
    """
    decided, outcome = _outcome(recipe.extractor, process_page(recipe, page))
    reading = read(page.page, TemplateRules(page.source, page.template) if page.template else None)
    if isinstance(reading, Rejected):
        return PageView(decided, outcome)
    label = getattr(extractor_of(recipe, page), "label", None)
    blocks = tuple(map(_block, label(page.page))) if label else ()
    fields = tuple(_field(field, reading.fields, reading.evidence) for field in FIELDS)
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


def text(recipe: Recipe, page: SourcePage) -> bytes:
    """Show the main text, one paragraph a line.

    Raises:
        ShowError: the page was rejected.
    """
    return _accepted(recipe, page).text.encode() + b"\n"


def brezovnik(recipe: Recipe, page: SourcePage) -> bytes:
    """Show the page as the extractor of Brezovnik (2021) writes it: an object of JSON; what is unknown is "" or [].

    Raises:
        ShowError: the page was rejected.
    """
    found = _accepted(recipe, page)
    extracted = {
        "title": found.title,
        "subtitle": found.lead,
        "content": found.text,
        "images": [{"url": image.url, "alt": image.alt} for image in found.images],
    }
    shown = {"url": found.url, "date_accessed": found.fetched, "extracted_data": extracted}
    return msgspec.json.format(msgspec.json.encode(shown)) + b"\n"


def _accepted(recipe: Recipe, page: SourcePage) -> Record:
    found = process_page(recipe, page)
    if isinstance(found, Row):
        return found.record
    advice = "; --no-filters gives it all the same" if found.stage in FILTER_STAGES else ""
    reason = f"{found.stage}/{found.reason} {found.detail}".rstrip()
    raise ShowError(f"{page.page.url or 'the page'} was rejected: {reason}{advice}")


def record(recipe: Recipe, page: SourcePage) -> bytes:
    """Show the record as a line of JSON; of a rejected page `id`, `url` and `rejected`."""
    found = process_page(recipe, page)
    if isinstance(found, Rejected):
        url, body = page.page.url, page.page.body
        page_id = document_id(url) if url else hashlib.sha256(body).hexdigest()[:ID_LENGTH]
        return rejection_line(page_id, url, found)
    return encode_line(found.record)


def blocks(recipe: Recipe, page: SourcePage) -> bytes:
    """Show a table of all blocks with the verdicts on them; the first line names the columns.

    Raises:
        ShowError: the extractor does not decide block by block.
    """
    label = getattr(extractor_of(recipe, page), "label", None)
    if label is None:
        names = ", ".join(name for name in registry.SYSTEMS if hasattr(registry.load(name), "label"))
        raise ShowError(f"this extractor does not decide block by block; those that do: {names or 'none'}")
    rows = [COLUMNS, *map(_cells, label(page.page))]
    return "".join("\t".join(row) + "\n" for row in rows).encode()


def _cells(labelled: LabelledBlock) -> tuple[str, ...]:
    block = labelled.block
    cells = (labelled.label, f"{labelled.score:.4f}", ",".join(labelled.reasons), block.element.path, block.text)
    return tuple(collapse(printable(cell)) for cell in cells)


FORMATS: Mapping[str, Callable[[Recipe, SourcePage], bytes]] = {
    "text": text,
    "json": record,
    "blocks": blocks,
    "brezovnik": brezovnik,
}
