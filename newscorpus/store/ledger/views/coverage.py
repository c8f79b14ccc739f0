"""Count by day what a portal's feeds, sitemaps and lists named, and what became of it: a crawl knows what it missed."""

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from newscorpus.layout import DUPLICATES
from newscorpus.store.ledger.rows import key_of_id

DAYS = 30
"""Days that are counted, the last ones; what is usual for a portal shows in so many."""
FEWEST = 20
"""Articles of a day of which the share of rows says something: of ten, half may be missing by chance."""

NOT_LOST = frozenset(
    {
        *("discovery/ignored", "discovery/nothing_new", "discovery/other_version", "discovery/out_of_period"),
        *("discovery/page_budget", "discovery/part_of_another", "discovery/section", "discovery/too_deep"),
        "fetch/redirect_to_known",
    }
)
"""Rejections by the user's own bounds, of pages whose article is met under another address, and of lists, which every
portal has."""

NAMED = """SELECT one.met, iif(page.kind IN ('feed', 'list'), 'feed', iif(page.kind = 'sitemap', 'sitemap', 'list')),
    iif(one.state < 4, '', iif(one.reason = 'kept', left_out(one.serial), one.stage || '/' || one.reason)), count(*)
    FROM urls AS one JOIN urls AS page ON page.serial = one.found_on
    WHERE one.portal = ? AND one.met >= date('now', ?) AND (one.kind = 'article' OR one.reason = 'kept')
    AND (one.state < 4 OR one.reason = 'kept' OR one.stage != '') GROUP BY 1, 2, 3"""
ROW = "row"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A document that a build left out."""

    key: int  # of its id
    portal: str  # its name
    reason: str  # "duplicates/kind"
    url: str


@dataclass(frozen=True, slots=True)
class DayCoverage:
    """What became of the articles of a portal that were met on one day."""

    day: str  # ISO 8601
    named: Mapping[str, int]  # articles by what named them first: "feed", "sitemap" or "list"
    rows: int  # of these, rows of the corpus
    left_out: Mapping[str, int]  # rejected, by "stage/reason", and left out as duplicates, by "duplicates/kind"
    unfetched: int  # still to be asked for

    @property
    def share(self) -> float:
        """The share of rows among those of which is known what became of them."""
        return self.rows / max(1, self.rows + sum(self.left_out.values()))

    def __str__(self) -> str:
        named = ", ".join(f"{source} {n:,}" for source, n in self.named.items())
        left_out = ", ".join(f"{reason} {n:,}" for reason, n in self.left_out.items()) or "nothing"
        return (
            f"{self.day}: {sum(self.named.values()):,} articles named ({named}), {self.rows:,} rows,"
            f" {self.unfetched:,} not fetched; left out: {left_out}"
        )


@dataclass(slots=True)
class _Day:
    named: Counter[str] = field(default_factory=Counter)
    ends: Counter[str] = field(default_factory=Counter)


def left_out_as_duplicates(corpus: Path) -> list[LeftOut]:
    """The documents that the last build left out as duplicates; none where there is no list of ours."""
    with suppress(OSError, ValueError, LookupError, TypeError), (corpus / DUPLICATES).open("rb") as file:
        lines = [line for line in map(json.loads, file) if line["kind"] != "revision"]
        return [LeftOut(key_of_id(one["id"]), one["source"], f"duplicates/{one['kind']}", one["url"]) for one in lines]
    return []


def coverage(connection: sqlite3.Connection, portal: str, left_out: Sequence[LeftOut]) -> tuple[DayCoverage, ...]:
    """What became of the articles of a portal, by the day on which they were met, oldest first.

    Args:
        connection: the ledger.
        portal: its name.
        left_out: of the portal, as `left_out_as_duplicates` gives it.
    """
    reasons = {one.key: one.reason for one in left_out}
    sql = "SELECT serial, id FROM documents WHERE id IN (SELECT value FROM json_each(?))"
    of = {serial: reasons[key] for serial, key in connection.execute(sql, (json.dumps([*reasons]),))}
    connection.create_function("left_out", 1, lambda serial: of.get(serial, ROW), deterministic=True)
    days: defaultdict[str, _Day] = defaultdict(_Day)
    for day, source, end, n in connection.execute(NAMED, (portal, f"-{DAYS} days")):
        if end not in NOT_LOST:
            days[day].named[source] += n
            days[day].ends[end] += n
    return tuple(_covered(day, found) for day, found in sorted(days.items()))


def _covered(day: str, found: _Day) -> DayCoverage:
    left_out = {end: n for end, n in found.ends.most_common() if end not in {"", ROW}}
    return DayCoverage(day, dict(sorted(found.named.items())), found.ends[ROW], left_out, found.ends[""])


def alarm(portal: str, days: Sequence[DayCoverage]) -> Iterator[str]:
    """Say if the last day has less than half of the share of rows that is usual; all rows are, where none came before.

    Args:
        portal: its name.
        days: as `coverage` gives them.
    """
    told = [day for day in days if day.rows + sum(day.left_out.values()) >= FEWEST]
    usual = median(day.share for day in told[:-1]) if told[1:] else 1.0
    if told and told[-1].share < usual / 2:
        yield f"{portal} gave fewer rows than usual, {told[-1].share:.0%} for {usual:.0%}: {told[-1]}"
