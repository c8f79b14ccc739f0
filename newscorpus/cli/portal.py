"""Add the verbs `newscorpus portal ...`."""

from collections import defaultdict
from datetime import UTC, datetime
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from newscorpus.cli.app import Contact, Jobs, app, page_at
from newscorpus.errors import CHECK_FAILED

if TYPE_CHECKING:
    from newscorpus.upkeep.adding import FirstCrawl

FIRST_ARTICLES = 20
MOST_PAGES = 60
"""Maximum responses of the first crawl: a minute at one a second."""
MOST_ADDRESSES = 20_000
"""Maximum addresses of a crawl that are judged; more would say the same."""
EXAMPLES = 3

Name = Annotated[str, Argument(metavar="NAME", help="Portal, by name or .toml file.")]

Corpus = Annotated[Path | None, Option(help="Folder of its corpus; by default that of `crawl NAME`.")]

portal = typer.Typer(help="Make and keep portal files.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(portal, name="portal")


@portal.command()
def find(
    word: Annotated[str, Argument(metavar="LANGUAGE", help="Code or name; or a country, or part of a host.")],
) -> None:
    """List the news sites of a language.

    These are the portals here, and the addresses of a public list, which nobody has checked until `portal add NAME`
    makes a portal of one.
    """
    from newscorpus.terminal import print_table
    from newscorpus.upkeep.sites import find_sites

    rows = [(site.name, " ".join(site.languages), site.url, site.known) for site in find_sites(word)]
    print_table(("name", "language", "address", "known"), rows)
    typer.echo("Next: newscorpus portal add NAME --contact you@example.org, then newscorpus crawl NAME", err=True)


@portal.command()
def add(
    source: Annotated[
        str, Argument(metavar="ADDRESS", help="Front page of a site, a name of `portal find`, or FILE.html, saved.")
    ],
    name: Annotated[str, Option(metavar="NAME", help="Name of the portal; by default from the host.")] = "",
    url: Annotated[str, Option(help="Address of the page in FILE.html, if the page does not declare it.")] = "",
    contact: Contact = "",
) -> None:
    """Write a portal file for a site: portals/NAME.toml.

    Fetches the front page, then crawls 20 articles as `crawl NAME` does, and shows the outcome of each. Links and pages
    give patterns for articles and sections; the file has the number of links that each matches. From a saved page only
    the links are used, and nothing is fetched.
    """
    from newscorpus.errors import PortalError
    from newscorpus.files import replace_file
    from newscorpus.portal.schema import own_portal_file
    from newscorpus.upkeep.adding import NO_CRAWL, draft_portal, propose_patterns, read_front_page
    from newscorpus.upkeep.sites import address_of
    from newscorpus.urls import is_web

    if not is_web(source) and not Path(source).exists():
        source = address_of(source)
    front = read_front_page(page_at(source, url, contact))
    if not (name or front.name):
        raise typer.BadParameter(f"{front.domain} gives the portal no name; name it by --name NAME")
    path = own_portal_file(name or front.name)
    if path.exists():
        raise PortalError(f"{path}: there already; `newscorpus portal try {path.stem}` shows what it does")
    path.parent.mkdir(parents=True, exist_ok=True)
    crawl = NO_CRAWL
    if is_web(source):
        replace_file(path, draft_portal(front, path.stem).encode())
        typer.echo(f"Wrote {path}; fetching up to {FIRST_ARTICLES} articles", err=True)
        crawl = _first_crawl(path.stem, contact)
    proposed = propose_patterns(front, crawl)
    replace_file(path, draft_portal(front, path.stem, crawl, proposed).encode())
    typer.echo(f"Wrote {path}")
    if front.barrier:
        typer.echo(f"Careful: {front.barrier}. A crawl may get little.")
    if not proposed.articles:
        typer.echo("No pattern stands out: each address and its page are judged. `articles` may name what is missed.")
    typer.echo(f"Read what each line takes. Then: newscorpus portal try {path.stem}, newscorpus crawl {path.stem}")
    if is_web(source) and not crawl.n_kept:
        raise typer.Exit(1)


@portal.command("try")
def try_portal(
    name: Name,
    page: Annotated[Path | None, Option(metavar="FILE", help="Saved page whose links are judged.")] = None,
    corpus: Corpus = None,
    contact: Contact = "",
) -> None:
    """Show how a crawl would treat each link, and why.

    A link is an article, a section, ignored or a trap. Judges the addresses of the portal's last crawl, or else the
    links of the first start page, which is fetched. Nothing is written.
    """
    from newscorpus.fetch.options import default_corpus
    from newscorpus.layout import LEDGER
    from newscorpus.portal.addresses import PAGE_KINDS, plain_address
    from newscorpus.portal.schema import load_portal
    from newscorpus.store.ledger.addresses import met_addresses
    from newscorpus.terminal import print_table
    from newscorpus.upkeep.adding import VERDICTS, judge_address, read_front_page

    rules, folder = load_portal(name), corpus or default_corpus(name)
    urls: list[str] = []
    if page is None and (folder / LEDGER).is_file():
        urls = [one.url for one in met_addresses(folder, rules.name, MOST_ADDRESSES) if one.kind in PAGE_KINDS]
    if not urls:
        front = read_front_page(page_at(str(page or rules.start[0]), rules.start[0] if page else "", contact))
        urls = [link.url for link in front.links]
    groups, today = defaultdict[tuple[str, str], list[str]](list), datetime.now(UTC).date()
    for url in dict.fromkeys(map(plain_address, urls)):
        verdict, why = judge_address(url, rules, today)
        groups[verdict, why].append(url)
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

    Shows the matches of each rule, and how often each field agrees with the extractor without the template, with the
    page's structured data, and with your marks (CORPUS/gold). Exit code 3: a check failed; standard error names it.
    """
    from newscorpus.fetch.options import default_corpus
    from newscorpus.page.recipe import Recipe
    from newscorpus.portal.schema import load_portal
    from newscorpus.terminal import complain, print_table, progress
    from newscorpus.upkeep.check import check as check_portal

    folder = corpus or default_corpus(name)
    found = check_portal(folder, load_portal(name), Recipe(), jobs, partial(progress, what="pages"))
    rules = [(one.field, one.rule, one.pages, one.hits, ", ".join(map(repr, one.misfits))) for one in found.rules]
    if rules:
        print_table(("field", "rule", "pages", "hits", "cannot be its value"), rules)
    fields: list[tuple[object, ...]] = []
    for one in found.fields:
        compared = (one.model, one.structured, one.marks)  # pages that agree, and that differ
        shares = (f"{same} of {same + other}" if same + other else "" for same, other in compared)
        fields.append((one.field, one.filled, one.empty, one.by_template, *shares, ", ".join(one.examples)))
    columns = ("field", "value", "empty", "by template", "as model", "as structured", "as marked", "differs on")
    print_table(columns, fields)
    typer.echo(f"pages with an article: {found.pages}")
    for warning in found.warnings:
        typer.echo(f"warning: {warning}", err=True)
    for failed, why in found.failed.items():
        complain(f"check {failed} failed: {why}")
    if found.failed:
        raise typer.Exit(CHECK_FAILED)
    typer.echo("all checks passed")


def _first_crawl(name: str, contact: str) -> "FirstCrawl":
    """Crawl the first articles of a portal and print the outcome of each page."""
    from newscorpus.fetch.options import default_corpus
    from newscorpus.terminal import print_table
    from newscorpus.upkeep.adding import read_first_crawl
    from newscorpus.views.explain.address import explain

    command = ["crawl", name, f"--limit={FIRST_ARTICLES}", "-s", f"CLOSESPIDER_PAGECOUNT={MOST_PAGES}"]
    command += [f"--contact={contact}"] if contact else []
    process = get_context("spawn").Process(target=app, args=(command,))  # Scrapy runs once in a process
    process.start()
    process.join()
    if process.exitcode not in {0, 1}:
        raise typer.Exit(process.exitcode or 1)
    corpus = default_corpus(name)
    crawl = read_first_crawl(corpus, name)
    rows: list[tuple[object, ...]] = []
    for found in (explain(corpus, address) for address in crawl.judged):
        if found.rejected:
            rows.append((f"{found.rejected.stage}/{found.rejected.reason}", "", found.rejected.detail, found.url))
        elif found.row:
            rows.append((found.fate, found.row.n_words, found.row.title, found.url))
    if rows:
        print_table(("outcome", "words", "headline, or why not", "address"), rows)
    return crawl
