"""Why a fetch failed, as a rejection.

Fetching the further pages of an article.
"""

import asyncio
from collections.abc import Awaitable, Callable
from http import HTTPStatus

from scrapy import Request
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
)
from scrapy.http import Response
from scrapy.spidermiddlewares.httperror import HttpError

from newscorpus.addon.guards import Postponed, Refused
from newscorpus.addon.pages import make_page
from newscorpus.config import Limits
from newscorpus.data import Page, Rejected
from newscorpus.discovery.links import MAX_PARTS, PageLinks, next_part, read_links
from newscorpus.portals.schema import Portal

from .requests import part_request

REASONS: dict[type[BaseException], str] = {
    CannotResolveHostError: "dns",
    DownloadCancelledError: "too_large",
    DownloadConnectionRefusedError: "connection_refused",
    DownloadFailedError: "connection_failed",
    DownloadTimeoutError: "timeout",
    ResponseDataLossError: "truncated",
}

FAILURES: tuple[type[BaseException], ...] = (*REASONS, IgnoreRequest)
"""What a download may raise."""

MESSAGES = {
    "Ignored response": "too_large",
    "max redirections reached": "redirect_loop",
}
"""How Scrapy's own middlewares begin the message of an `IgnoreRequest`, which carries no other mark."""


def fetch_rejection(error: BaseException | None, url: str) -> Rejected:
    """The rejection for an exception of the download, stage "fetch".

    A reason that is not known here is "download_failed", with the exception in the detail: nothing is lost silently.
    """
    detail = " ".join(str(error).split())[:300]
    if isinstance(error, HttpError):
        return Rejected("fetch", f"http_{error.response.status}", "", url)
    if isinstance(error, Refused):
        return Rejected("fetch", error.reason, detail, url)
    if isinstance(error, IgnoreRequest):
        reason = next((reason for start, reason in MESSAGES.items() if detail.startswith(start)), "download_failed")
        return Rejected("fetch", reason, detail, url)
    reason = next((reason for kind, reason in REASONS.items() if isinstance(error, kind)), "download_failed")
    return Rejected("fetch", reason, f"{type(error).__name__}: {detail}", url)


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
