"""The demo site and its server, asked over the wire."""

import dataclasses
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
from newscorpus.views.demo.server import SITE, DemoSite, Route, read_routes, serving

CLOCK = "/en/north/2026/05/06/slow-clock/"


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    with serving() as address:
        yield address


def ask(base: str, path: str, **headers: str) -> tuple[HTTPResponse, bytes]:
    connection = HTTPConnection(urlsplit(base).netloc, timeout=10)
    try:
        connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
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
        assert [ask(fresh, path)[0].status for _ in range(3)] == [500, 200, 200]
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
    known, body = ask(base, CLOCK, If_None_Match=first.headers["ETag"])
    assert (known.status, body) == (304, b"")
    assert ask(base, CLOCK, If_None_Match='"other"')[0].status == 200


def test_a_port_that_is_taken_is_one_line(base: str) -> None:
    port = urlsplit(base).port or 0
    with pytest.raises(DemoError, match=rf"^port {port} of 127\.0\.0\.1: .+$"), serving(port):
        pass
    with pytest.raises(DemoError, match=r"^port 70000 of .+$"), serving(70_000):
        pass


def test_serving_ends_by_the_keyboard() -> None:
    command = [sys.executable, "-m", "newscorpus", "demo", "--serve-only"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        base = process.stdout.readline().decode().split()[5]
        assert ask(base, "")[0].status == 200
        process.send_signal(signal.SIGTERM)
        assert process.communicate() == (b"", b"")
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
