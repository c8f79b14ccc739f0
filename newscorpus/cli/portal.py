"""Add the verbs `newscorpus portal ...`."""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import astuple
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option
from typer.core import TyperGroup

from newscorpus.cli.app import Jobs, app

if TYPE_CHECKING:
    from newscorpus.data import Article
    from newscorpus.upkeep.check import PortalCheck
    from newscorpus.upkeep.score import Lead
    from newscorpus.upkeep.templates.learn import LearnedTemplate

CHECK_FAILED = 3
"""Exit code of a check that failed."""

Name = Annotated[str, Argument(metavar="NAME", help="Portal, by name or .toml file.")]

Corpus = Annotated[Path | None, Option(help="Folder of its corpus; by default that of `crawl NAME`.")]

STEPS = ("add", "try", "learn", "check", "heal", "score", "use", "import")
"""In the order in which one meets them, as the help shows them."""


class Steps(TyperGroup):
    """The verbs of portal files."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 -- typer calls it so
        """The names of the verbs."""
        return sorted(self.commands, key=STEPS.index)


portal = typer.Typer(cls=Steps, help="Make and keep portal files.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(portal, name="portal")


@portal.command("import")
def import_rule(
    file: Annotated[Path, Argument(metavar="FILE", help="Site rule of Full-Text RSS, such as bbc.co.uk.txt.")],
) -> None:
    """Print a site rule of Full-Text RSS as a [template].

    Lines that a template has nothing like are named in comments, with the reason.
    """
    from newscorpus.portals.site_rules import as_portal_table, read_site_rule

    typer.echo(as_portal_table(file.name, read_site_rule(file)), nl=False)


@portal.command()
def check(
    name: Name,
    corpus: Corpus = None,
    jobs: Jobs = 1,
) -> None:
    """Check a portal's file against the pages of its archive.

    Shows how often each rule hits, and how often each field agrees with what the extractor finds without the template,
    with the page's structured data, and with pages that you marked (CORPUS/gold). Exit code 3: a check failed, which is
    named on standard error.
    """
    from newscorpus.addon.options import default_corpus
    from newscorpus.portals.schema import load_portal
    from newscorpus.recipe import Recipe
    from newscorpus.terminal import complain, progress
    from newscorpus.upkeep.check import check as check_portal

    folder = corpus or default_corpus(name)
    found = check_portal(folder, load_portal(name), Recipe(), jobs, partial(progress, what="pages"))
    _print_check(found)
    _warn(found.warnings)
    for failed, why in found.failed.items():
        complain(f"check {failed} failed: {why}")
    if found.failed:
        raise typer.Exit(CHECK_FAILED)


@portal.command()
def learn(
    name: Name,
    corpus: Corpus = None,
    write: Annotated[bool, Option("--write", help="Add it to the portal's file, if that has no template.")] = False,
    ask: Annotated[
        bool | None, Option("--ask/--no-ask", help="Show five pages for your yes or no; by default in a terminal.")
    ] = None,
    who: Annotated[str, Option(metavar="NAME", help="Your name, kept with your answers.")] = "me",
    jobs: Jobs = 1,
) -> None:
    """Learn a [template] from archived pages, and print it.

    Comments say on how many pages each rule hits, and how each field agrees with the model and with structured data.
    Template and model agreeing proves little, since one came from the other: five pages are shown for your yes or no,
    which is kept in CORPUS/gold. After a no nothing is written, and the page waits to be marked (`newscorpus ui`).
    """
    from newscorpus.addon.options import default_corpus
    from newscorpus.portals.schema import find_file, load_portal
    from newscorpus.portals.writing import add_template, as_toml, template_table
    from newscorpus.recipe import Recipe
    from newscorpus.terminal import progress
    from newscorpus.upkeep.templates.learn import learn_template, notes_of

    folder, found = corpus or default_corpus(name), load_portal(name)
    if write and found.templates:
        raise ValueError(f"{find_file(name)}: it has a template, which is not overwritten")
    learned = learn_template(folder, found, Recipe(), jobs, partial(progress, what="pages"))
    table = template_table(learned.rules, notes_of(learned.check))
    typer.echo(as_toml([f"Learned from {learned.check.pages} pages of {folder}."], table), nl=False)
    _warn((*learned.check.warnings, *learned.check.failed.values()))
    is_asked = sys.stdin.isatty() if ask is None else ask
    wrong = _ask(folder, learned, who) if is_asked else 0
    if wrong:
        raise ValueError(
            f"{wrong} of the pages are wrong, so nothing is written; mark them in the browser: newscorpus ui"
        )
    if write:
        add_template(find_file(name), table)
        typer.echo(f"wrote {find_file(name)}", err=True)


def _ask(corpus: Path, learned: "LearnedTemplate", who: str) -> int:
    """Show pages as the template reads them, keep what the person says, and count those that are wrong."""
    from newscorpus.recipe import Recipe
    from newscorpus.upkeep.templates.learn import SHOWN_PAGES, keep_answer, pages_to_show, read_by_template

    read = ((page, read_by_template(Recipe(), page)) for page in pages_to_show(learned.pages))
    wrong, shown = 0, 0
    for page, article in read:
        if article is None:
            continue
        _show(article)
        is_right = typer.confirm("Is this the whole text of the article, and nothing else?", err=True)
        keep_answer(corpus, page, article, who, is_right=is_right)
        wrong, shown = wrong + (not is_right), shown + 1
        if shown == SHOWN_PAGES:
            break
    return wrong


def _show(article: "Article") -> None:
    """Print an article on standard error, so that standard output holds the template alone."""
    from newscorpus.tokens import printable

    fields = article.fields
    lines = (article.url, fields.title, ", ".join(fields.authors), fields.published, "", *article.text.split("\n"))
    typer.echo("\n".join(["", *map(printable, lines), ""]), err=True)


@portal.command()
def heal(
    name: Name,
    corpus: Corpus = None,
    since: Annotated[
        str, Option(metavar="DATE", help="First day of the new design; by default as the alarm says.")
    ] = "",
    write: Annotated[
        bool, Option("--write", help="Add the version to the portal's file, and end the old one.")
    ] = False,
    jobs: Jobs = 1,
) -> None:
    """Mend a [template] after a redesign of the site.

    Finds where each field went, and prints a new version of the template. It holds from the day
    of the first different page on; the old one stays for the pages before it.
    """
    from newscorpus.addon.options import default_corpus
    from newscorpus.portals.schema import find_file, load_portal
    from newscorpus.portals.writing import add_version, as_toml, template_table
    from newscorpus.recipe import Recipe
    from newscorpus.terminal import progress
    from newscorpus.upkeep.templates.heal import heal_template, notes_of_moves

    folder = corpus or default_corpus(name)
    first = str(_day(since)) if since else ""
    healed = heal_template(folder, load_portal(name), Recipe(), first, jobs, partial(progress, what="pages"))
    _warn((*healed.check.warnings, *healed.check.failed.values()))
    if healed.rules == healed.before:
        typer.echo("The rules of the template are right still: nothing is to be done.", err=True)
        return
    table = template_table(healed.rules, notes_of_moves(healed), healed.since)
    comments = [f"The design since {healed.since}, from {healed.check.pages} pages of {folder}."]
    typer.echo(as_toml(comments, table, is_version=True), nl=False)
    if write:
        add_version(find_file(name), table, healed.since)
        typer.echo(f"wrote {find_file(name)}; next: newscorpus reextract {folder} --apply", err=True)


@portal.command()
def score(
    name: Name,
    gold: Annotated[
        Path, Option(metavar="PAGES", help="File of pages that you marked, such as CORPUS/gold/NAME.jsonl.")
    ],
    profile: Annotated[
        Path | None, Option(metavar="FILE", help="Profile of the portal; by default that of its corpus.")
    ] = None,
    jobs: Jobs = 1,
) -> None:
    """Say which reads a portal best, on pages that you marked.

    Shows the mean page F1 of the model, the profile and the template with 95 % intervals, and how many
    more pages would settle which is best.
    """
    from newscorpus.addon.options import default_corpus
    from newscorpus.portals.schema import load_portal
    from newscorpus.profiles.profile import ProfileFile, profiles_of, read_profile
    from newscorpus.recipe import Recipe
    from newscorpus.terminal import progress
    from newscorpus.upkeep.score import score as score_portal

    found = load_portal(name)
    kept = profiles_of(default_corpus(name)).get(found.name)
    file = ProfileFile(profile, read_profile(profile).hash) if profile else kept
    scored = score_portal(found, gold, Recipe(), file, jobs, partial(progress, what="pages read"))
    rows = [(one.name, *(f"{value:.3f}" for value in astuple(one.f1))) for one in scored.readers]
    print_table(("by", "mean page F1", "from", "to"), rows)
    typer.echo(f"pages: {scored.pages}")
    for lead in scored.leads:
        typer.echo(_say_lead(lead))


def _say_lead(lead: "Lead") -> str:
    by = f"{lead.by.value:.3f} ({lead.by.low:+.3f} to {lead.by.high:+.3f})"
    if lead.more_pages == 0:
        return f"{lead.best} is better than {lead.other} by {by}"
    more = f"some {lead.more_pages} more pages" if lead.more_pages else "no number of pages that a person marks"
    return f"{lead.best} leads {lead.other} by {by}; {more} would settle it"


@portal.command()
def use(
    name: Name,
    model: Annotated[str, Argument(metavar="MODEL", help="Extractor: its name, or the folder of your own model.")],
) -> None:
    """Let a portal's pages be extracted by a model of your own.

    Writes `extractor` into its file; a bundled portal gets a file in your folder `portals`, which goes before it.
    """
    from newscorpus.files import replacing
    from newscorpus.portals.schema import find_file, load_portal, own_portal_file, read_portal
    from newscorpus.portals.writing import with_value
    from newscorpus.published.registry import load_whole

    load_whole(model)  # one that is missing or broken is said now, and not by the next crawl
    path, found = find_file(name), load_portal(name)
    target = path if path.suffix == ".toml" and str(path) == name else own_portal_file(found.name)
    text = with_value(path.read_text("utf-8"), "extractor", model)
    read_portal(text, target)
    target.parent.mkdir(parents=True, exist_ok=True)
    with replacing(target) as file:
        file.write(text.encode())
    typer.echo(f"wrote {target}; next: newscorpus reextract CORPUS --diff")


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(f"--since is {text!r}; expected a day such as 2026-11-20") from None


def _warn(warnings: Iterable[str]) -> None:
    for warning in warnings:
        typer.echo(f"warning: {warning}", err=True)


def _print_check(found: "PortalCheck") -> None:
    """Print the table of the rules, and that of the fields; "same/other" count pages."""
    rules = [(one.field, one.rule, one.pages, one.hits, ", ".join(map(repr, one.misfits))) for one in found.rules]
    if rules:
        print_table(("field", "rule", "pages", "hits", "cannot be its value"), rules)
    fields = [
        (
            *(one.field, one.filled, one.empty, one.by_template, *map(_pair, (one.model, one.structured, one.marks))),
            ", ".join(one.examples),
        )
        for one in found.fields
    ]
    columns = ("field", "value", "empty", "by template", "as model", "as structured", "as marked", "differs on")
    print_table(columns, fields)
    typer.echo(f"pages with an article: {found.pages}")


def _pair(counts: tuple[int, int]) -> str:
    """Write how many pages agree, of those that can be compared."""
    return f"{counts[0]} of {sum(counts)}" if sum(counts) else ""


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table whose cells may hold anything that a page says."""
    from rich.table import Table
    from rich.text import Text

    from newscorpus.terminal import table_console
    from newscorpus.tokens import printable

    table = Table(box=None, pad_edge=False)
    for name in columns:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*(Text(printable(str(cell))) for cell in row))
    table_console().print(table)
