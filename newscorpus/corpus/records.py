"""The types of a record's columns, in words that people and programs read alike.

Records: made of articles, written as JSON, read back.
"""

import dataclasses
import hashlib
import math
from typing import Any, get_args, get_origin, get_type_hints

import msgspec

from newscorpus.corpus.lines import encode_line, writable
from newscorpus.data import SCHEMA, Article, Record
from newscorpus.errors import CorpusError
from newscorpus.tokens import count_words
from newscorpus.urls import document_address, document_id

VALUES = {str: "string", int: "int64", float: "float64", bool: "bool"}


def column_types() -> dict[str, str]:
    """Type of each column: "string", "list<string>", "struct<robots: string, ...>" ..., in the notation of Arrow."""
    return _types(Record)


def _types(of: Any) -> dict[str, str]:
    """The types of a dataclass's fields."""
    hints = get_type_hints(of)
    return {field.name: _type(hints[field.name]) for field in dataclasses.fields(of)}


def _type(kind: Any) -> str:
    """The type of a value, of a tuple of values, or of a dataclass."""
    if get_origin(kind) is tuple:
        return f"list<{_type(get_args(kind)[0])}>"
    if dataclasses.is_dataclass(kind):
        return f"struct<{', '.join(f'{name}: {word}' for name, word in _types(kind).items())}>"
    return VALUES[kind]


DECODER = msgspec.json.Decoder(Record)

REVISION_LENGTH = 16
"""Hex digits of a revision; it only tells apart the texts of one document."""


def make_record(article: Article, source: str, language: str, language_score: float) -> Record:
    """The row of the corpus for an article.

    Args:
        article: what the extractor found.
        source: name of the portal.
        language: BCP 47 primary tag the language filter decided on.
        language_score: of the detector, 0..1.

    Raises:
        ValueError: a score is not a number; JSON has no word for that.
    """
    if not (math.isfinite(language_score) and math.isfinite(article.confidence)):
        raise ValueError(f"{article.url}: scores must be numbers: {language_score=}, {article.confidence=}")
    article = writable(article)
    fields, url = article.fields, document_address(article.url, article.fields.canonical_url)
    return Record(
        id=document_id(url),
        revision=hashlib.sha256(article.text.encode()).hexdigest()[:REVISION_LENGTH],
        supersedes="",
        url=url,
        source=source,
        site_name=fields.site_name,
        title=fields.title,
        lead=fields.lead,
        text=article.text,
        authors=fields.authors,
        agencies=fields.agencies,
        published=fields.published,
        modified=fields.modified,
        section=fields.section,
        tags=fields.tags,
        language=language,
        language_score=float(language_score),
        description=fields.description,
        images=fields.images,
        license=fields.license,
        paywalled=fields.paywalled,
        rights=fields.rights,
        provenance=fields.provenance,
        extractor=article.extractor,
        confidence=float(article.confidence),
        n_words=count_words(article.text),
        flags=article.flags,
        fetched=article.fetched,
    )


def encode(record: Record) -> bytes:
    """The record as one line of JSON, with its newline; every key in the order of `Record`."""
    return encode_line(record)


def decode(line: bytes) -> Record:
    """The record of one line.

    Raises:
        CorpusError: the line is no record of this schema.
    """
    try:
        record = DECODER.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CorpusError(f"not a record: {error}") from error
    if record.schema != SCHEMA:
        raise CorpusError(f"record {record.id} has schema {record.schema}; this version reads {SCHEMA}")
    return record
