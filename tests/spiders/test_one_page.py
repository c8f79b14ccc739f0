"""Fetching one page, each in a process of its own, from a server on loopback that misbehaves."""

import gzip
import itertools
import socket
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler

import pytest
from newscorpus.spiders.one_page import fetch_page
from scrapies import FORKSERVER, LOADED, forkserver
from serving import Handler as BaseHandler
from serving import Site as Served

from newscorpus.data import Page, Rejected
from newscorpus.fetch.options import user_agent
from newscorpus.page.rights import MAX_BYTES

HTML = "<p>Příliš žluťoučký kůň</p>".encode()
ROBOTS = b"User-agent: newscorpus\nDisallow: /private\n"
CONTACT = "me@example.org"
LIMITS = {"DOWNLOAD_MAXSIZE": 1_000, "REDIRECT_MAX_TIMES": 3}

FORKSERVER.set_forkserver_preload([LOADED, __name__])


def fetch(url: str, *loopback: str, names: dict[str, str] | None = None) -> Page | Rejected:
    """Fetch a page in a process of its own, since a process can do so but once.

    Args:
        url: of the page.
        loopback: `host:port` on this machine that may be asked.
        names: IP addresses by host name, in place of DNS.
    """
    with ProcessPoolExecutor(1, mp_context=forkserver()) as process:
        found: Page | Rejected = process.submit(_fetch, url, loopback, names).result()
    return found


def _fetch(url: str, loopback: tuple[str, ...], names: dict[str, str] | None) -> Page | Rejected:
    if names is not None:
        socket.gethostbyname = partial(_known, names)
    found: Page | Rejected = fetch_page(url, CONTACT, loopback, LIMITS)
    return found


def _known(names: dict[str, str], host: str) -> str:
    """The first of a name's addresses, "-" for none; each of them but the last is given once."""
    first, _, others = names.get(host, "-").partition(" ")
    if others:
        names[host] = others
    if first == "-":
        raise socket.gaierror(-2, "Name or service not known")
    return first


@dataclass
class Site:
    """The server's address, what it answers, and what it was asked."""

    where: str = ""
    robots: tuple[int, bytes] = (200, ROBOTS)
    asked: list[tuple[str, str]] = field(default_factory=list)

    def fetch(self, path: str) -> Page | Rejected:
        return fetch(f"http://{self.where}{path}", self.where)

    def reason(self, path: str) -> str:
        found = self.fetch(path)
        assert isinstance(found, Rejected), found
        assert found.stage == "fetch"
        assert "\n" not in found.detail
        return found.reason


@pytest.fixture
def site() -> Iterator[Site]:
    state = Site()

    class Handler(BaseHandler):  # type: ignore[misc]
        protocol_version = "HTTP/1.0"

        def do_GET(self) -> None:
            state.asked.append((self.path, self.headers["User-Agent"]))
            status, headers, body = answer(state, self.path)
            self.send_response(status)
            if self.path == "/headers":
                pour_headers(self)
                return
            for name, value in headers:
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

    with Served(Handler).served() as base:
        state.where = base.removeprefix("http://")
        yield state


def pour_headers(handler: BaseHTTPRequestHandler) -> None:
    """Small headers as fast as they are taken."""
    handler.flush_headers()
    try:
        for number in itertools.count():
            handler.wfile.write(b"%x:\r\n" % number)
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
        "/pdf": (200, [("Content-Type", "application/pdf")], b"%PDF"),
        "/moved": (302, [("Location", "/page?a=1")], b""),
        "/there-and-back": (302, [("Location", "/asks-consent")], b""),
        "/asks-consent": (302, [("Location", "/there-and-back?utm_source=consent")], b""),
        "/there-and-back?utm_source=consent": (200, html, HTML),
        "/to-private": (302, [("Location", "/private/page")], b""),
        "/to-cloud": (302, [("Location", "http://169.254.169.254/latest")], b""),
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
    assert site.asked == [(path, user_agent(CONTACT)) for path in ("/robots.txt", "/page?a=1")]


@pytest.mark.parametrize(
    ("path", "end"),
    [
        ("/gzip", "/gzip"),
        ("/moved", "/page?a=1"),
        ("/ž", "/%C5%BE"),
        ("/there-and-back", "/there-and-back?utm_source=consent"),
    ],
)
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
        ("/to-nowhere", "bad_redirect"),
        ("/bomb", "too_large"),
        ("/headers", "too_large"),
    ],
)
def test_what_is_refused_has_a_reason(site: Site, path: str, reason: str) -> None:
    assert site.reason(path) == reason


@pytest.mark.parametrize(("path", "start"), [("/brotli", b""), ("/broken-gzip", HTML[:9])])
def test_what_is_damaged_comes_as_far_as_it_can_be_unpacked(site: Site, path: str, start: bytes) -> None:
    page = site.fetch(path)
    assert isinstance(page, Page)
    assert page.body == HTML[: len(page.body)]
    assert page.body.startswith(start)


@pytest.mark.parametrize("n_bytes", [5_000, MAX_BYTES + 1])
def test_of_a_long_robots_txt_the_beginning_counts(site: Site, n_bytes: int) -> None:
    site.robots = 200, ROBOTS + b"#" * n_bytes + b"\nDisallow: /absent\n"
    assert site.reason("/private/page") == "robots_disallowed"
    assert site.reason("/absent") == ("robots_disallowed" if n_bytes < MAX_BYTES else "http_404")


@pytest.mark.parametrize(
    ("url", "reason"),
    [("http://127.0.0.1/", "private_address"), ("http://[", "bad_address"), ("nonsense", "bad_address")],
)
def test_addresses_beyond_the_public_web_are_refused(url: str, reason: str) -> None:
    found = fetch(url)
    assert isinstance(found, Rejected)
    assert found.reason == reason


@pytest.mark.parametrize(
    ("names", "reason", "detail"),
    [
        ({"a.example": "10.1.2.3"}, "private_address", "a.example is 10.1.2.3"),
        ({}, "dns", "a.example"),
        ({"a.example": "- 127.0.0.1"}, "dns", "a.example"),
    ],
)
def test_a_name_is_looked_up_before_it_is_asked(names: dict[str, str], reason: str, detail: str) -> None:
    found = fetch("http://a.example/", names=names)
    assert isinstance(found, Rejected)
    assert found.reason == reason
    assert detail in found.detail
