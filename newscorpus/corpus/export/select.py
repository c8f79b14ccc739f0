"""Select the documents of an export by an SQL expression over the columns of a record, evaluated by DuckDB.

DuckDB sees the documents only, in memory: no files, no network, no extensions. Needs the extra `where`.
"""

from collections.abc import Iterable, Iterator
from dataclasses import is_dataclass
from itertools import islice
from typing import Any

import msgspec

from newscorpus.data import Record
from newscorpus.errors import ArgumentError
from newscorpus.page.records import item_type, keys_of

SQL_TYPES = {str: "VARCHAR", int: "BIGINT", float: "DOUBLE", bool: "BOOLEAN"}
BATCH = 500
"""Documents evaluated at a time: some 2 MB of news."""
QUERY = "SELECT id FROM (SELECT unnest(row) FROM (SELECT unnest(from_json(?::JSON, ?)) AS row)) WHERE ({}\n)"


def matching(records: Iterable[Record], where: str) -> Iterator[Record]:
    """Yield the records for which an expression such as `language == 'cs' and rights.tdm != '1'` is true.

    Raises:
        ArgumentError: the expression is none, or names an unknown column.
        ImportError: DuckDB is not installed.
    """
    try:
        import duckdb  # noqa: PLC0415 -- an extra
    except ImportError as error:
        raise ImportError("--where: duckdb is not installed; install it by: pip install 'newscorpus[where]'") from error
    columns = msgspec.json.encode([_sql_type(Record)]).decode()
    with duckdb.connect(
        config={"enable_external_access": False, "lock_configuration": True, "threads": 1}
    ) as connection:
        rest, batch, is_first = iter(records), list[Record](), True
        while batch or is_first:  # with an empty batch first, so that a wrong expression fails before any work
            rows = msgspec.json.encode(batch).decode()
            try:
                found = {name for (name,) in connection.execute(QUERY.format(where), [rows, columns]).fetchall()}
            except duckdb.Error as error:
                known = ", ".join(keys_of(Record))
                reason = str(error).partition("\n")[0]
                raise ArgumentError(f"--where {where!r}: {reason}; columns: {known}") from error
            yield from (record for record in batch if record.id in found)
            batch, is_first = list(islice(rest, BATCH)), False


def _sql_type(kind: Any) -> Any:
    """Describe a type as DuckDB's `from_json` takes it."""
    item, repeated = item_type(kind)
    name = {key: _sql_type(part) for key, part in keys_of(item).items()} if is_dataclass(item) else SQL_TYPES[item]
    return [name] if repeated else name
