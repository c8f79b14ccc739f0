"""One HTTP request, with an address that is checked before it is connected to, and bounds on time and size."""

import gzip
import io
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse
from urllib.parse import urlsplit

from newscorpus.config import FetchConfig
from newscorpus.crawl.addresses import host_and_port, is_public, may_ask

CHUNK_BYTES = 2**16


class FetchError(Exception):
    """A request that was not sent, or brought nothing.

    Attributes:
        reason: snake_case.
        detail: one line for a person.
    """

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server answered.

    Attributes:
        url: that was asked.
        status: of HTTP.
        headers: names in lower case; of several with one name, all values, joined by ", ".
        body: content encoding undone.
    """

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes


def ask(url: str, user_agent: str, config: FetchConfig, loopback: Collection[str] = ()) -> Answer:
    """Send a GET request to `url`; no proxy is used and no redirect followed.

    Raises:
        FetchError: reason "private_address", "dns", "connection_refused", "connection_failed", "timeout", "too_large",
            "truncated" or "unknown_encoding".
    """
    if not may_ask(url, loopback):
        raise FetchError("private_address", f"{url}: no address of the public web")
    addresses = _addresses(url, loopback)
    deadline = time.monotonic() + config.seconds
    try:
        with _connected(url, addresses, config.seconds) as connection:
            connection.request("GET", _target(url), headers={"User-Agent": user_agent, "Accept-Encoding": "gzip"})
            response = connection.getresponse()
            body = _body(response, config.max_bytes)
    except (OSError, HTTPException) as error:
        raise FetchError(_reason(error, deadline), f"{url}: {type(error).__name__}: {error}") from error
    if time.monotonic() >= deadline:  # a connection that was cut off may look as if the body had ended
        raise FetchError("timeout", f"{url}: longer than {config.seconds:g} seconds")
    if response.length:
        raise FetchError("truncated", f"{url}: {response.length} bytes are missing")
    return Answer(url, response.status, _headers(response), _unpacked(response, body, config.max_bytes))


def _reason(error: Exception, deadline: float) -> str:
    if isinstance(error, TimeoutError) or time.monotonic() >= deadline:
        return "timeout"
    return "connection_refused" if isinstance(error, ConnectionRefusedError) else "connection_failed"


def _addresses(url: str, loopback: Collection[str]) -> list[str]:
    """The IP addresses of the host, all of them public; connecting to these leaves no second answer to be trusted."""
    where = host_and_port(url)
    host, _, port = where.rpartition(":")
    try:
        found = socket.getaddrinfo(host, int(port), type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise FetchError("dns", f"{host}: {error}") from error
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    if private := [address for address in addresses if where not in loopback and not is_public(address)]:
        raise FetchError("private_address", f"{host} is {private[0]}")
    return addresses


@contextmanager
def _connected(url: str, addresses: list[str], seconds: float) -> Iterator[HTTPConnection]:
    """A connection to the first of the addresses that answers; it is cut off when its time is over."""
    host, _, port = host_and_port(url).rpartition(":")
    connection = HTTPConnection(host, int(port))
    with _first(addresses, int(port), seconds) as plain, _cut_after(plain, seconds):
        secure = urlsplit(url).scheme == "https"
        connection.sock = _wrapped(plain, host) if secure else plain
        try:
            yield connection
        finally:
            connection.close()


def _first(addresses: list[str], port: int, seconds: float) -> socket.socket:
    for address in addresses[:-1]:
        try:
            return socket.create_connection((address, port), seconds)
        except OSError:  # such as IPv6 on a machine that has none: the next may do
            continue
    return socket.create_connection((addresses[-1], port), seconds)


def _wrapped(plain: socket.socket, host: str) -> ssl.SSLSocket:
    return ssl.create_default_context().wrap_socket(plain, server_hostname=host)


@contextmanager
def _cut_after(connected: socket.socket, seconds: float) -> Iterator[None]:
    """Cut the connection off after a time, however busily the other side drips its bytes."""
    with connected.dup() as handle:  # the other goes over to TLS
        timer = threading.Timer(seconds, _shut, (handle,))
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()


def _shut(handle: socket.socket) -> None:
    try:
        handle.shutdown(socket.SHUT_RDWR)
    except OSError:  # the other side was faster
        return


def _target(url: str) -> str:
    parts = urlsplit(url)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def _headers(response: HTTPResponse) -> dict[str, str]:
    headers: dict[str, str] = {}
    for written, value in response.getheaders():
        name = written.lower()
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return headers


def _body(response: HTTPResponse, max_bytes: int) -> bytes:
    body = bytearray()
    while chunk := response.read1(CHUNK_BYTES):
        body += chunk
        if len(body) > max_bytes:
            raise FetchError("too_large", f"more than {max_bytes} bytes")
    return bytes(body)


def _unpacked(response: HTTPResponse, body: bytes, max_bytes: int) -> bytes:
    encoding = (response.getheader("Content-Encoding") or "identity").strip().lower()
    if encoding == "identity":
        return body
    if encoding not in {"gzip", "x-gzip"}:
        raise FetchError("unknown_encoding", f"content encoding {encoding!r}, asked for was gzip")
    try:
        unpacked = gzip.GzipFile(fileobj=io.BytesIO(body)).read(max_bytes + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise FetchError("truncated", f"broken gzip: {error}") from error
    if len(unpacked) > max_bytes:
        raise FetchError("too_large", f"more than {max_bytes} bytes")
    return unpacked
