"""Parquet files, opened with pyarrow."""

from pathlib import Path

import pyarrow
from pyarrow import parquet as reader

from newscorpus.config import ExportConfig
from newscorpus.corpus.export import hf
from newscorpus.data import Record

from .conftest import MakeSource, as_json


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
