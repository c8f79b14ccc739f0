"""Redirects, followed with care."""

from urllib.parse import urljoin, urlsplit

from scrapy import Request
from scrapy.downloadermiddlewares.redirect import RedirectMiddleware
from scrapy.http import Response

from newscorpus.addon.refused import Refused
from newscorpus.crawl.addresses import may_ask
from newscorpus.urls import document_id

REDIRECTS = frozenset({301, 302, 303, 307, 308})

DOMAINS = "newscorpus_domains"
"""Key of `Request.meta`: host names, with all below them, that redirects may lead to; absent: any."""


class CarefulRedirectMiddleware(RedirectMiddleware):
    """Scrapy's redirects, except that none is lost in silence: each is followed, or refused with a reason.

    Scrapy drops a redirect to an address met before, which a loop is; and one to another address of the same document
    (https for http, tracking parameters cut off), which must be followed. A spider may have a method
    `has_met(url, asked)` that tells whether a document was met otherwise than by a redirect from `asked`.
    """

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        """Follow a redirect.

        Raises:
            Refused: reason "private_address", "offsite", "bad_redirect", "redirect_loop" or "redirect_to_known".
        """
        if response.status in REDIRECTS and "Location" in response.headers:
            _check(request, response)
        result = super().process_response(request, response)
        if isinstance(result, Request):
            self._check_target(request, result)
        return result

    def _check_target(self, request: Request, target: Request) -> None:
        if target.url in target.meta["redirect_urls"]:
            raise Refused("redirect_loop", f"back to {target.url}")
        target.dont_filter = document_id(target.url) == document_id(request.url)
        has_met = getattr(self.crawler.spider, "has_met", None)
        if has_met and not target.dont_filter and has_met(target.url, target.meta["redirect_urls"][0]):
            raise Refused("redirect_to_known", f"to {target.url}")


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
