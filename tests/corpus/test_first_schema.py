"""Corpora of schema 1, which lacked `capture`, `provenance.text` and `rights.rsl`, are read, built and exported."""

import base64
import hashlib
import json
import zlib
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import msgspec
import pyarrow
import pytest
from crawled import take_in
from pyarrow import parquet

from newscorpus.config import BuildConfig, ExportFormat
from newscorpus.corpus.build import build
from newscorpus.corpus.export.export import export
from newscorpus.corpus.export.source import About
from newscorpus.corpus.manifest import generation_of, read_manifest
from newscorpus.corpus.parquet import SCHEMAS, read_parquet
from newscorpus.corpus.published import open_corpus, publish
from newscorpus.corpus.shards import Shard
from newscorpus.corpus.verify import verify
from newscorpus.data import ArchiveCapture, Record
from newscorpus.layout import MANIFEST
from newscorpus.lines import encode_indented
from newscorpus.page.records import column_types
from newscorpus.page.rows import SEAL
from newscorpus.page.signature import sign
from newscorpus.store.intake import read_intake

SIGNED = BuildConfig().signature


def first_row(record: Record) -> dict[str, Any]:
    """The row of a record as the first schema had it."""
    row: dict[str, Any] = msgspec.to_builtins(record) | {"schema": 1}
    del row["capture"], row["provenance"]["text"], row["rights"]["content_signal"], row["rights"]["rsl"]
    return row


def as_line(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def sealed(value: object) -> bytes:
    """A line of the intake as it was before rows were compressed."""
    line = as_line(value)[:-1]
    return line[:-1] + SEAL % zlib.crc32(line) + b"\n"


def read_back(record: Record) -> Record:
    """What the row of a record becomes when it is read: what it lacked is empty."""
    return replace(record, provenance=replace(record.provenance, text=""), capture=ArchiveCapture())


@pytest.fixture
def old_intake(tmp_path: Path, record: Record, bare_record: Record) -> Path:
    """A crawled corpus with a segment of schema 1 that holds two articles."""
    rows = [
        {"record": first_row(one), "signature": base64.b64encode(sign(one.text)).decode()}
        for one in (record, bare_record)
    ]
    (tmp_path / "intake").mkdir()
    header = {"schema": 1, "signature": asdict(SIGNED), "checksum": "crc32"}
    lines = map(sealed, (header, *rows))
    (tmp_path / "intake" / "000001.jsonl").write_bytes(b"".join(lines))
    return tmp_path


@pytest.fixture
def old_corpus(tmp_path: Path, record: Record) -> Path:
    """A published corpus of schema 1."""
    made = publish(tmp_path, [record], BuildConfig())
    content = as_line(first_row(record))
    (tmp_path / made.shards[0].name).unlink()
    name = made.shards[0].name.removesuffix(".zst")
    (tmp_path / name).write_bytes(content)
    shards = (Shard(name, 1, len(content), hashlib.sha256(content).hexdigest()),)
    columns = {key: value for key, value in made.columns.items() if key != "capture"}
    columns["provenance"] = columns["provenance"].replace(", text: string", "")
    columns["rights"] = columns["rights"].replace(", content_signal: string, rsl: string", "")
    manifest = replace(
        made, schema=1, columns=columns, bytes=len(content), shards=shards, generation=generation_of(shards)
    )
    (tmp_path / MANIFEST).write_bytes(encode_indented(manifest))
    card = tmp_path / "README.md"
    card.write_text(card.read_text("utf-8").replace(made.shards[0].name, name), "utf-8")
    return tmp_path


def test_an_intake_of_both_schemas_is_built(old_intake: Path, record: Record) -> None:
    build(old_intake)
    new = replace(record, id="0" * 16, text="Něco docela jiného.", capture=ArchiveCapture("CC-NEWS", "2024-01-02"))
    take_in(old_intake, new)
    assert len(list(read_intake(old_intake / "intake", SIGNED))) == 3
    build(old_intake)
    manifest, findings = verify(old_intake)
    assert (manifest.schema, manifest.columns, manifest.documents, findings) == (3, column_types(), 3, [])
    found = {one.id: one for one in open_corpus(old_intake).records()}
    assert found[new.id].capture == new.capture
    assert found[record.id] == read_back(record)


def test_an_index_of_the_first_schema_is_made_anew(
    old_intake: Path, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr("newscorpus.corpus.duplicates.index.SCHEMA", 1)
        build(old_intake)
    take_in(old_intake, record)
    documents = old_intake / "index" / "documents"
    build(old_intake)
    grown = documents.read_bytes()
    documents.parent.rename(old_intake / "before")
    build(old_intake)
    assert documents.read_bytes() == grown


def test_a_published_corpus_is_read_and_exported(
    old_corpus: Path, record: Record, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert verify(old_corpus) == (read_manifest(old_corpus), [])
    assert list(open_corpus(old_corpus).records()) == [read_back(record)]
    assert export(old_corpus, tmp_path_factory.mktemp("x") / "out", ExportFormat.HF, About("News")).documents == {"": 1}


def test_keys_of_this_schema_do_not_belong_into_the_first(old_corpus: Path, record: Record) -> None:
    (shard,) = read_manifest(old_corpus).shards
    path = old_corpus / shard.name
    path.write_bytes(as_line(first_row(record) | {"capture": {"source": "", "time": ""}}))
    resealed = (Shard(shard.name, 1, path.stat().st_size, hashlib.sha256(path.read_bytes()).hexdigest()),)
    (old_corpus / MANIFEST).write_bytes(encode_indented(replace(read_manifest(old_corpus), shards=resealed)))
    assert any("other keys than a record" in finding for finding in verify(old_corpus)[1])


def test_parquet_of_the_first_schema_is_read(tmp_path: Path, record: Record) -> None:
    path, row = tmp_path / "old.parquet", first_row(record)
    assert SCHEMAS[1].names == list(row)
    parquet.write_table(pyarrow.Table.from_pylist([row], SCHEMAS[1]), path)
    assert list(read_parquet(path)) == [read_back(record)]
