"""Read the user's own cookies and headers from a portal's file, and limit where they are sent.

They are sent with a request but never stored: ledger, archive and log do not see them.
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
"""A value that stands in the environment."""

OURS = frozenset(
    "accept-encoding connection content-length content-type cookie expect host if-modified-since if-none-match"
    " keep-alive proxy-authorization range te trailer transfer-encoding upgrade user-agent".split()
)
"""Headers that no portal's file may set: they say who asks, for what, or how the answer comes."""


@dataclass(frozen=True, slots=True)
class OwnAccess:
    """What of the user's own goes with the requests to one portal."""

    portal: Portal = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)  # with the cookies as one of them
    names: str = ""  # of cookies and headers, without their values, for the report

    def headers_for(self, url: str) -> Mapping[str, str]:
        """What goes with a request for `url`; nothing beyond the portal's hosts, nor unencrypted beside https."""
        may_be_plain = any(urlsplit(start).scheme == "http" for start in self.portal.start)
        is_safe = url.startswith("https:") or may_be_plain
        return self.headers if is_safe and self.portal.covers(url) else {}


def check_access(portal: Portal) -> None:
    """See that names and values are such as can be sent; values in the environment are not looked at.

    Raises:
        ValueError: one is not; the message names its key, and no value.
    """
    for name, value in portal.cookies.items():
        _check(f"cookies.{name}", name, value, COOKIE_VALUE)
    for name, value in portal.headers.items():
        _check(f"headers.{name}", name, value, HEADER_VALUE)
        if name.lower() in OURS:
            raise ValueError(f"headers.{name}: it cannot be set here; for Cookie there is `cookies`")


def read_access(portals: Iterable[Portal]) -> dict[str, OwnAccess]:
    """What goes with the requests to each portal, by its name; those that carry nothing of the user's are left out.

    Raises:
        PortalError: a variable of the environment is not set, or holds what cannot be sent.
    """
    return {portal.name: _read(portal) for portal in portals if portal.cookies or portal.headers}


def _read(portal: Portal) -> OwnAccess:
    try:
        cookies = dict(_values("cookies", portal.cookies, COOKIE_VALUE))
        headers = dict(_values("headers", portal.headers, HEADER_VALUE))
    except ValueError as error:
        raise PortalError(f"portal {portal.name}: {error}") from error
    names = (*(f"cookie {name}" for name in cookies), *(f"header {name}" for name in headers))
    if cookies:
        headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in cookies.items())
    return OwnAccess(portal, headers, ", ".join(names))


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
