"""Make the requests of the portal spider. They carry plain values only, so that the ledger can store them."""

from typing import Any
from zlib import crc32

import msgspec
from scrapy import Request, Spider
from scrapy.http.request import NO_CALLBACK

from newscorpus.discover.markup import MAX_BYTES
from newscorpus.discover.planner import PlannedFetch
from newscorpus.fetch.middlewares.guards import DOMAINS
from newscorpus.fetch.middlewares.politeness import PART
from newscorpus.fetch.scheduler import ABOUT
from newscorpus.portal.addresses import FetchKind
from newscorpus.portal.portal import Portal

LIST_PRIORITY = 1_000
"""Feeds and sitemaps come first: what they know of a document travels with its request."""

ARTICLE_PRIORITY = 100
"""Articles come before the sections that lead to more of them."""

LAST_PRIORITY = -500_000
"""What may bring nothing comes behind the deepest section, and before what failed."""
SHUFFLED = 1_000
"""Places behind that, by a hash of the address: so archives of tags, categories and days are read in turn."""


CALLBACKS = {
    FetchKind.FEED: ("parse_list", "failed"),
    FetchKind.SITEMAP: ("parse_list", "failed"),
    FetchKind.MAYBE_LIST: ("parse_guess", "guess_failed"),
    FetchKind.PROBE: ("parse_probe", "guess_failed"),
}
"""Methods of the spider that take an answer, and a failure."""
PAGE_CALLBACKS = ("parse_page", "failed")


def make_request(portal: Portal, planned: PlannedFetch, spider: Spider) -> Request:
    """The request for an address of a portal; of two pages of a kind, the one fewer links away goes first."""
    kind = planned.kind
    callback, errback = (getattr(spider, name) for name in CALLBACKS.get(kind, PAGE_CALLBACKS))
    given: dict[str, Any] = {"source": portal.name}
    meta: dict[str, Any] = {"download_slot": portal.name, ABOUT: {"source": portal.name, "kind": kind.value}}
    priority = LIST_PRIORITY
    if kind in {FetchKind.FEED, FetchKind.SITEMAP}:  # they may lie on another host
        given["form"] = kind.value
        meta["download_maxsize"] = MAX_BYTES
    else:
        meta[DOMAINS] = list(portal.domains)
    if kind in {FetchKind.ARTICLE, FetchKind.SECTION}:
        given |= {"kind": kind.value, "evidence": msgspec.to_builtins(planned.evidence)}
        priority = (ARTICLE_PRIORITY if kind is FetchKind.ARTICLE else 0) - planned.depth
    if planned.is_last:
        priority = LAST_PRIORITY - crc32(planned.url.encode("utf-8", "surrogatepass")) % SHUFFLED
    again = planned.is_repeat
    return Request(
        planned.url, callback, errback=errback, cb_kwargs=given, meta=meta, priority=priority, dont_filter=again
    )


def part_request(portal: Portal, url: str) -> Request:
    """The request for a further page of an article whose first page is being worked on."""
    meta = {"download_slot": portal.name, DOMAINS: list(portal.domains), PART: True}
    return Request(url, NO_CALLBACK, meta=meta, priority=LIST_PRIORITY)
