"""Add the verb `newscorpus demo`."""

import shlex
from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from newscorpus.cli.app import app
from newscorpus.cli.ui import ui as show_in_browser

DEMO_CORPUS = Path("corpora/demo")


@app.command()
def demo(
    output: Annotated[Path, Option(help="Folder of the corpus.")] = DEMO_CORPUS,
    port: Annotated[int, Option(min=0, max=65535, help="Port of the server; 0: any free port.")] = 0,
    ui: Annotated[bool, Option("--ui", help="Show the corpus in the browser, as `newscorpus ui`.")] = False,
    serve_only: Annotated[bool, Option("--serve-only", help="Serve the portal without crawling it.")] = False,
) -> None:
    """Crawl a small portal that is served on this machine.

    The corpus is compared with the texts and outcomes that are right for each page; exit code 1 if a page differs.
    """
    from rich.console import Console

    from newscorpus.views.demo.run import remove_earlier, run_demo
    from newscorpus.views.demo.server import serve
    from newscorpus.views.demo.show import crawl_progress, print_report

    if serve_only:
        serve(port, lambda base: typer.echo(f"The demo portal is at {base}/ until Ctrl-C."))
        return
    remove_earlier(output)
    with crawl_progress(Console(stderr=True)) as on_request:
        report = run_demo(output, port, on_request)
    print_report(report, Console())
    if ui:
        show_in_browser([output])
    else:
        typer.echo(f"To look at it in the browser: newscorpus ui {shlex.quote(str(output))}")
    if report.surprises:
        raise typer.Exit(1)
