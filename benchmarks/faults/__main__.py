"""Break every verb at every file operation: `python -m benchmarks.faults [WORD ...]`; see `--help`.

Each verb runs undisturbed, then with a fault at points spread over its operations, then once more without: the folder
must then hold what it holds after the undisturbed run, no failure may be longer than a line, and a run that says that
it succeeded must have. For a pair, the first verb stands still at a point while the second runs whole; whatever was
refused is run again, and the folder must hold what it holds after the one and then the other, in either order.
Without `--points`, every operation is a point. Verbs that start processes take part only without `--points`, or where
they are named. Takes Linux and a C compiler.
"""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from benchmarks.faults.injector import Ended, Verb, preload, warm_up
from benchmarks.faults.scenarios import ARTICLES, SCENARIOS, SETUP, Scenario, make_pages, make_portals, values_of
from benchmarks.faults.state import State, state
from benchmarks.newspapers import Site, serving

T = TypeVar("T")
FAULTS = {
    "kill": "kill",
    "full disk": "full:28",
    "quota": "full:122",
    "bad block": "5",
    "late error": "fsync:122",
    "read-only": "all:30",
    "no fsync": "fsync:22",
    "no links": "link:1",
}
"""What befalls an operation, as FAULT_HOW of inject.c; 28 ENOSPC, 122 EDQUOT, 5 EIO, 30 EROFS, 22 EINVAL, 1 EPERM."""
KILLED = -9
FROM_THE_START = {"read-only", "no fsync", "no links"}


class Bench:
    """Runs scenarios on copies of one project.

    Args:
        folder: for all that is written.
        points: of each scenario and fault; 0: every operation.
    """

    def __init__(self, folder: Path, points: int) -> None:
        self._run, self._base, self._points = folder / "run", folder / "base", points
        self._values: Mapping[str, object] = {}
        self._calm: dict[tuple[Scenario, ...], tuple[State, Ended]] = {}

    def make_project(self, site: Site) -> None:
        """Crawl the corpus that all begin with."""
        make_portals(self._run, site)
        for command in SETUP:
            ended = Verb(self._run, command.split()).end()
            assert not ended.code, ended.errors
        make_pages(self._run)
        self._values = values_of(self._run)
        self._run.rename(self._base)

    def copy(self) -> None:
        """Make a copy of the project, always at the same place, since files hold the path."""
        shutil.rmtree(self._run, ignore_errors=True)
        shutil.copytree(self._base, self._run)

    def start(self, scenario: Scenario, how: str = "", at: int = 0) -> Verb:
        """Start a scenario in the copy."""
        return Verb(self._run, scenario.command(self._values), how, at)

    def calm(self, *scenarios: Scenario) -> tuple[State, Ended]:
        """Run scenarios one after the other, undisturbed; gives what they leave, and how the last ended."""
        if scenarios not in self._calm:
            self.copy()
            *_, ended = [self.start(scenario).end() for scenario in scenarios]
            self._calm[scenarios] = state(self._run), ended
        return self._calm[scenarios]

    def points(self, scenario: Scenario) -> Sequence[int]:
        """Choose operations, the first and the last among them."""
        last = len(self.calm(scenario)[1].operations) - 1
        wanted = min(self._points or last + 1, last + 1)
        return sorted({1 + round(at * last / max(1, wanted - 1)) for at in range(wanted)})

    def at(self, scenario: Scenario, point: int) -> str:
        """Name an operation."""
        operations = self.calm(scenario)[1].operations
        return f"at {point} of {len(operations)}, {operations[point - 1]}"

    def disturb(self, scenario: Scenario, fault: str) -> Iterator[str]:
        """Run a scenario with a fault at each point, and again; says what is wrong, "" for nothing."""
        right, calm = self.calm(scenario)
        if calm.code:
            yield f"undisturbed, it fails: {said(calm)}"
            return
        for point in [1] if fault in FROM_THE_START else self.points(scenario):
            self.copy()
            ended = self.start(scenario, FAULTS[fault], point).end()
            wrong = "" if ended.code == KILLED and fault == "kill" else ill_said(ended)
            if not ended.code:
                wrong = wrong or difference(right, state(self._run), "exit code 0, but ")
            again = self.start(scenario).end()
            wrong = wrong or ill_said(again) or difference(right, state(self._run))
            yield f"{self.at(scenario, point)}: {wrong}; said: {said(ended)} / {said(again)}" if wrong else ""

    def pair(self, first: Scenario, second: Scenario) -> Iterator[str]:
        """Run a scenario while another stands still, at each point; says what is wrong, "" for nothing."""
        allowed = [self.calm(*order)[0] for order in ((first, second), (second, first))]
        for point in self.points(first):
            self.copy()
            standing = self.start(first, "stop", point)
            is_stopped = standing.is_stopped()
            met = self.start(second).end()
            if is_stopped:
                standing.go_on()
            ended = standing.end()
            wrong = ill_said(met) or ill_said(ended)
            for scenario, outcome in ((first, ended), (second, met)):
                if outcome.code:
                    wrong = wrong or ill_said(self.start(scenario).end())
            found = state(self._run)
            if not wrong and found not in allowed:
                wrong = min((difference(one, found) for one in allowed), key=len)
            yield f"{self.at(first, point)}: {wrong}; said: {said(ended)} / {said(met)}" if wrong else ""

    def print_table(
        self, head: str, rows: Sequence[Scenario], columns: Sequence[T], run: Callable[[Scenario, T], Iterator[str]]
    ) -> int:
        """Print how many points held, and on standard error the others; gives their number."""
        print(f"| {head} | operations |", *(f"{column} |" for column in columns))
        print("|---|---:|" + "---:|" * len(columns))
        n_bad = 0
        for row in rows:
            print(f"| `{row}` | {len(self.calm(row)[1].operations)} |", end="")
            for column in columns:
                found = list(run(row, column))
                wrong = [one for one in found if one]
                print(
                    f" {len(found) - len(wrong)} of {len(found)} |" if wrong else f" {len(found)} |", end="", flush=True
                )
                for one in wrong:
                    print(f"{row}, {column}, {one}", file=sys.stderr, flush=True)
                n_bad += len(wrong)
            print()
        return n_bad


