"""Add the verb `newscorpus ui`."""

from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from newscorpus.cli.app import app, needs_extra

LOOPBACK = "127.0.0.1"
UI_PORT = 8042
"""Free on most machines; above those that need rights."""


@app.command()
def ui(
    corpora: Annotated[list[Path] | None, Argument(metavar="CORPUS", help="Folders of corpora.")] = None,
    port: Annotated[int, Option(min=0, max=65535, help="Port; 0: any free one.")] = UI_PORT,
    host: Annotated[str, Option(help="Address of this machine to serve others at; asks for a password.")] = LOOPBACK,
    contact: Annotated[
        str, Option(envvar="NEWSCORPUS_CONTACT", help="Mail address or URL: lets pages be fetched.")
    ] = "",
    browser: Annotated[bool, Option(help="Open the browser.")] = True,
) -> None:
    """Show corpora and pages in the browser.

    A page beside its text, with what each block and field was decided on. Serves this machine only, until Ctrl-C.
    """
    with needs_extra("ui"):
        from newscorpus.views.ui.server import serve

    password = ""
    if host != LOOPBACK:
        password = typer.prompt("Password for the browser", hide_input=True, confirmation_prompt=True)
    serve(corpora or [], host, port, password, contact, opens_browser=browser, tell=typer.echo)
