"""Restore the last commit of files and ledger at the start of a crawl.

Pages whose lines are lost are queued again: the crawl reads them from the archive, or requests those it does not hold.
"""

import json
import logging
import sqlite3
from collections.abc import Iterable
from itertools import count
from pathlib import Path

from newscorpus.errors import LedgerError
from newscorpus.layout import COMMITTED, INTAKE, INTAKE_SEGMENT, LEDGER, REJECTED, inside, is_adopted, refuse_strangers
from newscorpus.store.intake import count_rows
from newscorpus.store.ledger.database import Execute
from newscorpus.store.ledger.transaction import announce, cut_back, note_lengths, take_renewed
from newscorpus.store.ledger.values import UrlOutcome, UrlState

logger = logging.getLogger(__name__)

END = 2**62
"""Offset beyond the end of any file."""

LINES = "line_file = ? AND line_offset >= ? AND line_offset < ?"
"""Condition for addresses whose lines lie in a part of a file."""

COUNTED = f"SELECT portal, stage, reason, count(*) FROM urls WHERE {LINES} GROUP BY portal, stage, reason"  # noqa: S608
UNASKED = f"DELETE FROM urls WHERE request = x'' AND {LINES}"  # noqa: S608
QUEUED = f"""UPDATE urls SET state = 1, stage = '', reason = '', line_file = '', etag = '', last_modified = '',
    signature = '', from_archive = archive_file != '' WHERE {LINES}"""  # noqa: S608
COUNT = "INSERT INTO counts VALUES (?1, ?2, ?3) ON CONFLICT (portal, name) DO UPDATE SET n = n + ?3"

FilePart = tuple[str, int, int]
"""Name of a file relative to the corpus, offset of the first byte, and offset after the last one."""


def requeue(execute: Execute, name: str, start: int, end: int) -> int:
    """Queue the pages whose lines lie in a part of a file as if never fetched, and return the number.

    Their validators are deleted, so that no response counts as unchanged. Addresses refused without a request are
    deleted.
    """
    part = (name, start, end)
    for portal, stage, reason, n in execute(COUNTED, part).fetchall():
        execute(COUNT, (portal, UrlOutcome(stage, reason).counter, -n))
    execute(UNASKED, part)
    return execute(QUEUED, part).rowcount


def count_again(execute: Execute, corpus: Path) -> None:
    """Set the counts of rows and words to those of the intake.

    In a ledger of one portal, rows of other sources count as its rows: their spider names no portals of its own.
    """
    portals = [name for (name,) in execute("SELECT DISTINCT portal FROM urls", ()).fetchall()]
    execute("UPDATE counts SET n = 0 WHERE name IN ('kept', 'words')", ())
    for source, (kept, words) in count_rows(corpus / INTAKE).items():
        portal = source if source in portals or len(portals) != 1 else portals[0]
        execute(COUNT, (portal, "kept", kept))
        execute(COUNT, (portal, "words", words))


