"""Remember what the last pages of each portal looked like, and which redesigns were noticed."""

import json
import sqlite3
import sys
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from newscorpus.errors import LedgerError
from newscorpus.store.ledger.store import Execute, reading

KEPT_LOOKS = 200
"""Pages of a portal that are remembered, the newest: some 3 kB each."""


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
