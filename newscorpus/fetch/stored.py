"""Serialise requests as JSON, and fingerprint them by document.

Nothing is pickled. A request that was answered before becomes conditional (RFC 9110, section 13).
"""

import hashlib
import json
from http import HTTPStatus
from typing import Any

from scrapy import Request, Spider
from scrapy.utils.misc import load_object

from newscorpus.fetch.visits import VISIT, Visit
from newscorpus.store.ledger import Lease, LedgerError
from newscorpus.urls import canonical_url, document_id


class CanonicalFingerprinter:
    """Gives requests for one document the same fingerprint; tracking parameters, sessions and https are ignored."""

    def fingerprint(self, request: Request) -> bytes:
        """Return 8 bytes for a document; 20 bytes for a request with another method or a body."""
        if request.method == "GET" and not request.body:
            return bytes.fromhex(document_id(request.url))
        parts = (request.method.encode(), canonical_url(request.url).encode(), request.body)
        return hashlib.sha1(b"\0".join(parts), usedforsecurity=False).digest()


ALLOWED = "handle_httpstatus_list"
"""Key of `Request.meta`: statuses other than 2xx that Scrapy passes to the callback."""


def conditional(request: Request, lease: Lease) -> Request:
    """Return `request` with the validators of the last answer, if there was one, in place of older ones."""
    if lease.status != HTTPStatus.OK:
        return request
    validators = {"If-None-Match": lease.etag, "If-Modified-Since": lease.last_modified}
    for name in validators:  # a retry is stored with those of its first attempt
        request.headers.pop(name, None)
    headers = {name: value for name, value in validators.items() if value}
    if not headers:
        return request
    request.headers.update(headers)
    request.meta[ALLOWED] = sorted({*request.meta.get(ALLOWED, ()), HTTPStatus.NOT_MODIFIED.value})
    return request


ELSEWHERE = frozenset({"url", "priority"})
"""Attributes with columns of their own in the ledger."""

CALLS = ("callback", "errback")
KEPT = ("domains", "asked_again")
"""Attributes of a visit that are stored with its request."""


def pack(request: Request, spider: Spider) -> bytes | None:
    """Serialise the attributes of `request` that are not the defaults as JSON; None if JSON cannot hold them."""
    blank = Request("data:,")
    values: dict[str, Any] = {}
    for name in request.attributes:
        value = getattr(request, name)
        if name not in ELSEWHERE and value != getattr(blank, name, None):
            values[name] = _plain(name, value, spider)
    if type(request) is not Request:
        values["_class"] = f"{type(request).__module__}.{type(request).__qualname__}"
    if not values.get("meta", True):
        del values["meta"]
    # Not msgspec, which refuses subclasses of str, such as the results of selectors.
    return json.dumps(values).encode() if _is_plain(values) else None


def unpack(data: bytes, url: str, priority: int, spider: Spider) -> Request:
    """Restore a packed request.

    Raises:
        LedgerError: the spider lacks the method that the request names, or its class is no request class.
    """
    values: dict[str, Any] = json.loads(data)
    path = values.pop("_class", "")
    kind = load_object(path) if path else Request
    if not (isinstance(kind, type) and issubclass(kind, Request)):
        raise LedgerError(f"a stored request names the class {path}, which is none of requests; begin anew")
    for name in CALLS:
        if called := values.get(name):
            values[name] = getattr(spider, called, None)
            if values[name] is None:
                raise LedgerError(
                    f"a stored request names {called}, which the spider {spider.name} has not; begin anew"
                )
    if "body" in values:
        values["body"] = values["body"].encode("latin-1")
    if VISIT in values.get("meta", {}):
        kept = values["meta"][VISIT]
        domains = tuple(kept["domains"]) if "domains" in kept else None
        values["meta"][VISIT] = Visit(domains=domains, asked_again=kept.get("asked_again", 0))
    return kind(url=url, priority=priority, **values)


def _plain(name: str, value: Any, spider: Spider) -> Any:
    """Convert an attribute for JSON; `_is_plain` finds values that remain unconvertible."""
    if name in CALLS:
        method = getattr(value, "__wrapped__", value)  # the spider's own, where a visit wrapped the errback
        called = getattr(method, "__name__", "")
        return called if getattr(spider, called, None) == method else value
    if name == "headers":
        return {key.decode("latin-1"): [one.decode("latin-1") for one in given] for key, given in value.items()}
    if name == "body":
        return value.decode("latin-1")
    if name == "meta":
        visit = value.get(VISIT)
        kept = {key: getattr(visit, key) for key in KEPT if getattr(visit, key, None)}
        return {key: each for key, each in value.items() if key != VISIT} | ({VISIT: kept} if kept else {})
    return value


def _is_plain(value: Any) -> bool:
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_plain(each) for key, each in value.items())
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, str | int | float)
