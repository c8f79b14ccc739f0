"""The ledger's data by portal: counts, delays of sites, markup of the last pages and redesigns, profiles."""

import hashlib
import json
import sqlite3
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import astuple, dataclass
from datetime import UTC, datetime
from pathlib import Path
from sqlite3 import Cursor

from newscorpus.errors import LedgerError
from newscorpus.store.ledger.database import Execute, reading
from newscorpus.store.ledger.values import OVER_BUDGET, UrlOutcome

DAY_SECONDS = 86_400.0
MOST_SECONDS_ALONE = 30 * DAY_SECONDS
"""Longest time for which a refusing site is left alone: a month."""

KEPT_LOOKS = 200
"""Number of last pages stored for a portal, some 3 kB each."""

Place = tuple[str, int]
"""Archive file relative to the corpus, and offset."""

SAMPLE = """SELECT archive_file, archive_offset FROM urls
    WHERE portal = ? AND archive_file != '' AND stage != 'fetch' AND reason != 'read' ORDER BY id"""
"""The ids, as hashes of the addresses, give a random order; pages read for their links only are no articles."""


class PortalCounts:
    """Counts of a ledger: outcomes, words and bytes by portal."""

    def __init__(self, read: Execute, write: Callable[..., Cursor]) -> None:
        self._write = write
        rows = read("SELECT portal, name, n FROM counts", ())
        self._counts = Counter({(portal, name): n for portal, name, n in rows})
        self._changed: set[tuple[str, str]] = set()

    def add(self, portal: str, name: str, by: int = 1) -> None:
        """Add `by` to a count."""
        self._counts[portal, name] += by
        self._changed.add((portal, name))

    def tally(self, portal: str, outcome: UrlOutcome, by: int = 1) -> None:
        """Count an outcome; `by` -1 takes it back."""
        self.add(portal, outcome.counter, by)
        self.add(portal, "words", by * outcome.n_words)

    def of(self, name: str, portal: str | None = None) -> int:
        """Return a count of one portal or of all."""
        if portal is not None:
            return self._counts[portal, name]
        return sum(n for (_, known), n in self._counts.items() if known == name)

    def rejected(self, portal: str) -> int:
        """Return the number of rejected addresses of a portal."""
        return sum(n for (of, name), n in self._counts.items() if of == portal and name.startswith("rejected/"))

    def renew_budget(self, portal: str) -> None:
        """Start the count of `taken_in` again."""
        self.add(portal, "admitted_before", self.taken_in(portal))
        self.add(portal, OVER_BUDGET, -self.of(OVER_BUDGET, portal))

    def taken_in(self, portal: str) -> int:
        """Return the number of addresses of a portal queued for the first time since `renew_budget`."""
        return self._counts[portal, "admitted"] - self._counts[portal, "admitted_before"]

    def write(self) -> None:
        """Write the changed counts; the caller commits."""
        rows = [(*key, self._counts[key]) for key in self._changed]
        self._write("INSERT OR REPLACE INTO counts VALUES (?, ?, ?)", *rows)
        self._changed.clear()


@dataclass(frozen=True, slots=True)
class SitePace:
    """Delay and rest of a site."""

    name: str  # of the portal; of the host if a spider has no portals
    delay_seconds: float  # between the starts of two requests
    rests_until: str  # no request before, ISO 8601; "" for no rest
    given_up: str  # why the run makes no more requests, snake_case; "" if it does
    why: str  # cause of the rest or of giving up; "" for neither

    def describe(self, now: datetime) -> str:
        """Describe a site that rests or is given up, for people; "" for others."""
        if self.given_up:
            return f"given up for this run, {self.given_up}: {self.why}"
        if self.rests_until and datetime.fromisoformat(self.rests_until) > now:
            return f"rests until {self.rests_until}: {self.why}"
        return ""


