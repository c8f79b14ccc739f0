"""Tell how the crawl of each portal stands."""

import sqlite3
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from newscorpus.store.ledger.looks import Alarm, open_alarms
from newscorpus.store.ledger.rows import UrlState
from newscorpus.store.ledger.store import reading
from newscorpus.store.ledger.views.addresses import states
from newscorpus.store.ledger.views.coverage import DayCoverage, LeftOut, coverage, left_out_as_duplicates
from newscorpus.store.ledger.views.shortfalls import PortalLoss, cut_short, losses, reported_ends

LATELY = timedelta(minutes=5)
"""What a rate is made from: some 200 answers of a polite crawl, and one of a site that asks for the longest delay."""

MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class PortalStatus:
    """How the crawl of one portal stands."""

    portal: str  # its name
    queued: int  # addresses still to be asked for
    leased: int  # addresses being asked for
    done: int  # addresses that ended, in whichever way, without fetch failures
    failed: int  # addresses that could not be fetched
    kept: int  # articles in the intake
    rejected: Mapping[str, int]  # number of rejections by "stage/reason"
    words: int  # words of the articles
    megabytes: float  # fetched, decoded (10^6 bytes)
    words_per_megabyte: float  # words of text for each of these; 0 where nothing was fetched
    pages_per_minute: float  # of the last five minutes; 0 for a crawl that rests or has ended
    seconds_left: int  # estimate by that rate, for what is queued now; 0 where there is none
    cut_short: tuple[str, ...] = ()  # what kept the crawl from being complete, and how many addresses that left
    losses: tuple[PortalLoss, ...] = ()  # what three articles and more than two in a hundred were rejected for
    coverage: tuple[DayCoverage, ...] = ()  # what became of the articles met on each of the last days, oldest first
    redesigns: tuple[Alarm, ...] = ()  # that were noticed, and that no template knows yet


def status(corpus: Path, now: datetime | None = None, ends: Mapping[str, str] | None = None) -> list[PortalStatus]:
    """The state of every portal in a corpus, by name.

    Args:
        corpus: its folder.
        now: time that the rates are of; by default the present.
        ends: why each portal was left, "" where it was done; by default as the last report has it.

    Raises:
        LedgerError: there is no ledger, or it cannot be read.
    """
    by_state = states(corpus)
    ends = reported_ends(corpus) if ends is None else ends
    left_out = left_out_as_duplicates(corpus)
    with reading(corpus) as connection:
        counted = {(portal, name): n for portal, name, n in connection.execute("SELECT portal, name, n FROM counts")}
        rates = _rates(connection, now or datetime.now(UTC))
        portals = sorted({portal for portal, _ in (*by_state, *counted)})
        return [
            _status(
                connection,
                portal,
                Counter({state: n for (of, state), n in by_state.items() if of == portal}),
                Counter({name: n for (of, name), n in counted.items() if of == portal}),
                rates.get(portal, 0.0),
                ends.get(portal, ""),
                [one for one in left_out if one.portal == portal],
            )
            for portal in portals
        ]


def _status(
    connection: sqlite3.Connection,
    portal: str,
    at: Counter[UrlState],
    counted: Counter[str],
    rate: float,
    end: str,
    left_out: list[LeftOut],
) -> PortalStatus:
    queued = at[UrlState.QUEUED] + at[UrlState.WAITING]
    megabytes = counted["bytes"] / MEGABYTE
    rejected = {name.removeprefix("rejected/"): n for name, n in counted.items() if name.startswith("rejected/") and n}
    return PortalStatus(
        portal=portal,
        queued=queued,
        leased=at[UrlState.LEASED],
        done=at[UrlState.DONE],
        failed=at[UrlState.FAILED],
        kept=counted["kept"],
        rejected=dict(sorted(rejected.items(), key=lambda item: (-item[1], item[0]))),
        words=counted["words"],
        megabytes=round(megabytes, 3),
        words_per_megabyte=round(counted["words"] / megabytes, 1) if megabytes else 0.0,
        pages_per_minute=round(rate, 1),
        seconds_left=round(60 * queued / rate) if rate else 0,
        cut_short=tuple(cut_short(queued, counted, end)),
        losses=tuple(losses(connection, portal, counted["kept"], left_out)),
        coverage=coverage(connection, portal, left_out),
        redesigns=tuple(open_alarms(connection, portal)),
    )


def _rates(connection: sqlite3.Connection, now: datetime) -> dict[str, float]:
    """Pages a minute of each portal that answered lately, from the first of these answers on."""
    since = (now.astimezone(UTC) - LATELY).isoformat(timespec="seconds")
    sql = "SELECT portal, count(*), min(fetched) FROM urls WHERE fetched >= ? GROUP BY portal"
    return {
        portal: 60 * n / max(1.0, (now - datetime.fromisoformat(first)).total_seconds())
        for portal, n, first in connection.execute(sql, (since,))
    }
