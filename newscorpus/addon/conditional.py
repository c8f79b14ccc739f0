"""Requests that bring a body only where something changed (RFC 9110, section 13)."""

from http import HTTPStatus

from scrapy import Request

from newscorpus.crawl.ledger import Lease

ALLOWED = "handle_httpstatus_list"
"""Key of `Request.meta` by which Scrapy hands other statuses than 2xx to the callback."""


def conditional(request: Request, lease: Lease) -> Request:
    """`request` with the validators of the last answer; as it is, where the address never was fetched."""
    validators = {"If-None-Match": lease.etag, "If-Modified-Since": lease.last_modified}
    headers = {name: value for name, value in validators.items() if value}
    if lease.status != HTTPStatus.OK or not headers:
        return request
    request.headers.update(headers)
    request.meta[ALLOWED] = sorted({*request.meta.get(ALLOWED, ()), HTTPStatus.NOT_MODIFIED.value})
    return request
