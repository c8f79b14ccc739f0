"""The demo site and its server, asked over the wire."""

import dataclasses
import gzip
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from datetime import date
from http.client import HTTPConnection, HTTPResponse
from urllib.parse import urlsplit

import pytest

from newscorpus.errors import DemoError
from newscorpus.views.demo.server import PLACEHOLDER, SITE, DemoSite, Route, read_routes, serving

CLOCK = "/en/north/2026/05/06/slow-clock/"


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    with serving() as address:
        yield address


def ask(base: str, path: str, method: str = "GET", **headers: str) -> tuple[HTTPResponse, bytes]:
    connection = HTTPConnection(urlsplit(base).netloc, timeout=10)
    try:
        connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        response = connection.getresponse()
        return response, response.read()
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("path", "content_type", "encoding", "word"),
    [
        ("/cs/clanek.php?id=10423", "text/html", "windows-1250", "Zlatnou"),
        ("/ru/statya.php?id=10512", "text/html; charset=koi8-r", "koi8-r", "Паром"),
        ("/pl/artykul.php?id=10733", "text/html; charset=iso-8859-2", "iso-8859-2", "zaświeci"),
        ("/sr/clanak.php?id=11204", "text/html", "windows-1251", "Младица"),
        ("/sl/novice/cebelarji-lipa-3312.html", "text/html; charset=utf-8", "utf-8", "Čebelarji"),
    ],
)
def test_pages_come_in_their_charset(base: str, path: str, content_type: str, encoding: str, word: str) -> None:
    response, body = ask(base, path)
    assert (response.status, response.headers["Content-Type"]) == (200, content_type)
    assert word in body.decode(encoding)


def test_one_page_fails_once_and_every_request_is_told() -> None:
    path, told = "/pl/wiadomosci/tunel-pod-torami-6014.html", list[str]()
    with serving(on_request=told.append) as fresh:
        assert [ask(fresh, path, method)[0].status for method in ("HEAD", "GET", "GET", "GET")] == [200, 500, 200, 200]
        ask(fresh, "/?a=1")
    assert told == [path, path, path, "/?a=1"]


def test_old_and_missing_addresses(base: str) -> None:
    response, _ = ask(base, "/en/old/1998/garrowby-clock.html")
    assert (response.status, response.headers["Location"]) == (301, base + CLOCK)
    gone, body = ask(base, "/en/news/pier-closed-6990.html")
    assert (gone.status, b"Page not found" in body) == (404, True)
    assert ask(base, "/nowhere")[0].status == 404


def test_a_known_version_is_not_sent_again(base: str) -> None:
    first, _ = ask(base, CLOCK)
    by_tag, body = ask(base, CLOCK, If_None_Match=f'"other", {first.headers["ETag"]}')
    by_date, _ = ask(base, CLOCK, If_Modified_Since=first.headers["Last-Modified"])
    assert (by_tag.status, by_date.status, body) == (304, 304, b"")
    head, body = ask(base, CLOCK, "HEAD")
    assert (head.status, head.headers["Content-Length"], body) == (200, first.headers["Content-Length"], b"")


@pytest.mark.parametrize(
    "headers",
    [
        {"If_None_Match": '"other"', "If_Modified_Since": "Fri, 01 Jan 2100 00:00:00 GMT"},
        {"If_Modified_Since": "Fri, 01 Jan 1999 00:00:00 GMT"},
        {"If_Modified_Since": "yesterday"},
    ],
)
def test_an_unknown_version_is_sent(base: str, headers: dict[str, str]) -> None:
    assert ask(base, CLOCK, **headers)[0].status == 200


def test_gzip_is_sent_to_those_who_take_it(base: str) -> None:
    plain, body = ask(base, CLOCK)
    packed, packed_body = ask(base, CLOCK, Accept_Encoding="br, gzip")
    assert plain.headers["Content-Encoding"] is None
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed_body) == body
    assert len(packed_body) < len(body)


def test_a_gz_sitemap_is_a_gz_file(base: str) -> None:
    response, body = ask(base, "/sitemap-articles-2.xml.gz", Accept_Encoding="gzip")
    assert response.headers["Content-Encoding"] is None
    assert f"<loc>{base}/".encode() in gzip.decompress(body)


def test_robots_forbid_what_is_linked_to(base: str) -> None:
    _, robots = ask(base, "/robots.txt")
    _, page = ask(base, "/en/a/quay-lights-go-dark-m3k8vd")
    assert b"Disallow: /en/print/" in robots
    assert b'href="/en/print/' in page


def test_a_port_that_is_taken_is_one_line(base: str) -> None:
    port = urlsplit(base).port or 0
    with pytest.raises(DemoError, match=rf"^port {port} of 127\.0\.0\.1: .+$"), serving(port):
        pass
    with pytest.raises(DemoError, match=r"^port 70000 of .+$"), serving(70_000):
        pass


def test_serving_ends_by_the_keyboard() -> None:
    # A process started in the background of a shell inherits that Ctrl-C is ignored: here it must not.
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from newscorpus.views.demo.server import serve; serve(0, lambda base: print(base, flush=True))"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        base = process.stdout.readline().decode().strip()
        assert ask(base, "/")[0].status == 200
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=10) == (b"", b"")
        assert process.returncode == 0


BASE = "http://127.0.0.1:4711"
DEMO = DemoSite(read_routes(), BASE, date(2026, 12, 31))


def test_every_file_is_served_and_every_route_has_its_file() -> None:
    known = {field.name for field in dataclasses.fields(Route)}
    tables = tomllib.loads((SITE / "routes.toml").read_text("utf-8"))["route"]
    assert all(table.keys() <= known for table in tables)
    assert len(tables) == len(DEMO.routes)
    files = {str(file.relative_to(SITE)) for file in SITE.rglob("*") if file.is_file() and file.parent.name != "gold"}
    served = {route.file for route in DEMO.routes.values() if route.file}
    assert files - served == {"routes.toml", "listings/calendar.html"}
    assert served <= files
    assert all(route.redirect in DEMO.routes for route in DEMO.routes.values() if not route.file)


def test_a_query_counts_only_where_a_route_has_it() -> None:
    first, second = DEMO.find("/cs/"), DEMO.find("/cs/?page=2")
    assert first
    assert second
    assert first.file != second.file
    assert DEMO.find("/cs/?sid=1") == first
    assert DEMO.find("/cs/clanek.php") is None


def test_the_placeholder_gives_way_in_any_charset() -> None:
    for route in DEMO.routes.values():
        assert PLACEHOLDER.encode() not in DEMO.body(route)
    robots = DEMO.find("/robots.txt")
    assert robots
    assert f"Sitemap: {BASE}/sitemap.xml".encode() in DEMO.body(robots)


@pytest.mark.parametrize(
    ("path", "following"),
    [
        ("/calendar/", b"/calendar/2027/01/"),
        ("/calendar/2026/05/", b"/calendar/2026/06/"),
        ("/calendar/2031/12/", b"/calendar/2032/01/"),
    ],
)
def test_the_calendar_leads_from_month_to_month(path: str, following: bytes) -> None:
    route = DEMO.find(path)
    assert route
    assert following in DEMO.body(route)


@pytest.mark.parametrize(
    "path", ["/calendar/2026/13/", "/calendar/2026/", "/calendar/a/b/", "/calendarium/2026/05/", "/x"]
)
def test_there_is_no_such_page(path: str) -> None:
    assert DEMO.find(path) is None
