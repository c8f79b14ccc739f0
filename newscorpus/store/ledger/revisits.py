"""Remember earlier visits, learn at which age articles change, and plan the next visits by that.

An article is due when the chance that it has changed since the last visit reaches one in fifty. How often articles of
an age change is counted for each portal; where little was seen, one in ten is supposed to change while its age triples.
"""

import json
import math
import struct
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from newscorpus.config import ArticleRevisitConfig, RevisitConfig
from newscorpus.data import Evidence
from newscorpus.errors import LedgerError
from newscorpus.store.ledger.rows import UrlState, evidence_of, id_of_key, key_of
from newscorpus.store.ledger.store import Execute, reading

MAY_PASS = (
    *("connection_*", "dns", "http_403", "http_429", "http_5??", "robots_unavailable", "timeout", "truncated"),
    *("callback_failed", "worker_failed", "consent_wall", "bot_check", "needs_script", "render_failed"),
)
"""Reasons of failures (patterns of GLOB) that may be over at the next visit."""

FORGET = "etag = '', last_modified = '', signature = '',"
"""Ask as if for the first time: what is as it was would be passed over, though nothing was made of it."""

HEADLINE = struct.Struct(">I")
MOST_HEADLINES = 8
"""Headlines of an article that are remembered, the newest: front page, sections and feeds may each shorten it."""

BARREN = "(brought = 0 AND depth > 0 OR kind = 'list' AND status BETWEEN 400 AND 499)"
"""Lists beside the start pages that told nothing when they were first read, and guesses that led nowhere."""

MOST_BARREN = 20
"""Of these, those that a visit of all lists asks for: of a blog of 300 articles it takes 50 others. Pages that were
taken for articles, and refused by a filter, are none."""

OLDEST_BARREN = f"""serial IN (SELECT serial FROM urls WHERE portal = ? AND {BARREN} AND state = {UrlState.DONE.value}
    AND reason != 'kept' AND stage != 'quality' ORDER BY fetched, serial LIMIT {MOST_BARREN})"""  # noqa: S608 -- constants

NAMED_SERIALS = f"state = {UrlState.DONE.value} AND serial IN (SELECT value FROM json_each(?))"  # noqa: S608 -- a constant

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
class CrawlRules:
    """What a crawl of a portal goes by when it decides on addresses and pages."""

    since: str  # first day that is asked for, ISO 8601
    until: str  # last day
    portal_file: str = ""  # JSON of the keys of its file that decide; "" for none


@dataclass(frozen=True, slots=True)
class OpenAddress:
    """An address on which other rules may decide otherwise."""

    serial: int
    url: str  # that answered in the end, or that is to be asked
    kind: str
    state: int
    reason: str  # of the rejection, or "read"; "" for what is queued
    detail: str
    depth: int  # links followed to get there
    found_on: int  # serial of the page that named it; 0: none
    request: bytes  # as stored; b"" for what was never asked for


@dataclass(frozen=True, slots=True)
class LastVisit:
    """What is known of an address from the last time it was asked for."""

    state: int  # where the address stands
    fetched: str = ""  # ISO 8601 with offset; "" where it was never fetched
    status: int = 0  # of HTTP; 0 where it was never fetched
    signature: str = ""  # hash of the body
    stated: str = ""  # when the document changed, according to a list
    interval: float = 0.0  # seconds from that visit to the next; 0 where none was set
    reason: str = ""  # what became of it: "kept", "read", or why it was rejected


