"""How a crawl stands, by portal, while it runs or afterwards."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from newscorpus.crawl.ledger.look import counts, last_answers, states
from newscorpus.crawl.ledger.rows import State

RATE_ANSWERS = 200
"""Last answers of a portal that its rate is told from: three to four minutes of a polite crawl."""

IDLE = timedelta(minutes=5)
"""A portal whose last answer is older has no rate; above the longest delay that robots.txt may ask for."""

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
        pages_per_minute: of late; 0 for a crawl that rests or has ended.
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
    by_state: dict[str, Counter[State]] = defaultdict(Counter)
    for portal, state, n in states(corpus):
        by_state[portal][state] += n
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    for portal, name, n in counts(corpus):
        counted[portal][name] += n
    now = now or datetime.now(UTC)
    portals = sorted(by_state.keys() | counted.keys())
    return [_one(corpus, portal, by_state[portal], counted[portal], now) for portal in portals]


def _one(corpus: Path, portal: str, at: Counter[State], counted: Counter[str], now: datetime) -> PortalStatus:
    queued = at[State.QUEUED] + at[State.WAITING]
    megabytes = counted["bytes"] / MEGABYTE
    rate = _pages_per_minute(last_answers(corpus, portal, RATE_ANSWERS), now)
    rejected = {name.removeprefix("rejected/"): n for name, n in counted.items() if name.startswith("rejected/") and n}
    return PortalStatus(
        portal=portal,
        queued=queued,
        leased=at[State.LEASED],
        done=at[State.DONE],
        failed=at[State.FAILED],
        kept=counted["kept"],
        rejected=dict(sorted(rejected.items(), key=lambda item: (-item[1], item[0]))),
        words=counted["words"],
        megabytes=round(megabytes, 3),
        words_per_megabyte=round(counted["words"] / megabytes, 1) if megabytes else 0.0,
        pages_per_minute=round(rate, 1),
        seconds_left=round(60 * queued / rate) if rate else 0,
    )


def _pages_per_minute(times: list[str], now: datetime) -> float:
    """The rate that the times of the last answers show, latest first."""
    if not times or now - datetime.fromisoformat(times[0]) > IDLE:
        return 0.0
    seconds = max(1.0, (now - datetime.fromisoformat(times[-1])).total_seconds())
    return 60 * len(times) / seconds
