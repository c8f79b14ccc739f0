"""The quality gate: the default extractor may not fall under the pinned floors on the development pages."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import msgspec
from rich.console import Console
from rich.table import Table

from newscorpus.evaluation.compare import evaluate
from newscorpus.evaluation.summary import Summary, summarise

FLOORS = Path(__file__).with_name("floors.toml")
EXTRACTOR = "main-text"

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class FloorsError(ValueError):
    """A file of floors that is not in form; the message is one line that names file and key."""


class Floor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The least that counts on one set, word 4-grams on its development pages.

    Attributes:
        f1: of mean precision and mean recall, 0..1.
        page_f1: mean of the pages' own F1, 0..1.
        reason: why it is lower than the floor before it; "" where it is not.
    """

    f1: Share
    page_f1: Share
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The floor of a set and what was measured there."""

    dataset: str
    floor: Floor
    f1: float
    page_f1: float

    @property
    def passed(self) -> bool:
        """Whether both figures reach the floor."""
        return self.f1 >= self.floor.f1 and self.page_f1 >= self.floor.page_f1


def read_floors(path: Path = FLOORS) -> dict[str, Floor]:
    """The floors that hold now, by set: the last line of each set's list.

    Raises:
        FloorsError: unreadable, an unknown or missing key, a figure out of range, a lowered floor without a reason.
    """
    try:
        lists = msgspec.toml.decode(path.read_bytes(), type=dict[str, list[Floor]])
    except (OSError, msgspec.MsgspecError) as error:
        known = ", ".join(Floor.__struct_fields__)
        raise FloorsError(f"{path}: {error}; a set has a list of tables with the keys {known}") from error
    for dataset, floors in lists.items():
        if not floors:
            raise FloorsError(f"{path}: {dataset}: no floor in the list")
        for before, after in pairwise(floors):
            if (after.f1 < before.f1 or after.page_f1 < before.page_f1) and not after.reason:
                raise FloorsError(f"{path}: {dataset}: lowered from {before.f1}, {before.page_f1} without a reason")
    return {dataset: floors[-1] for dataset, floors in lists.items()}


def judge(summaries: Iterable[Summary], floors: Mapping[str, Floor]) -> list[Verdict]:
    """A verdict for each set that has a floor, in the order of the summaries."""
    return [
        Verdict(summary.group, floors[summary.group], summary.f1.value, summary.page_f1.value)
        for summary in summaries
        if summary.scope == "set" and summary.group in floors
    ]


def run_gate(folder: Path, console: Console, floors: Mapping[str, Floor] | None = None) -> bool:
    """Measure the default extractor against the floors and print a table.

    Args:
        folder: the pages with gold text, one `SET.jsonl.zst` a set.
        console: where to print.
        floors: by set; those of the package where None.

    Returns:
        True where every floor is reached, and where the pages are not here, which is said; False where no floor is set.
    """
    floors = read_floors() if floors is None else floors
    if not floors:
        console.print("quality gate: no floors are set")
        return False
    paths = [folder / f"{dataset}.jsonl.zst" for dataset in floors]
    if missing := [path.name for path in paths if not path.is_file()]:
        console.print(f"quality gate skipped: {', '.join(missing)} not in {folder}")
        return True
    verdicts = judge(summarise(evaluate(paths, [EXTRACTOR])), floors)
    _print(verdicts, console)
    return all(verdict.passed for verdict in verdicts)


def _print(verdicts: Sequence[Verdict], console: Console) -> None:
    table = Table("set", "F1", "floor", "page F1", "floor", "", title=f"quality gate: {EXTRACTOR}")
    for row in verdicts:
        figures = (row.f1, row.floor.f1, row.page_f1, row.floor.page_f1)
        table.add_row(row.dataset, *(f"{figure:.4f}" for figure in figures), "pass" if row.passed else "FAIL")
    console.print(table)
