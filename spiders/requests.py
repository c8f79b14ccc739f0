"""The requests of the portal spider. What they carry is plain values, so that they can be stored and sent later."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
from scrapy import Request
from scrapy.http.request import NO_CALLBACK

from newscorpus.addon.guards import DOMAINS
from newscorpus.addon.politeness import PART
from newscorpus.addon.scheduler import ABOUT
from newscorpus.data import Evidence
from newscorpus.discovery.addresses import Kind
from newscorpus.discovery.listing import MAX_BYTES, Form
from newscorpus.portals.schema import Portal

Callback = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Calls:
    """The methods of the spider to which answers and failures go."""

    page: Callback
    list: Callback
    guess: Callback
    failed: Callback
    guess_failed: Callback


GUESS = "list"
"""Kind of a request for what may be a feed or a sitemap."""

PROBE = "probe"
"""Kind of a request for a page that cannot be there."""

LISTS = (Form.FEED.value, Form.SITEMAP.value, GUESS, Kind.SECTION.value)
"""Kinds of requests whose answers name articles."""

LIST_PRIORITY = 1_000
"""Feeds and sitemaps come first: what they know of a document travels with its request."""

ARTICLE_PRIORITY = 100
"""Articles come before the sections that lead to more of them."""


def page_request(
    portal: Portal, url: str, kind: Kind, calls: Calls, *, depth: int, evidence: tuple[Evidence, ...]
) -> Request:
    """The request for a page of a portal; of two pages of a kind, the one fewer links away goes first."""
    return Request(
        url,
        calls.page,
        errback=calls.failed,
        cb_kwargs={"source": portal.name, "kind": kind.value, "evidence": msgspec.to_builtins(evidence)},
        meta={"download_slot": portal.name, DOMAINS: list(portal.domains), ABOUT: _about(portal, kind.value)},
        priority=(ARTICLE_PRIORITY if kind is Kind.ARTICLE else 0) - depth,
    )


def list_request(portal: Portal, url: str, form: Form, calls: Calls) -> Request:
    """The request for a feed or a sitemap of a portal, which may lie on another host."""
    return Request(
        url,
        calls.list,
        errback=calls.failed,
        cb_kwargs={"source": portal.name, "form": form.value},
        meta={"download_slot": portal.name, "download_maxsize": MAX_BYTES, ABOUT: _about(portal, form.value)},
        priority=LIST_PRIORITY,
    )


def guess_request(portal: Portal, url: str, callback: Callback, errback: Callback, kind: str = GUESS) -> Request:
    """The request for what may be there or not; what it is, its content will tell."""
    return Request(
        url,
        callback,
        errback=errback,
        cb_kwargs={"source": portal.name},
        meta={"download_slot": portal.name, DOMAINS: list(portal.domains), ABOUT: _about(portal, kind)},
        priority=LIST_PRIORITY,
    )


def part_request(portal: Portal, url: str) -> Request:
    """The request for a further page of an article that is under way."""
    meta = {"download_slot": portal.name, DOMAINS: list(portal.domains), PART: True}
    return Request(url, NO_CALLBACK, meta=meta, priority=LIST_PRIORITY)


def read_evidence(stored: list[dict[str, str]]) -> tuple[Evidence, ...]:
    """The evidence that a request carries."""
    return msgspec.convert(stored, tuple[Evidence, ...])


def first_address(request: Request) -> str:
    """The address first asked for, before redirects."""
    addresses: list[str] = request.meta.get("redirect_urls", [])
    return addresses[0] if addresses else request.url


def _about(portal: Portal, kind: str) -> dict[str, str]:
    return {"source": portal.name, "kind": kind}
