"""Fetching the further pages of an article."""

import asyncio
from collections.abc import Awaitable, Callable
from http import HTTPStatus

from scrapy import Request
from scrapy.http import Response

from newscorpus.addon.pages import make_page
from newscorpus.addon.refused import Postponed
from newscorpus.config import Limits
from newscorpus.data import Page, Rejected
from newscorpus.portals.schema import Portal

from .failures import FAILURES, fetch_rejection
from .follow_ups import MAX_PARTS, next_part
from .links import PageLinks, read_links
from .requests import part_request

Download = Callable[[Request], Awaitable[Response]]


async def fetch_parts(
    download: Download, portal: Portal, first: Page, links: PageLinks, max_bytes: int = Limits().max_bytes
) -> tuple[tuple[Page, ...], Rejected | None]:
    """The pages that follow the first one of an article, and why there are no more of them where a link promised one.

    Args:
        download: fetches now.
        portal: of the article.
        first: its first page.
        links: of that page.
        max_bytes: of all pages together: a text that is joined is as long as one page may be.

    Raises:
        Postponed: the site is not asked any more in this run.
    """
    parts: list[Page] = []
    seen = {links.signature, ""}
    while len(parts) + 1 < MAX_PARTS and (url := next_part(first.url, len(parts) + 2, links.turns)):
        try:
            response = await download(part_request(portal, url))
        except Postponed:
            raise
        except FAILURES as error:
            return tuple(parts), fetch_rejection(error, url)
        if response.status != HTTPStatus.OK:
            return tuple(parts), Rejected("fetch", f"http_{response.status}", f"page of {first.url}", url)
        part = make_page(response)
        links = await asyncio.to_thread(read_links, part)
        if links.signature in seen:
            return tuple(parts), Rejected("discovery", "same_content", f"as a page before it, of {first.url}", url)
        if sum(len(page.body) for page in (first, *parts, part)) > max_bytes:
            return tuple(parts), Rejected("fetch", "too_large", f"with the pages before it, of {first.url}", url)
        seen.add(links.signature)
        parts.append(part)
    return tuple(parts), None
