"""Write the result of an extractor in the formats of `newscorpus extract`."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

import msgspec

from newscorpus.data import Page, Rejected
from newscorpus.lines import encode_line
from newscorpus.page import registry
from newscorpus.page.extractor import parse_page
from newscorpus.page.judge import process_page
from newscorpus.page.loading import extractor_of, load
from newscorpus.page.page_files import PageOrigin
from newscorpus.page.recipe import Recipe
from newscorpus.page.rows import Row
from newscorpus.page.source_page import SourcePage
from newscorpus.tokens import collapse, printable

COLUMNS = ("label", "score", "reasons", "path", "text")
"""Columns of the table of blocks, separated by tabs."""

FILTER_STAGES = frozenset({"rights", "quality", "language"})
"""Stages that `--no-filters` skips."""


def text(recipe: Recipe, page: SourcePage) -> bytes | Rejected:
    """Return the main text, one paragraph per line."""
    found = process_page(recipe, page)
    return found.record.text.encode() + b"\n" if isinstance(found, Row) else found


def brezovnik(recipe: Recipe, page: SourcePage) -> bytes | Rejected:
    """Return the JSON of the extractor of Brezovnik (2021), with "" or [] for unknown values.

    The subtitle is a sub-heading with which the text begins, or the lead; the content does not repeat it. A page from a
    file counts as accessed now.
    """
    row, parsed = process_page(recipe, page), parse_page(page.page)
    if isinstance(row, Rejected):
        return row
    found = row.record
    lines = found.text.split("\n")
    headings = () if isinstance(parsed, Rejected) else parsed.tree.iter("h2", "h3", "h4", "h5", "h6")
    is_headed = any(collapse(str(each.text_content())) == lines[0] for each in headings)
    subtitle = lines[0] if is_headed else found.lead
    extracted = {
        "title": found.title,
        "subtitle": subtitle,
        "content": "\n".join(line for line in lines if line != subtitle),
        "images": [{"url": image.url, "alt": image.alt} for image in found.images],
    }
    accessed = found.fetched or datetime.now(UTC).isoformat(timespec="seconds")
    shown = {"url": found.url, "date_accessed": accessed, "extracted_data": extracted}
    return msgspec.json.format(msgspec.json.encode(shown)) + b"\n"


def refusal(name: str, found: Rejected) -> str:
    """Say in one line why a page was rejected."""
    advice = "; --no-filters gives it all the same" if found.stage in FILTER_STAGES else ""
    return f"{name} was rejected: {f'{found.stage}/{found.reason} {found.detail}'.rstrip()}{advice}"


def record(recipe: Recipe, page: SourcePage) -> bytes | Rejected:
    """Return the record as a line of JSON."""
    found = process_page(recipe, page)
    return encode_line(found.record) if isinstance(found, Row) else found


def blocks(recipe: Recipe, page: SourcePage) -> bytes:
    """Return a table of all blocks with their labels; the first line has the names of the columns.

    Raises:
        ValueError: the extractor does not decide block by block.
    """
    label = getattr(extractor_of(recipe, page), "label", None)
    if label is None:
        names = ", ".join(name for name in registry.systems() if hasattr(load(name), "label"))
        raise ValueError(f"this extractor does not decide block by block; those that do: {names or 'none'}")
    rows: list[tuple[str, ...]] = [COLUMNS]
    for one in label(page.page):
        cells = (one.label, f"{one.score:.4f}", ",".join(one.reasons), one.block.element.path, one.block.text)
        rows.append(tuple(collapse(printable(cell)) for cell in cells))
    return "".join("\t".join(row) + "\n" for row in rows).encode()


FORMATS: Mapping[str, Callable[[Recipe, SourcePage], bytes | Rejected]] = {
    "text": text,
    "json": record,
    "blocks": blocks,
    "brezovnik": brezovnik,
}

SUFFIXES: Mapping[str, str] = {"text": ".txt", "json": ".jsonl", "blocks": ".tsv", "brezovnik": ".json"}
"""Endings of files in each format."""


def in_format(form: str, recipe: Recipe, origin: PageOrigin, page: Page) -> bytes | Rejected:
    """Return a page in a format."""
    return FORMATS[form](recipe, origin(page))
