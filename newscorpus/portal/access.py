"""Read the user's own cookies and headers from a portal's file, and limit where they are sent.

They are never stored in ledger, archive or log.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from newscorpus.errors import PortalError
from newscorpus.portal.portal import Portal

TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
"""Names of headers and cookies (RFC 9110, 5.6.2)."""
COOKIE_VALUE = re.compile(r"(\"?)[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*\1")
"""RFC 6265, 4.1.1."""
HEADER_VALUE = re.compile(r"[\x20-\x7e]*")
VARIABLE = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)")
"""A reference to an environment variable."""

OURS = frozenset(
    "accept-encoding connection content-length content-type cookie expect host if-modified-since if-none-match"
    " keep-alive proxy-authorization range te trailer transfer-encoding upgrade user-agent".split()
)
"""Headers that no portal file may set, since the crawler or HTTP itself controls them."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """The user's own cookies and headers for one portal."""

    portal: Portal = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)  # including the cookies
    names: str = ""  # of cookies and headers, without values, for the report

    def headers_for(self, url: str) -> Mapping[str, str]:
        """Return the headers for a request: none for other hosts, and over http only if a start page uses it."""
        may_be_plain = any(urlsplit(start).scheme == "http" for start in self.portal.start)
        is_safe = url.startswith("https:") or may_be_plain
        return self.headers if is_safe and self.portal.covers(url) else {}


def check_access(portal: Portal) -> None:
    """Check that names and values can be sent; values of environment variables are not read.

    Raises:
        ValueError: one cannot; the message names its key, and no value.
    """
    for name, value in portal.cookies.items():
        _check(f"cookies.{name}", name, value, COOKIE_VALUE)
    for name, value in portal.headers.items():
        _check(f"headers.{name}", name, value, HEADER_VALUE)
        if name.lower() in OURS:
            raise ValueError(f"headers.{name}: it cannot be set here; for Cookie there is `cookies`")


def read_access(portals: Iterable[Portal]) -> dict[str, Credentials]:
    """Return the credentials by name of the portal, for portals that have any.

    Raises:
        PortalError: an environment variable is not set, or its value cannot be sent.
    """
    found = {}
    for portal in portals:
        try:
            cookies = dict(_values("cookies", portal.cookies, COOKIE_VALUE))
            headers = dict(_values("headers", portal.headers, HEADER_VALUE))
        except ValueError as error:
            raise PortalError(f"portal {portal.name}: {error}") from error
        names = (*(f"cookie {name}" for name in cookies), *(f"header {name}" for name in headers))
        if cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in cookies.items())
        if headers:
            found[portal.name] = Credentials(portal, headers, ", ".join(names))
    return found


def _values(key: str, given: Mapping[str, str], form: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """Return the values; look up those kept in environment variables."""
    for name, value in given.items():
        if not (variable := VARIABLE.fullmatch(value)):
            yield name, value
            continue
        found = os.environ.get(variable[1], "")
        if not found:
            raise ValueError(f"{key}.{name}: the environment variable {variable[1]} is not set")
        _check(f"{key}.{name}: the environment variable {variable[1]}", name, found, form)
        yield name, found


def _check(where: str, name: str, value: str, form: re.Pattern[str]) -> None:
    if not TOKEN.fullmatch(name):
        raise ValueError(f"{where}: no name that can be sent")
    if not form.fullmatch(value):
        raise ValueError(f"{where}: holds characters that cannot be sent")
