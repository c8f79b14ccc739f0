"""Show what a crawl does and did: its last pages, the next ones, and pages over time; while it runs, too."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from newscorpus.store.ledger.store import reading

SPANS = 60
"""Equal spans of time into which a crawl is cut."""
LAST = 15
"""Pages that are shown."""
QUEUED = 10
"""Addresses of a portal's queue that are shown."""

NEXT = """SELECT url, kind, attempts FROM urls
WHERE state = 1 AND portal = ? ORDER BY priority DESC, serial LIMIT ?"""
LATEST = """SELECT url, portal, fetched, stage, reason, detail FROM urls
WHERE fetched != '' AND kind = 'article' ORDER BY fetched DESC, serial DESC LIMIT ?"""
SECONDS = "CAST(strftime('%s', fetched) AS INTEGER)"
BETWEEN = f"SELECT min({SECONDS}), max({SECONDS}) FROM urls WHERE fetched != '' AND portal = ?"  # noqa: S608 -- a constant
COUNTED = f"""SELECT ({SECONDS} - ?) / ?, count(*), sum(reason = 'kept') FROM urls
WHERE fetched != '' AND portal = ? GROUP BY 1"""  # noqa: S608 -- a constant


@dataclass(frozen=True, slots=True)
class LastPage:
    """An article that was fetched, and what became of it."""

    url: str
    portal: str
    fetched: str  # ISO 8601
    outcome: str  # "kept", or "stage/reason"
    detail: str


@dataclass(frozen=True, slots=True)
class QueuedAddress:
    """An address that is to be asked for."""

    url: str
    kind: str  # what it is fetched for
    attempts: int  # how often it was asked for already


@dataclass(frozen=True, slots=True)
class SpanOfTime:
    """What a portal gave in a span of time."""

    start: str  # ISO 8601
    fetched: int  # addresses of any kind
    kept: int  # articles


def last_pages(corpus: Path) -> list[LastPage]:
    """The articles that were fetched last, the latest first.

    Raises:
        LedgerError: there is no ledger, or it cannot be read.
    """
    with reading(corpus) as connection:
        return [
            LastPage(url, portal, fetched, f"{stage}/{reason}" if stage else reason, detail)
            for url, portal, fetched, stage, reason, detail in connection.execute(LATEST, (LAST,))
        ]


def next_addresses(corpus: Path, portal: str) -> list[QueuedAddress]:
    """The addresses of a portal that are asked for next, in their order.

    Raises:
        LedgerError: there is no ledger, or it cannot be read.
    """
    with reading(corpus) as connection:
        return [QueuedAddress(*row) for row in connection.execute(NEXT, (portal, QUEUED))]


def over_time(corpus: Path, portal: str) -> list[SpanOfTime]:
    """What a portal gave from its first answer to its last, in at most `SPANS` equal spans of whole seconds.

    Raises:
        LedgerError: there is no ledger, or it cannot be read.
    """
    with reading(corpus) as connection:
        first, last = connection.execute(BETWEEN, (portal,)).fetchone()
        if first is None:
            return []
        width = (last - first) // SPANS + 1
        counts = {at: (n, kept) for at, n, kept in connection.execute(COUNTED, (first, width, portal))}
    starts = (datetime.fromtimestamp(first + at * width, UTC) for at in range((last - first) // width + 1))
    return [SpanOfTime(start.isoformat(), *counts.get(at, (0, 0))) for at, start in enumerate(starts)]
