"""Bring files and ledger back to the last commit, at the start of a crawl."""

import sqlite3
from pathlib import Path

from newscorpus.crawl.ledger.rows import UrlState
from newscorpus.crawl.ledger.transaction import cut_back
from newscorpus.errors import LedgerError
from newscorpus.layout import ARCHIVE, INTAKE, inside

FOLDERS = (INTAKE, ARCHIVE)
"""Folders of the corpus in which every file belongs to the ledger."""


def recover(connection: sqlite3.Connection, corpus: Path) -> dict[str, int]:
    """Undo what was not committed; gives the length of every file.

    Addresses under way or waiting are queued again, those met by pages that were not finished are forgotten, and files
    are cut back to what was committed. A file that is shorter than that was lost in part by a power failure: the pages
    whose lines are missing, and the last one before them, are queued again.

    Raises:
        LedgerError: there is an intake, but nothing in the ledger: the corpus was made without one. Or the ledger,
            which may be somebody else's, names a file outside the corpus.
    """
    lengths = dict(connection.execute("SELECT name, length FROM files"))
    for name in lengths:
        inside(corpus, name, LedgerError)
    unknown = _unknown_files(corpus, lengths)
    is_blank = connection.execute("SELECT 1 FROM urls LIMIT 1").fetchone() is None
    if is_blank and any(name.startswith(f"{INTAKE}/") for name in unknown):
        raise LedgerError(
            f"{corpus}: its intake is older than the ledger; crawl into another folder, or begin anew: -a fresh=yes"
        )
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("DELETE FROM urls WHERE state = ?", (UrlState.RESERVED,))
    for state in (UrlState.WAITING, UrlState.LEASED):
        connection.execute("UPDATE urls SET state = ? WHERE state = ?", (UrlState.QUEUED, state))
    for name, length in lengths.items():
        lengths[name] = _cut(connection, corpus, name, length)
    connection.execute("COMMIT")
    for name in unknown:
        (corpus / name).unlink()
    return lengths


def _cut(connection: sqlite3.Connection, corpus: Path, name: str, length: int) -> int:
    """Cut a file back to its committed length; queue the pages of what is missing of it. Gives the length it has."""
    path = corpus / name
    there = path.stat().st_size if path.is_file() else 0
    if there >= length:
        cut_back(path, length)
        return length
    whole = there
    if there and path.suffix == ".jsonl":  # up to the end of the last whole line
        whole = path.read_bytes().rfind(b"\n") + 1
        # Of the lines of a page the ledger knows the first: those of the last page may be missing in part.
        sql = "SELECT max(line_offset) FROM urls WHERE line_file = ? AND line_offset < ?"
        (last,) = connection.execute(sql, (name, whole)).fetchone()
        whole = whole if last is None else last
    cut_back(path, whole)
    _requeue(connection, name, whole)
    connection.execute("UPDATE files SET length = ? WHERE name = ?", (whole, name))
    return whole


def _requeue(connection: sqlite3.Connection, name: str, length: int) -> None:
    """Queue the pages whose lines lay in a file beyond `length` as if never fetched; forget what lay in the archive."""
    connection.execute(
        "CREATE TEMP TABLE lost AS SELECT * FROM urls WHERE line_file = ? AND line_offset >= ?", (name, length)
    )
    counted = "SELECT portal, stage, reason, count(*) FROM lost GROUP BY portal, stage, reason"
    for portal, stage, reason, n in connection.execute(counted).fetchall():
        counter = (n, portal, f"rejected/{stage}/{reason}" if stage else reason)
        connection.execute("UPDATE counts SET n = n - ? WHERE portal = ? AND name = ?", counter)
    connection.execute("DELETE FROM documents WHERE serial IN (SELECT serial FROM lost)")
    connection.execute("DELETE FROM urls WHERE request = x'' AND serial IN (SELECT serial FROM lost)")
    connection.execute(  # without what the last answer is compared with: none may be taken for unchanged
        """UPDATE urls SET state = 1, stage = '', reason = '', line_file = '', etag = '', last_modified = '',
        signature = '' WHERE serial IN (SELECT serial FROM lost)"""
    )
    connection.execute("DROP TABLE lost")
    sql = "UPDATE urls SET archive_file = '', archive_offset = 0 WHERE archive_file = ? AND archive_offset >= ?"
    connection.execute(sql, (name, length))


def _unknown_files(corpus: Path, known: dict[str, int]) -> list[str]:
    """Files in the ledger's folders, relative to the corpus, that the ledger does not know."""
    paths = (path for folder in FOLDERS for path in sorted((corpus / folder).glob("*")) if path.is_file())
    return [name for path in paths if (name := path.relative_to(corpus).as_posix()) not in known]
