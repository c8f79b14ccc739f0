"""Learn at which age the articles of a portal change, and set by that when each of them is asked for again.

An article is due when the chance that it has changed since the last visit reaches one in fifty. How often articles of
an age change is counted for each portal; where little was seen, one in ten is supposed to change while its age triples.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from newscorpus.config import ArticleRevisitConfig
from newscorpus.errors import LedgerError
from newscorpus.store.ledger.rows import id_of_key
from newscorpus.store.ledger.store import Execute, reading

HOUR = 3_600.0

SUPPOSED = 0.1
"""Changes of an article while its age grows by the factor e (triples, nearly), where nothing was seen yet."""

VISITED = "SELECT portal, published, fetched, revision FROM urls WHERE serial = ? AND reason = 'kept'"
MISSING = """INSERT INTO gone SELECT serial, fetched, fetched, 1 FROM urls WHERE serial = ?1 AND status IN (404, 410)
    AND (?2 OR serial IN (SELECT serial FROM gone)) ON CONFLICT (serial) DO UPDATE
    SET n_visits = n_visits + (last != excluded.last), last = excluded.last"""
GONE_AFTER = 2
"""Visits at which an article is missing before it counts as deleted: one may fall into a fault of the site."""
GONE = """SELECT documents.id, substr(since, 1, 10) FROM gone JOIN documents USING (serial)
    WHERE n_visits >= ? AND documents.id NOT IN (SELECT id FROM urls WHERE reason = 'kept')"""
"""Deleted articles; one that is still there at its own address was missing at another one alone."""
DAY = 24 * HOUR

SEEN = """INSERT INTO changes VALUES (?1, ?2, ?3, ?4) ON CONFLICT (portal, octave) DO UPDATE
    SET n_changes = n_changes + ?3, seconds = seconds + ?4"""


@dataclass(frozen=True, slots=True)
class AgeSeen:
    """What was seen of the articles of a portal while they were of an age."""

    n_changes: int = 0  # visits that found another text
    seconds: float = 0.0  # between visits, of all articles together


class Changes:
    """The part of a ledger that is about changes of articles."""

    def __init__(self, execute: Execute) -> None:
        self._execute = execute

    @contextmanager
    def watching(self, serial: int) -> Iterator[None]:
        """Compare an article before and after a visit is written down, and set the time of the next one."""
        before = self._execute(VISITED, (serial,)).fetchone()
        yield
        after = self._execute(VISITED, (serial,)).fetchone()
        if after is None:
            self._note_missing(serial, was_kept=before is not None)
        if after is None or (before and before[2] == after[2]):  # the answer was that of an earlier visit
            return
        self._execute("DELETE FROM gone WHERE serial = ?", (serial,))
        portal, published, fetched, revision = after
        now = datetime.fromisoformat(fetched).timestamp()
        begin = _seconds(published, now)
        has_changed = bool(before) and before[3] != revision
        if before:
            last = _seconds(before[2], now)
            self._execute(SEEN, (portal, octave(last - begin), int(has_changed), now - last))
        interval = article_interval(
            now - begin, self.seen(portal), has_changed=has_changed, config=ArticleRevisitConfig()
        )
        sql = "UPDATE urls SET next_visit = ?, visit_interval = ? WHERE serial = ?"
        self._execute(sql, (now + interval, interval, serial))

    def _note_missing(self, serial: int, *, was_kept: bool) -> None:
        """Note that an article that was kept is not there, if the site says so; it is due again after a day."""
        if self._execute(MISSING, (serial, was_kept)).rowcount:
            (fetched,) = self._execute("SELECT fetched FROM urls WHERE serial = ?", (serial,)).fetchone()
            due = datetime.fromisoformat(fetched).timestamp() + DAY
            self._execute("UPDATE urls SET next_visit = ?, visit_interval = ? WHERE serial = ?", (due, DAY, serial))

    def seen(self, portal: str) -> dict[int, AgeSeen]:
        """What was seen of a portal's articles, by octave of their age."""
        rows = self._execute("SELECT octave, n_changes, seconds FROM changes WHERE portal = ?", (portal,))
        return {number: AgeSeen(n_changes, seconds) for number, n_changes, seconds in rows}


def gone_documents(corpus: Path) -> dict[str, str]:
    """The deleted articles of a corpus, by document id the day on which each was first missing; {} without a ledger."""
    with suppress(LedgerError), reading(corpus) as connection:
        return {id_of_key(key): day for key, day in connection.execute(GONE, (GONE_AFTER,))}
    return {}


def octave(age: float) -> int:
    """The number of the span in which an age in seconds lies: 0 below two hours, 1 below four, and so on."""
    return int(math.log2(max(age, HOUR) / HOUR))


def article_interval(
    age: float,
    seen: dict[int, AgeSeen],
    *,
    has_changed: bool = False,
    config: ArticleRevisitConfig,
) -> float:
    """Seconds until an article is due: half as long where it has just changed.

    Args:
        age: in seconds.
        seen: of the portal, as `Changes.seen` gives it.
        has_changed: the last visit found another text.
        config: the chance that it is to reach, and bounds.
    """
    left, at = config.chance, max(age, HOUR)
    while left > 0 and at < age + config.max_seconds:
        number = octave(at)
        end = HOUR * 2 ** (number + 1)
        rate = _rate(number, seen.get(number, AgeSeen()))
        step = min(end - at, left / rate)
        left, at = left - step * rate, at + max(step, 1.0)
    wanted = (at - age) / (2 if has_changed else 1)
    return min(max(wanted, config.min_seconds), config.max_seconds)


def _rate(number: int, seen: AgeSeen) -> float:
    """Changes a second at an age: those seen, and one more that is supposed."""
    supposed: float = SUPPOSED / (HOUR * 2**number)
    return (seen.n_changes + 1) / (seen.seconds + 1 / supposed)


def _seconds(moment: str, now: float) -> float:
    """A time in ISO 8601 in seconds since the epoch, at most `now`; that itself for what is none."""
    try:
        return min(datetime.fromisoformat(moment).timestamp(), now)
    except ValueError:
        return now
