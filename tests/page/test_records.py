"""Records: identity, JSON, what cannot be stored."""

import json
from dataclasses import fields, replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from newscorpus.data import SCHEMA, ArchiveCapture, Article, Record
from newscorpus.errors import CorpusError
from newscorpus.page.records import decode, encode, make_record
from newscorpus.urls import document_id


def test_a_record_carries_what_the_article_has(article: Article, record: Record) -> None:
    capture = ArchiveCapture("CC-NEWS", "2024-01-02T03:04:05+00:00")
    assert make_record(replace(article, capture=capture), "a", "cs", 0.5).capture == capture
    assert record.id == document_id("https://www.a.cz/clanek-1")
    assert (record.url, record.source, record.language) == ("https://www.a.cz/clanek-1", "a", "cs")
    assert (record.text, record.title, record.authors) == (article.text, article.fields.title, article.fields.authors)
    assert (record.n_words, record.supersedes, record.cluster, record.cluster_size) == (6, "", "", 1)
    assert record.rights.robots == "index"


def test_revision_follows_the_text_and_the_id_does_not(article: Article, record: Record) -> None:
    changed = make_record(replace(article, text=article.text + "\nNový."), "a", "cs", 0.99)
    assert changed.id == record.id
    assert changed.revision != record.revision


def test_every_key_is_written_in_order_and_never_null(bare_record: Record) -> None:
    line = encode(bare_record)
    row = json.loads(line)
    assert list(row) == [field.name for field in fields(Record)]
    assert None not in row.values()
    assert line.endswith(b"}\n")
    assert line.count(b"\n") == 1


def test_scores_are_numbers_and_floats_though_given_as_integers(article: Article) -> None:
    row = json.loads(encode(make_record(replace(article, confidence=1), "a", "cs", 1)))
    assert [type(row[key]) for key in ("language_score", "confidence")] == [float, float]
    for score in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="scores must be numbers"):
            make_record(article, "a", "cs", score)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters()), st.lists(st.text(st.characters())))
def test_any_text_survives_the_round_trip_without_what_cannot_be_stored(
    article: Article, text: str, authors: list[str]
) -> None:
    odd = replace(
        article, text=f"{text}a\x00b\ud83d\nc\td", fields=replace(article.fields, authors=(*authors, "x\x1b"))
    )
    made = make_record(odd, "a", "cs", 0.5)
    assert decode(encode(made)) == made
    assert (made.text[-6:], made.authors[-1]) == ("ab\nc\td", "x")


@pytest.mark.parametrize("line", [b"", b"{", b"[]", b"{}", b'{"id": 1}', b'{"id": "\xff"}'])
def test_damaged_lines_are_refused(line: bytes) -> None:
    with pytest.raises(CorpusError, match="not a record"):
        decode(line)


@pytest.mark.parametrize(("schema", "hint"), [(SCHEMA - 1, "extract the archive again"), (SCHEMA + 1, "update")])
def test_other_schemas_are_refused(record: Record, schema: int, hint: str) -> None:
    with pytest.raises(CorpusError, match=rf"has schema {schema}; this version reads {SCHEMA}: {hint}"):
        decode(encode(replace(record, schema=schema)))


@pytest.mark.parametrize(
    ("extractor", "stated", "source"),
    [
        ("template:a@1", "", "template"),
        ("model:main-text@3", "", "model"),
        ("model:main-text@3", "json-ld", "json-ld"),
        ("bte", "", "bte"),
    ],
)
def test_what_gave_the_text_is_said(article: Article, extractor: str, stated: str, source: str) -> None:
    fields = replace(article.fields, provenance=replace(article.fields.provenance, text=stated))
    made = make_record(replace(article, extractor=extractor, fields=fields), "a", "cs", 0.5)
    assert made.provenance.text == source


def test_without_an_address_the_text_gives_the_id(article: Article) -> None:
    bare = replace(article, url="", fields=replace(article.fields, canonical_url=""))
    one, other = (make_record(replace(bare, text=text), "a", "cs", 0.9) for text in ("Most.", "Mosty."))
    assert one.id == one.revision != other.id
    assert document_id("") not in {one.id, other.id}
