"""Real pages of one news site on loopback, each under its own path, with a front page and sections made for them.

The front page carries the links that it is given; every section shows the front page. Whatever else pages link to is
missing.
"""

import threading
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from newscorpus.portal.portal import target_of


class HostServer(ThreadingHTTPServer):
    """One site.

    Args:
        articles: the HTML of each by its address, whose host is taken away wherever the pages name it.
        links: texts of the links of the front page, by address.
        sections: addresses of the sections.
    """

    daemon_threads = True

    def __init__(self, articles: Mapping[str, str], links: Mapping[str, str], sections: Collection[str]) -> None:
        super().__init__(("127.0.0.1", 0), HostHandler)
        host = next(iter(articles)).split("/")[2]
        front = f"<html><body><ul>{''.join(map(_link, links, links.values()))}</ul></body></html>"
        self.bodies = dict.fromkeys(map(_path, sections), front) | {"/": front}
        for url, html in articles.items():
            self.bodies[_path(url)] = html.replace(f"https://{host}", "").replace(f"http://{host}", "")


def _path(url: str) -> str:
    """Path and query of an address; two slashes at the beginning would name another host."""
    return "/" + target_of(url).lstrip("/")


def _link(url: str, text: str) -> str:
    return f'<li><a href="{escape(_path(url))}">{escape(text)}</a></li>'


class HostHandler(BaseHTTPRequestHandler):
    """Answers with a page, or 404."""

    protocol_version = "HTTP/1.1"
    server: HostServer

    def do_GET(self) -> None:
        found = self.server.bodies.get(self.path)
        body = (found or "").encode("utf-8", "replace")
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- its name in the base class
        """Nothing is logged."""


@contextmanager
def serving_host(articles: Mapping[str, str], links: Mapping[str, str], sections: Collection[str]) -> Iterator[str]:
    """Serve a site while the context lasts; gives its address."""
    with HostServer(articles, links, sections) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()
