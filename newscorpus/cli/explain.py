"""Add the verbs `newscorpus explain` and `newscorpus reasons`."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from newscorpus.cli.app import Portal, Template, app, with_recipe
from newscorpus.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Callable

    from newscorpus.page.recipe import Recipe


class ExplainFormat(StrEnum):
    """Output formats of `explain`."""

    TEXT = "text"
    JSON = "json"
    HTML = "html"


@app.command()
@with_recipe("no_filters")
def explain(
    source: Annotated[str, Argument(metavar="SOURCE", help="URL, FILE.html, or - (HTML).")],
    corpus: Annotated[Path | None, Option(help="For URL: folder of the corpus.")] = None,
    page: Annotated[bool, Option("--page", help="For URL: also explain the archived page.")] = False,
    url: Annotated[str, Option(help="Address of the page in FILE.html.")] = "",
    portal: Portal = "",
    template: Template = None,
    profile: Annotated[Path | None, Option(metavar="FILE", help="Profile of the portal of FILE.html.")] = None,
    *,
    make_recipe: "Callable[[], Recipe]",
    as_json: Annotated[bool, Option("--json", help="Print one line of JSON (as --format json).")] = False,
    format: Annotated[  # noqa: A002
        ExplainFormat, Option(help="html: the page beside its text, fields and log, as one file.")
    ] = ExplainFormat.TEXT,
    output: Annotated[Path | None, Option(help="File for --format html; default: standard output.")] = None,
) -> None:
    """Explain the outcome of an address, or of a page.

    For a URL in a corpus: how it was found, when it was fetched, and why it is in or out. For a page: every field with
    agreeing and differing sources, and every block with its label, its score, and the rules or the profile that changed
    it.
    """
    import msgspec

    from newscorpus.urls import is_web
    from newscorpus.views.explain.address import explain as explain_address
    from newscorpus.views.explain.address import explanation_lines, page_lines

    if is_web(source) and (corpus is None or url or template or portal or profile):
        raise typer.BadParameter("a URL needs --corpus, and takes none of --url, --portal, --template, --profile")
    if corpus is not None and not is_web(source):
        raise typer.BadParameter("--corpus is for a URL")
    if portal and template:
        raise typer.BadParameter("--portal excludes --template")
    if output and format is not ExplainFormat.HTML:
        raise typer.BadParameter("--output goes with --format html")
    explanation = explain_address(corpus, source) if corpus else None
    shown = None
    if explanation is None or page or format is ExplainFormat.HTML:  # the imports take a second
        from newscorpus.page.page_files import page_origin, read_source, with_profile
        from newscorpus.page.recipe import add_profile
        from newscorpus.portal.profile import profiles_of
        from newscorpus.views.explain.page import archived_source, show_page

        origin = page_origin(portal, template)
        origin = with_profile(origin, profile) if profile else origin
        answered = explanation.answered if explanation else None
        place = (answered.archive_file, answered.archive_offset) if answered else ("", 0)
        found = archived_source(corpus, source, *place) if corpus else origin(read_source(source, url))
        recipe = make_recipe()
        shown = show_page(recipe, add_profile(recipe, profiles_of(corpus), found) if corpus else found)
    if shown and format is ExplainFormat.HTML:
        from newscorpus.terminal import sink
        from newscorpus.views.explain.page import saved_page

        with sink(output) as file:
            file.write(saved_page(shown, source))
    elif as_json or format is ExplainFormat.JSON:
        typer.echo(msgspec.json.encode({"address": explanation, "page": shown.view if shown else None}).decode())
    else:
        lines = [*(explanation_lines(explanation) if explanation else ()), *(page_lines(shown.view) if shown else ())]
        typer.echo("\n".join(lines))


@app.command()
def reasons(
    reason: Annotated[str, Argument(metavar="[REASON]", help="Such as fetch/http_404; without it, all.")] = "",
    corpus: Annotated[Path | None, Option(help="Folder of a corpus: only its reasons, with examples.")] = None,
) -> None:
    """Explain why pages are rejected, and what to change.

    With --corpus: the number of its pages by reason, the most frequent first, with examples.
    """
    from newscorpus.layout import LEDGER, REJECTED, check_corpus
    from newscorpus.store.reasons import find_reason, known_reasons, refusals
    from newscorpus.tokens import number_of, printable

    if reason:
        find_reason(reason)  # an unknown reason is an error
    if corpus and not any((check_corpus(corpus) / name).exists() for name in (LEDGER, REJECTED)):
        raise CorpusError(f"{corpus}: not the corpus of a crawl; it holds neither {LEDGER} nor {REJECTED}")
    met = {f"{one.stage}/{one.reason}": one for one in refusals([corpus])} if corpus else {}
    for name in (reason,) if reason else met if corpus else known_reasons():
        entry, found = find_reason(name), met.get(name)
        pages = f"  {number_of(found.number if found else 0, 'page')}" if corpus else ""
        typer.echo(printable(name) + pages)
        typer.echo(f"  {entry.means}\n  {entry.change}")
        for one in found.samples if found else ():
            typer.echo(f"    {printable(f'{one.url}  {one.detail}'.rstrip())}")
