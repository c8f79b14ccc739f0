"""`newscorpus stats`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from newscorpus.cli.app import app

if TYPE_CHECKING:
    from rich.console import Console

    from newscorpus.jobs.stats import CorpusStats
    from newscorpus.jobs.stats_tables import Table

SHOWN_ROWS = 15
PAGE, PICTURE = "stats.html", "stats.png"


@app.command()
def stats(
    corpus: Annotated[Path, typer.Argument(help="Folder of the corpus.")],
    output: Annotated[Path | None, typer.Option(help="Folder for stats.html and stats.png.")] = None,
) -> None:
    """Print what is in a corpus and what was left out, and draw it on a page and a picture."""
    from functools import partial

    from newscorpus.jobs.stats import corpus_stats
    from newscorpus.jobs.stats_page import summary
    from newscorpus.jobs.stats_tables import tables
    from newscorpus.terminal import progress, table_console

    found = corpus_stats(corpus, partial(progress, what="records"))
    typer.echo(f"{found.name}: {summary(found)}")
    for table in tables(found):
        _print(table, table_console())
    if output:
        _write(found, output)
        typer.echo(f"\n{PAGE} and {PICTURE} lie in {output}")


def _write(found: "CorpusStats", output: Path) -> None:
    """The page, then the picture, which needs an extra."""
    from newscorpus.corpus.files import replacing
    from newscorpus.jobs.charts import picture
    from newscorpus.jobs.stats_page import page

    output.mkdir(parents=True, exist_ok=True)
    for name, make in ((PAGE, page), (PICTURE, picture)):
        with replacing(output / name) as file:
            file.write(make(found))


def _print(table: "Table", console: "Console") -> None:
    """The first rows of a table; `Text`, since square brackets in a label are no markup."""
    from rich.table import Table as Lines
    from rich.text import Text

    lines = Lines(box=None, pad_edge=False)
    for at, name in enumerate(table.header):
        lines.add_column(name, justify="right" if at else "left", overflow="fold")
    for label, numbers in table.rows[:SHOWN_ROWS]:
        lines.add_row(Text(label), *(f"{number:,}" for number in numbers))
    console.print(Text(f"\n{table.title}", style="bold"), lines, sep="\n")
    if len(table.rows) > SHOWN_ROWS:
        console.print(f"and {len(table.rows) - SHOWN_ROWS} more")
