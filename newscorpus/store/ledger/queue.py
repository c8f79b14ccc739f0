"""Choose which address is asked for next, and wait with those that failed."""

from collections import Counter
from collections.abc import Callable, Iterator

from newscorpus.store.ledger.rows import Lease, UrlState
from newscorpus.store.ledger.store import Execute


class Queue:
    """The part of a ledger that is about what is still to be asked for.

    Attributes:
        ready: how many addresses of each portal may be asked for now; other parts that queue some, or take some away,
            count here.
    """

    def __init__(self, read: Execute, write: Execute) -> None:
        self._write = write
        queued = read("SELECT portal, count(*) FROM urls WHERE state = 1 GROUP BY portal", ()).fetchall()
        self.ready: Counter[str] = Counter(dict(queued))
        self._waiting: Counter[str] = Counter()

    def portals(self) -> Iterator[str]:
        """Names of the portals of which something may be asked for now."""
        return (portal for portal, n in self.ready.items() if n > 0)

    def pending(self, given_up: Callable[[str], bool]) -> bool:
        """Whether anything is to be asked for on a portal that is not given up."""
        return any(n > 0 and not given_up(portal) for portal, n in (self.ready + self._waiting).items())

    def lease(self, portal: str, *, at_random: bool = False) -> Lease | None:
        """Take the next address of a portal from the queue, or any one of those with its priority."""
        order = (
            "AND priority = (SELECT max(priority) FROM urls WHERE state = 1 AND portal = ?1) ORDER BY random()"
            if at_random
            else "ORDER BY priority DESC, serial"
        )
        sql = f"""UPDATE urls SET state = 3, attempts = attempts + 1 WHERE serial = (SELECT serial FROM urls
            WHERE state = 1 AND portal = ?1 {order} LIMIT 1)
            RETURNING serial, url, portal, priority, request, status, etag, last_modified,
            from_archive, from_archive AND reason != '', archive_file, archive_offset"""  # noqa: S608 -- constants
        row = self._write(sql, (portal,)).fetchone()
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
        """Queue a leased address again, with a new priority and request where they are given.

        With `ready_at` it waits until `wake` is called with that time or a later one.
        """
        sql = """UPDATE urls SET state = ?, retry_at = ?, priority = coalesce(?, priority),
            request = coalesce(?, request) WHERE serial = ? RETURNING portal"""
        state = UrlState.QUEUED if ready_at is None else UrlState.WAITING
        (portal,) = self._write(sql, (state, ready_at or 0.0, priority, request, serial)).fetchone()
        (self.ready if ready_at is None else self._waiting)[portal] += 1

    def wake(self, now: float) -> None:
        """Queue what waited until `now`."""
        if self._waiting.total():
            sql = "UPDATE urls SET state = 1 WHERE state = 2 AND retry_at <= ? RETURNING portal"
            woken = Counter(portal for (portal,) in self._write(sql, (now,)).fetchall())
            self._waiting -= woken
            self.ready.update(woken)

    def size(self, portal: str) -> int:
        """How many addresses of a portal are to be asked for."""
        return self.ready[portal] + self._waiting[portal]

    def waiting(self, portal: str) -> int:
        """How many of these failed, and wait to be asked for once more."""
        return self._waiting[portal]

    def next_waiting(self, portal: str) -> tuple[str, float]:
        """The address that has waited long enough first, and when, as `wake` counts time."""
        sql = "SELECT url, retry_at FROM urls WHERE state = 2 AND portal = ? ORDER BY retry_at, serial LIMIT 1"
        url, ready_at = self._write(sql, (portal,)).fetchone()
        return str(url), float(ready_at)
