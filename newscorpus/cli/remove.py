"""Add the verb `newscorpus remove`."""

from typing import Annotated

import typer
from typer import Argument, Option

from newscorpus.cli.app import Corpus, app


@app.command()
def remove(
    corpus: Corpus,
    names: Annotated[list[str], Argument(metavar="URL|ID", help="Addresses or ids of documents.")],
    reason: Annotated[str, Option(metavar="TEXT", help="Why; it is noted, and should not name the document.")],
    from_archive: Annotated[bool, Option("--from-archive", help="Overwrite the fetched pages as well.")] = False,
) -> None:
    """Take documents out for good.

    No later build, crawl, dedup or re-extraction brings them back. Quotations in other documents stay. Without
    --from-archive the fetched page stays in the archive, where nothing reads it. If it is interrupted, the next
    removal, build or crawl completes it.
    """
    from newscorpus.corpus.removing.remove import remove as remove_documents
    from newscorpus.terminal import progress
    from newscorpus.tokens import number_of

    report = remove_documents(corpus, names, reason, from_archive=from_archive, watch=progress)
    for name in report.unknown:
        when = report.earlier.get(name)
        what = f"taken out before, on {when}" if when else "nothing of it was here; it will not be taken in"
        typer.echo(f"{name}: {what}")
    if report.rows or report.archived:
        responses = f", {number_of(report.archived, 'response')} of the archive" if from_archive else ""
        gone = f"{number_of(report.rows, 'row')}{responses}"
        typer.echo(f"Taken out: {gone}. The corpus was published again without them.")
