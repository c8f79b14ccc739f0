"""Routes and the calendar."""

import dataclasses
import tomllib
from datetime import date

import pytest

from newscorpus.views.demo.server import PLACEHOLDER, SITE, DemoSite, Route, read_routes

BASE = "http://127.0.0.1:4711"
DEMO = DemoSite(read_routes(), BASE, date(2026, 12, 31))


def test_routes_say_nothing_that_is_not_understood() -> None:
    known = {field.name for field in dataclasses.fields(Route)}
    tables = tomllib.loads((SITE / "routes.toml").read_text("utf-8"))["route"]
    assert all(table.keys() <= known for table in tables)
    assert len(tables) == len(DEMO.routes)


def test_every_file_is_served_and_every_route_has_its_file() -> None:
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