class Revisits:
    """The part of a ledger that is about asking again; `queued` counts addresses by portal, and grows with it."""

    def __init__(self, execute: Execute, queued: Counter[str]) -> None:
        self._execute = execute
        self._queued = queued

    def last(self, url: str) -> LastVisit | None:
        """The last visit of `url`; None where the address is not known."""
        sql = "SELECT state, fetched, status, signature, stated, visit_interval, reason FROM urls WHERE id = ?"
        row = self._execute(sql, (key_of(url),)).fetchone()
        return LastVisit(*row) if row else None

    def last_kept(self, portal: str) -> str:
        """The address of an article of a portal that was kept; "" where there is none."""
        sql = "SELECT url FROM urls WHERE portal = ? AND state = 4 AND reason = 'kept' ORDER BY serial DESC LIMIT 1"
        row = self._execute(sql, (portal,)).fetchone()
        return row[0] if row else ""

    def state(self, url: str, stated: str) -> None:
        """Note when a list says that the document at `url` changed."""
        self._execute("UPDATE urls SET stated = ? WHERE id = ?", (stated, key_of(url)))

    def show(self, url: str, headline: int) -> int | None:
        """Note the hash of a headline that a list shows of `url`.

        Returns:
            how many others lists showed before; None where it is known, or the address is not.
        """
        row = self._execute("SELECT headlines FROM urls WHERE id = ?", (key_of(url),)).fetchone()
        known = [one for (one,) in HEADLINE.iter_unpack(row[0])] if row else []
        if row is None or headline in known:
            return None
        kept = b"".join(map(HEADLINE.pack, (headline, *known[: MOST_HEADLINES - 1])))
        self._execute("UPDATE urls SET headlines = ? WHERE id = ?", (kept, key_of(url)))
        return len(known)

    def bring(self, url: str, *, brought: bool) -> None:
        """Note whether the list at `url` told something new, now or at an earlier visit."""
        sql = "UPDATE urls SET brought = iif(?1, 1, iif(fetched = '', max(brought, 0), brought)) WHERE id = ?2"
        self._execute(sql, (brought, key_of(url)))

    def is_barren(self, url: str) -> bool:
        """Whether `url` is that of a list that never told anything new."""
        return self._execute("SELECT 1 FROM urls WHERE id = ? AND brought = 0", (key_of(url),)).fetchone() is not None

    def evidence(self, url: str) -> tuple[Evidence, ...]:
        """What the list that named `url` first said of the document."""
        row = self._execute("SELECT request FROM urls WHERE id = ?", (key_of(url),)).fetchone()
        return evidence_of(row[0]) if row else ()

    def schedule(self, url: str, now: float, interval: float) -> None:
        """Set the next visit of `url`, in seconds since the epoch and seconds from now."""
        sql = "UPDATE urls SET next_visit = ?, visit_interval = ? WHERE id = ?"
        self._execute(sql, (now + interval, interval, key_of(url)))

    def revive(self, kinds: Collection[str], portal: str, now: float) -> int:
        """Queue what is done of some kinds and due at `now`, and failures that may pass; gives the number.

        With an infinite `now` all is due, but of lists that told nothing new those `MOST_BARREN` asked longest ago.
        """
        where = f"state = {UrlState.FAILED.value} AND ({' OR '.join('reason GLOB ?' for _ in MAY_PASS)})"
        failed = self._queue(portal, where, MAY_PASS, FORGET)
        # What seems to lie farther ahead than any visit is planned was written by a clock that has been set back since.
        where = f"kind IN ({_marks(kinds)}) AND (next_visit <= ? OR next_visit > ?)"
        if math.isinf(now):
            where = f"kind IN ({_marks(kinds)}) AND (NOT {BARREN} OR {OLDEST_BARREN})"
            return failed + self._queue(portal, where, (*kinds, portal))
        return failed + self._queue(portal, where, (*kinds, now, now + RevisitConfig().max_seconds))

    def revive_articles(self, portal: str, now: float) -> int:
        """Queue articles due at `now`, kept or missing once; gives the number."""
        where = """kind = 'article' AND next_visit > 0 AND (next_visit <= ? OR next_visit > ?)
            AND (reason = 'kept' OR serial IN (SELECT serial FROM gone WHERE n_visits < 2))"""
        return self._queue(portal, where, (now, now + ArticleRevisitConfig().max_seconds))

    def requeue_unconditionally(self, kinds: Collection[str], portal: str) -> int:
        """Queue what is done of some kinds, as if never fetched; gives the number."""
        return self._queue(portal, f"kind IN ({_marks(kinds)})", tuple(kinds), FORGET)

    def rules(self, portal: str) -> CrawlRules | None:
        """What the last crawl of a portal went by; None before the first one."""
        row = self._execute("SELECT since, until, portal_file FROM rules WHERE portal = ?", (portal,)).fetchone()
        return CrawlRules(*row) if row else None

    def set_rules(self, portal: str, rules: CrawlRules) -> None:
        """Note what a crawl of a portal goes by."""
        values = (portal, rules.since, rules.until, rules.portal_file)
        self._execute("INSERT OR REPLACE INTO rules VALUES (?, ?, ?, ?)", values)

    def open_to_rules(self, portal: str) -> list[OpenAddress]:
        """What of a portal other rules may decide otherwise: what is queued, and what was refused or only read."""
        sql = """SELECT one.serial, iif(one.state = 1 OR one.redirected_to = '', one.url, one.redirected_to),
            one.kind, one.state, one.reason, one.detail,
            iif(one.request = x'' AND named.serial, named.depth + 1, one.depth), one.found_on, one.request
            FROM urls AS one LEFT JOIN urls AS named ON named.serial = one.found_on WHERE one.portal = ?
            AND (one.state = 1 AND one.reason = '' OR one.state = 4 AND (one.reason = 'unexpected_language'
            OR one.stage = 'discovery' OR one.reason = 'read' AND one.kind = 'section' AND one.depth > 0))
            ORDER BY one.serial"""
        return [OpenAddress(*row) for row in self._execute(sql, (portal,))]

    def forget(self, serials: Iterable[int]) -> None:
        """Forget addresses that were refused and never asked for: the pages that name them are to name them again."""
        self._execute("DELETE FROM urls WHERE serial IN (SELECT value FROM json_each(?))", (json.dumps([*serials]),))

    def forget_archives(self, portal: str) -> int:
        """Forget archives that were refused unseen since others had brought nothing new; gives the number."""
        sql = "DELETE FROM urls WHERE portal = ? AND stage = 'discovery' AND reason = 'nothing_new' AND request = x''"
        return self._execute(sql, (portal,)).rowcount

    def withdraw(self, portal: str, serial: int) -> None:
        """Take an address from the queue, for `Ledger.refuse`."""
        self._execute("UPDATE urls SET state = 0, request = x'', from_archive = 0 WHERE serial = ?", (serial,))
        self._queued[portal] -= 1

    def judge_again(self, portal: str, serials: Iterable[int]) -> int:
        """Queue answered addresses, as if nothing had become of them, for the archive to answer; gives the number."""
        more = "from_archive = 1, stage = '', reason = '', detail = '', line_file = '', line_offset = 0,"
        return self._queue(portal, NAMED_SERIALS, (json.dumps([*serials]),), more)

    def read_again(self, portal: str, serials: Iterable[int]) -> int:
        """Queue answered addresses for the links that they hold; what became of them stands. Gives the number."""
        return self._queue(portal, NAMED_SERIALS, (json.dumps([*serials]),), "from_archive = 1,")

    def read_all_again(self, portal: str, lists: Collection[str]) -> int:
        """Queue, as `read_again`, all that the archive holds, and lists of some kinds; gives the number."""
        where = f"state = {UrlState.DONE.value} AND (archive_file != '' OR status = 200 AND kind IN ({_marks(lists)}))"
        return self._queue(portal, where, tuple(lists), "from_archive = 1,")

    def _queue(self, portal: str, where: str, values: tuple[object, ...], more: str = "") -> int:
        sql = f"""UPDATE urls SET {more} state = {UrlState.QUEUED.value}
            WHERE portal = ? AND state IN ({UrlState.DONE.value}, {UrlState.FAILED.value}) AND request != x''
            AND ({where})"""  # noqa: S608 -- constants and question marks only
        n = self._execute(sql, (portal, *values)).rowcount
        self._queued[portal] += n
        return n


