"""Add numbers to the documents of an export: the measures of the filters, and those of a function of the user's."""

import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from newscorpus.data import AddedColumns, Record
from newscorpus.errors import ArgumentError
from newscorpus.page.quality.assess import measures_of

Scorer = Callable[[str], Mapping[str, float]]
"""Returns numbers for a text, by name."""


@dataclass(slots=True)
class Scores:
    """The numbers that an export adds to its documents."""

    with_measures: bool = False
    scorer: Scorer | None = None
    failures: list[str] = field(default_factory=list)  # id and error of documents that the scorer raised for

    def measures(self, record: Record) -> Mapping[str, float]:
        """Return the measures of a document; none unless they are asked for."""
        return measures_of(record.text) if self.with_measures else {}

    def columns(self) -> AddedColumns:
        """Return the columns of a Parquet file: a number `measure_NAME` each, and the list `scores`."""

        def values(record: Record) -> dict[str, Any]:
            row: dict[str, Any] = {f"measure_{name}": value for name, value in self.measures(record).items()}
            if self.scorer:
                row["scores"] = [{"name": name, "value": value} for name, value in self.scores(record).items()]
            return row

        names = measures_of("") if self.with_measures else ()
        return AddedColumns(tuple(f"measure_{name}" for name in names), ("scores",) * bool(self.scorer), values)

    def scores(self, record: Record) -> Mapping[str, float]:
        """Return the numbers of the scorer that are finite; none if it raises or returns something else."""
        if self.scorer is None:
            return {}
        try:
            found = {str(name): float(number) for name, number in self.scorer(record.text).items()}
            finite = {name: number for name, number in found.items() if math.isfinite(number)}
        except Exception as error:  # noqa: BLE001 -- the user's function may raise anything
            self.failures.append(f"{record.id}: {error!r}")
            return {}
        return finite


def load_scorer(name: str) -> Scorer:
    """Import a function, named `MODULE:FUNCTION`; modules in the current folder are found.

    Raises:
        ArgumentError: there is no such function.
    """
    module, _, function = name.partition(":")
    if (folder := str(Path.cwd())) not in sys.path:
        sys.path.append(folder)
    try:
        scorer: Scorer = getattr(import_module(module), function)
    except Exception as error:  # a module may raise anything when it is imported
        raise ArgumentError(f"--scorer {name}: {error!r}; expected MODULE:FUNCTION") from error
    if not callable(scorer):
        raise ArgumentError(f"--scorer {name}: not a function")
    return scorer
