"""Simulate two years of revisits by several rules: `python -m benchmarks.revisit_years [--days N] [--a-day N]`.

Articles appear, and some change: one in six is edited, most of these within hours; one in fifty is corrected within
two months. No list says so. A timer visits the portal every six hours by a clock of its own, and the ledger of a crawl
says what is due. Articles whose last text was fetched within the simulated time count as found.
"""

import argparse
import random
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from newscorpus.store.ledger import Fetched, Ledger, Link, UrlOutcome, key_of

DAY = 86_400.0
HOUR = 3_600.0
STEP = 6 * HOUR
BEGIN = datetime(2024, 11, 23, tzinfo=UTC).timestamp()
PORTAL = "vesti"
RULES = ("never", "all every week", "all every month", "when due")


@dataclass(frozen=True, slots=True)
class SimulatedArticle:
    """An article and when its text is another one; seconds since the epoch."""

    url: str
    published: float
    changes: tuple[float, ...]

    def revision(self, now: float) -> str:
        """Its text at a time."""
        return str(sum(at <= now for at in self.changes))


def articles(days: int, a_day: int, source: random.Random) -> list[SimulatedArticle]:
    """Make articles, the oldest first."""
    made = []
    for number in range(days * a_day):
        published = BEGIN + (number + source.random()) * DAY / a_day
        n_edits = source.randint(1, 3) if source.random() < 1 / 6 else 0
        changes = [published + source.expovariate(1 / (6 * HOUR)) for _ in range(n_edits)]
        if source.random() < 1 / 50:
            changes.append(published + source.uniform(0, 60) * DAY)
        made.append(SimulatedArticle(f"https://vesti.example/{number}", published, tuple(sorted(changes))))
    return made


def due(rule: str, ledger: Ledger, now: float) -> None:
    """Queue what a rule asks for again."""
    n_step = round((now - BEGIN) / STEP)
    every = {"all every week": 28, "all every month": 120}.get(rule)
    if rule == "when due":
        ledger.revisits.revive_articles(PORTAL, now)
    elif every and n_step % every == 0:
        ledger.revisits.revive(("article",), PORTAL, now + 1e12)


def fetch(ledger: Ledger, by_url: dict[str, SimulatedArticle], now: float) -> Iterator[tuple[str, str]]:
    """Ask for all that is queued; gives address and text."""
    while lease := ledger.queue.lease(PORTAL):
        one = by_url[lease.url]
        revision = one.revision(now)
        with ledger.changes.recording(lease.serial):
            outcome = UrlOutcome(reason="kept", revision=revision, published=_iso(one.published))
            ledger.finish(lease.serial, [outcome], Fetched(one.url, 200, _iso(now)))
        yield one.url, revision


def simulate(rule: str, made: Iterable[SimulatedArticle], days: int, folder: Path) -> str:
    """Run one rule; gives a line of the table."""
    coming, by_url = list(reversed([*made])), {one.url: one for one in made}
    held: dict[str, str] = {}
    n_requests = n_found = 0
    with Ledger.open(folder) as ledger:
        for step in range(round(days * DAY / STEP) + 1):
            now = BEGIN + step * STEP
            due(rule, ledger, now)
            n_again = ledger.queue.size(PORTAL)
            while coming and coming[-1].published <= now:
                one = coming.pop()
                ledger.add(Link(key_of(one.url), one.url, PORTAL, "article", request=b"{}"))
            for url, revision in fetch(ledger, by_url, now):
                n_found += held.get(url, revision) != revision
                held[url] = revision
            n_requests += n_again
            ledger.commit()
    end = BEGIN + days * DAY
    changed = [one for one in by_url.values() if one.revision(end) != "0" and one.url in held]
    last = sum(held[one.url] == one.revision(end) for one in changed)
    share = n_requests / n_found if n_found else 0.0
    return f"| {rule} | {len(held):,} | {n_requests:,} | {n_found:,} | {share:.1f} | {last / len(changed):.3f} |"


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--days", type=int, default=730)
    parser.add_argument("--a-day", type=int, default=20)
    parser.add_argument("--rules", nargs="+", choices=RULES, default=RULES)
    asked = parser.parse_args()
    made = articles(asked.days, asked.a_day, random.Random(21))
    print("| articles asked again | articles | requests | changes found | requests a change | last text held |")
    print("|---|--:|--:|--:|--:|--:|")
    for rule in asked.rules:
        with tempfile.TemporaryDirectory() as folder:
            print(simulate(rule, made, asked.days, Path(folder)), flush=True)


if __name__ == "__main__":
    main()