class Sites:
    """The sites of a ledger as the last crawl treats them."""

    def __init__(self, execute: Execute) -> None:
        self._execute = execute
        self._noted: dict[str, SitePace] = {}

    def forget(self) -> None:
        """Forget all sites at the beginning of a crawl."""
        self._execute("DELETE FROM sites", ())

    def end_run(self, refused: Iterable[tuple[str, bool]], now: float) -> None:
        """Record which of the requested sites refused this run, at `now` in seconds since the epoch.

        A site that has refused for a day or more is left alone for as long again, at most `MOST_SECONDS_ALONE`.
        """
        for name, has_refused in refused:
            if not has_refused:
                self._execute("DELETE FROM refusals WHERE name = ?", (name,))
                continue
            row = self._execute("SELECT since FROM refusals WHERE name = ?", (name,)).fetchone()
            since = min(row[0], now) if row else now  # it is later than now if the clock was set back
            alone = min(now - since, MOST_SECONDS_ALONE) if now - since >= DAY_SECONDS else 0.0
            self._execute("INSERT OR REPLACE INTO refusals VALUES (?, ?, ?)", (name, since, now + alone))

    def refusing(self, now: float) -> dict[str, str]:
        """Return the sites to leave alone at the moment, each with the reason in words."""
        # A time beyond the longest pause was written before the clock was set back.
        bounds = (now, now + MOST_SECONDS_ALONE)
        rows = self._execute("SELECT * FROM refusals WHERE until > ? AND until <= ?", bounds)
        return {
            name: f"it has refused since {iso(since)}, and revisits ask again from {iso(until)}"
            for name, since, until in rows
        }

    def note(self, paces: Iterable[SitePace]) -> None:
        """Record the sites whose treatment has changed."""
        for pace in paces:
            if self._noted.get(pace.name) != pace:
                self._execute("INSERT OR REPLACE INTO sites VALUES (?, ?, ?, ?, ?)", astuple(pace))
                self._noted[pace.name] = pace


def site_paces(corpus: Path) -> list[SitePace]:
    """Return how the current or last crawl treats each site, by name.

    Raises:
        LedgerError: there is no ledger, or it cannot be read.
    """
    with reading(corpus) as connection:
        return [SitePace(*row) for row in connection.execute("SELECT * FROM sites ORDER BY name")]


