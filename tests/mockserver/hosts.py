"""Real pages of one news site on loopback, each under its own path, with a front page and sections made for them.

The front page links to the articles by their headlines and to the sections by their names; a section page links to all
articles. Whatever else the pages link to is missing.
"""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from newscorpus.portals.portal import target_of


class HostServer(ThreadingHTTPServer):
    """One site.

    Args:
        articles: the HTML of each by its address, whose host is taken away wherever the pages name it.
        headlines: of the articles, by address.
        sections: names of the sections by address.
    """

    daemon_threads = True

    def __init__(self, articles: Mapping[str, str], headlines: Mapping[str, str], sections: Mapping[str, str]) -> None:
        super().__init__(("127.0.0.1", 0), HostHandler)
        host = next(iter(articles)).split("/")[2]
        stories = "".join(_link(url, headlines[url]) for url in articles)
        menu = "".join(_link(url, name) for url, name in sections.items())
        front = f"<html><body><nav><ul>{menu}</ul></nav><ul>{stories}</ul></body></html>"
        self.bodies = dict.fromkeys((target_of(url) for url in sections), front) | {"/": front}
        for url, html in articles.items():
            self.bodies[target_of(url)] = html.replace(f"https://{host}", "").replace(f"http://{host}", "")


def _link(url: str, text: str) -> str:
    return f'<li><a href="{escape(target_of(url))}">{escape(text)}</a></li>'


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
def serving_host(
    articles: Mapping[str, str], headlines: Mapping[str, str], sections: Mapping[str, str]
) -> Iterator[str]:
    """Serve a site while the context lasts; gives its address."""
    with HostServer(articles, headlines, sections) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()
