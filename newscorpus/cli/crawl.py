"""Add the verb `newscorpus crawl`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from newscorpus.cli.app import Contact, app

if TYPE_CHECKING:
    from newscorpus.batch.crawls import Crawls

REFRESH_SECONDS = 2
DAY = "YYYY-MM-DD"


@app.command()
def crawl(
    names: Annotated[str, Argument(metavar="NAME[,NAME]", help="Portals, by name; all: those in portals/.")],
    limit: Annotated[
        int,
        Option(min=0, help="End when the corpus has so many articles, those of earlier crawls included; 0: no limit."),
    ] = 0,
    since: Annotated[str, Option(metavar=DAY, help="Collect articles published on this day or later.")] = "",
    until: Annotated[str, Option(metavar=DAY, help="Collect articles published on this day or earlier.")] = "",
    revisit: Annotated[
        str, Option(metavar="due|all|articles", help="Fetch again: what is due, every list, or every list and article.")
    ] = "",
    urls: Annotated[str, Option(metavar="FILE", help="Fetch only the addresses in FILE, one a line.")] = "",
    fresh: Annotated[bool, Option("--fresh", help="Ask, then remove the corpus and start over.")] = False,
    contact: Contact = "",
    arguments: Annotated[
        list[str] | None, Option("-a", metavar="KEY=VALUE", help="Argument of Scrapy, such as fresh=yes; repeatable.")
    ] = None,
    settings: Annotated[
        list[str] | None, Option("-s", metavar="KEY=VALUE", help="Setting, such as DOWNLOAD_TIMEOUT=20; repeatable.")
    ] = None,
    at_once: Annotated[
        int, Option(min=0, help="Crawl each portal by itself, in its own corpus, so many at a time; 0: all as one.")
    ] = 0,
    part: Annotated[str, Option(metavar="N/M", help="With --at-once: the Nth of M parts, one a machine.")] = "",
) -> None:
    """Crawl portals and build their corpus.

    Like `scrapy crawl portal -a portal=NAME`, with the same exit codes, in any folder: with settings, portals and
    corpora of the Scrapy project around it, else with our settings, and `portals` and `corpora` in the current folder.
    The first line names the folder of the corpus. Run the command again to resume a crawl.
    """
    from newscorpus.batch.crawls import Crawls, Machine, group
    from newscorpus.fetch.crawl import crawl_portals
    from newscorpus.spiders.arguments import named_portals

    if part and not at_once:
        raise typer.BadParameter("--part goes with --at-once")
    if at_once and any(pair.startswith("NEWSCORPUS_CORPUS=") for pair in settings or ()):
        raise typer.BadParameter("with --at-once each portal has a corpus of its own; leave NEWSCORPUS_CORPUS out")
    options = {"limit": limit, "since": since, "until": until, "revisit": revisit, "urls": urls, "fresh": int(fresh)}
    arguments = [*(f"{name}={value}" for name, value in options.items() if value), *(arguments or ())]
    settings = [*([f"NEWSCORPUS_CONTACT={contact}"] if contact else ()), *(settings or ())]
    wanted = named_portals(names)  # a wrong name is an error before anything is printed
    if not at_once:
        crawl_portals(names, arguments, settings)
    groups, machine = group(wanted), Machine.read(part or "1/1")
    own = [one for one in groups if machine.has(one)]
    n_portals = sum(len(one.portals) for one in own)
    typer.echo(f"Portals: {n_portals} of {len(wanted)}; sites: {len(own)}", err=True)
    given = [text for pair in arguments for text in ("-a", pair)]
    given += [text for pair in settings for text in ("-s", pair)]
    codes = _run(Crawls(own, given), at_once)
    raise typer.Exit(max((code if code >= 0 else 1 for code in codes), default=0))


def _run(crawls: "Crawls", at_once: int) -> list[int]:
    """Run crawls and show their progress.

    Returns: their exit codes.
    """
    from contextlib import nullcontext

    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    def running() -> Text:
        return Text("\n".join(f"{crawl.portal}: {_standing(crawl.corpus)}" for crawl in crawls.running))

    codes, console = [], Console(stderr=True)
    live = Live(get_renderable=running, console=console, refresh_per_second=1 / REFRESH_SECONDS, transient=True)
    with live if console.is_terminal else nullcontext():
        for crawl in crawls.run(at_once):
            codes.append(crawl.code or 0)
            line = f"{crawl.portal}: {crawl.end}; {_standing(crawl.corpus)}; its log: {crawl.log}"
            console.out(line, highlight=False)  # above the display
    return codes


def _standing(corpus: Path) -> str:
    """Say in a few words how far a crawl is."""
    from newscorpus.errors import LedgerError
    from newscorpus.store.ledger.status import status

    try:
        found = status(corpus)
    except LedgerError:
        return "no ledger yet"
    return f"{sum(one.kept for one in found):,} kept, {sum(one.queued for one in found):,} queued"
