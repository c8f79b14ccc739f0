"""Responses as pages."""

from datetime import UTC, datetime
from urllib.parse import urlsplit

from scrapy.http import Response

from newscorpus.data import Evidence, Page
from newscorpus.urls import document_id, site_key

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


def document_of(url: str, canonical: str) -> str:
    """Id of the document at `url`: of its canonical address, where that lies on the same site and is no front page."""
    same_site = site_key(canonical) == site_key(url)
    return document_id(canonical if same_site and urlsplit(canonical).path.strip("/") else url)
