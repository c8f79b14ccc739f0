"""Add the verb `newscorpus remove`."""

from typing import Annotated

import typer
from typer import Argument, Option

from newscorpus.cli.app import Corpus, app

SHOWN = 20
"""Documents that quote what went, that are printed: those that hold the most of it."""


@app.command()
def remove(
    corpus: Corpus,
    names: Annotated[list[str], Argument(metavar="URL|ID", help="Addresses or ids of documents.")],
    reason: Annotated[str, Option(metavar="TEXT", help="Why; it is noted, and should not name the document.")],
    from_archive: Annotated[bool, Option("--from-archive", help="Overwrite the fetched pages as well.")] = False,
) -> None:
    """Take documents out for good.

    All files are rid of them, and no later build, crawl, merge or re-extraction brings them back. Without
    --from-archive the fetched page stays in the archive, where nothing reads it. If it is interrupted, the next
    removal, build or crawl completes it.
    """
    from newscorpus.publish.removing.remove import remove as remove_documents
    from newscorpus.terminal import progress
    from newscorpus.tokens import number_of, printable

    report = remove_documents(corpus, names, reason, from_archive=from_archive, watch=progress)
    for name in report.unknown:
        when = report.earlier.get(name)
        what = f"taken out before, on {when}" if when else "nothing of it was here; it will not be taken in"
        typer.echo(f"{name}: {what}")
    if report.rows or report.archived:
        responses = f", {number_of(report.archived, 'response')} of the archive" if from_archive else ""
        gone = f"{number_of(report.rows, 'row')}{responses}"
        typer.echo(f"Taken out: {gone}. The corpus was published again without them.")
    if report.n_hidden:
        typer.echo(f"Archived pages of other documents in which quotations of it were overwritten: {report.n_hidden}")
    if report.sharing:
        typer.echo("Documents that hold eight or more of its words in a row stay; if they are to go, remove them too:")
        for one in report.sharing[:SHOWN]:
            typer.echo(f"  {one.share:4.0%} of it: {one.id} {printable(one.url)}")
    if len(report.sharing) > SHOWN:
        typer.echo(f"  and {len(report.sharing) - SHOWN:,} that hold no more of it")
