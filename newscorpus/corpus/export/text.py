"""Export plain text, one document per file or per line, with a table of metadata."""

import hashlib
import re
from pathlib import Path

from newscorpus.corpus.export.source import ExportSource
from newscorpus.data import Record
from newscorpus.tokens import collapse, paragraphs

TABLE = "metadata.tsv"
COLUMNS = (
    "id", "url", "source", "site_name", "title", "authors", "agencies", "published", "modified", "section", "tags",
    "language", "license", "paywalled", "n_words", "extractor", "confidence", "cluster", "cluster_size", "fetched",
)  # fmt: skip

SAFE = re.compile("[0-9a-z][0-9a-z_-]{0,63}")
HASHED_LENGTH = 32


def write(source: ExportSource, folder: Path) -> None:
    """Write `metadata.tsv`, and each part as one file, or as files in subfolders named by their first characters.

    In one file, each line is a document with tabs between its paragraphs.
    """
    with (folder / TABLE).open("x", encoding="utf-8", newline="\n") as table:
        table.write("\t".join(("file", *COLUMNS)) + "\n")
        for part in source.parts:
            if source.config.per_line:
                name = f"{part.name or 'corpus'}.txt"
                with (folder / name).open("x", encoding="utf-8", newline="\n") as file:
                    for record in part.records():
                        file.write("\t".join(paragraphs(record.text)) + "\n")
                        table.write(f"{name}\t{row(record)}\n")
                continue
            for record in part.records():
                stem = safe_name(record.id)
                path = Path(part.name or "corpus", stem[:2], f"{stem}.txt")
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                with (folder / path).open("x", encoding="utf-8", newline="\n") as file:
                    file.write(record.text + "\n")
                table.write(f"{path.as_posix()}\t{row(record)}\n")


def row(record: Record) -> str:
    """Make a line of the table without its first column; items of lists are joined by "; "."""
    values = (getattr(record, column) for column in COLUMNS)
    return "\t".join(collapse("; ".join(value) if isinstance(value, tuple) else str(value)) for value in values)


def safe_name(name: str) -> str:
    """Make a portable file name: a short name of lower-case ASCII is unchanged, any other is hashed."""
    return name if SAFE.fullmatch(name) else "x" + hashlib.sha256(name.encode()).hexdigest()[:HASHED_LENGTH]
