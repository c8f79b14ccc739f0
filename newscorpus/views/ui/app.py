"""Make the application and run its server: routes, guard, error pages, socket and browser.

The server listens on this machine, but any site in the same browser can send requests to it. So the Host header must
name this server (against DNS rebinding), writes must carry the token of our own pages, and the content security policy
allows only our own files.
"""

import base64
import hmac
import secrets
import socket
import webbrowser
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from newscorpus.config import Limits
from newscorpus.page.loading import prepare
from newscorpus.page.recipe import Recipe
from newscorpus.terminal import describe
from newscorpus.views.explain.page import FRAME_STYLE, SCRIPT, STYLE, source_hash
from newscorpus.views.stats.page import STYLE as CORPUS_STYLE
from newscorpus.views.ui import documents, marking, portals, systems, trying
from newscorpus.views.ui.state import HERE, AppState, Jobs, do, named, show_job, state_of
from newscorpus.workers import WorkerPool

TOKEN_HEADER = "x-newscorpus-token"  # noqa: S105 -- its name
JSON = "application/json"

POLICY: Final = (
    f"default-src 'none'; script-src 'self'; style-src 'self' {source_hash(FRAME_STYLE)}; img-src 'self' data:;"
    " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; frame-src 'none'"
)
"""Inherited by the frame of an archived page, which cannot navigate; its content is part of our page."""

HEADERS: Final[Mapping[str, str]] = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}

KINDS = {".css": "text/css", ".js": "text/javascript"}
STATIC = {
    "shown.css": ("text/css", STYLE),  # and the theme
    "corpus.css": ("text/css", CORPUS_STYLE),
    "shown.js": ("text/javascript", SCRIPT),
    **{
        path.name: (KINDS[path.suffix], path.read_text("utf-8"))
        for path in (HERE / "static").iterdir()
        if path.suffix in KINDS
    },
}
"""The files of our pages, by name."""

STOP_SECONDS = 3
"""Maximum wait for open responses at shutdown."""


