"""What `extract` writes of one page: its text, its record, or the verdicts on its blocks."""

from collections.abc import Callable, Mapping

import msgspec

from newscorpus.corpus.lines import writable
from newscorpus.data import LabelledBlock, Page, Record, Rejected
from newscorpus.extraction.extractor import Extractor
from newscorpus.extractors import registry
from newscorpus.jobs.extract import extract_page, rejection_line
from newscorpus.text import collapse
from newscorpus.urls import document_id

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
