"""Show the state of a corpus: `newscorpus status`, `stats` and `verify`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from newscorpus.cli.app import app, counted

if TYPE_CHECKING:
    from rich.console import Console

    from newscorpus.stats.count import CorpusStats
    from newscorpus.stats.tables import StatsTable


SHOWN_ROWS = 15
"""Rows of a table of `stats` that are printed."""


@app.command()
def status(
    corpus: Annotated[Path, typer.Argument(help="Folder of the corpus.")],
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, one portal a line.")] = False,
) -> None:
    """Tell how a crawl stands, while it runs or afterwards: what is queued, kept and rejected, by portal."""
    import msgspec

    from newscorpus.crawl.ledger.status import status as read_status

    found = read_status(corpus)
    if as_json:
        for one in found:
            typer.echo(msgspec.json.encode(one).decode())
        return
    names = ("portal", "queued", "leased", "done", "failed", "kept", "words", "MB", "words/MB", "pages/min", "left")
    rows = [
        (
            *(one.portal, one.queued, one.leased, one.done, one.failed, one.kept, one.words, f"{one.megabytes:.1f}"),
            *(f"{one.words_per_megabyte:.0f}", f"{one.pages_per_minute:.0f}", _duration(one.seconds_left)),
        )
        for one in found
    ]
    typer.echo("\n".join(_aligned([names, *rows])))
    for one in found:
        if one.rejected:
            typer.echo(f"{one.portal or 'no portal'}, rejected: {counted(one.rejected)}")


def _aligned(rows: list[tuple[object, ...]]) -> list[str]:
    """Rows of a table as lines, all but the first column to the right."""
    texts = [tuple(map(str, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    pairs = [list(zip(row, widths, strict=True)) for row in texts]
    return ["  ".join([row[0][0].ljust(row[0][1]), *(cell.rjust(width) for cell, width in row[1:])]) for row in pairs]


def _duration(seconds: int) -> str:
    """As hours and minutes; "" for none."""
    hours, minutes = divmod(-(-seconds // 60), 60)
    return (f"{hours} h {minutes:02} min" if hours else f"{minutes} min") if seconds else ""


@app.command()
def stats(
    corpus: Annotated[Path, typer.Argument(help="Folder of the corpus.")],
    output: Annotated[Path | None, typer.Option(help="Folder for stats.html and stats.svg.")] = None,
) -> None:
    """Count what is in a corpus and what was left out; with --output, draw it as a page and a picture."""
    from functools import partial

    from newscorpus.stats.count import corpus_stats
    from newscorpus.stats.tables import summary, tables
    from newscorpus.terminal import progress, table_console

    found = corpus_stats(corpus, partial(progress, what="records"))
    typer.echo(f"{found.name}: {summary(found)}")
    for table in tables(found):
        _print(table, table_console())
    if output:
        _write(found, output)
        typer.echo(f"\nstats.html and stats.svg lie in {output}")


def _write(found: "CorpusStats", output: Path) -> None:
    from newscorpus.files import replacing
    from newscorpus.stats.page import page, picture

    output.mkdir(parents=True, exist_ok=True)
    for name, content in (("stats.html", page(found)), ("stats.svg", picture(found))):
        with replacing(output / name) as file:
            file.write(content)


def _print(table: "StatsTable", console: "Console") -> None:
    """Print the first rows of a table; as `Text`, since square brackets in a label are no markup."""
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


@app.command()
def verify(corpus: Annotated[Path, typer.Argument(help="Folder of the corpus.")]) -> None:
    """Read every file of a published corpus, and name those that are not what the manifest says."""
    from functools import partial

    from newscorpus.corpus.verify import verify as verify_corpus
    from newscorpus.terminal import complain, progress

    manifest, findings = verify_corpus(corpus, partial(progress, what="records"))
    for finding in findings:
        complain(finding)
    if findings:
        raise typer.Exit(1)
    files = f"{len(manifest.shards)} files of {manifest.bytes:,} bytes"
    typer.echo(f"{corpus}: whole; {manifest.documents:,} documents, {manifest.words:,} words in {files}")
