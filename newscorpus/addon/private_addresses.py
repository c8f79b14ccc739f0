"""Keeps a crawl out of the private network of the machine it runs on."""

from typing import Self
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IResolutionReceiver
from zope.interface import implementer  # type: ignore[import-untyped]

from newscorpus.addon.refused import Refused
from newscorpus.crawl.addresses import host_and_port, is_public, literal_address, may_ask


class PrivateAddressMiddleware:
    """Refuses what does not lead to the public web: other schemes, and hosts whose address is private.

    Names are resolved before the request goes out, through Scrapy's caching resolver: the connection then uses one of
    the answers that were checked, all of which must be public. An answer that came from a private address all the same
    is thrown away. Redirects and robots.txt pass here too. Spiders name the `host:port` on this machine that they may
    ask in an attribute `loopback`.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the middleware of a crawl."""
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Let `request` pass, or refuse it.

        Raises:
            Refused: reason "private_address".
        """
        if self._is_served_here(request):
            return
        if not may_ask(request.url):
            raise Refused("private_address", "no address of the public web")
        host = urlsplit(request.url).hostname or ""
        if literal_address(host):
            return
        if private := [address for address in await _resolve(host) if not is_public(address)]:
            raise Refused("private_address", f"{host} is {private[0]}")

    def process_response(self, request: Request, response: Response) -> Response:
        """Let `response` pass, or throw it away; behind a proxy the address is the proxy's, and says nothing.

        Raises:
            Refused: reason "private_address".
        """
        address = str(response.ip_address or "")
        if address and not is_public(address) and not self._is_served_here(request) and "proxy" not in request.meta:
            raise Refused("private_address", f"answered by {address}")
        return response

    def _is_served_here(self, request: Request) -> bool:
        loopback: frozenset[str] = getattr(self.crawler.spider, "loopback", frozenset())
        return host_and_port(request.url) in loopback


@implementer(IResolutionReceiver)
class _Addresses:
    """Collects what a resolver says of a name, as Twisted wants to tell it."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self.done: Deferred[None] = Deferred()

    def resolutionBegan(self, resolution: object) -> None:  # noqa: N802 -- Twisted's name
        """Nothing to do yet."""

    def addressResolved(self, address: IPv4Address | IPv6Address) -> None:  # noqa: N802 -- Twisted's name
        """Take one address."""
        self.found.append(address.host)

    def resolutionComplete(self) -> None:  # noqa: N802 -- Twisted's name
        """All are there."""
        self.done.callback(None)


async def _resolve(host: str) -> list[str]:
    """The addresses that a connection to `host` may use; none where there are none, which the download then reports."""
    from twisted.internet import reactor  # noqa: PLC0415 -- importing it installs it; Scrapy does that first

    addresses = _Addresses()
    reactor.nameResolver.resolveHostName(addresses, host)
    await maybe_deferred_to_future(addresses.done)
    return addresses.found
