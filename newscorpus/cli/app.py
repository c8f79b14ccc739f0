"""Define the command, and the options that several verbs share."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial, wraps
from importlib.metadata import version
from inspect import Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option
from typer.core import TyperGroup

from newscorpus.config import Part
from newscorpus.errors import STOPPED
from newscorpus.layout import check_corpus

if TYPE_CHECKING:
    from newscorpus.data import Page
    from newscorpus.page.recipe import Recipe


GROUPS = {
    "Begin": ("demo", "init", "portal"),
    "Crawl": ("crawl", "status", "log", "ui"),
    "Look into a corpus": ("explain", "reasons", "search", "stats", "verify"),
    "Publish": ("build", "dedup", "release", "remove", "export", "annotate", "upload"),
    "Extract without crawling": ("extract", "reextract", "batch"),
    "Learn and measure": ("train", "features", "evaluate"),
}
"""The verbs in the order of the help."""


@contextmanager
def _stopped_by_signals() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        raise typer.Exit(STOPPED) from None


class Verbs(TyperGroup):
    """The verbs, shown in groups, and without typer's prefix in messages on wrong options."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 -- typer calls it so
        """Write the verbs in groups."""
        width = formatter.width - 2 - max(map(len, self.commands)) - 2
        for title, names in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name, self.commands[name].get_short_help_str(width)) for name in names])

    def make_context(self, *args: Any, **extra: Any) -> Any:
        """Parse the arguments."""
        with _stopped_by_signals():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: Any) -> Any:
        """Run the verb."""
        try:
            with _stopped_by_signals():
                return super().invoke(ctx)
        except typer.BadParameter as error:
            error.message = error.message.removeprefix("Value error, ")
            raise


app = typer.Typer(
    cls=Verbs,
    help="Build text corpora from news portals. To crawl: `newscorpus crawl NAME`.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"newscorpus {version('newscorpus')}")
        raise typer.Exit


@app.callback()
def _main(
    _version: Annotated[
        bool, Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


Corpus = Annotated[Path, Argument(metavar="CORPUS", help="Folder of the corpus.", callback=check_corpus)]
Jobs = Annotated[int, Option(min=1, help="Number of processes.")]
Portal = Annotated[str, Option(metavar="NAME", help="Portal (name or .toml file) whose languages and template apply.")]
Template = Annotated[Path | None, Option(help="Plain template file, or a portal's .toml file.")]
Contact = Annotated[str, Option(envvar="NEWSCORPUS_CONTACT", help="Mail address or URL, for the user agent.")]


def page_at(source: str, url: str, contact: str) -> "Page":
    """Fetch the page at an address as a crawl would, from this machine also without a contact; or read a saved one.

    `url` is the address of a saved page.

    Raises:
        BadParameter: the contact is missing, or `url` goes with no saved page.
        ConnectionError: the page was not fetched.
    """
    from newscorpus.data import Page, Rejected
    from newscorpus.fetch.crawl import project_settings
    from newscorpus.page.page_files import read_source
    from newscorpus.spiders.one_page import fetch_page
    from newscorpus.urls import host_and_port, is_loopback, is_web

    if not is_web(source):
        return read_source(source, url)
    if url:
        raise typer.BadParameter("--url is for a saved page")
    contact = contact or project_settings().get("NEWSCORPUS_CONTACT", "")
    loopback = (host_and_port(source),) if is_loopback(source) else ()
    if not contact and not loopback:
        raise typer.BadParameter("a URL needs --contact (or NEWSCORPUS_CONTACT), so that the site can reach you")
    found: Page | Rejected = fetch_page(source, contact, loopback)
    if isinstance(found, Rejected):
        raise ConnectionError(f"{source} was not fetched: {', '.join(filter(None, (found.reason, found.detail)))}")
    return found


@contextmanager
def needs_extra(extra: str) -> Iterator[None]:
    """Name the extra to install if an import in the block fails."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise ImportError(f"{error.name} is not installed; install it by: pip install 'newscorpus[{extra}]'") from error


def chosen_recipe(
    extractor: Annotated[
        str, Option(metavar="NAME", help="Extractor: its name, or the folder of a model of your own.")
    ] = "",
    post_analysis: Annotated[
        str | None,
        Option(
            metavar="RULES",
            help="Rules that revise the labels of blocks, separated by commas; or mrozek, brezovnik, none.",
        ),
    ] = None,
    upper: Annotated[float | None, Option(help="Score above which a block is good.")] = None,
    lower: Annotated[float | None, Option(help="Score above which a block is almost good.")] = None,
    leave_out: Annotated[
        list[Part] | None, Option(help="Part of articles to leave out of the texts; repeatable.")
    ] = None,
    fields_model: Annotated[str, Option(metavar="FOLDER", help="Your own model for title, date and authors.")] = "",
    rights: Annotated[
        str, Option(help="If a site reserves machine use: record or skip (as NEWSCORPUS_RIGHTS).")
    ] = "record",
    quality: Annotated[Path | None, Option(help="File of filters and masks (as NEWSCORPUS_QUALITY).")] = None,
    no_filters: Annotated[bool, Option("--no-filters", help="Apply no filters and masks.")] = False,
) -> "Recipe":
    """Make the recipe from the options of a verb."""
    from newscorpus.config import QualityConfig, Revision
    from newscorpus.page.quality.assess import read_quality
    from newscorpus.page.recipe import Recipe
    from newscorpus.page.rights import RightsPolicy

    if rights not in list(RightsPolicy):
        raise typer.BadParameter(f"--rights is {rights!r}; known: {', '.join(RightsPolicy)}")
    if quality and no_filters:
        raise typer.BadParameter("--no-filters excludes --quality")
    filters = None if no_filters else read_quality(quality) if quality else QualityConfig()
    rules = None if post_analysis is None else tuple(filter(None, map(str.strip, post_analysis.split(","))))
    try:
        revision = Revision(rules, upper, lower).checked()
    except ValueError as error:
        raise typer.BadParameter(f"--post-analysis, --upper and --lower: {error}") from None
    model, fields_model = extractor or Recipe().extractor, fields_model or Recipe().fields_model
    parts = tuple(leave_out or ())
    return Recipe(model, RightsPolicy(rights), filters, revision, parts, fields_model=fields_model)


def with_recipe(*left_out: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Replace the parameter `make_recipe` of a verb by the options of `chosen_recipe`, except `left_out`.

    The verb gets a function that makes the recipe, since its imports take a second.
    """
    shared = {name: one for name, one in signature(chosen_recipe).parameters.items() if name not in left_out}

    def decorate(verb: Callable[..., None]) -> Callable[..., None]:
        @wraps(verb)
        def run(**given: Any) -> None:
            chosen = {name: given.pop(name) for name in shared}
            verb(make_recipe=partial(chosen_recipe, **chosen), **given)

        own = signature(verb).parameters.items()
        parameters = [option for name, one in own for option in (shared.values() if name == "make_recipe" else (one,))]
        run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in parameters}
        return run

    return decorate
