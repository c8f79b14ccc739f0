"""Earlier visits, and the next ones, planned by the age at which articles of the portal change.

An article is due when the probability of a change since the last visit reaches one in fifty. Changes are counted by
portal and age; the prior is that one in ten articles changes while its age triples.
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

import msgspec

from newscorpus.config import ArticleRevisitConfig, RevisitConfig
from newscorpus.data import Evidence
from newscorpus.errors import LedgerError
from newscorpus.store.ledger.database import Execute, reading
from newscorpus.store.ledger.values import UrlState, evidence_of, id_of_key, key_of

LISTS, ARTICLES = RevisitConfig(), ArticleRevisitConfig()
"""When feeds, sitemaps and sections are visited again, and when articles are."""

MAY_PASS = (
    *("connection_*", "dns", "http_403", "http_429", "http_5??", "robots_unavailable", "timeout", "truncated"),
    *("callback_failed", "worker_failed", "consent_wall", "bot_check", "needs_script", "render_failed"),
)
"""Reasons of failures that may be temporary, as GLOB patterns."""

FORGET = "etag = '', last_modified = '', signature = '',"
"""Delete the validators: an unchanged response would be skipped, although it has no outcome."""

HEADLINE = struct.Struct(">I")
MOST_HEADLINES = 8
"""Number of stored headlines of an article: front page, sections and feeds may each shorten it."""

BARREN = "(brought = 0 AND depth > 0 OR kind = 'list' AND status BETWEEN 400 AND 499)"
"""Lists beside the start pages that had nothing new at the first visit, and wrong guesses of lists."""

MOST_BARREN = 20
"""Number of these requested by a visit of all lists, which requests 50 others of a blog of 300 articles. Pages
rejected by a quality filter are no lists."""

OLDEST_BARREN = f"""serial IN (SELECT serial FROM urls WHERE portal = ? AND {BARREN} AND state = {UrlState.DONE.value}
    AND reason != 'kept' AND stage != 'quality' ORDER BY fetched, serial LIMIT {MOST_BARREN})"""  # noqa: S608 -- constants

NAMED_SERIALS = f"state = {UrlState.DONE.value} AND serial IN (SELECT value FROM json_each(?))"  # noqa: S608 -- a constant

HOUR = 3_600.0
SUPPOSED = 0.1
"""Prior: changes of an article while its age grows by the factor e, nearly triples."""

VISITED = "SELECT portal, published, fetched, revision FROM urls WHERE serial = ? AND reason = 'kept'"
MISSING = """INSERT INTO gone SELECT serial, fetched, fetched, 1 FROM urls WHERE serial = ?1 AND status IN (404, 410)
    AND (?2 OR serial IN (SELECT serial FROM gone)) ON CONFLICT (serial) DO UPDATE
    SET n_visits = n_visits + (last != excluded.last), last = excluded.last"""
GONE_AFTER = 2
"""Visits that miss an article before it counts as deleted; a single one may be a fault of the site."""

GONE = """SELECT documents.id, substr(since, 1, 10) FROM gone JOIN documents USING (serial)
    WHERE n_visits >= ? AND documents.id NOT IN (SELECT id FROM urls WHERE reason = 'kept')"""
"""Deleted articles, except those still found at their own address."""

DAY = 24 * HOUR
SEEN = """INSERT INTO changes VALUES (?1, ?2, ?3, ?4) ON CONFLICT (portal, octave) DO UPDATE
    SET n_changes = n_changes + ?3, seconds = seconds + ?4"""


@dataclass(frozen=True, slots=True)
class CrawlRules:
    """The rules by which a crawl decides about addresses and pages of a portal."""

    since: str  # first day of the period, ISO 8601
    until: str  # last day
    portal_file: str = ""  # JSON of the deciding keys of the portal file; "" for none


@dataclass(frozen=True, slots=True)
class OpenAddress:
    """An address about which changed rules may decide differently."""

    serial: int
    url: str  # final address, or the one to request
    kind: str
    state: int
    reason: str  # of the rejection, or "read"; "" if queued
    detail: str
    depth: int  # links from a start page
    found_on: int  # serial of the page that linked to it; 0: none
    request: bytes  # as stored; b"" if refused without a request


@dataclass(frozen=True, slots=True)
class LastVisit:
    """The last visit of an address."""

    state: int
    fetched: str = ""  # ISO 8601 with offset; "" if never fetched
    status: int = 0  # of HTTP; 0 if never fetched
    signature: str = ""  # hash of the body
    stated: str = ""  # time of the last change, according to a list
    interval: float = 0.0  # seconds to the next visit; 0 if none is scheduled
    reason: str = ""  # "kept", "read", or reason of the rejection


class Revisits:
    """The visits of a ledger; `queued` is `Queue.ready`."""

    def __init__(self, execute: Execute, queued: Counter[str]) -> None:
        self._execute = execute
        self._queued = queued

    def last(self, url: str) -> LastVisit | None:
        """Return the last visit of `url`; None if the address is unknown."""
        sql = "SELECT state, fetched, status, signature, stated, visit_interval, reason FROM urls WHERE id = ?"
        row = self._execute(sql, (key_of(url),)).fetchone()
        return LastVisit(*row) if row else None

    def latest_fetch(self) -> str:
        """Return the latest time at which an address was fetched, ISO 8601; "" for none."""
        (latest,) = self._execute("SELECT ifnull(max(fetched), '') FROM urls", ()).fetchone()
        return str(latest)

    def last_kept(self, portal: str) -> str:
        """Return the address of the newest kept article of a portal; "" without one."""
        sql = "SELECT url FROM urls WHERE portal = ? AND state = 4 AND reason = 'kept' ORDER BY serial DESC LIMIT 1"
        row = self._execute(sql, (portal,)).fetchone()
        return row[0] if row else ""

    def note_change(self, url: str, stated: str) -> None:
        """Record the time at which the document at `url` changed, according to a list."""
        self._execute("UPDATE urls SET stated = ? WHERE id = ?", (stated, key_of(url)))

    def note_headline(self, url: str, headline: int) -> int | None:
        """Record the hash of a headline that a list shows for `url`.

        Returns:
            The number of other headlines shown before; None if this one is known or the address is not.
        """
        row = self._execute("SELECT headlines FROM urls WHERE id = ?", (key_of(url),)).fetchone()
        known = [one for (one,) in HEADLINE.iter_unpack(row[0])] if row else []
        if row is None or headline in known:
            return None
        kept = b"".join(map(HEADLINE.pack, (headline, *known[: MOST_HEADLINES - 1])))
        self._execute("UPDATE urls SET headlines = ? WHERE id = ?", (kept, key_of(url)))
        return len(known)

    def note_news(self, url: str, *, brought: bool) -> None:
        """Record whether the list at `url` has had anything new, now or at an earlier visit."""
        sql = "UPDATE urls SET brought = iif(?1, 1, iif(fetched = '', max(brought, 0), brought)) WHERE id = ?2"
        self._execute(sql, (brought, key_of(url)))

    def is_barren(self, url: str) -> bool:
        """Return whether `url` is a list that never had anything new."""
        return self._execute("SELECT 1 FROM urls WHERE id = ? AND brought = 0", (key_of(url),)).fetchone() is not None

    def evidence(self, url: str) -> tuple[Evidence, ...]:
        """Return the evidence of the list that named `url` first."""
        row = self._execute("SELECT request FROM urls WHERE id = ?", (key_of(url),)).fetchone()
        return evidence_of(row[0]) if row else ()

    def add_evidence(self, url: str, evidence: Collection[Evidence]) -> None:
        """Store the evidence of a list with the queued request of a page that only links have named so far."""
        sql = "SELECT request FROM urls WHERE id = ? AND state = ? AND fetched = ''"
        row = self._execute(sql, (key_of(url), UrlState.QUEUED)).fetchone()
        stored = json.loads(row[0]) if row and row[0] else {}
        if stored.get("cb_kwargs", {}).get("evidence") == []:
            stored["cb_kwargs"]["evidence"] = msgspec.to_builtins(tuple(evidence))
            self._execute("UPDATE urls SET request = ? WHERE id = ?", (json.dumps(stored).encode(), key_of(url)))

    def schedule(self, url: str, now: float, interval: float) -> None:
        """Schedule the next visit of `url`, `interval` seconds after `now` (seconds since the epoch)."""
        sql = "UPDATE urls SET next_visit = ?, visit_interval = ? WHERE id = ?"
        self._execute(sql, (now + interval, interval, key_of(url)))

    def revive(self, kinds: Collection[str], portal: str, now: float) -> int:
        """Queue addresses of some kinds due at `now`, and temporary failures; return the number.

        With an infinite `now` all are due, except that only the `MOST_BARREN` oldest visits of barren lists are.
        """
        where = f"state = {UrlState.FAILED.value} AND ({' OR '.join('reason GLOB ?' for _ in MAY_PASS)})"
        failed = self._queue(portal, where, MAY_PASS, FORGET)
        # A visit beyond the longest interval was scheduled before the clock was set back.
        where = f"kind IN ({_marks(kinds)}) AND (next_visit <= ? OR next_visit > ?)"
        if math.isinf(now):
            where = f"kind IN ({_marks(kinds)}) AND (NOT {BARREN} OR {OLDEST_BARREN})"
            return failed + self._queue(portal, where, (*kinds, portal))
        return failed + self._queue(portal, where, (*kinds, now, now + LISTS.max_seconds))

    def revive_articles(self, portal: str, now: float) -> int:
        """Queue articles due at `now`, kept or missing once; return the number."""
        where = """kind = 'article' AND next_visit > 0 AND (next_visit <= ? OR next_visit > ?)
            AND (reason = 'kept' OR serial IN (SELECT serial FROM gone WHERE n_visits < 2))"""
        return self._queue(portal, where, (now, now + ARTICLES.max_seconds))

    def requeue_unconditionally(self, kinds: Collection[str], portal: str) -> int:
        """Queue all done addresses of some kinds as if never fetched; return the number."""
        return self._queue(portal, f"kind IN ({_marks(kinds)})", tuple(kinds), FORGET)

    def rules(self, portal: str) -> CrawlRules | None:
        """Return the rules of the last crawl of a portal; None before the first one."""
        row = self._execute("SELECT since, until, portal_file FROM rules WHERE portal = ?", (portal,)).fetchone()
        return CrawlRules(*row) if row else None

    def set_rules(self, portal: str, rules: CrawlRules) -> None:
        """Record the rules of a crawl of a portal."""
        values = (portal, rules.since, rules.until, rules.portal_file)
        self._execute("INSERT OR REPLACE INTO rules VALUES (?, ?, ?, ?)", values)

    def open_to_rules(self, portal: str) -> list[OpenAddress]:
        """Return the addresses of a portal that changed rules may affect: queued, refused, or read for links."""
        sql = """SELECT one.serial, iif(one.state = 1 OR one.redirected_to = '', one.url, one.redirected_to),
            one.kind, one.state, one.reason, one.detail,
            iif(one.request = x'' AND named.serial, named.depth + 1, one.depth), one.found_on, one.request
            FROM urls AS one LEFT JOIN urls AS named ON named.serial = one.found_on WHERE one.portal = ?
            AND (one.state = 1 AND one.reason = '' OR one.state = 4 AND (one.reason = 'unexpected_language'
            OR one.stage = 'discovery' OR one.reason = 'read' AND one.kind = 'section' AND one.depth > 0))
            ORDER BY one.serial"""
        return [OpenAddress(*row) for row in self._execute(sql, (portal,))]

    def forget(self, serials: Iterable[int]) -> None:
        """Delete addresses refused without a request, so that the pages that link to them offer them again."""
        self._execute("DELETE FROM urls WHERE serial IN (SELECT value FROM json_each(?))", (json.dumps([*serials]),))

    def forget_archives(self, portal: str) -> int:
        """Delete archives by day refused since others brought nothing new; return the number."""
        sql = "DELETE FROM urls WHERE portal = ? AND stage = 'discovery' AND reason = 'nothing_new' AND request = x''"
        return self._execute(sql, (portal,)).rowcount

    def withdraw(self, portal: str, serial: int) -> None:
        """Withdraw an address from the queue, for `Ledger.refuse`."""
        self._execute("UPDATE urls SET state = 0, request = x'', from_archive = 0 WHERE serial = ?", (serial,))
        self._queued[portal] -= 1

    def judge_again(self, portal: str, serials: Iterable[int]) -> int:
        """Queue addresses without their outcome, to be read from the archive; return the number."""
        more = "from_archive = 1, stage = '', reason = '', detail = '', line_file = '', line_offset = 0,"
        return self._queue(portal, NAMED_SERIALS, (json.dumps([*serials]),), more)

    def read_again(self, portal: str, serials: Iterable[int]) -> int:
        """Queue addresses for their links only, to be read from the archive; return the number."""
        return self._queue(portal, NAMED_SERIALS, (json.dumps([*serials]),), "from_archive = 1,")

    def read_all_again(self, portal: str, lists: Collection[str]) -> int:
        """Queue all archived addresses as `read_again` does, and lists of some kinds; return the number."""
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


def next_interval(before: float, *, changed: bool, depth: int) -> float:
    """Return the seconds to the next visit: half the last interval if something was new, else twice of it.

    Args:
        before: the last interval, seconds; 0 at the first visit.
        depth: links from a start page; the first interval grows with it.
        changed: the visit brought a new address, or a change of a known one.
    """
    if not before:
        return min(LISTS.first_seconds * LISTS.depth_factor**depth, LISTS.max_seconds)
    wanted = before / 2 if changed else before * 2
    return min(max(wanted, LISTS.min_seconds), LISTS.max_seconds)


@dataclass(frozen=True, slots=True)
class AgeSeen:
    """Observed changes of a portal's articles of one age."""

    n_changes: int = 0  # visits that found a changed text
    seconds: float = 0.0  # between visits, summed over all articles


