"""`newscorpus extract`."""

from collections import Counter
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from newscorpus.cli.app import EXTRACTOR_HELP, app, counted, default_extractor

if TYPE_CHECKING:
    from newscorpus.data import Page
    from newscorpus.recipe import Recipe
    from newscorpus.stored import PageOrigin

PORTAL_HELP = "Portal, by name or .toml file, that the pages come from: its languages and template count."
TEMPLATE_HELP = "Plain template file, or a portal's .toml file of which only the template counts."
RIGHTS_HELP = "record or skip, as NEWSCORPUS_RIGHTS."
QUALITY_HELP = "File of filters and masks, as NEWSCORPUS_QUALITY."


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
    portal: Annotated[str, typer.Option(help=PORTAL_HELP)] = "",
    template: Annotated[Path | None, typer.Option(help=TEMPLATE_HELP)] = None,
    rights: Annotated[str, typer.Option(help=RIGHTS_HELP)] = "record",
    quality: Annotated[Path | None, typer.Option(help=QUALITY_HELP)] = None,
    no_filters: Annotated[
        bool, typer.Option("--no-filters", help="Keep every text, as it is, in any language, without tags.")
    ] = False,
    url: Annotated[str, typer.Option(help="Address of the page in FILE.html.")] = "",
    contact: Annotated[str, typer.Option(envvar="NEWSCORPUS_CONTACT", help="Where the site of URL reaches you.")] = "",
) -> None:
    """Extract text and fields of one page, or of each page of a file: a line has `id`, `html` and perhaps `url`.

    A page is judged as in a crawl: by rights, quality and, with --portal, language.
    """
    from newscorpus.stored import PAGES_SUFFIXES, is_web, page_origin

    from_web = is_web(source)
    if from_web and (url or not contact):
        raise typer.BadParameter("a URL needs --contact (or NEWSCORPUS_CONTACT), and takes no --url")
    if (portal and template) or (quality and no_filters):
        raise typer.BadParameter("--portal excludes --template, and --no-filters excludes --quality")
    recipe, origin = chosen_recipe(extractor, rights, quality, no_filters), page_origin(portal, template)
    if from_web or not source.endswith(PAGES_SUFFIXES):
        _extract_page(source, url, contact, recipe, origin, format or Format.TEXT, output)
    elif url or format not in (None, Format.JSON):
        raise typer.BadParameter("a file of pages holds their addresses itself, and gives json only")
    else:
        _extract_pages(Path(source), recipe, origin, jobs, output)


def chosen_recipe(extractor: str, rights: str, quality: Path | None, no_filters: bool = False) -> "Recipe":
    """Read the recipe that the options of a verb describe."""
    from newscorpus.config import QualityConfig
    from newscorpus.corpus.quality.judge import read_quality
    from newscorpus.crawl.robots import RightsPolicy
    from newscorpus.recipe import Recipe

    if rights not in list(RightsPolicy):
        raise typer.BadParameter(f"--rights is {rights!r}; known: {', '.join(RightsPolicy)}")
    filters = None if no_filters else read_quality(quality) if quality else QualityConfig()
    return Recipe(extractor or default_extractor(), RightsPolicy(rights), filters)


def _extract_page(
    source: str, url: str, contact: str, recipe: "Recipe", origin: "PageOrigin", form: Format, output: Path | None
) -> None:
    from newscorpus.explain.page import FORMATS
    from newscorpus.recipe import extractor_of
    from newscorpus.stored import is_web, read_source
    from newscorpus.terminal import sink

    extractor_of(recipe)  # a wrong name is an error before anything is fetched
    page = origin(_fetch(source, contact) if is_web(source) else read_source(source, url))
    content = FORMATS[form](recipe, page)
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


def _extract_pages(source: Path, recipe: "Recipe", origin: "PageOrigin", jobs: int, output: Path | None) -> None:
    from newscorpus.stored import extract_file
    from newscorpus.terminal import complain, progress, sink

    outcomes: Counter[str] = Counter()
    with sink(output) as file:
        for extracted in progress(extract_file(source, recipe, origin, jobs), "pages"):
            file.write(extracted.line)
            outcomes["broken" if extracted.error else extracted.rejected or "extracted"] += 1
            if extracted.error:
                complain(extracted.error)
    typer.echo(f"{source}: {counted(outcomes)}", err=True)
    if outcomes["broken"]:
        raise typer.Exit(1)
