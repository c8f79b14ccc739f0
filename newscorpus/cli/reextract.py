"""`newscorpus reextract`."""

from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from newscorpus.cli.app import EXTRACTOR_HELP, app, counted
from newscorpus.cli.extract import QUALITY_HELP, RIGHTS_HELP, chosen_recipe

if TYPE_CHECKING:
    from newscorpus.publish.changes import Change, Tally


@app.command()
def reextract(
    corpus: Annotated[Path, typer.Argument(help="Folder of the corpus.")],
    files: Annotated[str, typer.Option(help="WARC files or patterns, parted by commas, in place of its archive.")] = "",
    extractor: Annotated[str, typer.Option(help=EXTRACTOR_HELP)] = "",
    rights: Annotated[str, typer.Option(help=RIGHTS_HELP)] = "record",
    quality: Annotated[Path | None, typer.Option(help=QUALITY_HELP)] = None,
    output: Annotated[Path | None, typer.Option(help="Folder of the new corpus, to keep it.")] = None,
    apply: Annotated[bool, typer.Option("--apply", help="Let the result count in the corpus itself.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Show how texts differ.")] = False,
    limit: Annotated[int, typer.Option(min=1, help="With --diff: most documents shown.")] = 20,
    jobs: Annotated[int, typer.Option(min=1, help="Number of processes.")] = 1,
) -> None:
    """Extract the archived pages again with today's model and templates, and say what that would change.

    The corpus stays as it is. With --output the result is a corpus of its own: `newscorpus build OUTPUT` publishes it.
    With --apply it goes into the corpus: `newscorpus build CORPUS` publishes it.
    """
    from tempfile import TemporaryDirectory

    from newscorpus.portals.schema import list_portals, load_portal
    from newscorpus.publish import changes, reextract
    from newscorpus.stored import archive_files, named_files
    from newscorpus.terminal import progress

    if apply and (output or diff):
        raise typer.BadParameter("--apply changes the corpus itself; without it, --output and --diff show what changes")
    recipe = chosen_recipe(extractor, rights, quality)
    paths = named_files(files) if files else archive_files(corpus)
    portals = tuple(map(load_portal, list_portals()))
    if apply:
        outcomes = reextract.apply(corpus, paths, recipe, portals, jobs, partial(progress, what="pages"))
        typer.echo(f"{sum(outcomes.values())} pages: {counted(outcomes)}")
        typer.echo(f"The rest is of this recipe already. newscorpus build {corpus} publishes the result")
        return
    with ExitStack() as stack:
        folder = output or Path(stack.enter_context(TemporaryDirectory(prefix="newscorpus-")))
        extracted = reextract.reextract(paths, recipe, portals, jobs)
        done = reextract.store(progress(extracted, "pages"), folder)
        found = list(changes.find_changes(corpus, folder, done.read))
        if diff:
            _print_differences(found, limit)
        _print_tallies(changes.tally(found))
    typer.echo(f"{sum(done.outcomes.values())} pages: {counted(done.outcomes)}")
    if output:
        typer.echo(f"The new corpus lies in {output}; newscorpus build {output} publishes it")


def _print_differences(found: "list[Change]", limit: int) -> None:
    from newscorpus.publish.changes import Kind, difference

    shown = [change for change in found if change.kind in {Kind.TEXT, Kind.GAINED, Kind.LOST}]
    for change in shown[:limit]:
        typer.echo(f"=== {change.kind}: {change.source}, {change.id}")
        typer.echo("\n".join(difference(change)))
    if len(shown) > limit:
        typer.echo(f"... {len(shown) - limit} more documents")


def _print_tallies(tallies: "list[Tally]") -> None:
    from dataclasses import astuple, fields

    from rich.table import Table

    from newscorpus.publish.changes import Tally
    from newscorpus.terminal import table_console

    table = Table()
    for number, field in enumerate(fields(Tally)):
        table.add_column(field.name.replace("_", " "), justify="right" if number else "left")
    for one in tallies:
        table.add_row(*map(str, astuple(one)))
    table_console().print(table)
