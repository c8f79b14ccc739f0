"""Print the report of the demo, and show its progress."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from newscorpus.data import Record
from newscorpus.layout import PUBLISHED
from newscorpus.views.demo.report import DUPLICATE, KEPT, DemoReport
from newscorpus.views.demo.site import read_routes

EXAMPLE_CHARACTERS = 300
"""How much of the example's text is printed."""


def print_report(report: DemoReport, console: Console) -> None:
    """Print the counts, one record, the pages that ended otherwise than they should, and where the corpus lies."""
    console.print(_counts(report))
    if report.records:
        console.print(_example(max(report.records, key=lambda record: (record.confidence, record.id))))
    for outcome in report.surprises:
        line = f"{outcome.name or outcome.url}: {outcome.happened}, should be: {outcome.expected}"
        console.print(f"[red]Unexpected[/red] {escape(line)}", soft_wrap=True)
    if not report.surprises:
        console.print(f"All {len(report.outcomes)} pages ended as they should.")
    console.print(f"The corpus lies in {escape(str(report.corpus / PUBLISHED))}", soft_wrap=True)


@contextmanager
def crawl_progress(console: Console) -> Iterator[Callable[[str], None]]:
    """Show a progress bar on a terminal; yields a function to call with the path of each page that is fetched."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    awaited = set(read_routes())
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as progress:
        task = progress.add_task("pages fetched", total=len(awaited))

        def advance(path: str) -> None:
            if path in awaited:
                awaited.discard(path)
                progress.advance(task)

        yield advance


def _counts(report: DemoReport) -> Table:
    table = Table("outcome", "pages", title="The demo portal")
    table.columns[1].justify = "right"
    table.add_row("fetched", str(report.fetched))
    table.add_row(KEPT, str(len(report.records)))
    table.add_row(DUPLICATE, str(report.duplicates))
    for reason, count in sorted(report.rejected.items()):
        table.add_row(f"rejected: {escape(reason)}", str(count))
    table.add_section()
    table.add_row("words kept", f"{report.words:,}")
    table.add_row("mean F1 against the gold (word 4-grams)", f"{report.f1:.3f}")
    return table


def _example(record: Record) -> Table:
    table = Table("key", "value", title="One record", show_header=False)
    text = record.text if len(record.text) <= EXAMPLE_CHARACTERS else record.text[:EXAMPLE_CHARACTERS] + " …"
    for key in ("id", "url", "title", "authors", "published", "language", "n_words", "extractor"):
        value = getattr(record, key)
        table.add_row(key, escape(", ".join(value) if isinstance(value, tuple) else str(value)))
    table.add_row("text", escape(text))
    return table
