"""Attack the product as its users run it: `python -m benchmarks.attacks [NAME ...] [--short]`; see `--help`.

An attack makes what it needs in a folder of its own (a page, damaged files, a server on loopback), runs a command in a
process of its own, and says what came of it. A row that goes over its bounds, loses what should be kept or ends as it
should not is marked, and the exit code is 1. Without `--short`, puts its rows into benchmarks/results/attacks.md, in
place of those that stand there of the same attacks: all together take hours.

To add an attack: a function from a folder to an `Outcome` in the module of its subject, and its `Attack` in the list
there. `run` and `extract` measure the command.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.attacking import files, pages, servers
from benchmarks.attacking.attack import Attack, Outcome
from benchmarks.newspapers import ROOT

RESULT = ROOT / "benchmarks" / "results" / "attacks.md"
ATTACKS: Sequence[Attack] = (*pages.ATTACKS, *servers.ATTACKS, *files.ATTACKS)
HEAD = (
    "| attack | outcome | lost | seconds | MB | at most | |",
    "|---|---|---:|---:|---:|---:|---|",
)


def faults(attack: Attack, outcome: Outcome) -> Iterator[str]:
    """Say in what an attack did harm."""
    if outcome.wrong:
        yield outcome.wrong
    if outcome.lost:
        yield f"{outcome.lost} lost"
    if outcome.seconds > attack.seconds:
        yield "too slow"
    if outcome.megabytes > attack.megabytes:
        yield "too much memory"


def main() -> None:
    """Run, print the table row by row, and put the rows into the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("names", nargs="*", help="attacks whose names contain one of these words; default: all")
    parser.add_argument("--short", action="store_true", help="only those that every change must withstand")
    arguments = parser.parse_args()
    chosen = [
        attack
        for attack in ATTACKS
        if (attack.is_short or not arguments.short) and any(name in attack.name for name in arguments.names or [""])
    ]
    print(*HEAD, sep="\n")
    rows: dict[str, str] = {}
    harmed = 0
    for attack in chosen:
        with tempfile.TemporaryDirectory(prefix="attack-") as folder:
            outcome = attack.act(Path(folder))
        harm = ", ".join(faults(attack, outcome))
        harmed += bool(harm)
        usage = f"{outcome.seconds:.1f} | {outcome.megabytes:.0f} | {attack.seconds:g} s, {attack.megabytes:g} MB"
        rows[attack.name] = f"| {attack.name} | {outcome.said} | {outcome.lost} | {usage} | {harm or 'held'} |"
        print(rows[attack.name], flush=True)
    if not arguments.short:
        lines = RESULT.read_text(encoding="utf-8").splitlines() if RESULT.exists() else []
        rows = {line.split(" | ")[0].removeprefix("| "): line for line in lines if line.startswith("| ")} | rows
        table = (rows[attack.name] for attack in ATTACKS if attack.name in rows)
        RESULT.write_text("\n".join((*TEXT, *HEAD, *table)) + "\n", encoding="utf-8")
    sys.exit(f"{harmed} of {len(chosen)} attacks did harm" if harmed else 0)


TEXT = (
    "# What attacks do",
    "",
    "Made by `python -m benchmarks.attacks`: each attack runs the product in processes of its own. Seconds are CPU",
    "time for pages and files, since the machine had other work to do, and else those of the clock; memory is the peak",
    "of the process that is attacked. A page is at most 20 MB long.",
    "",
)

if __name__ == "__main__":
    main()
