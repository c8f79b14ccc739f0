"""Remember of each portal what became of its addresses, how its sites are treated, and what its pages look like."""

import hashlib
import json
import sqlite3
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import astuple, dataclass
from datetime import UTC, datetime
from pathlib import Path
from sqlite3 import Cursor

from newscorpus.errors import LedgerError
from newscorpus.store.ledger.rows import OVER_BUDGET, UrlOutcome
from newscorpus.store.ledger.store import Execute, reading

DAY_SECONDS = 86_400.0
MOST_SECONDS_ALONE = 30 * DAY_SECONDS
"""Longest time for which a site that refuses is left alone: a month."""

KEPT_LOOKS = 200
"""Pages of a portal that are remembered, the newest: some 3 kB each."""

Place = tuple[str, int]
"""File of the archive, relative to the corpus, and offset."""

SAMPLE = """SELECT archive_file, archive_offset FROM urls
    WHERE portal = ? AND archive_file != '' AND stage != 'fetch' AND reason != 'read' ORDER BY id"""
"""The ids are hashes of the addresses; what was only read for its links is no article."""


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


@dataclass(frozen=True, slots=True)
class Look:
    """What a page looked like."""

    portal: str  # its name
    url: str
    fetched: str  # ISO 8601
    template: str  # version of the template that read it; "" where the portal has none
    signs: frozenset[str]  # what its markup is made of, and what was missing


@dataclass(frozen=True, slots=True)
class Alarm:
    """A redesign of a portal, as far as it shows."""

    portal: str  # its name
    url: str  # of the first page that looked different
    since: str  # when that was fetched, ISO 8601
    noticed: str  # when the page was fetched that made it clear
    # When the pages end that may have been read in a wrong way; "": not yet. Another template ends them; where there is
    # none, they end when the redesign is noticed, since nothing goes by the old design from then on.
    until: str
    template: str  # version of the template that the pages went by; "" where the portal has none
    sign: str  # what is different: what stood on most pages and is gone, or is new
    before: tuple[int, int]  # pages that had it, of all before the first different one
    after: tuple[int, int]  # the same from that one on

    def __str__(self) -> str:
        (had, of), (has, of_now) = self.before, self.after
        return (
            f"{self.portal} looks different since {self.since[:10]}, first {self.url}: {self.sign!r} on {has} of"
            f" {of_now} pages, before on {had} of {of}"
        )


class Looks:
    """The part of a ledger that is about designs."""

    def __init__(self, execute: Execute) -> None:
        self._execute = execute

    def last(self, portal: str) -> Iterator[Look]:
        """The looks of the last pages of a portal, oldest first."""
        sql = "SELECT url, fetched, template, signs FROM looks WHERE portal = ? ORDER BY number"
        for url, fetched, template, signs in self._execute(sql, (portal,)).fetchall():
            yield Look(portal, url, fetched, template, frozenset(map(sys.intern, json.loads(zlib.decompress(signs)))))

    def add(self, look: Look) -> None:
        """Remember how a page looked, and forget the oldest look; a new template ends what the last one read wrong."""
        signs = zlib.compress(json.dumps(sorted(look.signs)).encode())
        sql = "INSERT INTO looks (portal, url, fetched, template, signs) VALUES (?, ?, ?, ?, ?)"
        self._execute(sql, (look.portal, look.url, look.fetched, look.template, signs))
        sql = """DELETE FROM looks WHERE portal = ?1 AND number <= (SELECT number FROM looks WHERE portal = ?1
            ORDER BY number DESC LIMIT 1 OFFSET ?2)"""
        self._execute(sql, (look.portal, KEPT_LOOKS))
        self.end(look.portal, look.template, look.fetched)

    def end(self, portal: str, template: str, when: str) -> None:
        """Note that from `when` on pages of a portal are read by a template, which ends the alarms over other ones."""
        sql = "UPDATE alarms SET until = ? WHERE portal = ? AND template != ? AND until = ''"
        self._execute(sql, (when, portal, template))

    def alarm(self, alarm: Alarm) -> None:
        """Note a redesign, and forget the looks before it."""
        values = (alarm.portal, alarm.url, alarm.since, alarm.noticed, alarm.until, alarm.template, alarm.sign)
        sql = "INSERT INTO alarms VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        self._execute(sql, (*values, *alarm.before, *alarm.after))
        sql = """DELETE FROM looks WHERE portal = ?1 AND number < (SELECT max(number) FROM looks WHERE portal = ?1
            AND url = ?2 AND fetched = ?3)"""
        self._execute(sql, (alarm.portal, alarm.url, alarm.since))


def alarms(corpus: Path, portal: str = "") -> list[Alarm]:
    """The redesigns that were noticed in a corpus, of one portal or of all; none where no ledger can be read."""
    sql = "SELECT * FROM alarms WHERE ? IN ('', portal) ORDER BY portal, since, url"
    with suppress(LedgerError), reading(corpus) as connection:
        return [_alarm(row) for row in connection.execute(sql, (portal,))]
    return []


def last_looks(corpus: Path, portal: str) -> list[Look]:
    """The looks of the last pages of a portal, oldest first; none where no ledger can be read."""
    with suppress(LedgerError), reading(corpus) as connection:
        return list(Looks(connection.execute).last(portal))
    return []


def open_alarms(connection: sqlite3.Connection, portal: str) -> Iterator[Alarm]:
    """The redesigns of a portal that its template does not know yet; where it has none, all."""
    sql = "SELECT * FROM alarms WHERE portal = ? AND (until = '' OR template = '') ORDER BY since, url"
    return map(_alarm, connection.execute(sql, (portal,)))


def _alarm(row: sqlite3.Row) -> Alarm:
    texts = {name: row[name] for name in ("portal", "url", "since", "noticed", "until", "template", "sign")}
    return Alarm(**texts, before=(row["had"], row["of"]), after=(row["has"], row["of_now"]))


@dataclass(frozen=True, slots=True)
class UsedProfile:
    """The profile by which all archived pages of a portal were judged."""

    sample: str  # names the pages that it was held against
    hash: str  # of its content; "" where nothing could be learned


class UsedProfiles:
    """The part of a ledger that is about profiles."""

    def __init__(self, execute: Execute) -> None:
        self._execute = execute

    def samples(self, portals: Iterable[str]) -> dict[str, list[Place]]:
        """Return where the archived pages of portals lie that may hold articles, in a random but reproducible order."""
        return {portal: self._execute(SAMPLE, (portal,)).fetchall() for portal in portals}

    def of(self, portal: str) -> UsedProfile | None:
        """What the pages of a portal were judged by; None where that is not the same for all."""
        row = self._execute("SELECT sample, hash FROM profiles WHERE portal = ?", (portal,)).fetchone()
        return UsedProfile(*row) if row else None

    def note(self, portal: str, used: UsedProfile) -> None:
        """Note what all pages of a portal were judged by."""
        self._execute("INSERT OR REPLACE INTO profiles VALUES (?, ?, ?)", (portal, used.sample, used.hash))

    def forget(self) -> None:
        """Note that pages are judged without profiles from now on."""
        self._execute("DELETE FROM profiles", ())


def name_sample(places: list[Place]) -> str:
    """Name a sample, so that another one has another name."""
    return hashlib.sha256(repr(places).encode()).hexdigest()[:16]
