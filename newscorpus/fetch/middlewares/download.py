"""Download over HTTP as Scrapy does, but with a limit on headers and without Twisted's immediate retries.

Scrapy limits only the body, and Twisted resends a request at once if a kept-alive connection breaks.
"""

from urllib.parse import urlsplit

from scrapy import Request
from scrapy.core.downloader.handlers.http11 import (
    HTTP11DownloadHandler,
    _LenientHTTP11ClientFactory,
    _LenientHTTP11ClientProtocol,
)
from scrapy.crawler import Crawler
from scrapy.exceptions import CannotResolveHostError, DownloadCancelledError, DownloadFailedError
from scrapy.http import Response
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IAddress
from twisted.python.failure import Failure
from twisted.web._newclient import HEADER, STATUS, HTTP11ClientProtocol
from twisted.web._newclient import Request as TxRequest
from twisted.web.iweb import IResponse

from newscorpus.fetch.plugin import hints_of, stat
from newscorpus.fetch.visits import visit_of

MAX_HEAD_BYTES = 2**18
"""Maximum bytes of the headers of a response, including interim responses (1xx), as in browsers. Real ones have some
2 kB; in memory a header takes up to a hundred times its bytes."""


class BoundedDownloadHandler(HTTP11DownloadHandler):
    """Scrapy's handler with a limit on headers, and without immediate retries, which would skip the delay."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._pool._factory = _Factory  # noqa: SLF001 -- as Scrapy sets its own
        self._pool.retryAutomatically = False

    async def download_request(self, request: Request) -> Response:
        """Send a request with the user's own cookies and headers, and return the response.

        Raises:
            DownloadCancelledError: the headers or the body are too long.
            CannotResolveHostError: the host had no address to check; one found now would be unchecked.
        """
        if visit_of(request).is_unresolved and not request.meta.get("proxy"):
            raise CannotResolveHostError(f"no address of {urlsplit(request.url).hostname} was found")
        sent = with_own_headers(self._crawler, request)
        try:
            return await super().download_request(sent)
        except DownloadFailedError as error:
            reasons: list[Failure] = getattr(error.__cause__, "reasons", [])
            if any(isinstance(each.value, _HeadersTooLongError) for each in reasons):
                raise DownloadCancelledError(f"more than {MAX_HEAD_BYTES} bytes of headers") from error
            raise
        finally:
            if sent is not request:  # download_latency and others
                request.meta.update(sent.meta)


def with_own_headers(crawler: Crawler, request: Request) -> Request:
    """Return a copy of the request with the user's own cookies and headers, which only the handler sees."""
    slot = request.meta.get("download_slot", "")
    access = hints_of(crawler.spider).access.get(slot)
    own = access.headers_for(request.url) if access else {}
    if access is None or not own:
        return request
    crawler.stats.set_value(stat("own_access", slot, "names"), access.names)
    crawler.stats.inc_value(stat("own_access", slot, "requests"))
    headers = request.headers.copy()
    headers.update(own)
    return request.replace(headers=headers)


class _HeadersTooLongError(ValueError):
    """The headers of a response exceed `MAX_HEAD_BYTES`."""


class BoundedProtocol(_LenientHTTP11ClientProtocol):
    """A connection that counts the bytes of headers."""

    _head_bytes = 0

    def request(self, request: TxRequest) -> Deferred[IResponse]:
        """Send a request, and reset the count, since a kept-alive connection carries several responses."""
        self._head_bytes = 0
        return super().request(request)

    def dataReceived(self, data: bytes) -> None:  # noqa: N802 -- Twisted's name
        """Pass on data, unless the headers are too long."""
        is_head = self._parser is not None and self._parser.state in {STATUS, HEADER}
        self._head_bytes = self._head_bytes + len(data) if is_head else 0
        if self._head_bytes > MAX_HEAD_BYTES + len(data):  # the last chunk may be body
            self._giveUp(Failure(_HeadersTooLongError()))  # type: ignore[no-untyped-call]
        else:
            super().dataReceived(data)  # type: ignore[no-untyped-call]


class _Factory(_LenientHTTP11ClientFactory):
    def buildProtocol(self, addr: IAddress | None) -> HTTP11ClientProtocol:  # noqa: ARG002, N802 -- Twisted's names
        return BoundedProtocol(self._quiescentCallback)  # type: ignore[no-untyped-call]
