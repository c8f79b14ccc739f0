"""The folder for Hugging Face, opened with `datasets`, its card, and Parquet files alone, opened with pyarrow."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import datasets
import pyarrow
import pytest
import yaml  # type: ignore[import-untyped]
from datasets.info import DatasetInfosDict
from datasets.utils.metadata import MetadataConfigs
from huggingface_hub import DatasetCard
from pyarrow import parquet as reader

from newscorpus.config import ExportConfig
from newscorpus.corpus.export import hf
from newscorpus.data import Record

from .conftest import MakeSource, as_json

SPLITS = ("train", "validation", "test")


@pytest.fixture
def exported(make_source: MakeSource, records: list[Record], folder: Path) -> Path:
    """An export of one document a split."""
    hf.write(make_source({name: [record] for name, record in zip(SPLITS, records, strict=True)}), folder)
    return folder


def load(folder: Path, cache: Path) -> Any:
    return datasets.load_dataset(str(folder), cache_dir=str(cache))


def front_matter(folder: Path) -> Any:
    return yaml.safe_load((folder / "README.md").read_text("utf-8").split("---\n")[1])


def test_datasets_reads_every_split(exported: Path, records: list[Record], tmp_path: Path) -> None:
    found = load(exported, tmp_path / "cache")
    assert [list(found[name]) for name in SPLITS] == [[as_json(record)] for record in records]


def test_types_hold_where_all_lists_are_empty(
    make_source: MakeSource, bare_record: Record, record: Record, folder: Path, tmp_path: Path
) -> None:
    hf.write(make_source({"": [bare_record, record]}, ExportConfig(max_bytes=1)), folder)
    assert len(list((folder / "data" / "train").iterdir())) == 2
    found = load(folder, tmp_path / "cache")
    assert [row["authors"] for row in found["train"]] == [[], list(record.authors)]


def test_the_card_counts(exported: Path) -> None:
    info = front_matter(exported)["dataset_info"]
    assert [(split["name"], split["num_examples"]) for split in info["splits"]] == [(name, 1) for name in SPLITS]
    assert info["download_size"] == sum(path.stat().st_size for path in exported.rglob("*.parquet"))
    assert info["dataset_size"] > 0


def test_the_card_says_what_is_inside(exported: Path, records: list[Record]) -> None:
    head = front_matter(exported)
    assert head["language"] == ["cs"]
    assert head["size_categories"] == ["n<1K"]
    text = (exported / "README.md").read_text("utf-8")
    assert "3 news articles" in text
    assert "of 2026-03-01 to 2026-03-01" in text, "what is no date is not counted as one"
    assert 'CC "BY" \\| &lt;4.0> | 1 |' in text
    assert "The &lt;Institute> &amp; Co" in text


def test_the_card_is_valid_for_the_hub(exported: Path) -> None:
    card = DatasetCard((exported / "README.md").read_text("utf-8"), ignore_metadata_errors=False)
    assert [card.data.get(name) for name in ("license", "size_categories")] == ["other", ["n<1K"]]
    (files,) = MetadataConfigs.from_dataset_card_data(card.data).values()
    assert [one["split"] for one in files["data_files"]] == list(SPLITS)
    info = DatasetInfosDict.from_dataset_card_data(card.data)["default"]
    assert info.features == load(exported, exported.parent / "cache")["train"].features


def test_the_card_has_the_tokens_that_were_counted_of_all_texts(
    make_source: MakeSource, records: list[Record], folder: Path
) -> None:
    source = make_source({"": records})
    shares = tuple(replace(share, tokens=share.words * 2) for share in source.manifest.shares)
    counted = replace(source, manifest=replace(source.manifest, shares=shares, tokenizer="words.json 0123"))
    hf.write(counted, folder)
    words = sum(record.n_words for record in records if record.language == "cs")
    card = (folder / "README.md").read_text("utf-8")
    assert "| language | documents | words | tokens (words.json 0123) |" in card
    assert f"| cs | 1 | {words:,} | {2 * words:,} |" in card
    folder = folder / "selected"
    folder.mkdir()
    hf.write(replace(counted, parts=make_source({"": records[:1]}).parts), folder)
    assert "tokens" not in (folder / "README.md").read_text("utf-8")


def test_a_split_without_documents_is_not_declared(
    make_source: MakeSource, record: Record, folder: Path, tmp_path: Path
) -> None:
    hf.write(make_source({"train": [record], "validation": [], "test": []}), folder)
    assert set(load(folder, tmp_path / "cache")) == {"train"}
    assert [one["split"] for one in front_matter(folder)["configs"][0]["data_files"]] == ["train"]


def test_rows_come_back_typed(make_source: MakeSource, records: list[Record], folder: Path) -> None:
    hf.write_parquet(make_source({"": records}), folder)
    (path,) = (folder / "data").iterdir()
    table = reader.read_table(path)
    assert table.to_pylist() == [as_json(record) for record in records]
    assert table.schema.field("authors").type.value_type == pyarrow.string()
    assert not any(field.nullable for field in table.schema)
    assert reader.read_metadata(path).row_group(0).column(0).compression == "ZSTD"


def test_parts_are_folders_of_bounded_files(make_source: MakeSource, records: list[Record], folder: Path) -> None:
    hf.write_parquet(make_source({"train": records, "test": []}, ExportConfig(max_bytes=1)), folder)
    assert sorted(path.name for path in (folder / "data" / "train").iterdir()) == [
        f"0000{at}.parquet" for at in range(3)
    ]
    assert list((folder / "data" / "test").iterdir()) == []
