"""Add the verbs `newscorpus init`, `demo` and `ui`."""

import re
import shlex
import signal
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from newscorpus.cli.app import app, needs_extra
from newscorpus.layout import check_corpus

FILES = {
    "scrapy.cfg": "[settings]\ndefault = settings\n",
    "settings.py": '''"""Settings of the crawls in this folder: those of newscorpus, changed below."""

from newscorpus.settings import *  # noqa: F403

# Your mail address or URL for the user agent. Without it only localhost is crawled.
NEWSCORPUS_CONTACT = ""
''',
    ".gitignore": "corpora/\n.scrapy/\n__pycache__/\n",
    "portals/{name}.toml": """# Replace these values by your portal's. A wrong key is an error that lists known ones.
name = "{name}"
languages = ["en"]  # ISO 639 codes; articles in other languages are rejected
domains = ["news.example"]  # including subdomains
start = ["https://www.news.example/"]  # start pages; feeds and sitemaps are found automatically

# Articles are recognised by address and page. Where that fails, use regular expressions on path and query:
# articles = ['^/\\d{{4}}/\\d\\d/\\d\\d/']
# sections = ['^/(politics|sport)/$']
# ignore = ['^/search']

# delay_seconds = 1  # minimum pause between two requests
""",
}

LOOPBACK = "127.0.0.1"
UI_PORT = 8042
"""Usually free, and above the privileged ports."""

DEMO_CORPUS = Path("corpora/demo")


@app.command()
def init(
    folder: Annotated[Path, Argument(metavar="DIR", help="Folder of the project; made if missing.")],
    name: Annotated[str, Option(metavar="NAME", help="Name of the first portal.")] = "first",
) -> None:
    """Begin a project: settings, and a portal file to fill in.

    If one of the files exists with other content, nothing is written.
    """
    from newscorpus.files import replace_file

    if not re.fullmatch("[a-z0-9-]+", name):
        raise typer.BadParameter(f"--name is {name!r}; expected letters a-z, digits and '-'")
    files = {
        folder / path.format(name=name): (text.format(name=name) if path.endswith(".toml") else text).encode()
        for path, text in FILES.items()
    }
    if there := [str(path) for path, text in files.items() if path.exists() and path.read_bytes() != text]:
        raise FileExistsError(f"{', '.join(there)}: there already; nothing was written")
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, text)
        typer.echo(f"wrote {path}")
    enter = "" if folder.resolve() == Path.cwd() else f"cd {folder} && "
    typer.echo(
        f"Next: set NEWSCORPUS_CONTACT in {folder / 'settings.py'}, fill in {folder / f'portals/{name}.toml'}, then\n"
        f"  {enter}newscorpus crawl {name} --limit 20\n"
        f"or have a portal's file written for you:\n  {enter}newscorpus portal add ADDRESS"
    )


@app.command("ui")
def show_in_browser(
    corpora: Annotated[list[Path] | None, Argument(metavar="CORPUS", help="Folders of corpora.")] = None,
    pages: Annotated[list[Path] | None, Option(help="Folder of saved pages to mark and to compare systems on.")] = None,
    port: Annotated[int, Option(min=0, max=65535, help="Port; 0: any free one.")] = UI_PORT,
    host: Annotated[str, Option(help="Address of this machine to serve others at; asks for a password.")] = LOOPBACK,
    contact: Annotated[
        str, Option(envvar="NEWSCORPUS_CONTACT", help="Mail address or URL: lets pages be fetched.")
    ] = "",
    browser: Annotated[bool, Option(help="Open the browser.")] = True,
) -> None:
    """Show corpora and pages in the browser.

    Shows each page beside its text, with the reasons for every block and field. Serves this machine only, until Ctrl-C.
    """
    with needs_extra("ui"):
        from newscorpus.views.ui.app import serve
    from newscorpus.store.pages import saved_pages

    password = ""
    if host != LOOPBACK:
        password = typer.prompt("Password for the browser", hide_input=True, confirmation_prompt=True)
    for folder in corpora or []:
        check_corpus(folder)
    for folder in pages or []:
        saved_pages(folder)  # reports a folder without pages
    served = [*(corpora or []), *(pages or [])]
    serve(served, host, port, password, contact, opens_browser=browser, tell=typer.echo)


@app.command()
def demo(
    output: Annotated[Path, Option(help="Folder of the corpus.")] = DEMO_CORPUS,
    port: Annotated[int, Option(min=0, max=65535, help="Port of the server; 0: any free port.")] = 0,
    ui: Annotated[bool, Option("--ui", help="Show the corpus in the browser, as `newscorpus ui`.")] = False,
    serve_only: Annotated[bool, Option("--serve-only", help="Serve the portal without crawling it.")] = False,
) -> None:
    """Crawl a small portal that is served on this machine.

    The corpus is compared with the expected text and outcome of each page; exit code 1 if a page differs.
    """
    from newscorpus.terminal import counter
    from newscorpus.views.demo.run import print_report, remove_earlier, run_demo
    from newscorpus.views.demo.server import serving

    if serve_only:
        with serving(port) as base, suppress(KeyboardInterrupt):
            typer.echo(f"The demo portal is at {base}/ until Ctrl-C.")
            signal.pause()
        return
    remove_earlier(output)
    with counter("requests") as count:
        report = run_demo(output, port, lambda _path: count())
    print_report(report)
    if ui:
        show_in_browser([output])
    else:
        typer.echo(f"To look at it in the browser: newscorpus ui {shlex.quote(str(output))}")
    if report.surprises:
        raise typer.Exit(1)
