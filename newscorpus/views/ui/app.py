"""Make the application: its routes, its guard, and how it answers errors."""

import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from newscorpus.config import Limits
from newscorpus.page.recipe import Recipe, prepare
from newscorpus.terminal import describe
from newscorpus.views.explain.html import SCRIPT, STYLE
from newscorpus.views.stats.page import STYLE as CORPUS_STYLE
from newscorpus.views.ui import documents, leaving_out, marking, portals, reading, running, trying, watching
from newscorpus.views.ui.desk import HERE, Desk, desk_of, do, named
from newscorpus.views.ui.jobs import Jobs
from newscorpus.views.ui.safety import Guard
from newscorpus.workers import WorkerPool

KINDS = {".css": "text/css", ".js": "text/javascript"}

STATIC = {
    "shown.css": ("text/css", STYLE),
    "corpus.css": ("text/css", CORPUS_STYLE),
    "shown.js": ("text/javascript", SCRIPT),
    **{
        path.name: (KINDS[path.suffix], path.read_text("utf-8"))
        for path in (HERE / "static").iterdir()
        if path.suffix in KINDS
    },
}
"""The files that our pages load, by name."""


def make_app(corpora: Sequence[Path], hosts: Sequence[str], password: str = "", contact: str = "") -> Starlette:
    """Make the application that serves `corpora` to those who call it by one of `hosts` (`host:port`).

    Args:
        corpora: folders.
        hosts: what the Host header may say.
        password: that is asked for; "" for none.
        contact: for the user agent, where a page from the web is tried; "": nothing is fetched.

    Raises:
        CorpusError: a folder is missing.
    """
    pool = WorkerPool(do, 1, Limits().page_seconds, partial(prepare, Recipe()))
    desk = Desk(named(corpora), secrets.token_urlsafe(), contact, pool, Jobs())

    @asynccontextmanager
    async def closing_pool(_app: Starlette) -> AsyncIterator[None]:
        with pool, closing(desk.jobs):
            yield

    app = Starlette(
        routes=[
            Route("/", _home),
            Route("/static/{name}", _static),
            Route("/try", trying.view),
            Route("/try", trying.post, methods=["POST"]),
            Route("/documents/{corpus}", documents.view),
            Route("/documents/{corpus}/lines.csv", documents.table),
            Route("/documents/{corpus}/counts", documents.counts),
            Route("/documents/{corpus}/index", documents.index, methods=["POST"]),
            Route("/documents/{corpus}/{document}", reading.view),
            Route("/left-out/{corpus}", leaving_out.view),
            Route("/left-out/{corpus}", leaving_out.mark, methods=["POST"]),
            Route("/jobs/{number:int}", running.view),
            Route("/portal/{corpus}", portals.overview),
            Route("/portal/{corpus}/{portal}", portals.view),
            Route("/portal/{corpus}/{portal}/try", portals.try_text, methods=["POST"]),
            Route("/portal/{corpus}/{portal}/save", portals.save, methods=["POST"]),
            Route("/portal/{corpus}/{portal}/check", portals.check, methods=["POST"]),
            Route("/watch/{corpus}", watching.view),
            Route("/watch/{corpus}/contents", watching.contents),
            Route("/mark/{corpus}", marking.overview),
            Route("/mark/{corpus}/{portal}", marking.scores),
            Route("/mark/{corpus}/{portal}/train", marking.train, methods=["POST"]),
            Route("/mark/{corpus}/{portal}/use", marking.use, methods=["POST"]),
            Route("/mark/{corpus}/{portal}/{list}", marking.page),
            Route("/mark/{corpus}/{portal}/{list}", marking.mark, methods=["POST"]),
            Route("/api/extract", trying.api, methods=["POST"]),
        ],
        middleware=[Middleware(Guard, hosts=frozenset(hosts), token=desk.token, password=password)],
        exception_handlers=dict.fromkeys((ValueError, OSError, ImportError, HTTPException), _failed),
        lifespan=closing_pool,
    )
    app.state.desk = desk
    return app


def _home(request: Request) -> Response:
    return desk_of(request).render(request, "home.html", "newscorpus", corpora=desk_of(request).corpora)


def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in STATIC:
        raise HTTPException(404)
    kind, text = STATIC[name]
    return Response(text, media_type=kind)


def _failed(request: Request, error: Exception) -> Response:
    """Answer in one line what a user can mend; other faults are the server's, with a traceback in its log."""
    status = error.status_code if isinstance(error, HTTPException) else 422
    line = error.detail if isinstance(error, HTTPException) else describe(error)
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": line}, status)
    answer = desk_of(request).render(request, "failed.html", "That did not work", line=line)
    answer.status_code = status
    return answer
