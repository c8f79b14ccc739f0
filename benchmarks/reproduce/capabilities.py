"""What each document has, the command or view that shows it here, and its figure beside ours."""

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path

from benchmarks.reproduce.tables import table

STATED = Path(__file__).with_suffix(".toml")
RESULTS = Path(__file__).parents[1] / "results" / "published-systems"
COLUMNS = ("document", "has", "shown by", "measure", "published", "here")


def reproduce(_data: Path) -> str:
    """The table of all capabilities, with the figures of the tables made before."""
    rows = []
    for one in tomllib.loads(STATED.read_text("utf-8"))["capability"]:
        ours = figure(RESULTS / f"{one['file']}.md", one["row"], one["column"]) if "file" in one else None
        published = float(one["published"]) if "published" in one else None
        rows.append((one["document"], one["has"], f"`{one['shown_by']}`", one.get("measure"), published, ours))
    return (
        "# The five documents: what they have, what shows it here, and their figures\n\n"
        "The figures here are those of the other tables in this folder, which say how they were measured; none where a "
        f"document has none.\n\n{table(COLUMNS, rows)}"
    )


def figure(path: Path, row: Sequence[str], column: str) -> float:
    """The first figure of `column` in a row of the file's tables that begins with the cells `row`.

    Raises:
        ValueError: no table has such a row and column.
    """
    columns: list[str] = []
    for line in path.read_text("utf-8").splitlines():
        if not line.startswith("|"):
            columns = []
            continue
        cells = re.split(r"\s*\|\s*", line.strip("| "))
        columns = columns or cells
        if column in columns and cells[: len(row)] == list(row):
            return float(cells[columns.index(column)])
    raise ValueError(f"{path}: no table has a row {' | '.join(row)!r} with a column {column!r}")
