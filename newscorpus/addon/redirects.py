"""Redirects, followed with care."""

from urllib.parse import urljoin, urlsplit

from scrapy import Request
from scrapy.downloadermiddlewares.redirect import RedirectMiddleware
from scrapy.http import Response

from newscorpus.addon.refused import Refused
from newscorpus.crawl.addresses import may_ask
from newscorpus.urls import canonical_url

REDIRECTS = frozenset({301, 302, 303, 307, 308})

DOMAINS = "newscorpus_domains"
"""Key of `Request.meta`: host names, with all below them, that redirects may lead to; absent: any."""


class CarefulRedirectMiddleware(RedirectMiddleware):
    """Scrapy's redirects, except that none is lost in silence: each is followed, or refused with a reason.

    Scrapy drops a redirect to an address met before, which a loop is; and one to another address of the same document
    (https for http, tracking parameters cut off), which must be followed.
    """

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        """Follow a redirect.

        Raises:
            Refused: reason "private_address", "offsite" or "redirect_loop".
        """
        if response.status in REDIRECTS and "Location" in response.headers:
            _check(request, response)
        result = super().process_response(request, response)
        if isinstance(result, Request):
            if result.url in result.meta["redirect_urls"]:
                raise Refused("redirect_loop", f"back to {result.url}")
            result.dont_filter = canonical_url(result.url) == canonical_url(request.url)
        return result


def _check(request: Request, response: Response) -> None:
    location = (response.headers["Location"] or b"").decode("latin-1")
    try:
        parts = urlsplit(urljoin(request.url, location))
        host = (parts.hostname or "").rstrip(".")
    except ValueError as error:
        raise Refused("bad_redirect", f"to {location!r}: {error}") from error
    if parts.scheme not in {"http", "https"}:
        raise Refused("private_address", f"redirect to {location[:200]}")
    domains = request.meta.get(DOMAINS)
    if domains is not None and not any(host == domain or host.endswith("." + domain) for domain in domains):
        reason = "offsite" if may_ask(parts.geturl()) else "private_address"
        raise Refused(reason, f"redirect to {location[:200]}")
