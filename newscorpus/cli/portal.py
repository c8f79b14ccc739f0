"""Add the verbs `newscorpus portal ...`."""

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from newscorpus.cli.app import Jobs, app

if TYPE_CHECKING:
    from newscorpus.upkeep.check import PortalCheck

CHECK_FAILED = 3
"""Exit code of a check that failed."""

Name = Annotated[str, Argument(metavar="NAME", help="Portal, by name or .toml file.")]

portal = typer.Typer(help="Make and keep portal files.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(portal, name="portal")


@portal.command("import")
def import_rule(
    file: Annotated[Path, Argument(metavar="FILE", help="Site rule of Full-Text RSS, such as bbc.co.uk.txt.")],
) -> None:
    """Print a site rule of Full-Text RSS as the [template] of a portal file.

    Lines that a template has nothing like are named in comments, with the reason.
    """
    from newscorpus.portals.site_rules import as_toml, read_site_rule

    typer.echo(as_toml(file.name, read_site_rule(file)), nl=False)


@portal.command()
def check(
    name: Name,
    corpus: Annotated[Path | None, Option(help="Folder of its corpus; by default that of `crawl NAME`.")] = None,
    jobs: Jobs = 1,
) -> None:
    """Check a portal's file against the pages of its archive.

    Shows how often each rule hits, and how often each field agrees with what the extractor finds without the template,
    with the page's structured data, and with pages that you marked (CORPUS/gold). Exit code 3: a check failed, which is
    named on standard error.
    """
    from newscorpus.addon.options import default_corpus
    from newscorpus.portals.schema import load_portal
    from newscorpus.recipe import Recipe
    from newscorpus.terminal import complain, progress
    from newscorpus.upkeep.check import check as check_portal

    folder = corpus or default_corpus(name)
    found = check_portal(folder, load_portal(name), Recipe(), jobs, partial(progress, what="pages"))
    _print_check(found)
    for warning in found.warnings:
        typer.echo(f"warning: {warning}", err=True)
    for failed, why in found.failed.items():
        complain(f"check {failed} failed: {why}")
    if found.failed:
        raise typer.Exit(CHECK_FAILED)


def _print_check(found: "PortalCheck") -> None:
    """Print the table of the rules, and that of the fields; "same/other" count pages."""
    rules = [(one.field, one.rule, one.pages, one.hits, ", ".join(map(repr, one.misfits))) for one in found.rules]
    if rules:
        _print_table(("field", "rule", "pages", "hits", "cannot be its value"), rules)
    fields = [
        (
            *(one.field, one.filled, one.empty, one.by_template, *map(_pair, (one.model, one.structured, one.marks))),
            ", ".join(one.examples),
        )
        for one in found.fields
    ]
    columns = ("field", "value", "empty", "by template", "as model", "as structured", "as marked", "differs on")
    _print_table(columns, fields)
    typer.echo(f"pages with an article: {found.pages}")


def _pair(counts: tuple[int, int]) -> str:
    """Write how many pages agree, of those that can be compared."""
    return f"{counts[0]} of {sum(counts)}" if sum(counts) else ""


def _print_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    from rich.table import Table
    from rich.text import Text

    from newscorpus.terminal import table_console
    from newscorpus.tokens import printable

    table = Table(box=None, pad_edge=False)
    for name in columns:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*(Text(printable(str(cell))) for cell in row))
    table_console().print(table)
