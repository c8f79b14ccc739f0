"""Name what a crawl left out of a portal: the bounds that cut it short, and the reasons that cost many pages."""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from newscorpus.layout import CRAWL_REPORT
from newscorpus.store.ledger.looks import Alarm
from newscorpus.store.ledger.rows import OVER_BUDGET
from newscorpus.store.ledger.store import reading
from newscorpus.store.ledger.views.coverage import NOT_LOST, DayCoverage, LeftOut, alarm

MOST_LOST = 0.02
"""Share of the pages of a portal that may be lost by one reason before it is shown with examples."""

EXAMPLES = 3
"""Addresses shown for a reason; one that cost fewer pages is chance, and can be read in the journal."""

MOST_DUPLICATES = 0.2
"""The same of those left out as duplicates of one kind, of which every portal has some."""

CLOSED = "quality/paywall_stub"
"""Reason of pages that only subscribers may read: the site decides, and no crawl can do better."""

LOST = "FROM urls WHERE portal = ? AND kind IN ('', 'article') AND stage != ''"
"""Rejected pages whose address looked like an article's; other people's spiders do not say what they ask for."""

ENDS = {
    "byte_budget": "limits.max_bytes is reached",
    "limit": "the limit of articles is reached",
    "quiet_hours": "it was stopped in quiet hours",
    "shutdown": "it was stopped",
    "refused": "the site refused again and again",
    "left_alone": "the site has refused for days and is left alone",
    "retry_after": "the site asked for a pause of more than an hour",
    "crawl_delay": "the site asks for too long a Crawl-delay",
    "robots_unavailable": "the robots.txt of the site is out of reach",
}
"""What is said of the ends of a crawl that left addresses behind; others go by their name."""


@dataclass(frozen=True, slots=True)
class PortalLoss:
    """Many pages of a portal that were rejected or left out for one reason."""

    reason: str  # "stage/reason", or "duplicates/kind"
    n: int  # pages
    pages: int  # of the portal, kept or lost
    examples: tuple[str, ...]  # addresses


def cut_short(queued: int, counted: Mapping[str, int], end: str) -> Iterator[str]:
    """What bounded the crawl of a portal, and how many addresses that left."""
    if queued and end:
        yield f"{ENDS.get(end, end)}, addresses still queued: {queued:,}"
    bounds = {
        OVER_BUDGET: "limits.max_pages is reached, addresses not taken in: {:,}",
        "rejected/discovery/too_deep": "limits.max_depth is reached, addresses that lie deeper: {:,}",
        "rejected/discovery/trap": "addresses that look like traps: {:,}",
    }
    yield from (text.format(counted[name]) for name, text in bounds.items() if counted.get(name))


def losses(connection: sqlite3.Connection, portal: str, kept: int, left_out: Sequence[LeftOut]) -> Iterator[PortalLoss]:
    """What many articles of a portal were rejected or left out for, the most frequent reason first."""
    by_reason = f"SELECT stage || '/' || reason, count(*) {LOST} GROUP BY 1 ORDER BY 2 DESC, 1"
    shown_of = f"SELECT url {LOST} AND stage || '/' || reason = ? ORDER BY serial LIMIT ?"
    rejected = [(reason, n) for reason, n in connection.execute(by_reason, (portal,)) if reason not in NOT_LOST]
    pages = kept + sum(n for _, n in rejected)
    for reason, n in rejected:
        if n >= EXAMPLES and n > MOST_LOST * pages and reason != CLOSED:
            examples = connection.execute(shown_of, (portal, reason, EXAMPLES))
            yield PortalLoss(reason, n, pages, tuple(url for (url,) in examples))
    for reason, n in Counter(one.reason for one in left_out).most_common():
        if n >= EXAMPLES and n > MOST_DUPLICATES * pages:
            shown = [one.url for one in left_out if one.reason == reason][:EXAMPLES]
            yield PortalLoss(reason, n, pages, tuple(shown))


def shortfalls(figures: Mapping[str, Any]) -> Iterator[str]:
    """What the figures of a portal, as the report has them, show of missing pages: lines for a person."""
    name = figures["portal"] or "no portal"
    if figures["cut_short"]:
        yield f"{name} was cut short: {'; '.join(figures['cut_short'])}"
    for loss in figures["losses"]:
        n, pages = loss["n"], loss["pages"]
        examples = ", ".join(loss["examples"]) or "no address"
        yield f"{name} lost {n:,} of {pages:,} pages ({n / pages:.1%}) by {loss['reason']}, such as {examples}"
    yield from alarm(name, [DayCoverage(**day) for day in figures["coverage"]])


def redesigns(figures: Mapping[str, Any]) -> Iterator[str]:
    """Which redesigns the figures of a portal, as the report has them, show: lines for a person."""
    yield from (str(Alarm(**alarm)) for alarm in figures["redesigns"])


def unreached(corpus: Path) -> dict[str, str]:
    """Portals of which no page could be fetched that the crawl began with, and why: the fate of the first of them.

    A page that leads to another one of the crawl was reached.

    Raises:
        LedgerError: there is no ledger, or it cannot be read.
    """
    sql = """SELECT portal, url, stage, reason, detail,
        state = 4 AND (status = 200 OR stage = '') OR reason = 'redirect_to_known' AS reached FROM urls
        WHERE found_on = 0 AND depth = 0 AND kind IN ('', 'article', 'section') ORDER BY serial"""
    found: dict[str, list[sqlite3.Row]] = {}
    with reading(corpus) as connection:
        for row in connection.execute(sql):
            found.setdefault(row["portal"], []).append(row)
    return {portal: _fate(rows[0]) for portal, rows in found.items() if not any(row["reached"] for row in rows)}


def _fate(row: sqlite3.Row) -> str:
    reason = f"{row['stage']}/{row['reason']} " if row["stage"] else ""
    return f"{reason}{row['url']}" + f" ({row['detail']})" * bool(row["detail"])


def reported_ends(corpus: Path) -> dict[str, str]:
    """Why the last crawl left each portal, by its report; nothing where there is none, or none of ours."""
    with suppress(OSError, ValueError, LookupError, TypeError, AttributeError):
        by_portal = json.loads((corpus / CRAWL_REPORT).read_bytes())["by_portal"]
        return {portal: str(figures.get("end", "")) for portal, figures in by_portal.items()}
    return {}