def said(ended: Ended) -> str:
    """What a run said last."""
    lines = ended.errors.strip().splitlines()
    return (lines[-1] if lines else f"exit code {ended.code}")[:200]


def ill_said(ended: Ended) -> str:
    """Say what is wrong with how a run ended: only with a line that says why may it fail."""
    if "Traceback" in ended.errors:
        return f"a traceback: {said(ended)}"
    if ended.code < 0:
        return f"died of signal {-ended.code}"
    return "" if ended.code == 0 or ended.errors.strip() else f"exit code {ended.code} without a word"


def difference(right: State, found: State, before: str = "") -> str:
    """Say in a line in what two states differ; "" for nothing."""
    names = sorted(name for name in right.keys() | found.keys() if right.get(name) != found.get(name))
    kinds = ("missing" if name not in found else "left over" if name not in right else "differs" for name in names)
    told = ", ".join(f"{name} {kind}" for name, kind in zip(names, kinds, strict=True))
    return f"{before}{told}" if names else ""


def main() -> None:
    """Run, and print the tables; what is wrong goes to standard error."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="scenarios whose names contain one of these; default: all")
    parser.add_argument("--points", type=int, default=0, help="of each scenario and fault; 0: every operation")
    parser.add_argument("--faults", default=",".join(FAULTS), help="with commas between them; '': pairs alone")
    parser.add_argument("--no-pairs", action="store_true", help="faults alone")
    arguments = parser.parse_args()
    if not preload():
        print("No C compiler (cc or gcc), or no Linux: the faults are skipped.")
        return
    warm_up()
    chosen = [one for one in SCENARIOS if any(word in str(one) for word in arguments.words)]
    if not arguments.words:
        chosen = [one for one in SCENARIOS if not (one.is_slow and arguments.points)]
    faults = list(filter(None, arguments.faults.split(",")))
    sharing = [] if arguments.no_pairs else [one for one in chosen if one.shares]
    with tempfile.TemporaryDirectory(prefix="faults-") as name, serving(ARTICLES, 1) as site:
        bench = Bench(Path(name).resolve(), arguments.points)
        bench.make_project(site)
        n_bad = bench.print_table("verb", chosen if faults else [], faults, bench.disturb)
        n_bad += bench.print_table("stands still", sharing, sharing, bench.pair)
    sys.exit(f"{n_bad} did harm" if n_bad else 0)


if __name__ == "__main__":
    main()
