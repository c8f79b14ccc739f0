"""Decide which addresses a crawl may ask: public ones, over http and https."""

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

WEB_PORTS = {"http": 80, "https": 443}

NAT64 = ip_network("64:ff9b::/96")
"""IPv6 addresses that stand for IPv4 ones (RFC 6052)."""

PUBLIC_V6 = (ip_network("2000::/3"), NAT64)
"""All that is given out to sites (IANA, "IPv6 Global Unicast Address Assignments"). Others are old forms of private
addresses (site-local), of IPv4 ones, or nobody's, and Python takes many of them for global."""


def is_public(address: str) -> bool:
    """Whether an IP address is one of the public internet; False for private, loopback, link-local and the like.

    IPv6 addresses that carry an IPv4 address (6to4, Teredo, NAT64) are judged by both.

    Raises:
        ValueError: `address` is no IP address.
    """
    ip = ip_address(address.partition("%")[0])
    if isinstance(ip, IPv6Address) and not any(ip in network for network in PUBLIC_V6):
        return False
    return all(part.is_global and not part.is_multicast for part in (ip, *_embedded(ip)))


def literal_address(host: str) -> str:
    """`host` if it is a literal IP address, brackets removed; "" if it is a name."""
    bare = host.strip("[]")
    try:
        ip_address(bare.partition("%")[0])
    except ValueError:
        return ""
    return bare


def host_and_port(url: str) -> str:
    """`host:port` of a web address, the port written out; "" for what is no web address."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or WEB_PORTS[parts.scheme]
    except (ValueError, KeyError):
        return ""
    return f"{host}:{port}" if host else ""


def is_loopback(url: str) -> bool:
    """Whether the host of `url` is `localhost` or a loopback address by its very writing."""
    host = host_and_port(url).rpartition(":")[0]
    literal = literal_address(host)
    return host == "localhost" or bool(literal and ip_address(literal.partition("%")[0]).is_loopback)


def may_ask(url: str, loopback: Iterable[str] = ()) -> bool:
    """Whether `url` is a web address that is not private by its very writing, or one of `loopback` (`host:port`)."""
    where = host_and_port(url)
    literal = literal_address(where.rpartition(":")[0])
    return bool(where) and (not literal or where in loopback or is_public(literal))


def _embedded(ip: IPv4Address | IPv6Address) -> Iterable[IPv4Address]:
    if isinstance(ip, IPv4Address):
        return ()
    nat64 = IPv4Address(int(ip) & 0xFFFFFFFF) if ip in NAT64 else None
    found = (ip.sixtofour, *(ip.teredo or ()), nat64)
    return tuple(address for address in found if address is not None)
