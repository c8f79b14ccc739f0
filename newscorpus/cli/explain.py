"""`newscorpus explain`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from newscorpus.cli.app import EXTRACTOR_HELP, app
from newscorpus.cli.extract import PORTAL_HELP, QUALITY_HELP, RIGHTS_HELP, TEMPLATE_HELP, chosen_recipe

if TYPE_CHECKING:
    from newscorpus.explain.address import Explanation
    from newscorpus.recipe import SourcePage


@app.command()
def explain(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="URL, FILE.html, or - (HTML).")],
    corpus: Annotated[Path | None, typer.Option(help="Folder of the corpus, for a URL.")] = None,
    page: Annotated[bool, typer.Option("--page", help="Also what the extractor makes of the archived page.")] = False,
    url: Annotated[str, typer.Option(help="Address of the page in FILE.html.")] = "",
    extractor: Annotated[str, typer.Option(help=EXTRACTOR_HELP)] = "",
    portal: Annotated[str, typer.Option(help=f"For FILE. {PORTAL_HELP}")] = "",
    template: Annotated[Path | None, typer.Option(help=f"For FILE. {TEMPLATE_HELP}")] = None,
    rights: Annotated[str, typer.Option(help=RIGHTS_HELP)] = "record",
    quality: Annotated[Path | None, typer.Option(help=QUALITY_HELP)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As one line of JSON.")] = False,
) -> None:
    """Say what became of an address in a corpus, and why; or on what an extractor decides a page.

    Of a page: every field with the sources that agree and those that say something else, and every block with its
    label, its score and the rules that changed it.
    """
    from newscorpus.stored import is_web, page_origin, read_source

    if is_web(source) and (corpus is None or url or template or portal):
        raise typer.BadParameter("a URL needs --corpus, and takes neither --url nor --portal nor --template")
    if corpus is not None and not is_web(source):
        raise typer.BadParameter("--corpus is for a URL")
    if portal and template:
        raise typer.BadParameter("--portal excludes --template")
    explanation = shown = None
    if corpus is None:
        shown = page_origin(portal, template)(read_source(source, url))
    else:
        from newscorpus.explain.address import explain as explain_address

        explanation = explain_address(corpus, source)
        shown = _archived_page(corpus, explanation) if page else None
    _print(explanation, shown, extractor, rights, quality, as_json)


def _archived_page(corpus: Path, explanation: "Explanation") -> "SourcePage":
    from newscorpus.data import Rejected
    from newscorpus.explain.address import archived_page
    from newscorpus.portals.schema import list_portals, load_portal
    from newscorpus.stored import page_of_capture

    found = archived_page(corpus, explanation)
    if found is None or isinstance(found, Rejected):
        why = found.detail if found else "the archive of this corpus has no page of it"
        raise ValueError(f"{explanation.url}: {why}")
    return page_of_capture(found, tuple(map(load_portal, list_portals())))


def _print(
    explanation: "Explanation | None",
    page: "SourcePage | None",
    extractor: str,
    rights: str,
    quality: Path | None,
    as_json: bool,
) -> None:
    import msgspec

    from newscorpus.explain.lines import explanation_lines, page_lines
    from newscorpus.explain.page import inspect_page

    view = inspect_page(chosen_recipe(extractor, rights, quality), page) if page else None
    if as_json:
        typer.echo(msgspec.json.encode({"address": explanation, "page": view}).decode())
        return
    lines = [*(explanation_lines(explanation) if explanation else ()), *(page_lines(view) if view else ())]
    typer.echo("\n".join(lines))