def _marks(values: Collection[str]) -> str:
    return ", ".join("?" * len(values))


def next_interval(before: float, *, changed: bool, depth: int, config: RevisitConfig) -> float:
    """Seconds to the next visit: half the last interval where something was new, twice as long where nothing was.

    Args:
        before: the last interval, seconds; 0 at the first visit.
        depth: links followed to get there; the farther away a page, the longer its first interval.
        changed: the visit brought an address, or a change of one, that was not known.
        config: the bounds.
    """
    if not before:
        return min(config.first_seconds * config.depth_factor**depth, config.max_seconds)
    wanted = before / 2 if changed else before * 2
    return min(max(wanted, config.min_seconds), config.max_seconds)


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
            # An article that was kept is not there, if the site says so; it is due again after a day.
            if self._execute(MISSING, (serial, before is not None)).rowcount:
                (fetched,) = self._execute("SELECT fetched FROM urls WHERE serial = ?", (serial,)).fetchone()
                due = datetime.fromisoformat(fetched).timestamp() + DAY
                self._execute("UPDATE urls SET next_visit = ?, visit_interval = ? WHERE serial = ?", (due, DAY, serial))
            return
        if before and before[2] == after[2]:  # the answer was that of an earlier visit
            return
        self._execute("DELETE FROM gone WHERE serial = ?", (serial,))
        portal, published, fetched, revision = after
        now = datetime.fromisoformat(fetched).timestamp()
        begin = _seconds(published, now)
        has_changed = bool(before) and before[3] != revision
        if before:
            last = _seconds(before[2], now)
            self._execute(SEEN, (portal, age_bucket(last - begin), int(has_changed), now - last))
        interval = article_interval(
            now - begin, self.seen(portal), has_changed=has_changed, config=ArticleRevisitConfig()
        )
        sql = "UPDATE urls SET next_visit = ?, visit_interval = ? WHERE serial = ?"
        self._execute(sql, (now + interval, interval, serial))

    def seen(self, portal: str) -> dict[int, AgeSeen]:
        """What was seen of a portal's articles, by `age_bucket`."""
        rows = self._execute("SELECT octave, n_changes, seconds FROM changes WHERE portal = ?", (portal,))
        return {number: AgeSeen(n_changes, seconds) for number, n_changes, seconds in rows}


def gone_documents(corpus: Path) -> dict[str, str]:
    """The deleted articles of a corpus, by document id the day on which each was first missing; {} without a ledger."""
    with suppress(LedgerError), reading(corpus) as connection:
        return {id_of_key(key): day for key, day in connection.execute(GONE, (GONE_AFTER,))}
    return {}


def age_bucket(age: float) -> int:
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
        number = age_bucket(at)
        end = HOUR * 2 ** (number + 1)
        found = seen.get(number, AgeSeen())
        supposed = SUPPOSED / (HOUR * 2**number)  # changes a second, and one more change than was seen
        rate = (found.n_changes + 1) / (found.seconds + 1 / supposed)
        step = min(end - at, left / rate)
        left, at = left - step * rate, at + max(step, 1.0)
    wanted = (at - age) / (2 if has_changed else 1)
    return min(max(wanted, config.min_seconds), config.max_seconds)


def _seconds(moment: str, now: float) -> float:
    """A time in ISO 8601 in seconds since the epoch, at most `now`; that itself for what is none."""
    try:
        return min(datetime.fromisoformat(moment).timestamp(), now)
    except ValueError:
        return now
