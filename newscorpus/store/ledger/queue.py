"""The queue of addresses, and the addresses named by listing pages.

Listing pages have the same shape if their addresses differ only in digits (pages of a section, days of an archive), and
the same section if these differ only in the last number.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import date

from newscorpus.store.ledger.database import Execute
from newscorpus.store.ledger.values import Lease, UrlState, key_of


class Queue:
    """The queue of a ledger.

    Attributes:
        ready: number of addresses of each portal to request now; other parts of the ledger that queue or withdraw
            addresses update it.
    """

    def __init__(self, read: Execute, write: Execute) -> None:
        self._write = write
        queued = read("SELECT portal, count(*) FROM urls WHERE state = 1 GROUP BY portal", ()).fetchall()
        self.ready: Counter[str] = Counter(dict(queued))
        self._waiting: Counter[str] = Counter()

    def portals(self) -> Iterator[str]:
        """Return the portals with addresses to request now."""
        return (portal for portal, n in self.ready.items() if n > 0)

    def pending(self, given_up: Callable[[str], bool]) -> bool:
        """Return whether any portal that is not given up has addresses to request, now or later."""
        return any(n > 0 and not given_up(portal) for portal, n in (self.ready + self._waiting).items())

    def lease(self, portal: str, *, at_random: bool = False, above: int | None = None) -> Lease | None:
        """Take the next address of a portal from the queue; None if there is none.

        Args:
            portal: its name.
            at_random: draw from the addresses of the highest priority.
            above: take only an address of a higher priority than this.
        """
        order = (
            "AND priority = (SELECT max(priority) FROM urls WHERE state = 1 AND portal = ?1) ORDER BY random()"
            if at_random
            else "ORDER BY priority DESC, serial"
        )
        sql = f"""UPDATE urls SET state = 3, attempts = attempts + 1 WHERE serial = (SELECT serial FROM urls
            WHERE state = 1 AND portal = ?1 AND priority > ?2 {order} LIMIT 1)
            RETURNING serial, url, portal, priority, request, status, etag, last_modified,
            from_archive, from_archive AND reason != '', archive_file, archive_offset, fetched"""  # noqa: S608 -- constants
        row = self._write(sql, (portal, -(2**63) if above is None else above)).fetchone()
        if row is None:
            return None
        self.ready[portal] -= 1
        return Lease(*row)

    def release(
        self,
        serial: int,
        *,
        priority: int | None = None,
        request: bytes | None = None,
        ready_at: float | None = None,
    ) -> None:
        """Queue a leased address again, with a new priority and request if given.

        With `ready_at` it waits until `wake` is called with that time or a later one.
        """
        sql = """UPDATE urls SET state = ?, retry_at = ?, priority = coalesce(?, priority),
            request = coalesce(?, request) WHERE serial = ? RETURNING portal"""
        state = UrlState.QUEUED if ready_at is None else UrlState.WAITING
        (portal,) = self._write(sql, (state, ready_at or 0.0, priority, request, serial)).fetchone()
        (self.ready if ready_at is None else self._waiting)[portal] += 1

    def wake(self, now: float) -> None:
        """Queue the addresses whose wait has ended at `now`."""
        if self._waiting.total():
            sql = "UPDATE urls SET state = 1 WHERE state = 2 AND retry_at <= ? RETURNING portal"
            woken = Counter(portal for (portal,) in self._write(sql, (now,)).fetchall())
            self._waiting -= woken
            self.ready.update(woken)

    def size(self, portal: str) -> int:
        """Return the number of addresses of a portal to request, now or later."""
        return self.ready[portal] + self._waiting[portal]

    def waiting(self, portal: str) -> int:
        """Return the number of failed addresses of a portal that wait for a retry."""
        return self._waiting[portal]

    def next_waiting(self, portal: str) -> tuple[str, float]:
        """Return the waiting address whose retry is next, and its time on the clock of `wake`."""
        sql = "SELECT url, retry_at FROM urls WHERE state = 2 AND portal = ? ORDER BY retry_at, serial LIMIT 1"
        url, ready_at = self._write(sql, (portal,)).fetchone()
        return str(url), float(ready_at)


class Listings:
    """The listing pages of a ledger; `queued` is `Queue.ready`."""

    def __init__(self, execute: Execute, queued: Counter[str]) -> None:
        self._execute = execute
        self._queued = queued

    def count_outcomes(self, portal: str, shape: int, most: int) -> tuple[int, int, int]:
        """Count the first `most` addresses of a shape on a portal: all, sections, kept articles."""
        sql = """SELECT count(*), total(reason IN ('read', 'section')), total(reason = 'kept') FROM
            (SELECT reason FROM urls WHERE portal = ? AND shape = ? AND shape != 0 ORDER BY serial LIMIT ?)"""
        met, sections, kept = self._execute(sql, (portal, shape, most)).fetchone()
        return met, int(sections), int(kept)

    def add_named(self, shape: int, urls: Iterable[str]) -> list[str]:
        """Record addresses named by a listing page of a shape; return those new to the shape."""
        keys = {key_of(url): url for url in urls}
        sql = "INSERT OR IGNORE INTO named SELECT ?, value FROM json_each(?) RETURNING id"
        return [keys[key] for (key,) in self._execute(sql, (shape, json.dumps([*keys]))).fetchall()]

    def has_named(self, shape: int, urls: Iterable[str]) -> bool:
        """Return whether a listing page of a shape has named one of these addresses."""
        sql = "SELECT count(*) FROM named WHERE shape = ? AND id IN (SELECT value FROM json_each(?))"
        return bool(self._execute(sql, (shape, json.dumps([*map(key_of, urls)]))).fetchone()[0])

    def count(self, shape: int, *, leads_on: bool) -> int:
        """Count a processed listing page of a shape; return how many in a row, this one included, brought nothing."""
        sql = """INSERT INTO listings (shape, n_barren, n_earlier) VALUES (?1, 1 - ?2, 0)
            ON CONFLICT (shape) DO UPDATE SET n_barren = (n_barren + 1) * (1 - ?2) RETURNING n_barren"""
        return int(self._execute(sql, (shape, int(leads_on))).fetchone()[0])

    def found_on(self, url: str) -> str:
        """Return the listing page that named an address first; "" if none did."""
        sql = """SELECT page.url FROM urls JOIN urls AS page ON page.serial = urls.found_on
            WHERE urls.id = ? AND page.shape != 0"""
        row = self._execute(sql, (key_of(url),)).fetchone()
        return str(row[0]) if row else ""

    def note_latest_day(self, shape: int, day: date, since: date) -> bool:
        """Record a day before `since` to which a shape or section leads; return whether it is the latest so far."""
        sql = """INSERT INTO listings (shape, n_barren, n_earlier, latest) VALUES (?1, 0, 0, ?2)
            ON CONFLICT (shape) DO UPDATE SET latest = iif(latest < ?3, max(latest, ?2), ?2) RETURNING latest"""
        latest = self._execute(sql, (shape, day.isoformat(), since.isoformat())).fetchone()[0]
        return bool(latest == day.isoformat())

    def count_article(self, section: int, *, is_earlier: bool) -> None:
        """Count an article first named by a listing page of a section; earlier ones precede the crawl's period."""
        sql = "UPDATE listings SET n_earlier = (n_earlier + 1) * ? WHERE shape = ?"
        self._execute(sql, (int(is_earlier), section))

    def n_barren(self, shape: int) -> int:
        """Return how many listing pages of a shape in a row brought nothing."""
        return self._number("n_barren", shape)

    def n_earlier(self, section: int) -> int:
        """Return how many articles in a row, named by listing pages of a section, precede the crawl's period."""
        return self._number("n_earlier", section)

    def _number(self, column: str, key: int) -> int:
        row = self._execute(f"SELECT {column} FROM listings WHERE shape = ?", (key,)).fetchone()  # noqa: S608 -- ours
        return int(row[0]) if row else 0

    def withdraw(self, portal: str, shape: int) -> list[str]:
        """Withdraw the queued listing pages of a shape; return the never fetched ones, for `Ledger.refuse`.

        The others keep their earlier outcome.
        """
        sql = """UPDATE urls SET state = iif(fetched = '', 0, iif(stage IN ('fetch', 'spider'), 5, 4)),
            request = iif(fetched = '', x'', request), from_archive = 0
            WHERE portal = ? AND shape = ? AND shape != 0 AND state = 1 RETURNING iif(fetched = '', url, '')"""
        urls = [url for (url,) in self._execute(sql, (portal, shape)).fetchall()]
        self._queued[portal] -= len(urls)
        return [url for url in urls if url]
