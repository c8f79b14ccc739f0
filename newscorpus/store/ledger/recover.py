"""Restore the last commit of files and ledger at the start of a crawl.

Pages whose lines are lost are restored from the archive, or else requested again.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from newscorpus.errors import LedgerError
from newscorpus.layout import COMMITTED, INTAKE, INTAKE_SEGMENT, LEDGER, REJECTED, inside, is_adopted, refuse_strangers
from newscorpus.store.ledger.database import Execute
from newscorpus.store.ledger.transaction import announce, cut_back, note_lengths, take_renewed
from newscorpus.store.ledger.values import UrlOutcome, UrlState

END = 2**62
"""Offset beyond the end of any file."""

COUNTS = 0
"""Serial 0 among the lost pages: the counts may include lost rows."""

LINES = "line_file = ? AND line_offset >= ? AND line_offset < ?"
"""Condition for addresses whose lines lie in a part of a file."""

COUNTED = f"SELECT portal, stage, reason, count(*) FROM urls WHERE {LINES} GROUP BY portal, stage, reason"  # noqa: S608
UNASKED = f"DELETE FROM urls WHERE request = x'' AND {LINES}"  # noqa: S608
NOTED = f"INSERT OR IGNORE INTO lost SELECT serial FROM urls WHERE {LINES}"  # noqa: S608
QUEUED = f"""UPDATE urls SET state = 1, stage = '', reason = '', line_file = '', etag = '', last_modified = '',
    signature = '' WHERE {LINES}"""  # noqa: S608
ARCHIVED = """SELECT serial, url, portal, archive_file, archive_offset FROM urls JOIN lost USING (serial)
    WHERE state = 1 AND archive_file != '' ORDER BY archive_file, archive_offset"""

FilePart = tuple[str, int, int]
"""Name of a file relative to the corpus, offset of the first byte, and offset after the last one."""


@dataclass(frozen=True, slots=True)
class LostPage:
    """A page whose line is lost, but whose response is archived."""

    serial: int  # of its address
    url: str
    portal: str
    archived: tuple[str, int]  # file relative to the corpus, and offset


def mark_lost(execute: Execute, name: str, start: int, end: int = END) -> None:
    """Queue the pages whose lines lie in a part of a file as if never fetched, and mark them as lost.

    Their validators are deleted, so that no response counts as unchanged. Addresses refused without a request are
    deleted.
    """
    part = (name, start, end)
    for portal, stage, reason, n in execute(COUNTED, part).fetchall():
        values = (n, portal, UrlOutcome(stage, reason).counter)
        execute("UPDATE counts SET n = n - ? WHERE portal = ? AND name = ?", values)
    execute("INSERT OR IGNORE INTO lost VALUES (?)", (COUNTS,))
    for sql in (UNASKED, NOTED, QUEUED):
        execute(sql, part)


class Losses:
    """The lost lines of a ledger."""

    def __init__(self, execute: Execute) -> None:
        self._execute = execute

    def __bool__(self) -> bool:
        """Return whether lines are lost and not yet settled."""
        return self._execute("SELECT 1 FROM lost", ()).fetchone() is not None

    def archived(self) -> Iterator[LostPage]:
        """List the lost pages with an archived response, in the order of the archive."""
        for serial, url, portal, file, offset in self._execute(ARCHIVED, ()).fetchall():
            yield LostPage(serial, url, portal, (file, offset))


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
    for name, length in lengths.items():
        lengths[name] = _cut(connection, corpus, name, length)
    for part in damaged:
        mark_lost(connection.execute, *part)
    note_lengths(corpus, lengths)  # before the commit, else the truncated files would make the ledger look old
    connection.execute("COMMIT")
    # The next segment of the crawl, whoever wrote the existing ones.
    names = map(INTAKE_SEGMENT.format, count(1))
    segment = next(name for name in names if not lengths.get(name) and not (corpus / name).exists())
    begun = {name: 0 for name in (segment, REJECTED) if name not in lengths}
    announce(connection, begun)
    return lengths | begun


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
    """Truncate a file to its committed length, or queue the pages of its missing part; return the new length."""
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
    mark_lost(connection.execute, name, whole)
    connection.execute("UPDATE files SET length = ? WHERE name = ?", (whole, name))
    sql = "UPDATE urls SET archive_file = '', archive_offset = 0 WHERE archive_file = ? AND archive_offset >= ?"
    connection.execute(sql, (name, whole))
    connection.execute("DELETE FROM unfinished WHERE file = ? AND offset >= ?", (name, whole))
    return whole
