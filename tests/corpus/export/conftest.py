"""A corpus of hostile texts, ready to be exported."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from newscorpus.config import BuildConfig, ExportConfig
from newscorpus.corpus.export.source import About, ExportPart, ExportSource
from newscorpus.corpus.published import publish
from newscorpus.data import Record
from newscorpus.page.records import encode

MakeSource = Callable[..., ExportSource]


def as_json(record: Record) -> Any:
    """The record as a reader of JSON finds it."""
    return json.loads(encode(record))


@pytest.fixture
def hostile_record(record: Record) -> Record:
    """A record whose values mean something in every format."""
    return replace(
        record,
        id="../../etc/passwd",
        url='https://www.a.cz/článek 1?a=b&c="d"<e>',
        source="a|b",
        title='A\t"quoted"\n<title> & ]]> *bold* [link](x) | \ufffe',
        text='<doc id="1">\n</p> a < b && c > d\nTab\there, \ufffe\uffff zero\u200bwidth \U0001f600.',
        authors=("One|Two", "<b>"),
        tags=("a; b",),
        section='"',
        license='CC "BY" | <4.0>',
        language="",
        published="yesterday",
        modified="2026-03-01T08:00",
    )


@pytest.fixture
def records(record: Record, bare_record: Record, hostile_record: Record) -> list[Record]:
    """Three records."""
    return [record, bare_record, hostile_record]


@pytest.fixture
def make_source(tmp_path: Path) -> MakeSource:
    """Makes a source of records by part, cut into files of at most so many bytes."""

    def make(
        parts: Mapping[str, Sequence[Record]], config: ExportConfig = ExportConfig(), name: str = "a"
    ) -> ExportSource:
        manifest = publish(tmp_path / "published", chain.from_iterable(parts.values()), BuildConfig())
        made = tuple(ExportPart(split, partial(iter, records)) for split, records in parts.items())
        return ExportSource(
            tmp_path, About(name, "The <Institute> & Co", "https://example.org/é"), manifest, made, config
        )

    return make


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder to export to."""
    folder = tmp_path / "export"
    folder.mkdir()
    return folder
