"""How a crawl stands, by portal, while it runs or afterwards."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from newscorpus.crawl.ledger.look import answers, counts, states
from newscorpus.crawl.ledger.rows import UrlState

LATELY = timedelta(minutes=5)
"""What a rate is told from: some 200 answers of a polite crawl, and one of a site that asks for the longest delay."""

MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class PortalStatus:
    """How the crawl of one portal stands.

    Attributes:
        portal: its name.
        queued: addresses still to be asked for, those that wait for their time included.
        leased: addresses being asked for.
        done: addresses that ended, in whichever way, without fetch failures.
        failed: addresses that could not be fetched.
        kept: articles in the intake.
        rejected: number of rejections by "stage/reason".
        words: words of the articles.
        megabytes: fetched, decoded (10^6 bytes).
        words_per_megabyte: words of text for each of these; 0 where nothing was fetched.
        pages_per_minute: of the last five minutes; 0 for a crawl that rests or has ended.
        seconds_left: estimate by that rate, for what is queued now; 0 where there is none.
    """

    portal: str
    queued: int
    leased: int
    done: int
    failed: int
    kept: int
    rejected: Mapping[str, int]
    words: int
    megabytes: float
    words_per_megabyte: float
    pages_per_minute: float
    seconds_left: int


def status(corpus: Path, now: datetime | None = None) -> list[PortalStatus]:
    """The state of every portal in a corpus, by name.

    Args:
        corpus: its folder.
        now: time to tell the rates at; by default the present.

    Raises:
        LedgerError: there is no ledger, or it cannot be read.
    """
    by_state: dict[str, Counter[UrlState]] = defaultdict(Counter)
    for portal, state, n in states(corpus):
        by_state[portal][state] += n
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    for portal, name, n in counts(corpus):
        counted[portal][name] += n
    rates = _rates(corpus, now or datetime.now(UTC))
    portals = sorted(by_state.keys() | counted.keys())
    return [_one(portal, by_state[portal], counted[portal], rates.get(portal, 0.0)) for portal in portals]


def _one(portal: str, at: Counter[UrlState], counted: Counter[str], rate: float) -> PortalStatus:
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
    )


def _rates(corpus: Path, now: datetime) -> dict[str, float]:
    """Pages a minute of each portal that answered lately."""
    since = (now.astimezone(UTC) - LATELY).isoformat(timespec="seconds")
    return {
        portal: 60 * n / max(1.0, (now - datetime.fromisoformat(first)).total_seconds())
        for portal, (n, first) in answers(corpus, since).items()
    }