def iso(seconds: float) -> str:
    """Format seconds since the epoch in ISO 8601, to the second."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


@dataclass(frozen=True, slots=True)
class Look:
    """The markup of a page."""

    portal: str  # its name
    url: str
    fetched: str  # ISO 8601
    template: str  # version of the template used; "" for none
    signs: frozenset[str]  # elements of the markup, and missing results


@dataclass(frozen=True, slots=True)
class Alarm:
    """A redesign of a portal."""

    portal: str  # its name
    url: str  # of the first different page
    since: str  # when that was fetched, ISO 8601
    noticed: str  # when the page was fetched that revealed it
    # End of the pages that may be extracted wrongly; "": not yet. A new template ends them. Without a template they end
    # when the redesign is noticed, since nothing depends on the old design from then on.
    until: str
    template: str  # version of the template used; "" for none
    sign: str  # the clearest difference: a sign of most pages that is gone, or a new one
    before: tuple[int, int]  # pages with the sign, of all before the first different page
    after: tuple[int, int]  # the same from that page on

    def __str__(self) -> str:
        (had, of), (has, of_now) = self.before, self.after
        return (
            f"{self.portal} looks different since {self.since[:10]}, first {self.url}: {self.sign!r} on {has} of"
            f" {of_now} pages, before on {had} of {of}"
        )


class Looks:
    """The markup of the last pages of a ledger, and the redesigns."""

    def __init__(self, execute: Execute) -> None:
        self._execute = execute

    def last(self, portal: str) -> Iterator[Look]:
        """Return the looks of the last pages of a portal, oldest first."""
        sql = "SELECT url, fetched, template, signs FROM looks WHERE portal = ? ORDER BY number"
        for url, fetched, template, signs in self._execute(sql, (portal,)).fetchall():
            yield Look(portal, url, fetched, template, frozenset(map(sys.intern, json.loads(zlib.decompress(signs)))))

    def add(self, look: Look) -> None:
        """Store the look of a page and delete the oldest; a new template ends the alarms about earlier ones."""
        signs = zlib.compress(json.dumps(sorted(look.signs)).encode())
        sql = "INSERT INTO looks (portal, url, fetched, template, signs) VALUES (?, ?, ?, ?, ?)"
        self._execute(sql, (look.portal, look.url, look.fetched, look.template, signs))
        sql = """DELETE FROM looks WHERE portal = ?1 AND number <= (SELECT number FROM looks WHERE portal = ?1
            ORDER BY number DESC LIMIT 1 OFFSET ?2)"""
        self._execute(sql, (look.portal, KEPT_LOOKS))
        self.end_alarms(look.portal, look.template, look.fetched)

    def end_alarms(self, portal: str, template: str, when: str) -> None:
        """End the alarms of a portal about other templates: it uses `template` from `when` on."""
        sql = "UPDATE alarms SET until = ? WHERE portal = ? AND template != ? AND until = ''"
        self._execute(sql, (when, portal, template))

    def add_alarm(self, alarm: Alarm) -> None:
        """Store a redesign and delete the looks before it."""
        values = (alarm.portal, alarm.url, alarm.since, alarm.noticed, alarm.until, alarm.template, alarm.sign)
        sql = "INSERT INTO alarms VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        self._execute(sql, (*values, *alarm.before, *alarm.after))
        sql = """DELETE FROM looks WHERE portal = ?1 AND number < (SELECT max(number) FROM looks WHERE portal = ?1
            AND url = ?2 AND fetched = ?3)"""
        self._execute(sql, (alarm.portal, alarm.url, alarm.since))


def alarms(corpus: Path, portal: str = "") -> list[Alarm]:
    """Return the redesigns of one portal or of all; none if there is no readable ledger."""
    sql = "SELECT * FROM alarms WHERE ? IN ('', portal) ORDER BY portal, since, url"
    with suppress(LedgerError), reading(corpus) as connection:
        return [_alarm(row) for row in connection.execute(sql, (portal,))]
    return []


def last_looks(corpus: Path, portal: str) -> list[Look]:
    """Return the looks of the last pages of a portal, oldest first; none if there is no readable ledger."""
    with suppress(LedgerError), reading(corpus) as connection:
        return list(Looks(connection.execute).last(portal))
    return []


def open_alarms(connection: sqlite3.Connection, portal: str) -> Iterator[Alarm]:
    """Return the redesigns of a portal that its template does not cover yet; all if it has no template."""
    sql = "SELECT * FROM alarms WHERE portal = ? AND (until = '' OR template = '') ORDER BY since, url"
    return map(_alarm, connection.execute(sql, (portal,)))


def _alarm(row: sqlite3.Row) -> Alarm:
    texts = {name: row[name] for name in ("portal", "url", "since", "noticed", "until", "template", "sign")}
    return Alarm(**texts, before=(row["had"], row["of"]), after=(row["has"], row["of_now"]))


@dataclass(frozen=True, slots=True)
class UsedProfile:
    """The profile used for all archived pages of a portal."""

    sample: str  # name of the pages it was learned from
    hash: str  # of its content; "" if nothing was learned


class UsedProfiles:
    """The profiles of a ledger."""

    def __init__(self, execute: Execute) -> None:
        self._execute = execute

    def samples(self, portals: Iterable[str]) -> dict[str, list[Place]]:
        """Return the places of archived candidates for articles by portal, in a random but reproducible order."""
        return {portal: self._execute(SAMPLE, (portal,)).fetchall() for portal in portals}

    def of(self, portal: str) -> UsedProfile | None:
        """Return the profile used for all pages of a portal; None if there is no such profile."""
        row = self._execute("SELECT sample, hash FROM profiles WHERE portal = ?", (portal,)).fetchone()
        return UsedProfile(*row) if row else None

    def note(self, portal: str, used: UsedProfile) -> None:
        """Record the profile used for all pages of a portal."""
        self._execute("INSERT OR REPLACE INTO profiles VALUES (?, ?, ?)", (portal, used.sample, used.hash))

    def forget(self) -> None:
        """Record that pages are judged without profiles from now on."""
        self._execute("DELETE FROM profiles", ())


def name_sample(places: list[Place]) -> str:
    """Return a hash that identifies a sample."""
    return hashlib.sha256(repr(places).encode()).hexdigest()[:16]
