"""Add the verb `newscorpus init`."""

import re
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from newscorpus.cli.app import app

FILES = {
    "scrapy.cfg": "[settings]\ndefault = settings\n",
    "settings.py": '''"""Settings of the crawls in this folder: those of newscorpus, and below them what is set here."""

from newscorpus.settings import *  # noqa: F403

# Where sites can reach you, a mail address or a page; part of the user agent. Only this machine is asked without it.
NEWSCORPUS_CONTACT = ""
''',
    ".gitignore": "corpora/\n.scrapy/\n__pycache__/\n",
    "portals/{name}.toml": """# Put your portal's values in place of these. A wrong key is answered with the known ones.
name = "{name}"
languages = ["en"]  # codes of ISO 639; articles in other languages are left out
domains = ["news.example"]  # hosts below them count too
start = ["https://www.news.example/"]  # pages to begin with; feeds and sitemaps are found by themselves

# Address and page tell what is an article. Where they err, say it by regular expressions on path and query:
# articles = ['^/\\d{{4}}/\\d\\d/\\d\\d/']
# sections = ['^/(politics|sport)/$']
# ignore = ['^/search']

# delay_seconds = 1  # least pause between two requests
""",
}


@app.command()
def init(
    folder: Annotated[Path, Argument(metavar="DIR", help="Folder of the project; made if missing.")],
    name: Annotated[str, Option(metavar="NAME", help="Name of the first portal.")] = "first",
) -> None:
    """Begin a project: settings, and a portal file to fill in.

    Nothing is written where one of its files is there already.
    """
    if not re.fullmatch("[a-z0-9-]+", name):
        raise typer.BadParameter(f"--name is {name!r}; expected letters a-z, digits and '-'")
    files = {folder / path.format(name=name): text for path, text in FILES.items()}
    if there := [str(path) for path in files if path.exists()]:
        raise FileExistsError(f"{', '.join(there)}: there already; nothing was written")
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.format(name=name) if path.suffix == ".toml" else text, "utf-8")
        typer.echo(f"wrote {path}")
    enter = "" if folder.resolve() == Path.cwd() else f"cd {folder} && "
    typer.echo(
        f"Next: set NEWSCORPUS_CONTACT in {folder / 'settings.py'}, fill in {folder / f'portals/{name}.toml'}, then\n"
        f"  {enter}newscorpus crawl {name} -a limit=20\n"
        f"or have a portal's file written for you:\n  {enter}newscorpus portal add ADDRESS"
    )
