"""`newscorpus stats`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from newscorpus.cli.app import app

if TYPE_CHECKING:
    from rich.console import Console

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

    from rich.console import Console

    from newscorpus.jobs.stats import corpus_stats
    from newscorpus.jobs.stats_page import summary
    from newscorpus.jobs.stats_tables import tables
    from newscorpus.terminal import progress

    found = corpus_stats(corpus, partial(progress, what="records"))
    made = list(tables(found))
    typer.echo(f"{found.name}: {summary(found)}")
    for table in made:
        _print(table, Console())
    if output:
        from newscorpus.corpus.files import replacing
        from newscorpus.jobs.charts import picture
        from newscorpus.jobs.stats_page import page

        output.mkdir(parents=True, exist_ok=True)
        for name, content in ((PAGE, page(found)), (PICTURE, picture(found.name, made))):
            with replacing(output / name) as file:
                file.write(content)
        typer.echo(f"Page and picture lie in {output}")


def _print(table: "Table", console: "Console") -> None:
    """The first rows of a table; `Text`, since square brackets in a label are no markup."""
    from rich.table import Table as Lines
    from rich.text import Text

    lines = Lines(box=None, title=Text(f"\n{table.title}"), title_justify="left", pad_edge=False)
    for at, name in enumerate(table.header):
        lines.add_column(name, justify="right" if at else "left", overflow="fold")
    for label, numbers in table.rows[:SHOWN_ROWS]:
        lines.add_row(Text(label), *(f"{number:,}" for number in numbers))
    console.print(lines)
    if len(table.rows) > SHOWN_ROWS:
        console.print(f"and {len(table.rows) - SHOWN_ROWS} more")
