"""Add the verbs `newscorpus portal ...`."""

from pathlib import Path
from typing import Annotated

import typer
from typer import Argument

from newscorpus.cli.app import app

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
