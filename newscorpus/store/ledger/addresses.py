"""Read outcomes of addresses and the places of their pages and lines, also while a crawl is running.

Functions raise LedgerError if there is no readable ledger, unless they say otherwise.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from newscorpus.data import Evidence
from newscorpus.errors import LedgerError
from newscorpus.store.ledger.database import reading, remembered
from newscorpus.store.ledger.recover import LINES
from newscorpus.store.ledger.values import UrlState, evidence_of, key_of

PLAIN = (
    *("url", "portal", "kind", "depth", "attempts", "next_visit", "fetched", "status"),
    *("n_bytes", "redirected_to", "stage", "reason", "detail", "revision"),
)
"""Columns copied to an `UrlEntry`."""

OWN = "SELECT * FROM urls WHERE id = ?"
OF_DOCUMENT = "SELECT urls.* FROM documents JOIN urls USING (serial) WHERE documents.id = ?"
OF_SERIAL = "SELECT * FROM urls WHERE serial = ?"
TRAIL = """WITH RECURSIVE back (n, url, found_on) AS (
    SELECT 0, url, found_on FROM urls WHERE serial = ?
    UNION ALL SELECT n + 1, urls.url, urls.found_on FROM back JOIN urls ON urls.serial = back.found_on WHERE n < 100
) SELECT url FROM back ORDER BY n"""
"""Addresses from one back to its start page; a hundred links are more than any crawl follows."""

SPANS = 60
"""Number of equal time spans of a crawl."""

LAST, QUEUED = 15, 10
"""Number of last pages, and of next addresses of a portal."""

NEXT = """SELECT url, kind, attempts FROM urls
WHERE state = 1 AND portal = ? ORDER BY priority DESC, serial LIMIT ?"""
LATEST = """SELECT url, portal, fetched, stage, reason, detail FROM urls
WHERE fetched != '' AND kind = 'article' ORDER BY fetched DESC, serial DESC LIMIT ?"""
SECONDS = "CAST(strftime('%s', fetched) AS INTEGER)"
FIRST, LAST_OF = (SECONDS.replace("fetched", f"{end}(fetched)") for end in ("min", "max"))
COUNTED = f"""WITH spans AS MATERIALIZED (SELECT portal, {FIRST} AS first, {LAST_OF} AS last FROM urls
    WHERE fetched != '' GROUP BY portal)
