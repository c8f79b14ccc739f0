"""`newscorpus extract`."""

from collections import Counter
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from newscorpus.cli.app import EXTRACTOR_HELP, app, counted, default_extractor

if TYPE_CHECKING:
    from newscorpus.data import Page
    from newscorpus.stored import Setup


class Format(StrEnum):
    """What `extract` writes of a page."""

    TEXT = "text"
    JSON = "json"
    BLOCKS = "blocks"
    BREZOVNIK = "brezovnik"


@app.command()
def extract(
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="FILE.html, URL, PAGES.jsonl[.gz|.zst], or - (HTML).")
    ],
    output: Annotated[Path | None, typer.Option(help="File to write; without it, standard output.")] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Number of processes, for PAGES.")] = 1,
    format: Annotated[Format | None, typer.Option(help="Without it, text; of PAGES, json.")] = None,  # noqa: A002
    extractor: Annotated[str, typer.Option(help=EXTRACTOR_HELP)] = "",
    template: Annotated[Path | None, typer.Option(help="Plain template file, or a portal's .toml file.")] = None,
    url: Annotated[str, typer.Option(help="Address of the page in FILE.html.")] = "",
    contact: Annotated[str, typer.Option(envvar="NEWSCORPUS_CONTACT", help="Where the site of URL reaches you.")] = "",
) -> None:
    """Extract text and fields of one page, or of each page of a file: a line has `id`, `html` and perhaps `url`."""
    from newscorpus.stored import PAGES_SUFFIXES, Setup, is_web

    setup = Setup(extractor or default_extractor(), template)
    from_web = is_web(source)
    if from_web and (url or not contact):
        raise typer.BadParameter("a URL needs --contact (or NEWSCORPUS_CONTACT), and takes no --url")
    if from_web or not source.endswith(PAGES_SUFFIXES):
        _extract_page(source, url, contact, setup, format or Format.TEXT, output)
    elif url or format not in (None, Format.JSON):
        raise typer.BadParameter("a file of pages holds their addresses itself, and gives json only")
    else:
        _extract_pages(Path(source), setup, jobs, output)


def _extract_page(source: str, url: str, contact: str, setup: "Setup", form: Format, output: Path | None) -> None:
    from newscorpus.explain.page import FORMATS
    from newscorpus.stored import is_web, load, read_source
    from newscorpus.terminal import sink

    loaded = load(setup)
    content = FORMATS[form](loaded, _fetch(source, contact) if is_web(source) else read_source(source, url))
    with sink(output) as file:
        file.write(content)


def _fetch(url: str, contact: str) -> "Page":
    from newscorpus.data import Page, Rejected
    from newscorpus.errors import CrawlError
    from newscorpus.spiders.one_page import fetch_page  # loads Scrapy, which no file needs

    found: Page | Rejected = fetch_page(url, contact)
    if isinstance(found, Rejected):
        raise CrawlError(f"{url} was not fetched: {found.reason}, {found.detail}")
    return found


def _extract_pages(source: Path, setup: "Setup", jobs: int, output: Path | None) -> None:
    from newscorpus.stored import extract_file
    from newscorpus.terminal import complain, progress, sink

    outcomes: Counter[str] = Counter()
    with sink(output) as file:
        for answer in progress(extract_file(source, setup, jobs), "pages"):
            file.write(answer.line)
            outcomes["broken" if answer.error else answer.rejected or "extracted"] += 1
            if answer.error:
                complain(answer.error)
    typer.echo(f"{source}: {counted(outcomes)}", err=True)
    if outcomes["broken"]:
        raise typer.Exit(1)
