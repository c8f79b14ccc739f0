"""Add the verb `newscorpus extract`."""

from collections import Counter
from contextlib import ExitStack
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from newscorpus.cli.app import (
    Contact,
    Extractor,
    FieldsModel,
    Jobs,
    LeaveOut,
    Lower,
    Portal,
    PostAnalysis,
    Quality,
    Rights,
    Template,
    Upper,
    app,
    chosen_recipe,
    counted,
    fetch,
)

if TYPE_CHECKING:
    from newscorpus.page.recipe import Recipe
    from newscorpus.store.pages import PageOrigin


LEARN = "learn"
"""Stands for a profile that is learned from the pages themselves."""


class Format(StrEnum):
    """What `extract` writes of a page."""

    TEXT = "text"
    JSON = "json"
    BLOCKS = "blocks"
    BREZOVNIK = "brezovnik"


@app.command()
def extract(
    source: Annotated[str, Argument(metavar="SOURCE", help="FILE.html, URL, PAGES.jsonl[.gz|.zst], or - (HTML).")],
    output: Annotated[Path | None, Option(help="File to write; default: standard output.")] = None,
    jobs: Jobs = 1,
    format: Annotated[Format | None, Option(help="Default: text; for PAGES, json.")] = None,  # noqa: A002
    extractor: Extractor = "",
    portal: Portal = "",
    template: Template = None,
    post_analysis: PostAnalysis = None,
    upper: Upper = None,
    lower: Lower = None,
    leave_out: LeaveOut = None,
    fields_model: FieldsModel = "",
    profile: Annotated[str, Option(metavar="learn|FILE", help="Profile of the pages' portal; learn: from PAGES.")] = "",
    rights: Rights = "record",
    quality: Quality = None,
    no_filters: Annotated[bool, Option("--no-filters", help="Keep every text, in any language, as it is.")] = False,
    url: Annotated[str, Option(help="Address of the page in FILE.html.")] = "",
    contact: Contact = "",
) -> None:
    """Extract the article of a page, or of each page of a file.

    A page is judged as in a crawl: by rights, quality and, with --portal, language. A line of PAGES has `id`, `html`
    and perhaps `url`; the line that comes out has the same `id`.
    """
    from newscorpus.store.pages import PAGES_SUFFIXES, page_origin, with_profile
    from newscorpus.urls import is_web

    from_web = is_web(source)
    if "://" in source and not from_web:
        raise typer.BadParameter(f"{source}: only addresses that begin with http:// or https:// are fetched")
    if from_web and (url or not contact):
        raise typer.BadParameter("a URL needs --contact (or NEWSCORPUS_CONTACT), and takes no --url")
    if url and not is_web(url):
        raise typer.BadParameter(f"--url is {url!r}; an address begins with https:// or http://")
    if (portal and template) or (quality and no_filters):
        raise typer.BadParameter("--portal excludes --template, and --no-filters excludes --quality")
    is_file = not from_web and source.endswith(PAGES_SUFFIXES)
    if profile == LEARN and not is_file:
        raise typer.BadParameter("--profile learn is for a file of pages, which it learns from")
    recipe = chosen_recipe(
        extractor,
        rights,
        quality,
        no_filters=no_filters,
        post_analysis=post_analysis,
        upper=upper,
        lower=lower,
        leave_out=leave_out,
        fields_model=fields_model,
    )
    origin = page_origin(portal, template)
    if profile and profile != LEARN:
        origin = with_profile(origin, Path(profile))
    if not is_file:
        _extract_page(source, url, contact, recipe, origin, format or Format.TEXT, output)
    elif url or format not in (None, Format.JSON):
        raise typer.BadParameter("a file of pages holds their addresses itself, and gives json only")
    else:
        _extract_pages(Path(source), recipe, origin, jobs, output, learns=profile == LEARN)


def _extract_page(
    source: str, url: str, contact: str, recipe: "Recipe", origin: "PageOrigin", form: Format, output: Path | None
) -> None:
    from newscorpus.page.recipe import extractor_of
    from newscorpus.store.pages import read_source
    from newscorpus.terminal import sink
    from newscorpus.urls import is_web
    from newscorpus.views.explain.formats import FORMATS

    extractor_of(recipe)  # a wrong name is an error before anything is fetched
    page = origin(fetch(source, contact) if is_web(source) else read_source(source, url))
    content = FORMATS[form](recipe, page)
    with sink(output) as file:
        file.write(content)


def _extract_pages(
    source: Path, recipe: "Recipe", origin: "PageOrigin", jobs: int, output: Path | None, *, learns: bool
) -> None:
    from newscorpus.store.pages import extract_file, learn_file
    from newscorpus.terminal import complain, progress, sink

    outcomes: Counter[str] = Counter()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="newscorpus-")))
        profiles = learn_file(source, recipe, origin, jobs, folder) if learns else {}
        file = stack.enter_context(sink(output))
        for extracted in progress(extract_file(source, recipe, origin, jobs, profiles), "pages"):
            file.write(extracted.line)
            outcomes["broken" if extracted.error else extracted.rejected or "extracted"] += 1
            if extracted.error:
                complain(extracted.error)
    typer.echo(f"{source}: {counted(outcomes)}", err=True)
    if learns:
        typer.echo(f"sites with a profile: {len(profiles)}", err=True)
    if outcomes["broken"]:
        raise typer.Exit(1)
