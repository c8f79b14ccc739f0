"""Serialise requests as JSON, and fingerprint them by document.

Nothing is pickled. A request that was answered before becomes conditional (RFC 9110, section 13).
"""

import hashlib
import json
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from scrapy import Request, Spider
from scrapy.utils.misc import load_object

from newscorpus.fetch.visits import VISIT, Visit
from newscorpus.store.ledger import Lease, LedgerError
from newscorpus.urls import canonical_url, document_id


class CanonicalFingerprinter:
    """Plain requests for the same document are duplicates: tracking parameters, sessions and https do not count."""

    def fingerprint(self, request: Request) -> bytes:
        """8 bytes that name the document; 20 bytes for a request with another method or a body."""
        if request.method == "GET" and not request.body:
            return bytes.fromhex(document_id(request.url))
        parts = (request.method.encode(), canonical_url(request.url).encode(), request.body)
        return hashlib.sha1(b"\0".join(parts), usedforsecurity=False).digest()


ALLOWED = "handle_httpstatus_list"
"""Key of `Request.meta` by which Scrapy hands other statuses than 2xx to the callback."""


def conditional(request: Request, lease: Lease) -> Request:
    """`request` with the validators of the last answer alone; as it is, where the address never was fetched."""
    if lease.status != HTTPStatus.OK:
        return request
    validators = {"If-None-Match": lease.etag, "If-Modified-Since": lease.last_modified}
    for name in validators:  # a retry was stored with those of its first attempt
        request.headers.pop(name, None)
    headers = {name: value for name, value in validators.items() if value}
    if not headers:
        return request
    request.headers.update(headers)
    request.meta[ALLOWED] = sorted({*request.meta.get(ALLOWED, ()), HTTPStatus.NOT_MODIFIED.value})
    return request


ELSEWHERE = frozenset({"url", "priority"})
"""Attributes that have columns of their own in the ledger."""

CALLS = ("callback", "errback")
KEPT = ("domains", "asked_again")
"""Attributes of a visit that are stored with its request."""


def pack(request: Request, spider: Spider) -> bytes | None:
    """What of `request` differs from a plain one, as JSON; None where it holds what JSON cannot say."""
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
    # Not msgspec, which refuses what is more than a str, such as the texts that selectors give.
    return json.dumps(values).encode() if _is_plain(values) else None


def unpack(data: bytes, url: str, priority: int, spider: Spider) -> Request:
    """Restore a packed request.

    Raises:
        LedgerError: the spider lacks the method that the request names, or its class is no request class.
    """
    values: dict[str, Any] = json.loads(data)
    kind = _class(values.pop("_class")) if "_class" in values else Request
    for name in CALLS:
        if called := values.get(name):
            values[name] = _method(spider, called)
    if "body" in values:
        values["body"] = values["body"].encode("latin-1")
    if VISIT in values.get("meta", {}):
        kept = values["meta"][VISIT]
        domains = tuple(kept["domains"]) if "domains" in kept else None
        values["meta"][VISIT] = Visit(domains=domains, asked_again=kept.get("asked_again", 0))
    return kind(url=url, priority=priority, **values)


def _plain(name: str, value: Any, spider: Spider) -> Any:
    """A value in the form in which JSON says it; what has none stays as it is, and is then found."""
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


def _class(path: str) -> type[Request]:
    kind = load_object(path)
    if not (isinstance(kind, type) and issubclass(kind, Request)):
        raise LedgerError(f"a stored request names the class {path}, which is none of requests; begin anew")
    return kind


def _method(spider: Spider, name: str) -> Callable[..., Any]:
    method: Callable[..., Any] | None = getattr(spider, name, None)
    if method is None:
        raise LedgerError(f"a stored request names {name}, which the spider {spider.name} has not; begin anew")
    return method
