"""Pages with gold text as sites on loopback: `replay.py COUNT FILE...` serves COUNT pages of each file at its own port.

Prints one line of JSON, {site: address}, and serves until it is killed. The front page links to all pages of its site.
"""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice
from pathlib import Path

from newscorpus.lab.gold.pages import read_pages


class ReplayServer(ThreadingHTTPServer):
    """One site; its pages are held as bytes."""

    daemon_threads = True

    def __init__(self, pages: list[bytes]) -> None:
        super().__init__(("127.0.0.1", 0), ReplayHandler)
        links = "".join(f'<a href="/story-{number:06}.html">{number}</a> ' for number in range(len(pages)))
        self.bodies = {f"/story-{number:06}.html": page for number, page in enumerate(pages)}
        self.bodies["/"] = f"<html><body>{links}</body></html>".encode()


class ReplayHandler(BaseHTTPRequestHandler):
    """Answers with a page, or 404."""

    protocol_version = "HTTP/1.1"
    server: ReplayServer

    def do_GET(self) -> None:
        body = self.server.bodies.get(self.path)
        self.send_response(404 if body is None else 200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- its name in the base class
        """Nothing is logged."""


def main() -> None:
    """Serve until killed."""
    count, *files = sys.argv[1:]
    servers = {}
    for file in map(Path, files):
        pages = [page.html.encode("utf-8", "replace") for page in islice(read_pages(file), int(count))]
        servers[file.name.partition(".")[0].replace("_", "-")] = ReplayServer(pages)
    print(json.dumps({name: f"http://127.0.0.1:{server.server_port}" for name, server in servers.items()}), flush=True)  # noqa: T201
    threads = [threading.Thread(target=server.serve_forever) for server in servers.values()]
    for thread in threads:
        thread.start()


if __name__ == "__main__":
    main()
