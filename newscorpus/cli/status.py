"""`newscorpus status`."""

from pathlib import Path
from typing import Annotated

import typer

from newscorpus.cli.app import app, counted


@app.command()
def status(
    corpus: Annotated[Path, typer.Argument(help="Folder of the corpus.")],
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, one portal a line.")] = False,
) -> None:
    """Tell how a crawl stands, while it runs or afterwards: what is queued, kept and rejected, by portal."""
    import msgspec

    from newscorpus.jobs.status import status as read_status

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
