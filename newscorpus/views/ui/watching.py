"""Watch crawls, and show what came out: the page that `newscorpus stats --output` writes, renewed while one runs."""

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from newscorpus.corpus.published import published_folder
from newscorpus.layout import LEDGER, MANIFEST
from newscorpus.views.stats.count import corpus_stats
from newscorpus.views.stats.crawl import crawl_state
from newscorpus.views.stats.page import shown
from newscorpus.views.ui.desk import desk_of


def view(request: Request) -> Response:
    """Show how the crawl of a corpus stands; while it runs the page asks for this again every few seconds."""
    desk, corpus, name = desk_of(request), desk_of(request).corpus(request), request.path_params["corpus"]
    crawl = crawl_state(corpus) if (corpus / LEDGER).is_file() else None
    is_published = (published_folder(corpus) / MANIFEST).is_file()
    values = {"corpus": name, "crawl": crawl, "is_published": is_published, "tries": True}
    return desk.render(request, "watch.html", f"Watch: {name}", **values)


async def contents(request: Request) -> Response:
    """Show what is in a corpus, and what was left out."""
    desk, corpus = desk_of(request), desk_of(request).corpus(request)
    found = await run_in_threadpool(corpus_stats, corpus)
    return desk.render(request, "contents.html", f"Watch: {found.name}", tries=True, **shown(found))
