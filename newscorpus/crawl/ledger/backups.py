"""Recognise a ledger that was put back from a backup, and keep what the files beside it hold that it does not know.

Beside the ledger stands how long the files of the corpus were when they were last made safe. Where it says more than
the ledger, the ledger is the older one. The archive is then taken as it is: its answers stand for those of the sites
once their addresses are asked for. Rows of the intake are put aside, since they come of these answers again.
"""

import json
import logging
import shutil
import sqlite3
from collections.abc import Mapping
from http import HTTPStatus
from itertools import count
from pathlib import Path

from newscorpus.config import Limits
from newscorpus.crawl.archive.record import WarcRecord
from newscorpus.crawl.archive.records import read_records
from newscorpus.crawl.archive.values import ArchiveError
from newscorpus.crawl.ledger.journal import find_again
from newscorpus.crawl.ledger.rows import UrlState, key_of
from newscorpus.errors import LedgerError
from newscorpus.files import replacing, sync
from newscorpus.layout import ARCHIVE, ASIDE, COMMITTED, INTAKE, LEDGER, REJECTED

logger = logging.getLogger(__name__)

RECOUNT = """UPDATE counts SET n = n - (SELECT count(*) FROM urls JOIN newer USING (id)
    WHERE urls.portal = counts.portal AND counts.name = 'rejected/' || stage || '/' || reason)"""
QUEUED = f"""UPDATE urls SET state = {UrlState.QUEUED.value}, stage = '', reason = '', from_archive = 1,
    archive_file = newer.file, archive_offset = newer.offset
    FROM newer WHERE newer.id = urls.id AND request != x''"""  # noqa: S608 -- a constant
TAKEN = "DELETE FROM newer WHERE id IN (SELECT id FROM urls WHERE request != x'')"


def note_lengths(corpus: Path, lengths: Mapping[str, int]) -> None:
    """Write down the committed length of each file of a corpus; the journal, which also shrinks, is left out."""
    with replacing(corpus / COMMITTED) as file:
        file.write(json.dumps({name: length for name, length in lengths.items() if name != REJECTED}).encode())


def noted_lengths(corpus: Path, lengths: Mapping[str, int]) -> dict[str, int]:
    """Read the lengths that were noted, if the ledger, which knows of `lengths`, is older; else give none.

    Raises:
        LedgerError: they cannot be read.
    """
    path = corpus / COMMITTED
    try:
        noted: dict[str, int] = {str(name): int(n) for name, n in json.loads(path.read_bytes()).items()}
    except FileNotFoundError:
        return {}
    except (ValueError, AttributeError, TypeError) as error:
        raise LedgerError(f"{path}: damaged ({error}); remove it") from error
    return noted if any(length > lengths.get(name, 0) for name, length in noted.items()) else {}


def take_newer(
    connection: sqlite3.Connection, corpus: Path, lengths: Mapping[str, int], noted: Mapping[str, int]
) -> dict[str, int]:
    """Bring an older ledger to what lies beside it, within a transaction; gives the lengths that count from now on.

    Args:
        connection: the ledger.
        corpus: its folder.
        lengths: of the files, as the ledger says.
        noted: as `noted_lengths` gives them.
    """
    journal = {REJECTED: find_again(connection, corpus)} if lengths.get(REJECTED) else {}
    newer = {name: length for name, length in noted.items() if length > lengths.get(name, 0)}
    aside = next(folder for n in count(1) if not (folder := corpus / ASIDE / str(n)).exists())
    for name in newer:
        if name.startswith(f"{INTAKE}/"):
            _put_aside(corpus / name, aside / name, lengths.get(name, 0))
    archives = {name: length for name, length in newer.items() if name.startswith(f"{ARCHIVE}/")}
    for name in archives:
        _hold_answers(connection, corpus, name, lengths.get(name, 0))
    (n_answers,) = connection.execute("SELECT count(*) FROM newer").fetchone()
    for sql in (RECOUNT, QUEUED, TAKEN):
        connection.execute(sql)
    taken = archives | journal
    connection.executemany("INSERT OR REPLACE INTO files VALUES (?, ?)", taken.items())
    logger.warning(
        "%s: older than the files beside it, as if put back from a backup. Newer answers in the archive, which are"
        " read again in place of asking for them: %d.%s",
        corpus / LEDGER,
        n_answers,
        f" Newer rows were put aside: {aside}" if aside.exists() else "",
    )
    return {**lengths, **taken}


def _put_aside(source: Path, target: Path, offset: int) -> None:
    """Copy what a file holds from an offset on; the file goes if that is all of it."""
    if not source.is_file() or source.stat().st_size <= offset:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    with source.open("rb") as old, target.open("wb") as new:
        old.seek(offset)
        shutil.copyfileobj(old, new)
        sync(new)
    if not offset:
        source.unlink()


def _hold_answers(connection: sqlite3.Connection, corpus: Path, name: str, offset: int) -> None:
    """Note where the answers of a file lie from an offset on, of each address the last one."""
    try:
        for record in read_records(corpus / name, Limits().max_bytes, offset):
            if isinstance(record, WarcRecord) and record.kind == "response" and record.status == HTTPStatus.OK:
                key = key_of(record.headers.get("warc-target-uri", "").strip("<>"))
                connection.execute("INSERT OR REPLACE INTO newer VALUES (?, ?, ?)", (key, name, record.place.offset))
    except ArchiveError as error:
        logger.warning("%s; its pages are asked for again", error)
