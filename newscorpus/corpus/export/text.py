"""Export plain text or Markdown, one document per file or per line, with a table of metadata; or one table of all."""

import hashlib
import re
from collections.abc import Callable
from pathlib import Path

import msgspec

from newscorpus.corpus.export.source import ExportSource
from newscorpus.corpus.manifest import cell
from newscorpus.data import Record
from newscorpus.lines import csv_lines
from newscorpus.tokens import collapse, paragraphs

TABLE = "metadata.tsv"
COLUMNS = (
    "id", "url", "source", "site_name", "title", "authors", "agencies", "published", "modified", "section", "tags",
    "language", "license", "paywalled", "n_words", "extractor", "confidence", "cluster", "cluster_size", "fetched",
)  # fmt: skip

SAFE = re.compile("[0-9a-z][0-9a-z_-]{0,63}")
HASHED_LENGTH = 32

NO_XML = re.compile("[^\t\n\r\u0020-\u007e\u0085\u00a0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 (section 2.2) or YAML 1.2 (section 5.1) cannot represent, or that XML discourages."""

BLOCK_START = re.compile(r"^(\d*)([#+=>~.):-])")
"""Beginning of a paragraph that Markdown may take for a heading, list, quotation or rule."""


def write(source: ExportSource, folder: Path) -> None:
    """Write `metadata.tsv`, and each part as one file, or as files in subfolders named by their first characters.

    In one file, each line is a document with tabs between its paragraphs.
    """
    if not source.config.per_line:
        _write_files(source, folder, ".txt", lambda record: f"{record.text}\n")
        return
    with (folder / TABLE).open("x", encoding="utf-8", newline="\n") as table:
        table.write("\t".join(("file", *COLUMNS)) + "\n")
        for part in source.parts:
            name = f"{part.name or 'corpus'}.txt"
            with (folder / name).open("x", encoding="utf-8", newline="\n") as file:
                for record in part.records():
                    file.write("\t".join(paragraphs(record.text)) + "\n")
                    table.write(f"{name}\t{row(record)}\n")


def write_markdown(source: ExportSource, folder: Path) -> None:
    """Write `metadata.tsv`, and each document as a file of Markdown, with its metadata as YAML before the text."""
    _write_files(source, folder, ".md", markdown)


def write_csv(source: ExportSource, folder: Path) -> None:
    """Write each part as one table `PART.csv`, with lead and text as its last columns."""
    columns = (*COLUMNS, "lead", "text")
    for part in source.parts:
        with (folder / f"{part.name or 'corpus'}.csv").open("xb") as table:
            table.writelines(csv_lines([columns]))
            table.writelines(csv_lines(_values(record, columns) for record in part.records()))


def _write_files(source: ExportSource, folder: Path, suffix: str, render: Callable[[Record], str]) -> None:
    """Write a file per document, and the table."""
    with (folder / TABLE).open("x", encoding="utf-8", newline="\n") as table:
        table.write("\t".join(("file", *COLUMNS)) + "\n")
        for part in source.parts:
            for record in part.records():
                stem = safe_name(record.id)
                path = Path(part.name or "corpus", stem[:2], f"{stem}{suffix}")
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                with (folder / path).open("x", encoding="utf-8", newline="\n") as file:
                    file.write(render(record))
                table.write(f"{path.as_posix()}\t{row(record)}\n")


def markdown(record: Record) -> str:
    """Write a document as Markdown; marks in its text are escaped, and JSON is YAML."""
    head = [f"{name}: {NO_XML.sub('', msgspec.json.encode(getattr(record, name)).decode())}\n" for name in COLUMNS]
    passages = [f"# {cell(record.title)}"] if record.title else []
    passages += [BLOCK_START.sub(r"\1\\\2", cell(line)) for line in paragraphs(record.text)]
    return "\n".join((f"---\n{''.join(head)}---", *(f"\n{passage}" for passage in passages))) + "\n"


def row(record: Record) -> str:
    """Make a line of the table without its first column."""
    return "\t".join(map(collapse, _values(record, COLUMNS)))


def _values(record: Record, columns: tuple[str, ...]) -> list[str]:
    """Return the values of columns as text; items of lists are joined by "; "."""
    values = (getattr(record, column) for column in columns)
    return ["; ".join(value) if isinstance(value, tuple) else str(value) for value in values]


def safe_name(name: str) -> str:
    """Make a portable file name: a short name of lower-case ASCII is unchanged, any other is hashed."""
    return name if SAFE.fullmatch(name) else "x" + hashlib.sha256(name.encode()).hexdigest()[:HASHED_LENGTH]
