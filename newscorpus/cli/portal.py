"""Add the verbs `newscorpus portal ...`."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option
from typer.core import TyperGroup

from newscorpus.cli.app import Contact, Jobs, app, fetch

if TYPE_CHECKING:
    from newscorpus.data import Page
    from newscorpus.upkeep.adding import FrontPage
    from newscorpus.upkeep.check import PortalCheck

CHECK_FAILED = 3
"""Exit code of a check that failed."""
FIRST_ARTICLES = 20
MOST_PAGES = 60
"""Answers with which the first crawl ends where it finds fewer articles: a minute at one a second."""
MOST_ADDRESSES = 20_000
"""Addresses of a crawl that are judged; more would say the same."""
EXAMPLES = 3

Name = Annotated[str, Argument(metavar="NAME", help="Portal, by name or .toml file.")]

Corpus = Annotated[Path | None, Option(help="Folder of its corpus; by default that of `crawl NAME`.")]

STEPS = ("add", "try", "check")
"""In the order in which one meets them, as the help shows them."""


class Steps(TyperGroup):
    """The verbs of portal files."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 -- typer calls it so
        """The names of the verbs."""
        return sorted(self.commands, key=STEPS.index)


portal = typer.Typer(cls=Steps, help="Make and keep portal files.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(portal, name="portal")


@portal.command()
def add(
    source: Annotated[str, Argument(metavar="ADDRESS", help="Front page of a site, or FILE.html with it, saved.")],
    name: Annotated[str, Option(metavar="NAME", help="Name of the portal; by default from the host.")] = "",
    url: Annotated[str, Option(help="Address of the page in FILE.html, where it does not say it.")] = "",
    contact: Contact = "",
) -> None:
    """Write a portal file for a site: portals/NAME.toml.

    Fetches the front page, then crawls 20 articles as `crawl NAME` does, within robots.txt and the usual pauses, and
    shows what came out of each. The links and pages seen say which addresses are articles and which are sections; the
    file says how many each pattern takes. Of a saved page the links alone are read, and nothing is fetched.
    """
    from newscorpus.errors import PortalError
    from newscorpus.files import replacing
    from newscorpus.portal.schema import own_portal_file
    from newscorpus.upkeep.adding import NO_CRAWL, draft_portal, propose_patterns, read_first_crawl, read_front_page
    from newscorpus.urls import is_web

    front = read_front_page(_page(source, url, contact))
    path = own_portal_file(name or front.name)
    if path.exists():
        raise PortalError(f"{path}: there already; `newscorpus portal try {path.stem}` shows what it does")
    path.parent.mkdir(parents=True, exist_ok=True)
    crawl = NO_CRAWL
    if is_web(source):
        with replacing(path) as file:
            file.write(draft_portal(front, path.stem).encode())
        typer.echo(f"Wrote {path}; fetching up to {FIRST_ARTICLES} articles", err=True)
        corpus = _crawl(path.stem, contact)
        crawl = read_first_crawl(corpus, path.stem)
        _print_outcomes(corpus, crawl.judged)
    proposed = propose_patterns(front, crawl)
    with replacing(path) as file:
        file.write(draft_portal(front, path.stem, crawl, proposed).encode())
    _say_what_next(front, path, has_patterns=bool(proposed.articles))
    if is_web(source) and not crawl.n_kept:
        raise typer.Exit(1)


@portal.command("try")
def try_portal(
    name: Name,
    page: Annotated[Path | None, Option(metavar="FILE", help="Saved page whose links are judged.")] = None,
    corpus: Corpus = None,
    contact: Contact = "",
) -> None:
    """Show what a crawl would do with each link, and why.

    A link is an article, a section, ignored or a trap.

    Judges the addresses that the portal's last crawl met; where there was none, the links of the first start page,
    which is then fetched. Nothing is written.
    """
    from newscorpus.fetch.options import default_corpus
    from newscorpus.portal.schema import load_portal
    from newscorpus.terminal import print_table
    from newscorpus.upkeep.adding import VERDICTS, judge_addresses, read_front_page

    rules = load_portal(name)
    urls = [] if page else _met(rules.name, corpus or default_corpus(name))
    if not urls:
        front = read_front_page(_page(str(page or rules.start[0]), rules.start[0] if page else "", contact))
        urls = [link.url for link in front.links]
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for judged in judge_addresses(urls, rules, datetime.now(UTC).date()):
        groups[judged.verdict, judged.why].append(judged.url)
    ordered = sorted(groups.items(), key=lambda item: (VERDICTS.index(item[0][0]), -len(item[1]), item[0]))
    rows = [(*key, len(found), ", ".join(found[:EXAMPLES])) for key, found in ordered]
    print_table(("verdict", "why", "links", "such as"), rows)


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
    from newscorpus.fetch.options import default_corpus
    from newscorpus.page.recipe import Recipe
    from newscorpus.portal.schema import load_portal
    from newscorpus.terminal import complain, progress
    from newscorpus.upkeep.check import check as check_portal

    folder = corpus or default_corpus(name)
    found = check_portal(folder, load_portal(name), Recipe(), jobs, partial(progress, what="pages"))
    _print_check(found)
    for warning in found.warnings:
        typer.echo(f"warning: {warning}", err=True)
    for failed, why in found.failed.items():
        complain(f"check {failed} failed: {why}")
    if found.failed:
        raise typer.Exit(CHECK_FAILED)


def _print_check(found: "PortalCheck") -> None:
    """Print the table of the rules, and that of the fields; "same/other" count pages."""
    from newscorpus.terminal import print_table

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


def _page(source: str, url: str, contact: str) -> "Page":
    """Fetch the page at an address, or read one that was saved."""
    from newscorpus.fetch.crawl import project_settings
    from newscorpus.store.pages import read_source
    from newscorpus.urls import host_and_port, is_loopback, is_web

    if not is_web(source):
        return read_source(source, url)
    if url:
        raise typer.BadParameter("--url is for a saved page")
    contact = contact or project_settings().get("NEWSCORPUS_CONTACT", "")
    loopback = (host_and_port(source),) if is_loopback(source) else ()
    if not contact and not loopback:
        raise typer.BadParameter("an address needs --contact (or NEWSCORPUS_CONTACT), so that the site can reach you")
    return fetch(source, contact, loopback)


def _crawl(name: str, contact: str) -> Path:
    """Crawl the first articles of a portal, in a process of its own as Scrapy runs once in each; gives the corpus."""
    from newscorpus.fetch.options import default_corpus

    command = ["crawl", name, "-a", f"limit={FIRST_ARTICLES}", "-s", f"CLOSESPIDER_PAGECOUNT={MOST_PAGES}"]
    command += ["-s", f"NEWSCORPUS_CONTACT={contact}"] if contact else []
    process = get_context("spawn").Process(target=app, args=(command,))
    process.start()
    process.join()
    if process.exitcode not in {0, 1}:
        raise typer.Exit(process.exitcode or 1)
    return default_corpus(name)


def _print_outcomes(corpus: Path, urls: Sequence[str]) -> None:
    """Print what came out of each page."""
    from newscorpus.terminal import print_table
    from newscorpus.views.explain.address import explain

    rows: list[tuple[object, ...]] = []
    for found in (explain(corpus, url) for url in urls):
        if found.rejected:
            rows.append((f"{found.rejected.stage}/{found.rejected.reason}", "", found.rejected.detail, found.url))
        elif found.row:
            rows.append((found.fate, found.row.n_words, found.row.title, found.url))
    if rows:
        print_table(("outcome", "words", "headline, or why not", "address"), rows)


def _say_what_next(front: "FrontPage", path: Path, *, has_patterns: bool) -> None:
    typer.echo(f"Wrote {path}")
    if front.barrier:
        typer.echo(f"Careful: {front.barrier}. A crawl may get little.")
    if not has_patterns:
        typer.echo("No pattern stands out: each address and its page are judged. `articles` may name what is missed.")
    typer.echo(f"Read what each line takes. Then: newscorpus portal try {path.stem}, newscorpus crawl {path.stem}")


def _met(name: str, corpus: Path) -> list[str]:
    """The pages that the crawl of a portal met; none where there was no crawl."""
    from newscorpus.layout import LEDGER
    from newscorpus.portal.addresses import PAGE_KINDS
    from newscorpus.store.ledger.addresses import met_addresses

    if not (corpus / LEDGER).is_file():
        return []
    return [one.url for one in met_addresses(corpus, name, MOST_ADDRESSES) if one.kind in PAGE_KINDS]
