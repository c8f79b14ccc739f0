"""Serve the demo site over HTTP, on loopback only."""

import gzip
import hashlib
import re
import threading
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import msgspec

from newscorpus.errors import DemoError

SITE = Path(__file__).parent / "site"

PLACEHOLDER = "http://demo.newscorpus.invalid"
"""Placeholder for scheme, host and port; no host can have a name in ".invalid" (RFC 2606)."""

CALENDAR = re.compile(r"/calendar/(?:(\d{4})/(0[1-9]|1[0-2])/)?")

POST = re.compile(rb"<!-- post ([a-z-]+) -->")
"""Placeholder in a listing page for the whole article of another page."""

HOST = "127.0.0.1"
IDLE_SECONDS = 30
"""Time after which an idle connection is closed."""


@dataclass(frozen=True, slots=True)
class Route:
    """The response to one address."""

    path: str  # with the query, where the route depends on it
    file: str = ""  # under the site's folder; "" for no body
    content_type: str = "text/html; charset=utf-8"  # as sent, with charset or without
    status: int = 200
    redirect: str = ""  # path to send the client to, or ""
    fail_once: bool = False  # the first GET is answered by 500
    gzip: bool = False  # the file itself is served gzipped, as sitemaps are


@dataclass(frozen=True, slots=True)
class DemoSite:
    """The pages of the demo site as they are served."""

    routes: dict[str, Route]  # by path
    base: str  # `http://127.0.0.1:PORT`, in place of the placeholder
    today: date  # the calendar begins with its month

    def find(self, target: str) -> Route | None:
        """Find the route of a request target; the query counts only where a route has it."""
        path = target.partition("?")[0]
        if CALENDAR.fullmatch(path):
            return Route(path, "listings/calendar.html")
        return self.routes.get(target) or self.routes.get(path)

    def body(self, route: Route) -> bytes:
        """Read a route's file, in its charset, with the site's own address in place of the placeholder."""
        if not route.file:
            return b""
        body = (SITE / route.file).read_bytes()
        for post in POST.findall(body):
            page = (SITE / "pages" / f"{post.decode()}.html").read_bytes()
            start, end = page.index(b'<article class="post">'), page.index(b"</article>")
            article = re.sub(rb"(</?)h1\b", rb"\1h2", page[start:end]) + b"</article>"  # one headline of several
            body = body.replace(b"<!-- post %s -->" % post, article)
        body = body.replace(PLACEHOLDER.encode(), self.base.encode())
        if found := CALENDAR.fullmatch(route.path):  # each month links to the next, without end
            year, month = map(int, found.groups() if found[1] else (self.today.year, self.today.month))
            following = f"/calendar/{year + month // 12}/{month % 12 + 1:02d}/"
            body = body.replace(b"{month}", f"{year}-{month:02d}".encode()).replace(b"{next}", following.encode())
        return body


def read_routes() -> dict[str, Route]:
    """Read `routes.toml`; routes by path."""
    table = tomllib.loads((SITE / "routes.toml").read_text(encoding="utf-8"))
    return {route.path: route for route in msgspec.convert(table["route"], list[Route])}


class DemoServer(ThreadingHTTPServer):
    """Serves the demo site, on any free port for 0.

    `on_request` is called with the target of every GET, from the thread that answers it.

    Raises:
        DemoError: the port is not free.
    """

    daemon_threads = True

    def __init__(self, port: int = 0, on_request: Callable[[str], object] | None = None) -> None:
        try:
            super().__init__((HOST, port), DemoHandler)
        except (OSError, OverflowError) as error:
            raise DemoError(f"port {port} of {HOST}: {getattr(error, 'strerror', None) or error}") from error
        self.base = f"http://{HOST}:{self.server_port}"
        self.site = DemoSite(read_routes(), self.base, datetime.now(UTC).date())
        self.on_request = on_request
        self.failing = {path for path, route in self.site.routes.items() if route.fail_once}


class DemoHandler(BaseHTTPRequestHandler):
    """Answers one connection to the demo site."""

    protocol_version = "HTTP/1.1"
    server_version = "newscorpus-demo"
    timeout = IDLE_SECONDS
    server: DemoServer

    def do_GET(self) -> None:
        """Answer with the page."""
        if self.server.on_request:
            self.server.on_request(self.path)
        route = self.server.site.find(self.path)
        if route and route.path in self.server.failing:
            self.server.failing.discard(route.path)
            self._send(HTTPStatus.INTERNAL_SERVER_ERROR, {"Content-Type": "text/plain"}, b"try again\n")
        else:
            self._answer(route)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the base class names it so
        """Keep quiet: the crawler writes its own log."""

    def _answer(self, route: Route | None) -> None:
        if route is None:
            self._send(HTTPStatus.NOT_FOUND, {"Content-Type": "text/plain"}, b"not found\n")
            return
        if route.redirect:
            self._send(HTTPStatus(route.status), {"Location": self.server.base + route.redirect}, b"")
            return
        body = self.server.site.body(route)
        headers = {
            "Content-Type": route.content_type,
            "Vary": "Accept-Encoding",
            "ETag": f'W/"{hashlib.sha256(body).hexdigest()[:16]}"',
        }
        if route.status == HTTPStatus.OK and self.headers.get("If-None-Match") == headers["ETag"]:
            self._send(HTTPStatus.NOT_MODIFIED, headers, b"")
            return
        if route.gzip:
            body = gzip.compress(body, mtime=0)
        elif "gzip" in self.headers.get("Accept-Encoding", ""):
            body, headers["Content-Encoding"] = gzip.compress(body, mtime=0), "gzip"
        self._send(HTTPStatus(route.status), headers, body)

    def _send(self, status: HTTPStatus, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != HTTPStatus.NOT_MODIFIED:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def serving(port: int = 0, on_request: Callable[[str], object] | None = None) -> Iterator[str]:
    """Serve the demo site while the context lasts; yields its address, `http://127.0.0.1:PORT`.

    Raises:
        DemoError: the port is not free.
    """
    with DemoServer(port, on_request) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server.base
        finally:
            server.shutdown()
            thread.join()
