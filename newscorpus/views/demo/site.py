"""Find the file of the demo site that answers an address."""

import re
import tomllib
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import msgspec

SITE = Path(__file__).parent / "site"

PLACEHOLDER = "http://demo.newscorpus.invalid"
"""Stands in the files for scheme, host and port; no host can have a name in ".invalid" (RFC 2606)."""

CALENDAR = "/calendar/"

POST = re.compile(rb"<!-- post ([a-z-]+) -->")
"""Stands in a list for the whole article of that page."""


@dataclass(frozen=True, slots=True)
class Route:
    """What is answered to one address."""

    path: str  # with the query, if one belongs to the address
    file: str = ""  # under the site's folder; "" for no body
    content_type: str = "text/html; charset=utf-8"  # as sent, with charset or without
    status: int = 200  # of the answer
    redirect: str = ""  # path to send the client to, or ""
    fail_once: bool = False  # the first GET is answered by 500
    gzip: bool = False  # the file itself is served gzipped, as sitemaps are


@dataclass(frozen=True, slots=True)
class DemoSite:
    """The pages of the demo site as they are served."""

    routes: dict[str, Route]  # by path
    base: str  # `http://127.0.0.1:PORT`, in place of the placeholder
    today: date  # its month is the one that the calendar begins with

    def find(self, target: str) -> Route | None:
        """Find the route of a request target; the query counts only where a route has it."""
        path = target.partition("?")[0]
        if self._month(path):
            return Route(path, "listings/calendar.html")
        return self.routes.get(target) or self.routes.get(path)

    def body(self, route: Route) -> bytes:
        """Read a route's file, in its charset, with the site's own address in place of the placeholder."""
        if not route.file:
            return b""
        body = (SITE / route.file).read_bytes()
        body = POST.sub(lambda match: _read_article(match[1].decode()), body)
        body = body.replace(PLACEHOLDER.encode(), self.base.encode())
        if shown := self._month(route.path):  # every page of the calendar leads to the next month, without end
            year, month = shown
            following = f"{CALENDAR}{year + month // 12}/{month % 12 + 1:02d}/"
            body = body.replace(b"{month}", f"{year}-{month:02d}".encode()).replace(b"{next}", following.encode())
        return body

    def _month(self, path: str) -> tuple[int, int] | None:
        """Year and month of a calendar page; None for any other page."""
        if path == CALENDAR:
            return self.today.year, self.today.month
        parts = path.removeprefix(CALENDAR).rstrip("/").split("/")
        if not path.startswith(CALENDAR) or len(parts) != 2 or not all(part.isdecimal() for part in parts):
            return None
        year, month = map(int, parts)
        return (year, month) if 1 <= month <= 12 else None


def _read_article(name: str) -> bytes:
    """Read the `<article>` of a page as a list shows it: its headline is one of several."""
    page = (SITE / "pages" / f"{name}.html").read_bytes()
    start, end = page.index(b'<article class="post">'), page.index(b"</article>")
    return re.sub(rb"(</?)h1\b", rb"\1h2", page[start:end]) + b"</article>"


def read_routes() -> dict[str, Route]:
    """Read `routes.toml`; routes by path."""
    table = tomllib.loads((SITE / "routes.toml").read_text(encoding="utf-8"))
    return {route.path: route for route in msgspec.convert(table["route"], list[Route])}
