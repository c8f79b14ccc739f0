"""Pages with gold text, read one by one from JSONL files (plain, gzip or zstd)."""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec
import zstandard

from newscorpus.corpus.lines import unpacked_lines

Row = TypeVar("Row", bound=msgspec.Struct)


class PagesError(ValueError):
    """A file of pages that cannot be read; the message is one line that names the file and the line."""


@dataclass(frozen=True, slots=True)
class GoldPage:
    """A page and what people hold to be its main text. What a set does not give is "" or ().

    Attributes:
        id: unique in its set.
        dataset: name of the set: the file's name before its first dot.
        url: address of the page.
        domain: registered domain; pages of one domain stay on one side of every split.
        language: primary language tag.
        title: headline.
        date: publication date as the set gives it.
        authors: names.
        html: the page, decoded.
        text: gold main text, one paragraph a line.
        page_type: kind of page ("article", "listing" ...) where the set tells kinds apart.
        split: "train" or "dev".
    """

    id: str
    dataset: str
    url: str
    domain: str
    language: str
    title: str
    date: str
    authors: tuple[str, ...]
    html: str
    text: str
    page_type: str
    split: str


class _Line(msgspec.Struct):
    """One line of a file as it stands there; other keys are ignored."""

    id: str
    html: str
    url: str | None = None
    domain: str | None = None
    language: str | None = None
    title: str | None = None
    date: str | None = None
    authors: list[str] | None = None
    text: str | None = None
    page_type: str | None = None
    split: str | None = None


def read_pages(path: Path) -> Iterator[GoldPage]:
    """The pages of a JSONL file, in order, one in memory at a time.

    Args:
        path: the file; `.zst` and `.gz` are unpacked. The name before the first dot is the set's name.

    Raises:
        PagesError: the file cannot be opened or unpacked, or a line is not a page.
    """
    dataset = path.name.split(".")[0]
    return (_gold_page(line, dataset) for line in read_rows(path, _Line))


def read_rows(path: Path, kind: type[Row]) -> Iterator[Row]:
    """The lines of a JSONL file, in order, each as a `kind`; empty ones are passed over.

    Raises:
        PagesError: the file cannot be opened or unpacked, or a line is no `kind`.
    """
    decoder = msgspec.json.Decoder(kind)
    number = 0
    try:
        for number, line in enumerate(unpacked_lines(path), 1):  # noqa: B007  (named in the error below)
            if line and not line.isspace():
                yield decoder.decode(line)
    except msgspec.MsgspecError as error:
        raise PagesError(f"{path}, line {number}: {error}") from error
    except (OSError, EOFError, zlib.error, zstandard.ZstdError) as error:
        why = getattr(error, "strerror", None) or error
        raise PagesError(f"{path}, after line {number}: cannot read: {why}") from error


def _gold_page(line: _Line, dataset: str) -> GoldPage:
    return GoldPage(
        id=line.id,
        dataset=dataset,
        url=line.url or "",
        domain=line.domain or "",
        language=line.language or "",
        title=line.title or "",
        date=line.date or "",
        authors=tuple(line.authors or ()),
        html=line.html,
        text=line.text or "",
        page_type=line.page_type or "",
        split=line.split or "",
    )
