"""Make the corpus row of an article, encode it as JSON, and decode it."""

import dataclasses
import hashlib
import math
from dataclasses import replace
from typing import Any, get_args, get_origin, get_type_hints

import msgspec

from newscorpus.data import SCHEMA, Article, Fields, Record
from newscorpus.errors import CorpusError
from newscorpus.lines import encode_line, writable
from newscorpus.tokens import collapse, count_words
from newscorpus.urls import document_address, document_id

DECODER = msgspec.json.Decoder(Record)

REVISION_LENGTH = 16
"""Hex digits of a revision, which only distinguishes the texts of one document."""

COPIED = (set(Fields.__slots__) & set(Record.__slots__)) - {"language", "provenance"}
"""Keys of a record that are copied from the article's fields."""

EXCERPT_CHARACTERS = 200
"""Characters quoted of a rejected text, headline included."""

TYPE_NAMES = {str: "string", int: "int64", float: "float64", bool: "bool"}


def make_record(article: Article, source: str, language: str, language_score: float) -> Record:
    """Make the row of the corpus for an article of the portal `source`.

    The language (BCP 47 primary tag) and its score (0..1) come from the language filter.

    Raises:
        ValueError: a score is NaN or infinite, which JSON cannot hold.
    """
    if not (math.isfinite(language_score) and math.isfinite(article.confidence)):
        raise ValueError(f"{article.url}: scores must be numbers: {language_score=}, {article.confidence=}")
    article = writable(article)
    fields, url = article.fields, document_address(article.url, article.fields.canonical_url)
    revision = hashlib.sha256(article.text.encode()).hexdigest()[:REVISION_LENGTH]
    return Record(
        id=document_id(url) if url else revision,  # without an address, the text identifies the document
        revision=revision,
        supersedes="",
        url=url,
        source=source,
        text=article.text,
        language=language,
        language_score=float(language_score),
        provenance=replace(fields.provenance, text=fields.provenance.text or article.extractor.partition(":")[0]),
        capture=article.capture,
        extractor=article.extractor,
        confidence=float(article.confidence),
        n_words=count_words(article.text),
        flags=article.flags,
        fetched=article.fetched,
        **{name: getattr(fields, name) for name in COPIED},
    )


def encode(record: Record) -> bytes:
    """Encode a record as a line of JSON with newline: every key of the schema, in the order of `Record`."""
    return encode_line(record)


def decode(line: bytes) -> Record:
    """Decode the record of a line; missing keys that may be empty are left empty.

    Raises:
        CorpusError: the line is no record, or has another schema.
    """
    try:
        record = DECODER.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CorpusError(f"not a record: {error}") from error
    check_schema(record.schema, f"record {record.id} has ")
    return record


def check_schema(schema: int, beginning: str = "") -> None:
    """Refuse a schema that this version cannot read; the message starts with `beginning`.

    Raises:
        CorpusError: the schema is unknown.
    """
    if schema != SCHEMA:
        hint = "update newscorpus" if schema > SCHEMA else "extract the archive again"
        raise CorpusError(f"{beginning}schema {schema}; this version reads {SCHEMA}: {hint}")


def keys_of(kind: Any) -> dict[str, Any]:
    """List the fields of a dataclass of the record, in order, with their types."""
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}


def item_type(kind: Any) -> tuple[Any, bool]:
    """Return the type of a value, or of a tuple's items, and whether it is a tuple."""
    repeated = get_origin(kind) is tuple
    return (get_args(kind)[0] if repeated else kind), repeated


def column_types() -> dict[str, str]:
    """Name the type of each column as Arrow does: "string", "list<string>", "struct<robots: string, ...>" ..."""
    return {name: _arrow_name(kind) for name, kind in keys_of(Record).items()}


def _arrow_name(kind: Any) -> str:
    item, repeated = item_type(kind)
    if repeated:
        return f"list<{_arrow_name(item)}>"
    if item in TYPE_NAMES:
        return TYPE_NAMES[item]
    parts = (f"{name}: {_arrow_name(part)}" for name, part in keys_of(item).items())
    return f"struct<{', '.join(parts)}>"


def excerpt(title: str, text: str) -> str:
    """Quote the headline and the first words, for instance of a rejected text."""
    return " | ".join(filter(None, map(collapse, (title, text))))[:EXCERPT_CHARACTERS]
