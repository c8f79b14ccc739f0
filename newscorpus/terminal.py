"""Write output, progress and failures of the commands to the terminal."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO, TypeVar

from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from newscorpus.files import replacing
from newscorpus.tokens import printable

T = TypeVar("T")

WIDE = 200
"""Maximum width of a table in a file or a pipe."""


def table_console() -> Console:
    """Return a console for tables, as wide as the terminal or `COLUMNS`, else as wide as they need."""
    is_limited = sys.stdout.isatty() or "COLUMNS" in os.environ
    return Console(width=None if is_limited else WIDE)


def make_table(columns: Sequence[str], rows: Iterable[Sequence[object]], n_numbers: int = 0) -> Table:
    """Make a table of arbitrary, also hostile, texts; the `n_numbers` columns after the first are right-aligned."""
    table = Table(box=None, pad_edge=False)
    for number, name in enumerate(columns):
        table.add_column(name, justify="right" if 0 < number <= n_numbers else "left", overflow="fold")
    for row in rows:  # as `Text`: square brackets in a cell are not markup
        table.add_row(*(Text(printable(str(cell))) for cell in row))
    return table


def print_table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], title: str = "", *, numbers: bool = False
) -> None:
    """Print a table as of `make_table`; with `numbers`, all columns but the first hold numbers."""
    table = make_table(columns, rows, len(columns) if numbers else 0)
    table_console().print(*([Text(f"\n{title}", style="bold")] if title else []), table, sep="\n")


def aligned(rows: Iterable[Iterable[object]]) -> Iterator[str]:
    """Return lines with columns as wide as they need, whatever the terminal: a number that is folded is misread."""
    cells = [list(map(str, row)) for row in rows]
    first, *widths = (max(map(len, column)) for column in zip(*cells, strict=True))
    for name, *numbers in cells:
        yield "  ".join([name.ljust(first), *map(str.rjust, numbers, widths)])


@contextmanager
def sink(path: Path | None) -> Iterator[BinaryIO]:
    """Open `path` for writing, to be replaced as a whole at the end; for None, standard output."""
    if path is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    elif path.exists() and not path.is_file():  # a pipe or a device
        with path.open("wb") as file:
            yield file
    else:
        with replacing(path) as file:
            yield file


@contextmanager
def counter(what: str) -> Iterator[Callable[[], None]]:
    """Show a counter called `what` if standard error is a terminal; calls add one."""
    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bar:
        yield partial(bar.advance, bar.add_task(what, total=None))


def progress(items: Iterable[T], what: str) -> Iterator[T]:
    """Yield `items`, with a counter called `what`."""
    with counter(what) as count:
        for item in items:
            yield item
            count()


def complain(message: str) -> None:
    """Print an error message on standard error, in one line."""
    sys.stderr.write(f"newscorpus: {printable(' '.join(message.split()))}\n")


def describe(error: Exception) -> str:
    """Describe an error in one line; an OS error by file and reason, without its number."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error) or type(error).__name__
