"""Bring files and ledger back to the last commit, at the start of a crawl.

Pages whose lines are lost are restored from the archive where it has them, else asked for again.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from newscorpus.errors import LedgerError
from newscorpus.layout import COMMITTED, INTAKE, INTAKE_SEGMENT, LEDGER, REJECTED, inside, is_adopted, refuse_strangers
from newscorpus.store.ledger.rows import UrlOutcome, UrlState
from newscorpus.store.ledger.store import Execute
from newscorpus.store.ledger.transaction import announce, cut_back, note_lengths, take_renewed

END = 2**62
"""Offset behind every file."""

COUNTS = 0
"""Stands among the lost in place of a serial: the counts may be those of more rows than there are."""

LINES = "line_file = ? AND line_offset >= ? AND line_offset < ?"
"""Condition for the addresses whose lines lie in a part of a file."""

COUNTED = f"SELECT portal, stage, reason, count(*) FROM urls WHERE {LINES} GROUP BY portal, stage, reason"  # noqa: S608
UNASKED = f"DELETE FROM urls WHERE request = x'' AND {LINES}"  # noqa: S608
NOTED = f"INSERT OR IGNORE INTO lost SELECT serial FROM urls WHERE {LINES}"  # noqa: S608
QUEUED = f"""UPDATE urls SET state = 1, stage = '', reason = '', line_file = '', etag = '', last_modified = '',
    signature = '' WHERE {LINES}"""  # noqa: S608
ARCHIVED = """SELECT serial, url, portal, archive_file, archive_offset FROM urls JOIN lost USING (serial)
    WHERE state = 1 AND archive_file != '' ORDER BY archive_file, archive_offset"""

FilePart = tuple[str, int, int]
"""Name of a file, relative to the corpus, and offsets of its first byte and of the one behind its last."""


@dataclass(frozen=True, slots=True)
class LostPage:
    """A page whose row or rejection is lost, and whose response lies in the archive."""

    serial: int  # of its address
    url: str
    portal: str
    archived: tuple[str, int]  # file, relative to the corpus, and offset


def lose(execute: Execute, name: str, start: int, end: int = END) -> None:
    """Queue the pages whose lines lie in a part of a file as if never fetched, and note that they are lost.

    Nothing stays that an answer is compared with: none may be taken for unchanged. What was refused without a request
    is forgotten.
    """
    part = (name, start, end)
    for portal, stage, reason, n in execute(COUNTED, part).fetchall():
        values = (n, portal, UrlOutcome(stage, reason).counter)
        execute("UPDATE counts SET n = n - ? WHERE portal = ? AND name = ?", values)
    execute("INSERT OR IGNORE INTO lost VALUES (?)", (COUNTS,))
    for sql in (UNASKED, NOTED, QUEUED):
        execute(sql, part)


class Losses:
    """The part of a ledger that is about lost lines."""

    def __init__(self, execute: Execute) -> None:
        self._execute = execute

    def __bool__(self) -> bool:
        """Whether lines are lost, and nothing has been done about it yet."""
        return self._execute("SELECT 1 FROM lost", ()).fetchone() is not None

    def archived(self) -> Iterator[LostPage]:
        """List the lost pages that the archive may hold, in its order."""
        for serial, url, portal, file, offset in self._execute(ARCHIVED, ()).fetchall():
            yield LostPage(serial, url, portal, (file, offset))


def recover(
    connection: sqlite3.Connection, corpus: Path, *, adopts: bool = False, damaged: Iterable[FilePart] = ()
) -> dict[str, int]:
    """Undo what was not committed; gives the length of every file.

    Addresses under way or waiting are queued again, those met by pages that were not finished are forgotten, and files
    are cut back to what was committed. A file that is shorter than that was lost in part by a power failure: the pages
    whose lines are missing, and the last one before them, are queued again. A ledger that is older than the
    files, as if put back from a backup, is refused: else the newer parts of the files would be cut off.

    Args:
        connection: the ledger.
        corpus: its folder.
        adopts: use the links and files of others that lie there, instead of refusing them.
        damaged: parts of files whose lines cannot be read, and count as lost.

    Raises:
        LedgerError: there is an intake, but nothing in the ledger: the corpus was made without one. Or the ledger is
            older than the files, names a file outside the corpus, or the corpus holds files of others.
    """
    take_renewed(connection, corpus)
    lengths = dict(connection.execute("SELECT name, length FROM files"))
    for name in lengths:
        inside(corpus, name, LedgerError)
    _refuse_older(corpus, lengths)
    is_blank = connection.execute("SELECT 1 FROM urls LIMIT 1").fetchone() is None
    segments = {f"{INTAKE}/{path.name}" for path in (corpus / INTAKE).glob("*.jsonl")} - lengths.keys()
    if is_blank and not adopts and any(not is_adopted(corpus, name) for name in segments):
        raise LedgerError(
            f"{corpus}: its intake is older than the ledger; crawl into another folder, or begin anew: -a fresh=yes"
        )
    if REJECTED not in lengths and (corpus / REJECTED).exists() and (corpus / REJECTED).stat().st_size:
        raise LedgerError(f"{corpus / REJECTED}: not of this crawl, which would write here; move it away")
    refuse_strangers(corpus, LedgerError, known=lengths, adopts=adopts)
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("DELETE FROM urls WHERE state = ?", (UrlState.RESERVED,))
    for state in (UrlState.WAITING, UrlState.LEASED):
        connection.execute("UPDATE urls SET state = ? WHERE state = ?", (UrlState.QUEUED, state))
    for name, length in lengths.items():
        lengths[name] = _cut(connection, corpus, name, length)
    for part in damaged:
        lose(connection.execute, *part)
    note_lengths(corpus, lengths)  # before the commit: what is cut must not make the ledger look old
    connection.execute("COMMIT")
    # The segment that a crawl writes next; whoever wrote the ones before, it is none of these.
    names = map(INTAKE_SEGMENT.format, count(1))
    segment = next(name for name in names if not lengths.get(name) and not (corpus / name).exists())
    begun = {name: 0 for name in (segment, REJECTED) if name not in lengths}
    announce(connection, begun)
    return lengths | begun


def noted_lengths(corpus: Path) -> dict[str, int]:
    """Read how much of each file of intake and archive is committed, by its name; empty where no crawl noted that.

    Raises:
        LedgerError: the note is damaged.
    """
    path = corpus / COMMITTED
    try:
        return {str(name): int(n) for name, n in json.loads(path.read_bytes()).items()}
    except FileNotFoundError:
        return {}
    except (ValueError, AttributeError, TypeError) as error:
        raise LedgerError(f"{path}: damaged ({error}); remove it") from error


def _refuse_older(corpus: Path, lengths: Mapping[str, int]) -> None:
    noted = noted_lengths(corpus)
    if any(length > lengths.get(name, 0) for name, length in noted.items()):
        raise LedgerError(
            f"{corpus / LEDGER}: older than the files beside it, as if put back from a backup; put the whole folder"
            f" back, or remove {COMMITTED}: what is newer is then cut off"
        )


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
    lose(connection.execute, name, whole)
    connection.execute("UPDATE files SET length = ? WHERE name = ?", (whole, name))
    sql = "UPDATE urls SET archive_file = '', archive_offset = 0 WHERE archive_file = ? AND archive_offset >= ?"
    connection.execute(sql, (name, whole))
    connection.execute("DELETE FROM unfinished WHERE file = ? AND offset >= ?", (name, whole))
    return whole