def recover(
    connection: sqlite3.Connection, corpus: Path, *, adopts: bool = False, damaged: Iterable[FilePart] = ()
) -> dict[str, int]:
    """Roll back everything uncommitted; return the length of every file.

    Leased and waiting addresses are queued again, reserved ones deleted, and files truncated to their committed length.
    A shorter file was damaged by a power failure: the pages whose lines are missing, and the last one before them, are
    queued again. A ledger older than its files, such as a restored backup, is refused, since newer parts of the files
    would be cut off. `adopts` and `damaged` are those of `Ledger.open`.

    Raises:
        CorpusError: the corpus has an intake of another origin than the ledger; the ledger is older than the files or
            names a file outside the corpus; or the corpus holds foreign files.
    """
    take_renewed(connection, corpus)
    lengths = dict(connection.execute("SELECT name, length FROM files"))
    for name in lengths:
        inside(corpus, name)
    if any(length > lengths.get(name, 0) for name, length in noted_lengths(corpus).items()):
        raise LedgerError(
            f"{corpus / LEDGER}: older than the files beside it, as if put back from a backup; put the whole folder"
            f" back, or remove {COMMITTED}: what is newer is then cut off"
        )
    is_blank = connection.execute("SELECT 1 FROM urls LIMIT 1").fetchone() is None
    segments = {f"{INTAKE}/{path.name}" for path in (corpus / INTAKE).glob("*.jsonl")} - lengths.keys()
    if is_blank and not adopts and any(not is_adopted(corpus, name) for name in segments):
        raise LedgerError(
            f"{corpus}: its intake is older than the ledger; crawl into another folder, or begin anew: -a fresh=yes"
        )
    if REJECTED not in lengths and (corpus / REJECTED).exists() and (corpus / REJECTED).stat().st_size:
        raise LedgerError(f"{corpus / REJECTED}: not of this crawl, which would write here; move it away")
    refuse_strangers(corpus, known=lengths, adopts=adopts)
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("DELETE FROM urls WHERE state = ?", (UrlState.RESERVED,))
    for state in (UrlState.WAITING, UrlState.LEASED):
        connection.execute("UPDATE urls SET state = ? WHERE state = ?", (UrlState.QUEUED, state))
    cut = {name: _cut(connection, corpus, name, length) for name, length in lengths.items()}
    missing = [(name, length, END) for name, length in cut.items() if length < lengths[name]]
    if lost := [*missing, *damaged]:
        n_pages = sum(requeue(connection.execute, *part) for part in lost)
        count_again(connection.execute, corpus)
        if missing:
            logger.warning("Stored data was lost; pages to be read from the archive or fetched again: %d", n_pages)
    note_lengths(corpus, cut)  # before the commit, else the truncated files would make the ledger look old
    connection.execute("COMMIT")
    # The next segment of the crawl, whoever wrote the existing ones.
    names = map(INTAKE_SEGMENT.format, count(1))
    segment = next(name for name in names if not cut.get(name) and not (corpus / name).exists())
    begun = {name: 0 for name in (segment, REJECTED) if name not in cut}
    announce(connection, begun)
    return cut | begun


def noted_lengths(corpus: Path) -> dict[str, int]:
    """Read the committed lengths of the files in intake and archive, by name; empty without `.committed.json`.

    Raises:
        LedgerError: `.committed.json` is damaged.
    """
    path = corpus / COMMITTED
    try:
        return {str(name): int(n) for name, n in json.loads(path.read_bytes()).items()}
    except FileNotFoundError:
        return {}
    except (ValueError, AttributeError, TypeError) as error:
        raise LedgerError(f"{path}: damaged ({error}); remove it") from error


def _cut(connection: sqlite3.Connection, corpus: Path, name: str, length: int) -> int:
    """Truncate a file to its committed length, or to its last whole page if it is shorter; return the new length."""
    path = corpus / name
    there = path.stat().st_size if path.is_file() else 0
    if there >= length:
        cut_back(path, length)
        return length
    whole = there
    if there and path.suffix == ".jsonl":  # keep whole lines
        whole = path.read_bytes().rfind(b"\n") + 1
        # The ledger stores the first line of a page only: the last page may have lost its other lines.
        sql = "SELECT max(line_offset) FROM urls WHERE line_file = ? AND line_offset < ?"
        (last,) = connection.execute(sql, (name, whole)).fetchone()
        whole = whole if last is None else last
    cut_back(path, whole)
    connection.execute("UPDATE files SET length = ? WHERE name = ?", (whole, name))
    sql = "UPDATE urls SET archive_file = '', archive_offset = 0 WHERE archive_file = ? AND archive_offset >= ?"
    connection.execute(sql, (name, whole))
    connection.execute("DELETE FROM unfinished WHERE file = ? AND offset >= ?", (name, whole))
    return whole
