"""Watch crawls: how each portal stands, what it gave over time, and its last pages."""

from dataclasses import asdict

from starlette.requests import Request
from starlette.responses import Response

from newscorpus.crawl.ledger.activity import last_pages, over_time
from newscorpus.crawl.ledger.shortfalls import shortfalls
from newscorpus.crawl.ledger.status import status
from newscorpus.ui.desk import desk_of


def view(request: Request) -> Response:
    """Show the state of a corpus; the page asks for it again every few seconds."""
    desk, corpus = desk_of(request), desk_of(request).corpus(request)
    portals = status(corpus)
    return desk.render(
        request,
        "watch.html",
        f"Watch: {request.path_params['corpus']}",
        here=request.url.path,
        portals=portals,
        spans={one.portal: over_time(corpus, one.portal) for one in portals},
        warnings={one.portal: list(shortfalls(asdict(one))) for one in portals},
        last=last_pages(corpus),
    )
