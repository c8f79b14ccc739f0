"""The card: Hugging Face `datasets` loads the corpus by it."""

import dataclasses
from dataclasses import replace
from pathlib import Path

import pytest

from newscorpus.config import BuildConfig, ShardConfig, ShardFormat
from newscorpus.corpus.manifest import COLUMNS
from newscorpus.corpus.published import publish
from newscorpus.data import Record
from newscorpus.page.records import encode

datasets = pytest.importorskip("datasets", reason="the loader of Hugging Face is not installed")
yaml = pytest.importorskip("yaml", reason="it comes with the loader of Hugging Face")


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """No network, and no bars in the output."""
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    datasets.disable_progress_bars()


def published(folder: Path, records: list[Record], form: ShardFormat) -> Path:
    largest = max(len(encode(record)) for record in records)
    manifest = publish(folder, records, BuildConfig(shards=ShardConfig(form, largest)))
    assert len(manifest.shards) == 2
    return folder


@pytest.mark.parametrize("form", list(ShardFormat))
def test_datasets_loads_it_though_the_first_shard_has_only_empty_lists(
    tmp_path: Path, record: Record, bare_record: Record, form: ShardFormat, offline: None
) -> None:
    folder = published(tmp_path / "corpus", [bare_record, record], form)
    loaded = datasets.load_dataset(str(folder), cache_dir=str(tmp_path / "cache"))
    assert list(loaded) == ["train"]
    rows = list(loaded["train"])
    assert rows[0]["authors"] == []
    assert rows[0]["images"] == []
    assert rows[1]["authors"] == ["Jana Nová", "Петр Иванов"]
    assert rows[1]["images"] == [{"url": "https://www.a.cz/i.jpg", "alt": "popis", "caption": "Foto: X"}]
    assert rows[1]["rights"]["robots"] == "index"
    assert (rows[1]["paywalled"], rows[1]["confidence"], rows[1]["n_words"]) == (False, 0.5, 6)
    assert list(rows[1]) == [field.name for field in dataclasses.fields(Record)]


def test_front_matter_is_yaml_with_languages_as_text(tmp_path: Path, record: Record) -> None:
    records = [replace(record, language="no"), replace(record, language="")]
    folder = published(tmp_path, records, ShardFormat.ZSTD)
    _, front, text = (folder / "README.md").read_text("utf-8").split("---\n", 2)
    assert yaml.safe_load(front)["language"] == ["no"]
    assert "| a | no | 1 | 6 |" in text
    assert "| a | ? | 1 | 6 |" in text


def test_every_column_is_explained() -> None:
    assert list(COLUMNS) == [field.name for field in dataclasses.fields(Record)]
