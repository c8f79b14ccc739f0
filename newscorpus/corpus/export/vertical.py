"""Export a vertical file and a registry file for Sketch Engine and NoSketch Engine (manatee).

`NAME.vert` has one token per line between the tags `<doc ...>` and `<head>` or `<p>` and their ends; `<g/>` marks
tokens without a space between them. XML special characters are escaped in tokens and values. An annotated corpus has
sentences, and the columns lemma, tag and features after the word.
https://www.sketchengine.eu/documentation/preparing-corpus-text/
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from xml.sax.saxutils import escape

from babel import Locale

from newscorpus.corpus.annotate.conllu import POSITIONS, Document, columns
from newscorpus.corpus.export.source import ExportSource, iso_day, passages
from newscorpus.corpus.manifest import Manifest, RecordCounts, fill
from newscorpus.data import Record
from newscorpus.tokens import collapse, glued_tokens

QUOTES = {'"': "&quot;"}
SEPARATOR = "|"
"""Separates the values of an attribute."""

MONTH, YEAR = len("2026-03"), len("2026")

ATTRIBUTES: Mapping[str, Callable[[Record], str]] = {
    "id": lambda record: record.id,
    "url": lambda record: record.url,
    "source": lambda record: record.source,
    "site": lambda record: record.site_name,
    "title": lambda record: record.title,
    "author": lambda record: _join_values(record.authors),
    "agency": lambda record: _join_values(record.agencies),
    "date": lambda record: iso_day(record.published),
    "month": lambda record: iso_day(record.published)[:MONTH],
    "year": lambda record: iso_day(record.published)[:YEAR],
    "section": lambda record: record.section,
    "tag": lambda record: _join_values(record.tags),
    "language": lambda record: record.language,
    "license": lambda record: record.license,
    "words": lambda record: str(record.n_words),
    "cluster_size": lambda record: str(record.cluster_size),
}
"""The attributes of `<doc>`."""

MULTIVALUE = frozenset({"author", "agency", "tag"})


def write(source: ExportSource, folder: Path) -> None:
    """Write the vertical and the registry; the attribute `split` names the part of a document."""
    name = file_name(source.about.name)
    counts = RecordCounts()
    with (folder / f"{name}.vert").open("x", encoding="utf-8", newline="\n") as file:
        for part in source.parts:
            for record in counts.count(part.records()):
                file.writelines(f"{line}\n" for line in lines(record, part.name, source.annotated(record)))
    attributes = [*ATTRIBUTES, "split"] if any(part.name for part in source.parts) else list(ATTRIBUTES)
    positions = POSITIONS if source.annotations else ()
    manifest = replace(source.manifest, documents=counts.documents, words=counts.words)
    write_registry(folder, source.about.name, manifest, f"{name}.vert", attributes, positions)


def write_registry(
    folder: Path,
    title: str,
    manifest: Manifest,
    vertical: str,
    attributes: Sequence[str] = tuple(ATTRIBUTES),
    positions: Sequence[str] = (),
) -> None:
    """Write the registry file, named after the corpus.

    `vertical` is the file, or `| COMMAND` that prints it. With `positions`, positional attributes after the word, it
    has sentences too.
    """
    languages = sorted({share.language for share in manifest.shares})
    registry = fill(
        "registry.txt",
        manifest,
        title=collapse(title).replace('"', "'"),
        name=file_name(title),
        vertical=vertical,
        language=Locale("en").languages.get(languages[0], "") if len(languages) == 1 else "",
        attributes=attributes,
        positions=positions,
        several=MULTIVALUE,
        separator=SEPARATOR,
    )
    (folder / file_name(title)).write_text(registry, encoding="utf-8", newline="\n")


def lines(record: Record, split: str = "", document: Document | None = None) -> Iterator[str]:
    """Write a document as lines, with sentences and all columns if it is annotated."""
    yield opening(record, split)
    for element, text, sentences in passages(record, document):
        yield f"<{element}>"
        if document is None:
            for token, glued in glued_tokens(text):
                if glued:
                    yield "<g/>"
                yield escape(token)
        for sentence in sentences:
            yield "<s>"
            for at, one in enumerate(sentence):
                if at and not sentence[at - 1].space_after:
                    yield "<g/>"
                yield "\t".join(map(escape, columns(one)))
            yield "</s>"
        yield f"</{element}>"
    yield "</doc>"


def opening(record: Record, split: str = "") -> str:
    """Write the line that begins a document."""
    values = {name: value(record) for name, value in ATTRIBUTES.items()} | ({"split": split} if split else {})
    return "<doc " + " ".join(f'{name}="{escape(collapse(value), QUOTES)}"' for name, value in values.items()) + ">"


def file_name(name: str) -> str:
    """Make a corpus name for manatee: lower-case letters, digits and underscores."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "_", plain.lower()).strip("_") or "corpus"


def _join_values(values: tuple[str, ...]) -> str:
    """Join the values of an attribute, replacing the separator inside them."""
    return SEPARATOR.join(value.replace(SEPARATOR, "/") for value in values)
