"""Count by portal what became of addresses; what has changed is written with each commit."""

from collections import Counter
from collections.abc import Callable, Mapping
from sqlite3 import Cursor

from newscorpus.store.ledger.rows import OVER_BUDGET, UrlOutcome
from newscorpus.store.ledger.store import Execute


class PortalCounts:
    """The part of a ledger that counts."""

    def __init__(self, read: Execute, write: Callable[..., Cursor]) -> None:
        self._write = write
        rows = read("SELECT portal, name, n FROM counts", ())
        self._counts = Counter({(portal, name): n for portal, name, n in rows})
        self._changed: set[tuple[str, str]] = set()

    def add(self, portal: str, name: str, by: int = 1) -> None:
        """Add to a count."""
        self._counts[portal, name] += by
        self._changed.add((portal, name))

    def tally(self, portal: str, outcome: UrlOutcome, by: int = 1) -> None:
        """Count what became of an address; with -1 for `by`, that this is not so any more."""
        self.add(portal, outcome.counter, by)
        self.add(portal, "words", by * outcome.n_words)

    def of(self, name: str, portal: str | None = None) -> int:
        """A count, of one portal or of all."""
        if portal is not None:
            return self._counts[portal, name]
        return sum(n for (_, known), n in self._counts.items() if known == name)

    def rejected(self, portal: str) -> int:
        """How many addresses of a portal were rejected, for whatever reason."""
        return sum(n for (of, name), n in self._counts.items() if of == portal and name.startswith("rejected/"))

    def settle(self, rows: Mapping[str, tuple[int, int]]) -> None:
        """Count the rows of each portal and their words as they are."""
        for portal in {portal for portal, _ in self._counts} | rows.keys():
            for name, n in zip(("kept", "words"), rows.get(portal, (0, 0)), strict=True):
                self.add(portal, name, n - self._counts[portal, name])

    def renew_budget(self, portal: str) -> None:
        """Count the addresses that are taken in from here on, for `taken_in`."""
        self.add(portal, "admitted_before", self.taken_in(portal))
        self.add(portal, OVER_BUDGET, -self.of(OVER_BUDGET, portal))

    def taken_in(self, portal: str) -> int:
        """Addresses of a portal queued for the first time since `renew_budget`."""
        return self._counts[portal, "admitted"] - self._counts[portal, "admitted_before"]

    def write(self) -> None:
        """Write what has changed; the caller commits."""
        rows = [(*key, self._counts[key]) for key in self._changed]
        self._write("INSERT OR REPLACE INTO counts VALUES (?, ?, ?)", *rows)
        self._changed.clear()
