"""Responses as pages."""

from datetime import UTC, datetime

from scrapy.http import Response

from newscorpus.data import Evidence, Page

PERSONAL = frozenset({b"Set-Cookie"})
"""Response headers that are about the visitor, not about the page."""


def make_page(response: Response, evidence: tuple[Evidence, ...] = ()) -> Page:
    """The page that `response` brought, fetched now."""
    headers = {
        name.decode("latin-1").lower(): b", ".join(response.headers.getlist(name)).decode("latin-1")
        for name in response.headers
        if name not in PERSONAL
    }
    return Page(response.url, response.body, headers, datetime.now(UTC).isoformat(timespec="seconds"), evidence)