class Changes:
    """The changes of articles in a ledger."""

    def __init__(self, execute: Execute) -> None:
        self._execute = execute

    @contextmanager
    def recording(self, serial: int) -> Iterator[None]:
        """Compare an article before and after a visit is recorded, and schedule the next one."""
        before = self._execute(VISITED, (serial,)).fetchone()
        yield
        after = self._execute(VISITED, (serial,)).fetchone()
        if after is None:
            # A kept article that the site reports missing is due again after a day.
            if self._execute(MISSING, (serial, before is not None)).rowcount:
                (fetched,) = self._execute("SELECT fetched FROM urls WHERE serial = ?", (serial,)).fetchone()
                due = datetime.fromisoformat(fetched).timestamp() + DAY
                self._execute("UPDATE urls SET next_visit = ?, visit_interval = ? WHERE serial = ?", (due, DAY, serial))
            return
        if before and before[2] == after[2]:  # the response was an archived one
            return
        self._execute("DELETE FROM gone WHERE serial = ?", (serial,))
        portal, published, fetched, revision = after
        now = datetime.fromisoformat(fetched).timestamp()
        begin = _seconds(published, now)
        has_changed = bool(before) and before[3] != revision
        if before:
            last = _seconds(before[2], now)
            self._execute(SEEN, (portal, age_bucket(last - begin), int(has_changed), now - last))
        interval = article_interval(now - begin, self.seen(portal), has_changed=has_changed)
        sql = "UPDATE urls SET next_visit = ?, visit_interval = ? WHERE serial = ?"
        self._execute(sql, (now + interval, interval, serial))

    def seen(self, portal: str) -> dict[int, AgeSeen]:
        """Return the observed changes of a portal's articles by `age_bucket`."""
        rows = self._execute("SELECT octave, n_changes, seconds FROM changes WHERE portal = ?", (portal,))
        return {number: AgeSeen(n_changes, seconds) for number, n_changes, seconds in rows}


