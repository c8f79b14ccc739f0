"""What a ledger says, read while a crawl may be at work."""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from newscorpus.crawl.ledger.rows import UrlState, key_of
from newscorpus.crawl.ledger.store import LEDGER, reading


@dataclass(frozen=True, slots=True)
class UrlEntry:
    """What the ledger knows of one address.

    Attributes:
        trail: addresses of the page that named it, of the one that named that, and so on back to a start.
        request: JSON of the stored request, with the evidence of discovery.
        stage: of the rejection, or "".
        reason: "kept", "read" ...; of the rejection.
        line: file and offset of its row in the intake or of its rejection.
        archived: file and offset of its response in the archive.
    """

    url: str
    portal: str
    kind: str
    state: UrlState
    depth: int
    trail: tuple[str, ...]
    request: bytes
    attempts: int
    retry_at: float
    next_visit: float
    fetched: str
    status: int
    n_bytes: int
    redirected_to: str
    stage: str
    reason: str
    detail: str
    revision: str
    line: tuple[str, int]
    archived: tuple[str, int]


PLAIN = (
    *("url", "portal", "kind", "depth", "request", "attempts", "retry_at", "next_visit", "fetched", "status"),
    *("n_bytes", "redirected_to", "stage", "reason", "detail", "revision"),
)
"""Columns that an `UrlEntry` has as they are."""


OWN = "SELECT * FROM urls WHERE id = ?"
OF_DOCUMENT = "SELECT urls.* FROM documents JOIN urls USING (serial) WHERE documents.id = ?"
OF_SERIAL = "SELECT * FROM urls WHERE serial = ?"

TRAIL = """WITH RECURSIVE back (n, url, found_on) AS (
    SELECT 0, url, found_on FROM urls WHERE serial = ?
    UNION ALL SELECT n + 1, urls.url, urls.found_on FROM back JOIN urls ON urls.serial = back.found_on WHERE n < 100
) SELECT url FROM back ORDER BY n"""
"""Addresses from one back to its start; a hundred links are more than any crawl follows."""


def find(corpus: Path, url: str) -> UrlEntry | None:
    """What the ledger of a corpus knows of the document at `url`; None where it was never met.

    An address to which only a redirect led, or which a page gave as its canonical one, is known by the address that
    was asked for.

    Raises:
        LedgerError: there is no ledger, or it cannot be read.
    """
    with reading(corpus) as connection:
        key = (key_of(url),)
        row = connection.execute(OWN, key).fetchone() or connection.execute(OF_DOCUMENT, key).fetchone()
        if row and row["reason"] == "redirect_target":
            row = connection.execute(OF_SERIAL, (row["found_on"],)).fetchone() or row
        return _entry(connection, row) if row else None


def _entry(connection: sqlite3.Connection, row: sqlite3.Row) -> UrlEntry:
    trail = connection.execute(TRAIL, (row["found_on"],))
    return UrlEntry(
        **{name: row[name] for name in PLAIN},
        state=UrlState(row["state"]),
        trail=tuple(address for (address,) in trail),
        line=(row["line_file"], row["line_offset"]),
        archived=(row["archive_file"], row["archive_offset"]),
    )


def lengths(corpus: Path) -> dict[str, int]:
    """How many bytes of each file count, by its name relative to the corpus; empty where there is no ledger.

    Raises:
        LedgerError: the ledger cannot be read.
    """
    if not (corpus / LEDGER).is_file():
        return {}
    with reading(corpus) as connection:
        return dict(map(tuple, connection.execute("SELECT name, length FROM files")))


def states(corpus: Path) -> Iterator[tuple[str, UrlState, int]]:
    """Portal, state and number of the addresses in it.

    Raises:
        LedgerError: there is no ledger, or it cannot be read.
    """
    with reading(corpus) as connection:
        for portal, state, n in connection.execute(
            "SELECT portal, state, count(*) FROM urls GROUP BY 1, 2 ORDER BY 1, 2"
        ):
            yield portal, UrlState(state), n


def answers(corpus: Path, since: str) -> dict[str, tuple[int, str]]:
    """How many addresses of each portal were answered last at a time or later, and when the first of them was.

    Args:
        corpus: its folder.
        since: ISO 8601 in UTC, to the second, as the ledger has it.

    Raises:
        LedgerError: there is no ledger, or it cannot be read.
    """
    sql = "SELECT portal, count(*), min(fetched) FROM urls WHERE fetched >= ? GROUP BY portal"
    with reading(corpus) as connection:
        return {portal: (n, first) for portal, n, first in connection.execute(sql, (since,))}


def counts(corpus: Path) -> Iterator[tuple[str, str, int]]:
    """Portal, name and number of everything that a crawl counts.

    Raises:
        LedgerError: there is no ledger, or it cannot be read.
    """
    with reading(corpus) as connection:
        yield from map(tuple, connection.execute("SELECT portal, name, n FROM counts ORDER BY 1, 2"))
