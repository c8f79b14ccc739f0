"""Make the requests of the portal spider, and fetch the further pages of an article.

Requests carry only plain values and a visit, so that the ledger can store them.
"""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from http import HTTPStatus
from typing import Any
from zlib import crc32

import msgspec
from scrapy import Request, Spider
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK

from newscorpus.config import Limits
from newscorpus.data import Page, Rejected
from newscorpus.discover.entries import MAX_BYTES
from newscorpus.discover.planner import PlannedFetch
from newscorpus.fetch.scheduler import LAST_PRIORITY, LIST_PRIORITY
from newscorpus.fetch.visits import FAILURES, VISIT, Postponed, Purpose, Visit, fetch_rejection, make_page
from newscorpus.page.judgement import Judgement
from newscorpus.page.parts import MAX_PARTS, continues, next_part
from newscorpus.page.source_page import SourcePage
from newscorpus.portal.addresses import FetchKind
from newscorpus.portal.portal import Portal

ARTICLE_PRIORITY = 100
"""Articles come before the sections that lead to more of them."""

SHUFFLED = 1_000
"""Priorities below the last one, chosen by a hash of the address, so that archives of tags and days alternate."""


CALLBACKS = {
    FetchKind.FEED: ("parse_list", "failed"),
    FetchKind.SITEMAP: ("parse_list", "failed"),
    FetchKind.MAYBE_LIST: ("parse_guess", "guess_failed"),
    FetchKind.PROBE: ("parse_probe", "guess_failed"),
}
"""Methods of the spider for an answer and for a failure."""
PAGE_CALLBACKS = ("parse_page", "failed")


def make_request(portal: Portal, planned: PlannedFetch, spider: Spider) -> Request:
    """Make the request for an address of a portal; within a kind, pages fewer links away come first."""
    kind = planned.kind
    callback, errback = (getattr(spider, name) for name in CALLBACKS.get(kind, PAGE_CALLBACKS))
    given: dict[str, Any] = {"source": portal.name}
    visit = Visit(portal.name, kind.value)
    meta: dict[str, Any] = {"download_slot": portal.name, VISIT: visit}
    priority = LIST_PRIORITY
    if kind in {FetchKind.FEED, FetchKind.SITEMAP}:  # they may be on another host
        given["form"] = kind.value
        meta["download_maxsize"] = MAX_BYTES
    else:
        visit.domains = portal.domains
    if kind in {FetchKind.ARTICLE, FetchKind.SECTION}:
        given |= {"kind": kind.value, "evidence": msgspec.to_builtins(planned.evidence)}
        priority = (ARTICLE_PRIORITY if kind is FetchKind.ARTICLE else 0) - planned.depth
    if planned.is_last:
        priority = LAST_PRIORITY - crc32(planned.url.encode("utf-8", "surrogatepass")) % SHUFFLED
    again = planned.is_repeat
    return Request(
        planned.url, callback, errback=errback, cb_kwargs=given, meta=meta, priority=priority, dont_filter=again
    )


Download = Callable[[Request], Awaitable[Response]]
Judge = Callable[[SourcePage], Awaitable[Judgement]]


async def fetch_parts(
    download: Download,
    judge: Judge,
    portal: Portal,
    first: SourcePage,
    judged: Judgement,
    max_bytes: int = Limits().max_bytes,
) -> tuple[SourcePage, Rejected | None]:
    """Fetch the further pages of an article.

    Args:
        download: fetches immediately.
        judge: judges a page.
        portal: of the article.
        first: its first page.
        judged: judgement of that page.
        max_bytes: of all pages together; the limit of a single page applies to the joined text.

    Returns:
        The first page with its further pages and the articles of all; and a rejection if a linked page is missing.

    Raises:
        Postponed: the site is not crawled any more in this run.
    """
    url, beginning, last = first.page.url, judged.links, judged.links
    parts: list[Page] = []
    articles, seen = [judged.article], {(last.signature, last.letters)}
    end = None
    while len(parts) + 1 < MAX_PARTS and (address := next_part(url, len(parts) + 2, last.part_links)):
        visit = Visit(purpose=Purpose.PART, domains=portal.domains)
        meta = {"download_slot": portal.name, VISIT: visit}
        try:
            response = await download(Request(address, NO_CALLBACK, meta=meta, priority=LIST_PRIORITY))
        except Postponed:
            raise
        except FAILURES as error:
            end = fetch_rejection(error, address)
            break
        if response.status != HTTPStatus.OK:
            end = Rejected("fetch", f"http_{response.status}", f"page of {url}", address)
            break
        part = make_page(response)
        found = await judge(replace(first, page=part, part_of=url))
        last = found.links
        if isinstance(found.outcome, Rejected):
            end = found.outcome
            break
        if not continues(beginning, last, url):
            break
        if (last.signature, last.letters) in seen or not last.signature:
            end = Rejected("discovery", "same_content", f"as a page before it, of {url}", address)
            break
        if sum(len(page.body) for page in (first.page, *parts, part)) > max_bytes:
            end = Rejected("fetch", "too_large", f"with the pages before it, of {url}", address)
            break
        seen.add((last.signature, last.letters))
        parts.append(part)
        articles.append(found.article)
    return replace(first, following=tuple(parts), articles=tuple(filter(None, articles))), end
