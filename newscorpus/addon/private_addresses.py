"""Keeps a crawl out of the private network of the machine it runs on."""

from typing import Self
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.error import DNSLookupError

from newscorpus.addon.refused import Refused
from newscorpus.crawl.addresses import host_and_port, is_public, literal_address, may_ask


class PrivateAddressMiddleware:
    """Refuses what does not lead to the public web: other schemes, and hosts whose address is private.

    Names are resolved before the request goes out, through Scrapy's caching resolver: the connection then uses the
    answer that was checked. An answer that came from a private address all the same (another resolver, a name that
    changed) is thrown away. Redirects and robots.txt pass here too. Spiders name the `host:port` on this machine that
    they may ask in an attribute `loopback`.
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
        address = await _resolve(host)
        if address and not is_public(address):
            raise Refused("private_address", f"{host} is {address}")

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


async def _resolve(host: str) -> str:
    """The address that Scrapy's resolver gives for `host`; "" where there is none, which the download then reports."""
    from twisted.internet import reactor  # noqa: PLC0415 -- importing it installs it; Scrapy does that first

    try:
        return await maybe_deferred_to_future(reactor.resolve(host))  # type: ignore[arg-type]
    except DNSLookupError:
        return ""
