"""Serve sites on loopback for tests, and ask them what was requested."""

import json
import sys
import threading
import urllib.request
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

HTML = "text/html; charset=utf-8"


class Site(ThreadingHTTPServer):
    """A site with an address of its own."""

    daemon_threads = True

    def __init__(self, handler: type[BaseHTTPRequestHandler], host: str = "127.0.0.1") -> None:
        super().__init__((host, 0), handler)
        self.base = f"http://{host}:{self.server_port}"

    @contextmanager
    def served(self) -> Iterator[str]:
        """Serve while the context lasts; gives the address."""
        with self:
            thread = threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True)
            thread.start()
            try:
                yield self.base
            finally:
                self.shutdown()
                thread.join()


class Handler(BaseHTTPRequestHandler):
    """Answers, without a log."""

    protocol_version = "HTTP/1.1"

    def answer(self, body: bytes | str, status: int = 200, content_type: str = HTML, **headers: str) -> None:
        """Send a whole answer; header names have _ for -."""
        body = body.encode("utf-8", "replace") if isinstance(body, str) else body
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", headers.pop("Content_Length", str(len(body))))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class PageSite(Site):
    """A site of some pages, by path; all else is missing. Counts the requests."""

    def __init__(self, pages: Mapping[str, str | bytes]) -> None:
        super().__init__(PageHandler)
        self.pages = pages
        self.asked: Counter[str] = Counter()


class PageHandler(Handler):
    """Answers with a page, or 404."""

    server: PageSite

    def do_GET(self) -> None:
        """Answer."""
        self.server.asked[self.path] += 1
        page = self.server.pages.get(self.path)
        self.answer(page or "", 404 if page is None else 200)


def serve(line: object, *servers: Site) -> None:
    """Print where the servers of a script listen, and serve until killed."""
    for server in servers:
        threading.Thread(target=server.serve_forever, args=(0.05,)).start()
    sys.stdout.write(f"{line if isinstance(line, str) else json.dumps(line)}\n")
    sys.stdout.flush()


def ask(base: str, path: str = "/_log") -> Any:
    """Return what a server says of itself, as JSON."""
    with urllib.request.urlopen(base + path) as answer:
        return json.load(answer)