SELECT portal, first, last, ({SECONDS} - first) / ((last - first) / ? + 1), count(*), sum(reason = 'kept')
FROM urls CROSS JOIN spans USING (portal) WHERE fetched != '' GROUP BY portal, 4"""  # noqa: S608 -- constants
"""The join is crossed so that SQLite reads the addresses once, not once a portal. All times are UTC."""


@dataclass(frozen=True, slots=True)
class UrlEntry:
    """An address in the ledger."""

    url: str  # as it was requested
    portal: str
    kind: str  # expected content: "article", "section", "feed", "sitemap" ...
    state: UrlState
    depth: int
    trail: tuple[str, ...]  # pages from the one that linked to it back to a start page
    evidence: tuple[Evidence, ...]  # statements of feeds and sitemaps
    attempts: int
    next_visit: float  # when a revisit is due, in seconds since the epoch; 0 for never
    fetched: str  # time of the last response, ISO 8601; "" without one
    status: int  # of HTTP
    n_bytes: int  # of the body, decoded
    redirected_to: str  # final address; "" without a redirect
    stage: str  # of the rejection, or ""
    reason: str  # "kept", "read" ..., or reason of the rejection
    detail: str
    revision: str
    line: tuple[str, int]  # file and offset of its row or rejection
    archived: tuple[str, int]  # file and offset of its page in the archive; file "": not archived


def find(corpus: Path, url: str) -> UrlEntry | None:
    """Find the document at `url` in the ledger of a corpus; None if it is unknown.

    A redirect target or canonical address is found under the requested address.
    """
    with reading(corpus) as connection:
        key = (key_of(url),)
        row = connection.execute(OWN, key).fetchone() or connection.execute(OF_DOCUMENT, key).fetchone()
        if row and row["reason"] == "redirect_target":
            row = connection.execute(OF_SERIAL, (row["found_on"],)).fetchone() or row
        if row is None:
            return None
        trail = connection.execute(TRAIL, (row["found_on"],))
        return UrlEntry(
            **{name: row[name] for name in PLAIN},
            state=UrlState(row["state"]),
            trail=tuple(address for (address,) in trail),
            evidence=evidence_of(row["request"]),
            line=(row["line_file"], row["line_offset"]),
            archived=(row["archive_file"], row["archive_offset"]),
        )


def archived_articles(corpus: Path, portal: str) -> Iterator[tuple[str, str, int]]:
    """Return the archived articles of a portal, whatever their outcome, ordered by their `document_id`.

    Each is given by its address, archive file and offset.
    """
    sql = "SELECT url, archive_file, archive_offset FROM urls WHERE portal = ? AND kind = 'article'"
    with reading(corpus) as connection:
        # The ids are signed; by the index on them, rows of all portals would be read one by one.
        yield from connection.execute(f"{sql} AND archive_file != '' ORDER BY id < 0, +id", (portal,))


@dataclass(frozen=True, slots=True)
class MetAddress:
    """An address of a portal and its outcome."""

    url: str
    kind: str
    state: UrlState
    stage: str  # of the rejection, or ""
    reason: str  # "kept", "read" ..., or reason of the rejection
    request: bytes  # JSON of the stored request, with the evidence of discovery
    named_by: str  # kind of the page that linked to it; "" for none
    n_named: int  # articles and sections it linked to first


def met_addresses(corpus: Path, portal: str, most: int) -> list[MetAddress]:
    """Return the first `most` addresses of a portal in order of discovery."""
    sql = """WITH named AS (SELECT found_on, count(*) AS n FROM urls WHERE kind IN ('article', 'section') GROUP BY 1)
        SELECT urls.url, urls.kind, urls.state, urls.stage, urls.reason, urls.request, coalesce(of.kind, ''),
            coalesce(named.n, 0)
        FROM urls LEFT JOIN urls AS of ON of.serial = urls.found_on LEFT JOIN named ON named.found_on = urls.serial
        WHERE urls.portal = ? ORDER BY urls.serial LIMIT ?"""
    with reading(corpus) as connection:
        rows = connection.execute(sql, (portal, most))
        return [MetAddress(url, kind, UrlState(state), *others) for url, kind, state, *others in rows]


@remembered
def states(corpus: Path) -> dict[tuple[str, UrlState], tuple[int, str]]:
    """Count the addresses by portal and state, each with the time when its last article was fetched, or ""."""
    sql = "SELECT portal, state, count(*), max(iif(reason = 'kept', fetched, '')) FROM urls GROUP BY 1, 2 ORDER BY 1, 2"
    with reading(corpus) as connection:
        rows = connection.execute(sql)
        return {(portal, UrlState(state)): (n, last) for portal, state, n, last in rows}


def ledger_files(corpus: Path) -> frozenset[str]:
    """Return the files of a corpus in its ledger, relative to the corpus; none if there is no readable ledger."""
    with suppress(LedgerError), reading(corpus) as connection:
        return frozenset(name for (name,) in connection.execute("SELECT name FROM files"))
    return frozenset()


def unfinished_captures(corpus: Path) -> frozenset[tuple[str, int]]:
    """Return the archived pages of unfinished visits: file relative to the corpus, and offset.

    They were requested and archived again. None if there is no readable ledger.
    """
    with suppress(LedgerError), reading(corpus) as connection:
        return frozenset((file, offset) for file, offset in connection.execute("SELECT file, offset FROM unfinished"))
    return frozenset()


def lines_known(corpus: Path, parts: Iterable[tuple[str, int, int]]) -> list[tuple[str, int, int]]:
    """Return the parts of files (name, first byte, byte after the last) in which lines of addresses begin."""
    with reading(corpus) as connection:
        sql = f"SELECT 1 FROM urls WHERE {LINES}"  # noqa: S608 -- a constant
        return [part for part in parts if connection.execute(sql, part).fetchone()]


@dataclass(frozen=True, slots=True)
class LastPage:
    """A fetched article and its outcome."""

    url: str
    portal: str
    fetched: str  # ISO 8601
    outcome: str  # "kept", or "stage/reason"
    detail: str


@dataclass(frozen=True, slots=True)
class QueuedAddress:
    """An address in the queue."""

    url: str
    kind: str
    attempts: int  # requests so far


@dataclass(frozen=True, slots=True)
class SpanOfTime:
    """Results of a portal in a span of time."""

    start: str  # ISO 8601
    fetched: int  # addresses of any kind
    kept: int  # articles


@remembered
def last_pages(corpus: Path) -> list[LastPage]:
    """Return the articles fetched last, the latest first."""
    with reading(corpus) as connection:
        return [
            LastPage(url, portal, fetched, f"{stage}/{reason}" if stage else reason, detail)
            for url, portal, fetched, stage, reason, detail in connection.execute(LATEST, (LAST,))
        ]


def next_addresses(corpus: Path, portal: str) -> list[QueuedAddress]:
    """Return the next addresses of a portal in the order of the queue."""
    with reading(corpus) as connection:
        return [QueuedAddress(*row) for row in connection.execute(NEXT, (portal, QUEUED))]


@remembered
def over_time(corpus: Path) -> dict[str, list[SpanOfTime]]:
    """Return the results of each portal from its first response to its last, in at most `SPANS` equal spans."""
    counts: defaultdict[tuple[str, int, int], dict[int, tuple[int, int]]] = defaultdict(dict)
    with reading(corpus) as connection:
        for portal, first, last, at, n, kept in connection.execute(COUNTED, (SPANS,)):
            counts[portal, first, last][at] = n, kept
    found = {}
    for (portal, first, last), counted in counts.items():
        width = (last - first) // SPANS + 1
        starts = (datetime.fromtimestamp(first + at * width, UTC) for at in range((last - first) // width + 1))
        found[portal] = [SpanOfTime(start.isoformat(), *counted.get(at, (0, 0))) for at, start in enumerate(starts)]
    return found
