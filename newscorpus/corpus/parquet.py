"""Write and read records as Parquet files with the non-nullable schema of `Record`. Needs pyarrow."""

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import IO, Any, get_args, get_origin

import msgspec
import pyarrow
from pyarrow import parquet

from newscorpus.corpus.export.scores import NO_SCORES, Scores
from newscorpus.data import Record
from newscorpus.errors import CorpusError
from newscorpus.lines import ZSTD_LEVEL
from newscorpus.page.records import check_schema, keys_of

GROUP_ROWS = 5_000
"""Records in a row group: some 20 MB of news; a reader holds one group in memory."""

READ_ROWS = 500
"""Records decoded at a time."""

VALUES = {str: pyarrow.string(), int: pyarrow.int64(), float: pyarrow.float64(), bool: pyarrow.bool_()}


def _arrow_fields(of: Any) -> list[pyarrow.Field]:
    return [pyarrow.field(name, _arrow_type(kind), nullable=False) for name, kind in keys_of(of).items()]


def _arrow_type(kind: Any) -> pyarrow.DataType:
    if get_origin(kind) is tuple:
        return pyarrow.list_(pyarrow.field("element", _arrow_type(get_args(kind)[0]), nullable=False))
    return VALUES.get(kind) or pyarrow.struct(_arrow_fields(kind))


COLUMNS = pyarrow.schema(_arrow_fields(Record))


def write_parquet(file: IO[bytes], records: Iterable[Record], scores: Scores = NO_SCORES) -> None:
    """Write records, compressed by zstd, with a checksum per page; equal records give equal bytes."""
    numbers = [pyarrow.field(name, VALUES[float]) for name in scores.names]
    schema = pyarrow.schema([*COLUMNS, *numbers])
    rest = iter(records)
    with parquet.ParquetWriter(
        file, schema, compression="zstd", compression_level=ZSTD_LEVEL, write_page_checksum=True
    ) as writer:
        while group := list(islice(rest, GROUP_ROWS)):
            rows = [msgspec.to_builtins(record) | scores.of(record) for record in group]
            writer.write_table(pyarrow.Table.from_pylist(rows, schema))


def read_parquet(path: Path) -> Iterator[Record]:
    """Read the records of a file.

    Raises:
        CorpusError: the file is missing or damaged, or holds something other than records.
    """
    try:
        with parquet.ParquetFile(path, page_checksum_verification=True) as file:
            if not file.schema_arrow.equals(COLUMNS):
                odd = sorted({*file.schema_arrow.names} ^ {*COLUMNS.names}) or ["types differ"]
                raise CorpusError(f"{path}: its columns are not those of a record: {', '.join(odd)}")
            for batch in file.iter_batches(READ_ROWS):
                for row in batch.to_pylist():
                    record = msgspec.convert(row, Record)
                    check_schema(record.schema, f"record {record.id} has ")
                    yield record
    except (OSError, pyarrow.ArrowException, msgspec.ValidationError) as error:
        raise CorpusError(f"{path}: {' '.join(str(error).split())}") from error
