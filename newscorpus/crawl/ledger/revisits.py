"""What the ledger knows of earlier visits: validators, intervals, and what lists said of a document."""

import sqlite3
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass

from newscorpus.crawl.ledger.rows import State, key_of


@dataclass(frozen=True, slots=True)
class LastVisit:
    """What is known of an address from the last time it was asked for.

    Attributes:
        state: where the address stands.
        fetched: ISO 8601 with offset; "" where it was never fetched.
        status: of HTTP; 0 likewise.
        signature: hash of the body.
        stated: when the document changed, as a list said it.
        interval: seconds from that visit to the next; 0 where none was set.
    """

    state: int
    fetched: str = ""
    status: int = 0
    signature: str = ""
    stated: str = ""
    interval: float = 0.0


class Revisits:
    """The part of a ledger that is about asking again.

    Args:
        execute: runs a statement in the ledger's transaction.
    """

    def __init__(self, execute: Callable[[str, tuple[object, ...]], sqlite3.Cursor]) -> None:
        self._execute = execute

    def last(self, url: str) -> LastVisit | None:
        """The last visit of `url`; None where the address is not known."""
        sql = "SELECT state, fetched, status, signature, stated, visit_interval FROM urls WHERE id = ?"
        row = self._execute(sql, (key_of(url),)).fetchone()
        return LastVisit(*row) if row else None

    def state(self, url: str, stated: str) -> None:
        """Note when a list says that the document at `url` changed."""
        self._execute("UPDATE urls SET stated = ? WHERE id = ?", (stated, key_of(url)))

    def schedule(self, url: str, now: float, interval: float) -> None:
        """Set the next visit of `url`, in seconds since the epoch and seconds from now."""
        sql = "UPDATE urls SET next_visit = ?, visit_interval = ? WHERE id = ?"
        self._execute(sql, (now + interval, interval, key_of(url)))

    def revive(self, kinds: Collection[str], portals: Collection[str], now: float) -> Counter[str]:
        """Queue what is done, of some kinds and portals, and due at `now`; gives their number by portal."""
        marks, names = ", ".join("?" * len(kinds)), ", ".join("?" * len(portals))
        sql = f"""UPDATE urls SET state = ? WHERE state IN (?, ?) AND kind IN ({marks}) AND portal IN ({names})
            AND next_visit <= ? AND request != x'' RETURNING portal"""  # noqa: S608 -- question marks only
        values = (State.QUEUED, State.DONE, State.FAILED, *kinds, *portals, now)
        return Counter(portal for (portal,) in self._execute(sql, values).fetchall())
