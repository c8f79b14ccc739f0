"""Note how a crawl treats each site at the moment, for those who watch it."""

from collections.abc import Iterable
from dataclasses import astuple, dataclass
from datetime import UTC, datetime
from pathlib import Path

from newscorpus.store.ledger.store import Execute, reading

DAY_SECONDS = 86_400.0

MOST_SECONDS_ALONE = 30 * DAY_SECONDS
"""Longest time for which a site that refuses is left alone: a month."""


@dataclass(frozen=True, slots=True)
class SitePace:
    """How a crawl treats a site."""

    name: str  # of the portal, or of the host where a spider has no portals
    delay_seconds: float  # pause between the starts of two requests
    rests_until: str  # the site is not asked before, ISO 8601; "" where it does not rest
    given_up: str  # why it is not asked any more in this run, snake_case; "" where it is
    why: str  # what made it rest, or be given up; "" where it does neither

    def says(self, now: datetime) -> str:
        """What a person should know of a site that rests or is given up; "" of others."""
        if self.given_up:
            return f"given up for this run, {self.given_up}: {self.why}"
        if self.rests_until and datetime.fromisoformat(self.rests_until) > now:
            return f"rests until {self.rests_until}: {self.why}"
        return ""


class Sites:
    """The part of a ledger that is about sites; it holds what the last crawl did."""

    def __init__(self, execute: Execute) -> None:
        self._execute = execute
        self._noted: dict[str, SitePace] = {}

    def forget(self) -> None:
        """Begin a crawl: no site rests yet."""
        self._execute("DELETE FROM sites", ())

    def end_run(self, refused: Iterable[tuple[str, bool]], now: float) -> None:
        """Note which of the sites that were asked have refused a run, and since when, seconds since the epoch.

        One that has done so for a day or more is to be left alone for as long again, at most `MOST_SECONDS_ALONE`.
        """
        for name, has_refused in refused:
            if not has_refused:
                self._execute("DELETE FROM refusals WHERE name = ?", (name,))
                continue
            row = self._execute("SELECT since FROM refusals WHERE name = ?", (name,)).fetchone()
            since = min(row[0], now) if row else now  # later than now: by a clock that has been set back
            alone = min(now - since, MOST_SECONDS_ALONE) if now - since >= DAY_SECONDS else 0.0
            self._execute("INSERT OR REPLACE INTO refusals VALUES (?, ?, ?)", (name, since, now + alone))

    def refusing(self, now: float) -> dict[str, str]:
        """The sites that are to be left alone at the moment, and why, in words."""
        # What lies farther ahead than any site is left alone was written by a clock that has been set back since.
        bounds = (now, now + MOST_SECONDS_ALONE)
        rows = self._execute("SELECT * FROM refusals WHERE until > ? AND until <= ?", bounds)
        return {
            name: f"it has refused since {iso(since)}, and revisits ask again from {iso(until)}"
            for name, since, until in rows
        }

    def note(self, paces: Iterable[SitePace]) -> None:
        """Note how sites are treated, where that has changed."""
        for pace in paces:
            if self._noted.get(pace.name) != pace:
                self._execute("INSERT OR REPLACE INTO sites VALUES (?, ?, ?, ?, ?)", astuple(pace))
                self._noted[pace.name] = pace


def site_paces(corpus: Path) -> list[SitePace]:
    """How the last crawl treats, or treated, each site; by name.

    Raises:
        LedgerError: there is no ledger, or it cannot be read.
    """
    with reading(corpus) as connection:
        return [SitePace(*row) for row in connection.execute("SELECT * FROM sites ORDER BY name")]


def iso(seconds: float) -> str:
    """A time since the epoch in ISO 8601, to the second."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
