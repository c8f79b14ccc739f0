"""`newscorpus demo`."""

from pathlib import Path
from typing import Annotated

import typer

from newscorpus.cli.app import app

DEMO_CORPUS = Path("corpora/demo")


@app.command()
def demo(
    output: Annotated[Path, typer.Option(help="Folder of the corpus.")] = DEMO_CORPUS,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the server; 0 is any that is free.")] = 0,
    serve_only: Annotated[bool, typer.Option("--serve-only", help="Serve the portal, and do not crawl it.")] = False,
) -> None:
    """Serve the bundled portal on this machine, crawl it, and hold the corpus against the gold."""
    from rich.console import Console

    from newscorpus.demo.run import remove_earlier, run_demo
    from newscorpus.demo.server import serve
    from newscorpus.demo.show import crawl_progress, print_report

    if serve_only:
        serve(port, lambda base: typer.echo(f"The demo portal is at {base}/ until Ctrl-C."))
        return
    remove_earlier(output)
    with crawl_progress(Console(stderr=True)) as on_request:
        report = run_demo(output, port, on_request)
    print_report(report, Console())
    if report.surprises:
        raise typer.Exit(1)
