"""Find pages whose lines are lost; they are restored from the archive where it has them, else asked for again."""

from collections.abc import Iterator
from dataclasses import dataclass

from newscorpus.store.ledger.rows import UrlOutcome
from newscorpus.store.ledger.store import Execute

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
