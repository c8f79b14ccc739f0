"""Export documents and attributes as the Dolma toolkit reads them (allenai/dolma, docs/data-format.md).

`documents/[PART/]00000.jsonl.gz` holds the documents, and `attributes/newscorpus/`, in files of the same names and with
as many lines in the same order, what was found out about them: spans of characters, each with a score.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from gzip import GzipFile
from pathlib import Path
from typing import Any

import msgspec

from newscorpus.corpus.export.source import ExportSource
from newscorpus.data import Record
from newscorpus.lines import encode_line, gzipped
from newscorpus.tokens import count_words

TAGGER = "newscorpus"

TOP_LEVEL = ("id", "text", "source", "published", "fetched")
"""Fields that are not in `metadata`, since the document itself holds them, the dates as `created` and `added`."""

Span = tuple[int, int, float]
"""Start and end in characters of the text, and a score."""


def write(source: ExportSource, folder: Path) -> None:
    """Write documents and attributes of all parts."""
    for part in source.parts:
        for number, records in part.files(source.config.max_bytes):
            name = Path(part.name, f"{number}.jsonl.gz")
            with _new(folder / "documents" / name) as texts, _new(folder / "attributes" / TAGGER / name) as spans:
                for record in records:
                    texts.write(encode_line(document(record)))
                    spans.write(encode_line(attributes(record)))


@contextmanager
def _new(path: Path) -> Iterator[GzipFile]:
    """Create a compressed file, and the folder for it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as file, gzipped(file) as packed:
        yield packed


def document(record: Record) -> dict[str, Any]:
    """Make the line of a documents file; dates that are not known are left out, as the format has it."""
    dates = {"created": record.published, "added": record.fetched}
    metadata = {key: value for key, value in msgspec.to_builtins(record).items() if key not in TOP_LEVEL}
    known = {key: value for key, value in dates.items() if value}
    return {"id": record.id, "text": record.text, "source": record.source, **known, "metadata": metadata}


def attributes(record: Record) -> dict[str, Any]:
    """Make the line of the attributes file that belongs to a document.

    Names are made as the toolkit makes them, TAGGER__WHAT: `confidence`, `language_XX`, `flag_NAME` and `cluster_size`
    of the whole text, `lead` where the text holds it, and `paragraph_words` of each paragraph.
    """
    whole = {"confidence": record.confidence, f"language_{record.language or 'und'}": record.language_score}
    whole |= dict(map(_flag, record.flags)) | {"cluster_size": float(record.cluster_size)}
    spans: dict[str, list[Span]] = {name: [(0, len(record.text), score)] for name, score in whole.items()}
    start = record.text.find(record.lead) if record.lead else -1
    if start >= 0:
        spans["lead"] = [(start, start + len(record.lead), 1.0)]
    spans["paragraph_words"] = list(_paragraphs(record.text))
    return {
        "id": record.id,
        "source": record.source,
        "attributes": {f"{TAGGER}__{name}": found for name, found in spans.items()},
    }


def _flag(flag: str) -> tuple[str, float]:
    """Split a flag from its count: "masked_email:2" gives ("flag_masked_email", 2.0); without a count it is 1.0."""
    name, _, number = flag.partition(":")
    return f"flag_{name}", float(number) if number.isdecimal() else 1.0


def _paragraphs(text: str) -> Iterator[Span]:
    """Give the span of each line, without its line feed, with its number of words."""
    start = 0
    for line in text.split("\n"):
        yield start, start + len(line), float(count_words(line))
        start += len(line) + 1
