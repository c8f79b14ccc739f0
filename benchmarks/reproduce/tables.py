"""Tables in Markdown."""

from collections.abc import Iterable, Sequence


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; the first column stands left, the others right; floats have three decimals, None is empty."""
    lines = [columns, ["---", *["--:"] * (len(columns) - 1)], *([_cell(value) for value in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.3f}" if isinstance(value, float) else str(value)