@dataclass(frozen=True, slots=True)
class Guard:
    """Refuses foreign requests, and adds the policy to every response."""

    app: ASGIApp
    hosts: Collection[str]  # names of this server, `host:port`
    token: str  # sent by our own pages with writes
    password: str = ""  # "" for none

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_policy(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        headers, answer = Headers(scope=scope), self.app
        if headers.get("host", "") not in self.hosts:
            answer = PlainTextResponse("This server has another name.\n", 421)
        elif self.password and not self._knows_password(headers):
            asks = {"www-authenticate": 'Basic realm="newscorpus", charset="UTF-8"'}
            answer = PlainTextResponse("A password is needed.\n", 401, asks)
        elif scope["method"] not in {"GET", "HEAD"} and not self._may_write(scope, headers):
            answer = PlainTextResponse("Only pages of this server may write.\n", 403)
        await answer(scope, receive, send_with_policy)

    def _knows_password(self, headers: Headers) -> bool:
        kind, _, given = headers.get("authorization", "").partition(" ")
        try:
            _, _, password = base64.b64decode(given, validate=True).partition(b":")
        except ValueError:
            return False
        return kind.lower() == "basic" and hmac.compare_digest(password, self.password.encode())

    def _may_write(self, scope: Scope, headers: Headers) -> bool:
        """Whether a request comes from one of our pages or a program; browsers do not let foreign pages send JSON."""
        origin = headers.get("origin")
        if origin is not None and origin.partition("://")[2] not in self.hosts:
            return False
        if scope["path"].startswith("/api/") and headers.get("content-type", "").partition(";")[0] == JSON:
            return True
        return hmac.compare_digest(headers.get(TOKEN_HEADER, "").encode(), self.token.encode())


def make_app(corpora: Sequence[Path], hosts: Sequence[str], password: str = "", contact: str = "") -> Starlette:
    """Make the application.

    `hosts` are the accepted Host headers, `host:port`; without a contact nothing is fetched.

    Raises:
        CorpusError: a folder is missing.
    """
    pool = WorkerPool(do, 1, Limits().page_seconds, partial(prepare, Recipe()))
    state = AppState(named(corpora), secrets.token_urlsafe(), contact, pool, Jobs())

    @asynccontextmanager
    async def closing_pool(_app: Starlette) -> AsyncIterator[None]:
        with pool, closing(state.jobs):
            yield

    app = Starlette(
        routes=[
            Route("/", portals.home),
            Route("/static/{name}", _static),
            Route("/try", trying.view),
            Route("/try", trying.post, methods=["POST"]),
            Route("/documents/{corpus}", documents.view),
            Route("/documents/{corpus}/lines.csv", documents.table),
            Route("/documents/{corpus}/counts", documents.counts),
            Route("/documents/{corpus}/months.csv", documents.months),
            Route("/documents/{corpus}/index", documents.index, methods=["POST"]),
            Route("/documents/{corpus}/save", documents.save, methods=["POST"]),
            Route("/documents/{corpus}/{document}", documents.read),
            Route("/left-out/{corpus}", marking.left_out),
            Route("/left-out/{corpus}", marking.mark_left_out, methods=["POST"]),
            Route("/jobs/{number:int}", show_job),
            Route("/portal/{corpus}", portals.overview),
            Route("/portal/{corpus}/{portal}", portals.view),
            Route("/portal/{corpus}/{portal}/try", portals.try_text, methods=["POST"]),
            Route("/portal/{corpus}/{portal}/save", portals.save, methods=["POST"]),
            Route("/portal/{corpus}/{portal}/check", portals.check, methods=["POST"]),
            Route("/watch/{corpus}", portals.watch),
            Route("/watch/{corpus}/contents", portals.contents),
            Route("/mark/{corpus}", marking.overview),
            Route("/mark/{corpus}/{portal}", systems.view),
            *(
                Route(f"/mark/{{corpus}}/{{portal}}/{one}", act, methods=["POST"])
                for one, act in systems.ACTIONS.items()
            ),
            Route("/mark/{corpus}/{portal}/{list}", marking.page),
            Route("/mark/{corpus}/{portal}/{list}", marking.mark, methods=["POST"]),
            Route("/api/extract", trying.api, methods=["POST"]),
        ],
        middleware=[Middleware(Guard, hosts=frozenset(hosts), token=state.token, password=password)],
        exception_handlers=dict.fromkeys((ValueError, OSError, ImportError, HTTPException), _failed),
        lifespan=closing_pool,
    )
    app.state.own = state
    return app


def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in STATIC:
        raise HTTPException(404)
    kind, text = STATIC[name]
    return Response(text, media_type=kind)


def _failed(request: Request, error: Exception) -> Response:
    """Show user errors in one line."""
    status = error.status_code if isinstance(error, HTTPException) else 422
    line = error.detail if isinstance(error, HTTPException) else describe(error)
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": line}, status)
    answer = state_of(request).render(request, "failed.html", "That did not work", line=line)
    answer.status_code = status
    return answer


def serve(
    corpora: Sequence[Path],
    host: str,
    port: int,
    password: str,
    contact: str,
    *,
    opens_browser: bool,
    tell: Callable[[str], object],
) -> None:
    """Serve corpora and folders of saved pages until Ctrl-C.

    `tell` gets a line on the address once the server listens.

    Raises:
        CorpusError: a folder is missing.
        OSError: the server cannot listen at the address.
        ValueError: `host` means all addresses, so the Host header could not be checked.
    """
    with listening(host, port) as listener:
        at = f"{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}"
        names = [at, at.replace("127.0.0.1:", "localhost:")]
        app = make_app(corpora, names, password, contact)
        tell(f"newscorpus is at http://{at}/ until Ctrl-C")
        if opens_browser:
            webbrowser.open(f"http://{at}/")
        config = uvicorn.Config(
            app, log_level="error", access_log=False, server_header=False, timeout_graceful_shutdown=STOP_SECONDS
        )
        uvicorn.Server(config).run(sockets=[listener])


def listening(host: str, port: int) -> socket.socket:
    """Listen at an address of this machine; arguments and errors as for `serve`."""
    if host in {"0.0.0.0", "::"}:  # noqa: S104 -- it is refused
        raise ValueError(f"--host {host} stands for every address; name the one that the browsers will use")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        why = str(getattr(error, "strerror", None) or error).partition(" (while")[0]  # Python repeats host and port
        raise OSError(f"port {port} of {host}: {why}; --port N takes another, --port 0 any free one") from error
