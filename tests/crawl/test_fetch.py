"""Fetching one page, from a server on loopback that misbehaves."""

import gzip
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from newscorpus.config import FetchConfig
from newscorpus.crawl.fetch import fetch
from newscorpus.data import Page, Rejected

HTML = "<p>Příliš žluťoučký kůň</p>".encode()
ROBOTS = b"User-agent: newscorpus\nDisallow: /private\n"
LIMITS = FetchConfig(max_bytes=1_000, seconds=2, max_redirects=3)


@dataclass
class Site:
    """The server's address, what it answers, and what it was asked."""

    where: str = ""
    robots: tuple[int, bytes] = (200, ROBOTS)
    asked: list[tuple[str, str]] = field(default_factory=list)

    def fetch(self, path: str) -> Page | Rejected:
        return fetch(f"http://{self.where}{path}", "newscorpus/test (+me@example.org)", LIMITS, {self.where})

    def reason(self, path: str) -> str:
        found = self.fetch(path)
        assert isinstance(found, Rejected), found
        assert found.stage == "fetch"
        assert "\n" not in found.detail
        return found.reason


@pytest.fixture
def site() -> Iterator[Site]:
    state = Site()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

        def do_GET(self) -> None:
            state.asked.append((self.path, self.headers["User-Agent"]))
            status, headers, body = answer(state, self.path)
            self.send_response(status)
            for name, value in headers:
                self.send_header(name, value)
            self.end_headers()
            if self.path == "/drip":
                drip(self)
            else:
                self.wfile.write(body)

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        state.where = f"127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        yield state
        server.shutdown()


def drip(handler: BaseHTTPRequestHandler) -> None:
    """A byte now and then, for longer than anybody should wait."""
    try:
        for _ in range(100):
            handler.wfile.write(b"x")
            time.sleep(0.1)
    except OSError:
        return


def answer(state: Site, path: str) -> tuple[int, list[tuple[str, str]], bytes]:
    html = [("Content-Type", "text/html; charset=utf-8")]
    packed = gzip.compress(HTML)
    answers: dict[str, tuple[int, list[tuple[str, str]], bytes]] = {
        "/robots.txt": (state.robots[0], [], state.robots[1]),
        "/page?a=1": (200, [*html, ("Set-Cookie", "a=b"), ("Link", "<a>"), ("Link", "<b>")], HTML),
        "/gzip": (200, [*html, ("Content-Encoding", "gzip")], packed),
        "/broken-gzip": (200, [*html, ("Content-Encoding", "gzip")], packed[:-9]),
        "/bomb": (200, [*html, ("Content-Encoding", "gzip")], gzip.compress(b"x" * 5_000)),
        "/brotli": (200, [*html, ("Content-Encoding", "br")], b"?"),
        "/big": (200, html, b"x" * 5_000),
        "/drip": (200, html, b""),
        "/short": (200, [*html, ("Content-Length", "500")], HTML),
        "/pdf": (200, [("Content-Type", "application/pdf")], b"%PDF"),
        "/moved": (302, [("Location", "/page?a=1")], b""),
        "/loop": (301, [("Location", "/loop")], b""),
        "/to-private": (302, [("Location", "/private/page")], b""),
        "/to-cloud": (302, [("Location", "http://169.254.169.254/latest")], b""),
        "/to-disk": (302, [("Location", "file:///etc/passwd")], b""),
        "/to-nowhere": (302, [("Location", "http://[/")], b""),
        "/%C5%BE": (200, html, HTML),
    }
    return answers.get(path, (404, [], b""))


def test_a_page_comes_with_its_headers(site: Site) -> None:
    page = site.fetch("/page?a=1#part")
    assert isinstance(page, Page)
    assert page.body == HTML
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert page.headers["link"] == "<a>, <b>"
    assert "set-cookie" not in page.headers
    assert page.fetched.endswith("+00:00")
    assert site.asked == [(path, "newscorpus/test (+me@example.org)") for path in ("/robots.txt", "/page?a=1")]


@pytest.mark.parametrize(("path", "end"), [("/gzip", "/gzip"), ("/moved", "/page?a=1"), ("/ž", "/%C5%BE")])
def test_what_is_packed_moved_or_not_ascii_is_fetched(site: Site, path: str, end: str) -> None:
    page = site.fetch(path)
    assert isinstance(page, Page)
    assert page.body == HTML
    assert page.url.endswith(end)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/absent", "http_404"),
        ("/pdf", "not_html"),
        ("/private/page", "robots_disallowed"),
        ("/to-private", "robots_disallowed"),
        ("/to-cloud", "private_address"),
        ("/to-disk", "private_address"),
        ("/to-nowhere", "bad_address"),
        ("/loop", "redirect_loop"),
        ("/big", "too_large"),
        ("/bomb", "too_large"),
        ("/brotli", "unknown_encoding"),
        ("/broken-gzip", "truncated"),
        ("/short", "truncated"),
    ],
)
def test_what_is_refused_has_a_reason(site: Site, path: str, reason: str) -> None:
    assert site.reason(path) == reason


def test_a_server_that_drips_is_cut_off(site: Site) -> None:
    started = time.monotonic()
    assert site.reason("/drip") == "timeout"
    assert time.monotonic() - started < 2 * LIMITS.seconds + 1


@pytest.mark.parametrize(
    ("robots", "reason"), [((404, b""), "http_404"), ((503, b""), "robots_unavailable"), ((200, b"\xff\0"), "http_404")]
)
def test_without_robots_all_is_allowed_and_with_a_failing_server_nothing(
    site: Site, robots: tuple[int, bytes], reason: str
) -> None:
    site.robots = robots
    assert site.reason("/private/page") == reason


def test_nobody_there(site: Site) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        site.where = f"127.0.0.1:{unused.getsockname()[1]}"
        assert site.reason("/") == "connection_refused"


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1/", "http://[::1]/", "http://10.0.0.1/", "ftp://a.example/", "nonsense", ""]
)
def test_addresses_beyond_the_public_web_are_refused(url: str) -> None:
    found = fetch(url, "test")
    assert isinstance(found, Rejected)
    assert found.reason == "private_address"


def test_an_address_that_is_none_is_refused() -> None:
    found = fetch("http://[", "test")
    assert isinstance(found, Rejected)
    assert found.reason == "bad_address"


def test_a_name_that_leads_to_a_private_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 80)) for address in ("93.184.215.14", "10.1.2.3")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: entries)
    found = fetch("http://rebound.example/", "test")
    assert isinstance(found, Rejected)
    assert (found.reason, found.detail) == ("private_address", "rebound.example is 10.1.2.3")


def test_a_name_that_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    found = fetch("http://absent.example/", "test")
    assert isinstance(found, Rejected)
    assert found.reason == "dns"