def gone_documents(corpus: Path) -> dict[str, str]:
    """Map the document ids of deleted articles to the day each was first missing; {} without a ledger."""
    with suppress(LedgerError), reading(corpus) as connection:
        return {id_of_key(key): day for key, day in connection.execute(GONE, (GONE_AFTER,))}
    return {}


def age_bucket(age: float) -> int:
    """Return the bucket of an age in seconds: 0 below two hours, 1 below four, and so on."""
    return int(math.log2(max(age, HOUR) / HOUR))


def article_interval(age: float, seen: dict[int, AgeSeen], *, has_changed: bool) -> float:
    """Return the seconds until an article is due: half as many if it has just changed.

    Args:
        age: in seconds.
        seen: `Changes.seen` of the portal.
        has_changed: the last visit found a changed text.
    """
    left, at = ARTICLES.chance, max(age, HOUR)
    while left > 0 and at < age + ARTICLES.max_seconds:
        number = age_bucket(at)
        end = HOUR * 2 ** (number + 1)
        found = seen.get(number, AgeSeen())
        supposed = SUPPOSED / (HOUR * 2**number)  # changes per second, as a prior of one change
        rate = (found.n_changes + 1) / (found.seconds + 1 / supposed)
        step = min(end - at, left / rate)
        left, at = left - step * rate, at + max(step, 1.0)
    wanted = (at - age) / (2 if has_changed else 1)
    return min(max(wanted, ARTICLES.min_seconds), ARTICLES.max_seconds)


def _seconds(moment: str, now: float) -> float:
    """Convert an ISO 8601 time to seconds since the epoch, at most `now`; `now` if it is invalid."""
    try:
        return min(datetime.fromisoformat(moment).timestamp(), now)
    except ValueError:
        return now
