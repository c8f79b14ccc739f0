"""Refuse private addresses, bad redirects and repeatedly compressed answers."""

from collections.abc import Awaitable, Callable
from urllib.parse import urljoin, urlsplit

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.redirect import RedirectMiddleware
from scrapy.http import Response
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IResolutionReceiver
from zope.interface import implementer  # type: ignore[import-untyped]

from newscorpus.content_encoding import MAX_ENCODINGS
from newscorpus.fetch.plugin import CrawlComponent, hints_of
from newscorpus.fetch.visits import Refused, visit_of
from newscorpus.page.refusals import find_detour
from newscorpus.urls import document_id, host_and_port, is_public, is_within, literal_address, may_ask

REDIRECTS = frozenset({301, 302, 303, 307, 308})


class CarefulRedirectMiddleware(RedirectMiddleware):
    """Follows every redirect like Scrapy, or refuses it with a reason; refuses too many nested content encodings.

    Scrapy silently drops a redirect to a known address (a loop), and one to another address of the same document
    (https for http, tracking parameters removed), which must be followed. Each encoding may expand a body to its
    maximum length.
    """

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        """Follow a redirect.

        Raises:
            Refused: reason "private_address", "offsite", "bad_redirect", "redirect_loop", "redirect_to_known",
                "consent_wall", "bot_check" or "broken_encoding".
        """
        layers = b",".join(response.headers.getlist("Content-Encoding")).count(b",") + 1
        if layers > MAX_ENCODINGS:
            raise Refused("broken_encoding", f"{layers} encodings, one over another")
        if response.status in REDIRECTS and "Location" in response.headers:
            _check_redirect(request, response)
        result = super().process_response(request, response)
        if isinstance(result, Request):
            if result.url in result.meta["redirect_urls"]:
                raise Refused("redirect_loop", f"back to {result.url}")
            result.dont_filter = document_id(result.url) == document_id(request.url)
            has_met = hints_of(self.crawler.spider).has_met
            if not result.dont_filter and has_met(result.url, result.meta["redirect_urls"][0]):
                raise Refused("redirect_to_known", f"to {result.url}")
        return result


def _check_redirect(request: Request, response: Response) -> None:
    location = (response.headers["Location"] or b"").decode("utf-8", "replace")
    try:
        parts = urlsplit(urljoin(request.url, location))
        wall = find_detour(request.url, parts.geturl())
    except ValueError as error:
        raise Refused("bad_redirect", f"to {location!r}: {error}") from error
    if wall:
        raise Refused(wall, f"redirect to {location[:200]}")
    if parts.scheme not in {"http", "https"}:
        raise Refused("private_address", f"redirect to {location[:200]}")
    domains = visit_of(request).domains
    if domains is not None and not is_within(parts.geturl(), domains):
        reason = "offsite" if may_ask(parts.geturl()) else "private_address"
        raise Refused(reason, f"redirect to {location[:200]}")


class PrivateAddressMiddleware(CrawlComponent):
    """Refuses requests outside the public web: other schemes, and hosts with private addresses.

    Names are resolved before the request is sent, through Scrapy's caching resolver; all addresses must be public, and
    the connection uses one of them. If a name has no address, the download handler fails instead of resolving it again.
    An answer from a private address is discarded. Redirects and robots.txt are checked, too. `SpiderHints.loopback`
    lists what may be fetched from localhost.
    """

    def __init__(self, crawler: Crawler, resolve: Callable[[str], Awaitable[list[str]]] | None = None) -> None:
        super().__init__(crawler)
        self._resolve = resolve or _resolve

    async def process_request(self, request: Request) -> None:
        """Let `request` pass, or refuse it.

        Raises:
            Refused: reason "private_address".
        """
        visit = visit_of(request)
        visit.is_unresolved = False  # a redirect keeps the value of the previous address
        if self._may_be_local(request):
            return
        if not may_ask(request.url):
            raise Refused("private_address", "no address of the public web")
        host = urlsplit(request.url).hostname or ""
        if literal_address(host):
            return
        addresses = await self._resolve(host)
        if private := [address for address in addresses if not is_public(address)]:
            raise Refused("private_address", f"{host} is {private[0]}")
        visit.is_unresolved = not addresses

    def process_response(self, request: Request, response: Response) -> Response:
        """Let `response` pass, or discard it; the address of a proxy is not checked.

        Raises:
            Refused: reason "private_address".
        """
        address = str(response.ip_address or "")
        if address and not is_public(address) and not self._may_be_local(request) and not request.meta.get("proxy"):
            raise Refused("private_address", f"answered by {address}")
        return response

    def _may_be_local(self, request: Request) -> bool:
        return host_and_port(request.url) in hints_of(self._crawler.spider).loopback


@implementer(IResolutionReceiver)
class _Addresses:
    """Collects the addresses from Twisted's resolver for a name."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self.done: Deferred[None] = Deferred()

    def resolutionBegan(self, resolution: object) -> None:  # noqa: N802 -- Twisted's name
        """Do nothing."""

    def addressResolved(self, address: IPv4Address | IPv6Address) -> None:  # noqa: N802 -- Twisted's name
        """Collect one address."""
        self.found.append(address.host)

    def resolutionComplete(self) -> None:  # noqa: N802 -- Twisted's name
        """End."""
        self.done.callback(None)


async def _resolve(host: str) -> list[str]:
    """Resolve the addresses that a connection to `host` may use; empty if there are none."""
    from twisted.internet import reactor  # noqa: PLC0415 -- importing it installs it; Scrapy does that first

    addresses = _Addresses()
    reactor.nameResolver.resolveHostName(addresses, host)
    await maybe_deferred_to_future(addresses.done)
    return addresses.found
