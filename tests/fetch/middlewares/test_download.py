"""A connection that is kept open: the bound on headers holds for each answer alone."""

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.protocol import Protocol
from twisted.internet.testing import StringTransport
from twisted.web._newclient import Request
from twisted.web.http_headers import Headers
from twisted.web.iweb import IResponse

from newscorpus.fetch.middlewares.download import MAX_HEAD_BYTES, BoundedProtocol

BODY = b"x" * 9_000
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(BODY) + BODY


class Body(Protocol):
    """Takes a body and throws it away."""


@pytest.fixture
def connection() -> BoundedProtocol:
    protocol = BoundedProtocol(lambda _protocol: None)  # type: ignore[no-untyped-call]
    protocol.makeConnection(StringTransport())  # type: ignore[no-untyped-call]
    return protocol


def ask(connection: BoundedProtocol, answer: bytes) -> list[object]:
    """Send a request, and take the answer in one piece; gives the response or the failure."""
    found: list[object] = []
    request = Request(b"GET", b"/", Headers({b"host": [b"x"]}), None, persistent=True)  # type: ignore[no-untyped-call]
    asked: Deferred[IResponse] = connection.request(request)
    asked.addBoth(found.append)
    connection.dataReceived(answer)
    if found and hasattr(found[0], "deliverBody"):
        found[0].deliverBody(Body())
    return found


def test_many_short_answers_on_one_connection_are_no_long_headers(connection: BoundedProtocol) -> None:
    for _ in range(2 * MAX_HEAD_BYTES // len(ANSWER)):
        (response,) = ask(connection, ANSWER)
        assert getattr(response, "code", 0) == 200
