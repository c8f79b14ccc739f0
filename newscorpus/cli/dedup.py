"""`newscorpus dedup`."""

from pathlib import Path
from typing import Annotated

import typer

from newscorpus.cli.app import app, counted

SHOWN = 20
"""Lines of the report on reprints that are printed; the file has all."""


@app.command()
def dedup(
    inputs: Annotated[list[Path], typer.Argument(metavar="IN...", help="Corpora, or JSON lines (.gz, .zst).")],
    output: Annotated[Path, typer.Option(help="Folder for what stays and for the list of what goes.")],
    against: Annotated[
        list[Path] | None, typer.Option(help="Likewise; what repeats it goes too. Can be given several times.")
    ] = None,
    redis: Annotated[
        str, typer.Option(metavar="URL", help="Server in which runs on many machines share what they keep.")
    ] = "",
    report: Annotated[bool, typer.Option("--report", help="Show who reprints whom.")] = False,
    jobs: Annotated[int, typer.Option(min=1, help="Number of processes.")] = 2,
) -> None:
    """Take duplicates out of corpora or files of documents; a run that was broken off goes on where it was."""
    from newscorpus.jobs.dedup import REPRINTS, Setup
    from newscorpus.jobs.dedup import dedup as dedup_documents
    from newscorpus.terminal import progress

    done = dedup_documents(inputs, output, against or (), Setup(jobs=jobs, redis=redis, watch=progress))
    typer.echo(f"{done.documents} documents; {done.kept} kept; left out: {counted(done.duplicates)}")
    if report:
        for source, repeated, kind, count in done.reprints[:SHOWN]:
            typer.echo(f"{count:8} {kind:8} {source or 'unknown'} repeats {repeated or 'unknown'}")
        typer.echo(f"All of them are in {output / REPRINTS}")
    typer.echo(f"The documents lie in {output}")
