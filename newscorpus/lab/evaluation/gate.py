"""Check texts and fields against pinned minimum scores on the development pages: the quality gate.

`python -m newscorpus.lab.evaluation.gate FOLDER` runs it on the folder of the pages with gold text.
"""

import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import pairwise, product
from operator import attrgetter
from pathlib import Path
from typing import Annotated

import msgspec
from rich.console import Console

from newscorpus.errors import LabError
from newscorpus.lab.evaluation.compare import evaluate
from newscorpus.lab.evaluation.fields import evaluate_fields, summarise_fields
from newscorpus.lab.evaluation.summary import print_table, summarise

FLOORS = Path(__file__).with_name("floors.toml")
EXTRACTOR = "main-text"
READER = "newscorpus"

TEXTS = {"f1": attrgetter("f1"), "page_f1": attrgetter("page_f1")}
FIELDS = {"title": attrgetter("title_exact"), "date": attrgetter("date_exact"), "authors": attrgetter("authors_f1")}
HIDDEN = {"hidden_date": attrgetter("date_exact")}
"""Measures that can have a floor: of texts, of fields, and of fields with structured data removed."""
MEASURES = (*TEXTS, *FIELDS, *HIDDEN)
SHORT, SHORT_NGRAMS = "short", 117
"""Name of the class of short articles, those of all sets together, and its bound in 4-grams: 120 words."""


class Floor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Minimum of a measure on the development pages of a set, and the reason if it was lowered."""

    least: Annotated[float, msgspec.Meta(ge=0, le=1)]
    reason: str = ""


Floors = Mapping[str, Mapping[str, Floor]]
"""By set, then by measure."""


def read_floors(path: Path = FLOORS) -> Floors:
    """Read the floors in force: the last one of each list.

    Raises:
        LabError: unreadable, an unknown measure or key, a figure out of range, a lowered floor without a reason.
    """
    try:
        sets = msgspec.toml.decode(path.read_bytes(), type=dict[str, dict[str, list[Floor]]])
    except (OSError, msgspec.MsgspecError) as error:
        raise LabError(f"{path}: {error}; a measure of a set has a list of tables: least, reason") from error
    for dataset, lists in sets.items():
        for measure, floors in lists.items():
            where = f"{path}: {dataset}.{measure}"
            if measure not in MEASURES:
                raise LabError(f"{where}: unknown measure; known: {', '.join(MEASURES)}")
            if not floors:
                raise LabError(f"{where}: no floor in the list")
            for before, after in pairwise(floors):
                if after.least < before.least and not after.reason:
                    raise LabError(f"{where}: lowered from {before.least} without a reason")
    return {name: {measure: floors[-1] for measure, floors in lists.items()} for name, lists in sets.items()}


def run_gate(folder: Path, console: Console, floors: Floors | None = None) -> bool:
    """Measure the default extractor and the field reader against the floors, and print a table.

    `folder` holds the gold pages, one `SET.jsonl.zst` per set; `floors` default to those of the package.

    Returns:
        True if every floor is reached, or if pages are missing and the gate is skipped; False if there are no floors.
    """
    floors = read_floors() if floors is None else floors
    if not floors:
        console.print("quality gate: no floors are set")
        return False
    if missing := [path.name for path in _paths(folder, floors) if not path.is_file()]:
        console.print(f"quality gate skipped: {', '.join(missing)} not in {folder}")
        return True
    texts, fields, hidden = (_paths(folder, floors, measures) for measures in (TEXTS, FIELDS, HIDDEN))
    results = list(evaluate(texts, [EXTRACTOR]))
    results += [replace(result, dataset=SHORT) for result in results if result.ngrams.gold < SHORT_NGRAMS]
    measured: dict[tuple[str, str], float] = {}
    for measures, summaries in (
        (TEXTS, summarise(results)),
        (FIELDS, summarise_fields(evaluate_fields(fields, [READER], hidden=False))),
        (HIDDEN, summarise_fields(evaluate_fields(hidden, [READER], hidden=True))),
    ):
        for row, (name, estimate_of) in product(summaries, measures.items()):
            if row.scope == "set" and (estimate := estimate_of(row)):
                measured[row.group, name] = estimate.value
    rows = []
    for dataset, lists in floors.items():
        for measure, floor in lists.items():
            value = measured.get((dataset, measure))
            verdict = "pass" if value is not None and value >= floor.least else "FAIL"
            shown = "none" if value is None else f"{value:.4f}"
            rows.append((dataset, measure, shown, f"{floor.least:.4f}", verdict))
    print_table(console, "quality gate", ("set", "measure", "measured", "floor", ""), rows)
    return all(verdict == "pass" for *_, verdict in rows)


def _paths(folder: Path, floors: Floors, measures: Iterable[str] = MEASURES) -> list[Path]:
    """Return the files of the sets with a floor for one of the measures."""
    sets = (dataset for dataset, lists in floors.items() if dataset != SHORT and lists.keys() & set(measures))
    return [folder / f"{dataset}.jsonl.zst" for dataset in sets]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m newscorpus.lab.evaluation.gate FOLDER")
    sys.exit(not run_gate(Path(sys.argv[1]), Console()))
