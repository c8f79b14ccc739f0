"""Add the verb `newscorpus crawl`."""

from typing import Annotated

import typer
from typer import Argument, Option

from newscorpus.cli.app import app


@app.command()
def crawl(
    names: Annotated[str, Argument(metavar="NAME[,NAME]", help="Portals, by name; all: every portal.")],
    arguments: Annotated[
        list[str] | None, Option("-a", metavar="KEY=VALUE", help="Argument, such as limit=20; repeatable.")
    ] = None,
    settings: Annotated[
        list[str] | None, Option("-s", metavar="KEY=VALUE", help="Setting, such as NEWSCORPUS_CONTACT; repeatable.")
    ] = None,
) -> None:
    """Crawl portals and build their corpus.

    The same as `scrapy crawl portal -a portal=NAME`, with the same exit codes, in any folder: with settings, portals
    and corpora of the Scrapy project around it, else with our settings and with `portals` and `corpora` in the folder
    itself. The first line says where the corpus lies. Run it again to go on with a crawl.
    """
    from newscorpus.addon.crawl import crawl_portals
    from newscorpus.errors import CrawlError
    from newscorpus.terminal import complain

    try:
        crawl_portals(names, arguments or (), settings or ())
    except CrawlError as error:
        complain(str(error))
        raise typer.Exit(2) from None
