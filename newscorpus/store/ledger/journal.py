"""Keep the journal of rejections at one line an address, the one that says how it stands now."""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from newscorpus.files import sync, sync_folder
from newscorpus.layout import REJECTED
from newscorpus.store.ledger.rows import key_of

RENEWED = f".{REJECTED}.new"
"""The journal to be, which replaces the old one once the ledger has its offsets; its name there says that it has."""


def tidy(connection: sqlite3.Connection, corpus: Path) -> None:
    """Leave out the lines of which the ledger says that another one, or none, is true now; at the end of a crawl.

    Raises:
        OSError: it cannot be written; ledger and journal are as they were.
    """
    path = corpus / REJECTED
    (n_rows,) = connection.execute("SELECT count(*) FROM urls WHERE line_file = ?", (REJECTED,)).fetchone()
    if not path.is_file() or sum(1 for _ in _lines(path)) == n_rows:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        length = _renew(connection, path, corpus / RENEWED)
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    rows = [(REJECTED, length), (RENEWED, length)]
    connection.executemany("INSERT OR REPLACE INTO files VALUES (?, ?)", rows)
    connection.execute("COMMIT")
    connection.execute("PRAGMA wal_checkpoint(FULL)")  # a power failure must not take the offsets and leave the file
    take_renewed(connection, corpus)


def take_renewed(connection: sqlite3.Connection, corpus: Path) -> None:
    """Put the journal in place that the ledger has the offsets of, if there is one; also after the writer's death."""
    if connection.execute("SELECT 1 FROM files WHERE name = ?", (RENEWED,)).fetchone():
        if (corpus / RENEWED).is_file():
            (corpus / RENEWED).replace(corpus / REJECTED)
            sync_folder(corpus)
        connection.execute("DELETE FROM files WHERE name = ?", (RENEWED,))


def _renew(connection: sqlite3.Connection, old: Path, new: Path) -> int:
    """Write the journal anew, and its offsets into the ledger; gives its length."""
    sql = "SELECT line_offset, serial FROM urls WHERE line_file = ? ORDER BY line_offset"
    rows = connection.execute(sql, (REJECTED,))
    row = rows.fetchone()
    with new.open("wb") as file:
        for offset, line in _lines(old):
            while row and row[0] < offset:
                row = rows.fetchone()
            if row and row[0] == offset:
                connection.execute("UPDATE urls SET line_offset = ? WHERE serial = ?", (file.tell(), row[1]))
            elif line.isspace() or _is_known(connection, line):
                continue
            file.write(line)
        sync(file)
        return file.tell()


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    offset = 0
    with path.open("rb") as file:
        for line in file:
            yield offset, line
            offset += len(line)


def _key(line: bytes) -> int | None:
    """The key of the address of a line; None where it is no line of ours."""
    try:
        return key_of(json.loads(line)["url"])
    except (ValueError, LookupError, TypeError):
        return None


def _is_known(connection: sqlite3.Connection, line: bytes) -> bool:
    """Whether the ledger knows the address of a line; it does not know requests that it cannot store."""
    key = _key(line)
    return key is not None and connection.execute("SELECT 1 FROM urls WHERE id = ?", (key,)).fetchone() is not None
