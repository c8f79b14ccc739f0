"""`newscorpus explain`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from newscorpus.cli.app import EXTRACTOR_HELP, app, default_extractor

if TYPE_CHECKING:
    from newscorpus.explain.address import Explanation
    from newscorpus.explain.page import PageView


@app.command()
def explain(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="URL, FILE.html, or - (HTML).")],
    corpus: Annotated[Path | None, typer.Option(help="Folder of the corpus, for a URL.")] = None,
    page: Annotated[bool, typer.Option("--page", help="Also what the extractor makes of the archived page.")] = False,
    url: Annotated[str, typer.Option(help="Address of the page in FILE.html.")] = "",
    extractor: Annotated[str, typer.Option(help=EXTRACTOR_HELP)] = "",
    template: Annotated[Path | None, typer.Option(help="For FILE: plain template, or a portal's .toml file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As one line of JSON.")] = False,
) -> None:
    """Tell what became of an address in a corpus, and why; or on what an extractor decides a page.

    Of a page: every field with the sources that agree and those that say something else, and every block with its
    label, its score and the rules that changed it.
    """
    from newscorpus.stored import is_web

    if is_web(source) and (corpus is None or url or template):
        raise typer.BadParameter("a URL needs --corpus, and takes neither --url nor --template")
    if corpus is not None and not is_web(source):
        raise typer.BadParameter("--corpus is for a URL")
    name = extractor or default_extractor()
    if corpus is None:
        _tell(None, _view_of_file(source, url, name, template), as_json)
    else:
        _explain_address(corpus, source, name, page, as_json)


def _explain_address(corpus: Path, url: str, extractor: str, page: bool, as_json: bool) -> None:
    from newscorpus.explain.address import explain as explain_address

    said = explain_address(corpus, url)
    view = _view_of_archived(corpus, said, extractor) if page else None
    _tell(said, view, as_json)


def _view_of_archived(corpus: Path, said: "Explanation", extractor: str) -> "PageView":
    from newscorpus.data import Rejected
    from newscorpus.explain.address import archived_page
    from newscorpus.explain.page import inspect_page
    from newscorpus.portals.schema import list_portals, load_portal
    from newscorpus.recipe import Recipe
    from newscorpus.stored import page_of_capture

    found = archived_page(corpus, said)
    if found is None or isinstance(found, Rejected):
        raise ValueError(f"{said.url}: {found.detail if found else 'the archive of this corpus has no page of it'}")
    return inspect_page(page_of_capture(found, tuple(map(load_portal, list_portals()))), Recipe(extractor))


def _view_of_file(source: str, url: str, extractor: str, template: Path | None) -> "PageView":
    from dataclasses import replace

    from newscorpus.explain.page import inspect_page
    from newscorpus.recipe import Recipe, SourcePage
    from newscorpus.stored import load_template, read_source

    fetched = SourcePage(read_source(source, url), "")
    if template:
        rules = load_template(template)
        fetched = replace(fetched, source=rules.name, template=rules.section)
    return inspect_page(fetched, Recipe(extractor))


def _tell(said: "Explanation | None", view: "PageView | None", as_json: bool) -> None:
    import msgspec

    from newscorpus.explain.lines import explanation_lines, page_lines

    if as_json:
        typer.echo(msgspec.json.encode({"address": said, "page": view}).decode())
        return
    lines = [*(explanation_lines(said) if said else ()), *(page_lines(view) if view else ())]
    typer.echo("\n".join(lines))
