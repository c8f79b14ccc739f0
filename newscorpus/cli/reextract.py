"""Add the verb `newscorpus reextract`."""

from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Option

from newscorpus.cli.app import (
    Corpus,
    Extractor,
    FieldsModel,
    Jobs,
    LeaveOut,
    Quality,
    Rights,
    app,
    chosen_recipe,
    counted,
)

if TYPE_CHECKING:
    from newscorpus.corpus.changes import Change, PortalChanges
    from newscorpus.page.template import RuleTally


@app.command()
def reextract(
    corpus: Corpus,
    files: Annotated[str, Option(metavar="WARC,...", help="WARC files or patterns, in place of the archive.")] = "",
    extractor: Extractor = "",
    leave_out: LeaveOut = None,
    fields_model: FieldsModel = "",
    rights: Rights = "record",
    quality: Quality = None,
    output: Annotated[Path | None, Option(help="Keep the result as a new corpus.")] = None,
    apply: Annotated[bool, Option("--apply", help="Store the result in the corpus itself.")] = False,
    diff: Annotated[bool, Option("--diff", help="Show how texts differ.")] = False,
    limit: Annotated[int, Option(min=1, help="With --diff: most documents shown.")] = 20,
    jobs: Jobs = 1,
) -> None:
    """Extract the archived pages again and show what changes.

    Today's model and templates are used, with the profiles of the corpus, which stays as it is. With --output the
    result is a corpus of its own, which `newscorpus build FOLDER` publishes; with --apply it is stored in the corpus,
    for `newscorpus build CORPUS`.
    """
    from tempfile import TemporaryDirectory

    from newscorpus.corpus import changes, reextract
    from newscorpus.page.recipe import add_profile
    from newscorpus.page.template import RuleTally
    from newscorpus.portal.profile import profiles_of
    from newscorpus.portal.schema import list_portals, load_portal
    from newscorpus.store.archives import archive_files, named_files
    from newscorpus.store.ledger.views.addresses import unfinished_captures
    from newscorpus.store.removals import keep_removals, removals_of
    from newscorpus.terminal import progress

    if apply and (output or diff):
        raise typer.BadParameter("--apply changes the corpus itself; without it, --output and --diff show what changes")
    recipe = chosen_recipe(extractor, rights, quality, leave_out=leave_out, fields_model=fields_model)
    paths = named_files(files) if files else archive_files(corpus)
    portals = tuple(map(load_portal, list_portals()))
    tally = RuleTally()
    if apply:
        archived = reextract.Archived(corpus, paths, recipe, portals, jobs)
        applied = reextract.apply(archived, partial(progress, what="pages"), tally)
        _warn(tally)
        typer.echo(f"pages extracted again: {_summed(applied.outcomes)}")
        if applied.n_passed:
            typer.echo(f"pages that this recipe had extracted before: {applied.n_passed:,}")
        if applied.outcomes:
            typer.echo(f"newscorpus build {corpus} publishes the result")
        return
    with ExitStack() as stack:
        folder = output or Path(stack.enter_context(TemporaryDirectory(prefix="newscorpus-")))
        prepare = partial(add_profile, recipe, profiles_of(corpus))
        unfinished = () if files else unfinished_captures(corpus)
        extracted = reextract.reextract(paths, recipe, portals, jobs, prepare, tally, unfinished)
        keep_removals(folder, removals_of(corpus))
        done = reextract.store(progress(extracted, "pages"), folder)
        found = list(changes.find_changes(corpus, folder, done.read))
        if diff:
            _print_differences(found, limit)
        _print_counts(changes.count_changes(found))
    _warn(tally)
    typer.echo(f"pages extracted: {_summed(done.outcomes)}")
    if output:
        typer.echo(f"The new corpus lies in {output}; newscorpus build {output} publishes it")


def _summed(outcomes: Mapping[str, int]) -> str:
    """Write the sum of some counts, and the counts."""
    return f"{sum(outcomes.values()):,}" + (f" ({counted(outcomes)})" if outcomes else "")


def _warn(tally: "RuleTally") -> None:
    for warning in tally.warnings():
        typer.echo(warning, err=True)


def _print_differences(found: "list[Change]", limit: int) -> None:
    from newscorpus.corpus.changes import ChangeKind, difference
    from newscorpus.tokens import printable

    shown = [change for change in found if change.kind in {ChangeKind.TEXT, ChangeKind.GAINED, ChangeKind.LOST}]
    for change in shown[:limit]:
        typer.echo(f"=== {change.kind}: {change.source}, {change.id}")
        typer.echo("\n".join(map(printable, difference(change))))
    if len(shown) > limit:
        typer.echo(f"... {len(shown) - limit} more documents")


def _print_counts(tallies: "list[PortalChanges]") -> None:
    from dataclasses import astuple, fields

    from rich.table import Table

    from newscorpus.corpus.changes import PortalChanges
    from newscorpus.terminal import table_console

    table = Table()
    for number, field in enumerate(fields(PortalChanges)):
        table.add_column(field.name.replace("_", " "), justify="right" if number else "left")
    for one in tallies:
        table.add_row(*map(str, astuple(one)))
    table_console().print(table)
