"""Add numbers to the documents of an export, by functions of ours or of the user's."""

import math
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

from newscorpus.data import Record
from newscorpus.errors import ArgumentError

Scorer = Callable[[str], Mapping[str, float]]
"""Returns numbers for a text, by name; those for an empty text name all."""


@dataclass(slots=True)
class Scores:
    """The numbers that an export adds to its documents."""

    names: tuple[str, ...] = ()  # `score_NAME`
    scorers: tuple[Scorer, ...] = ()
    failures: list[str] = field(default_factory=list)  # id and error of documents that a scorer raised for

    @classmethod
    def load(cls, names: Iterable[str]) -> "Scores":
        """Import functions, named `MODULE:FUNCTION`; modules in the current folder are found.

        Raises:
            ArgumentError: there is no such function, or it returns no numbers for an empty text.
        """
        if (folder := str(Path.cwd())) not in sys.path:
            sys.path.append(folder)
        columns, scorers = list[str](), list[Scorer]()
        for name in names:
            module, _, function = name.partition(":")
            try:
                scorers.append(getattr(import_module(module), function))
                columns += [f"score_{one}" for one in scorers[-1]("")]
            except Exception as error:  # module and function may raise anything
                raise ArgumentError(
                    f"--scorer {name}: {error!r}; expected MODULE:FUNCTION that returns a dictionary of numbers"
                ) from error
        return cls(tuple(columns), tuple(scorers))

    def of(self, record: Record) -> dict[str, float]:
        """Return the finite numbers of a document; none of a scorer that raises."""
        found: dict[str, float] = {}
        for scorer in self.scorers:
            try:
                numbers = {f"score_{name}": float(number) for name, number in scorer(record.text).items()}
            except Exception as error:  # noqa: BLE001 -- the user's function may raise anything
                self.failures.append(f"{record.id}: {error!r}")
                continue
            found |= {name: number for name, number in numbers.items() if name in self.names and math.isfinite(number)}
        return found


NO_SCORES = Scores()
"""Of an export without scorers."""
