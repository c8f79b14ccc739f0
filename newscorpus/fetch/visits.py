"""Follow requests under way, and collect what each brings until all of it is written in one transaction.

Say, too, why a request brought nothing.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import Enum, auto
from functools import wraps
from typing import Any

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
from scrapy.utils.asyncgen import as_async_generator
from scrapy.utils.defer import ensure_awaitable
from scrapy.utils.spider import iterate_spider_output
from twisted.python.failure import Failure

from newscorpus.data import Evidence, Page, Rejected
from newscorpus.discover.frontier import note_page
from newscorpus.page.judge import Judgement
from newscorpus.page.rows import Row
from newscorpus.page.source_page import SourcePage
from newscorpus.page.walls import BOT_CHECK, find_refusal
from newscorpus.store.archive.values import PERSONAL, Capture, Exchange
from newscorpus.store.ledger import Fetched, Ledger, Series, UrlOutcome
from newscorpus.store.ledger.portals import Look
from newscorpus.urls import site_key

VISIT = "newscorpus"
"""Our key of `Request.meta`: the `Visit`."""

FAILED_STAGE = "spider"
"""Stage of the rejection of a page whose callback failed."""

SIGNATURE_BYTES = 8


class Purpose(Enum):
    """What a request is for. All but pages are asked for while a page is under way, and are not in the ledger."""

    PAGE = auto()
    PART = auto()  # a further page of an article, for which the first one waits
    SCRIPT = auto()  # what the scripts of a page ask for while it is rendered
    ROBOTS = auto()  # a robots.txt
    PROBE = auto()  # a page that was there before, to see whether the site still answers


@dataclass(eq=False)
class Visit:
    """One request, from its lease until all that its answer brought has passed the pipelines.

    It travels on the request, through redirects and retries. It is the one value here that changes, since it collects.
    """

    # What is asked for; `stored` says what of it the ledger keeps with the request.
    portal: str = ""  # its name; "": that of the spider
    kind: str = ""  # what the page is fetched for
    domains: tuple[str, ...] | None = None  # hosts, with all below them, that redirects may lead to; None: any
    purpose: Purpose = Purpose.PAGE
    found_on: int = 0  # serial of the page that named the address; 0 for none
    asked_again: int = 0  # how often the request went back into the queue because the site came to rest

    # What the ledger says of the address.
    serial: int = 0  # of the address; 0 for a request that is not there
    from_archive: bool = False  # the archive is to answer
    stored_at: tuple[str, int] | None = None  # where: file relative to the corpus, offset
    links_only: bool = False  # what became of the address stands: the answer is read for its links alone
    is_repeat: bool = False  # the address has brought a page before

    # What was noted on the way.
    request: Request = field(init=False, repr=False)  # as it is being sent
    first: Request = field(init=False, repr=False)  # as it was when it was leased
    url: str = field(init=False, repr=False)  # address of that
    entered: bool = False  # the spider has the answer
    unchanged: bool = False  # the answer says that the address is as it was; it brings nothing then
    postponed: bool = False  # it is asked for again, and what the answer brought is dropped
    may_keep: bool = False  # its page was handed on as an article
    is_unresolved: bool = False  # no address of the host was found when it was looked for
    n_received: int = 0  # bytes of a robots.txt that have come
    is_one_of_several: bool = False  # other hosts of the site may be asked without this robots.txt
    stored: Capture | None = None  # what the archive answered in place of the site
    held: Exchange | None = None  # the answer, which is archived with the page that the spider makes of it
    archived: tuple[str, int] = ("", 0)  # where: file relative to the corpus, offset; file "" for nowhere
    judgement: asyncio.Future[Judgement] | None = None  # of its page
    look: Look | None = None  # what its page looked like, if it was judged
    _fetched: Fetched | None = None
    _brought: list[tuple[Series, bytes, UrlOutcome]] = field(default_factory=list)

    def begin(self, request: Request) -> None:
        """Travel on a request that is to be sent, and wrap its errback to learn when that is called."""
        # As it was before redirects, and before middlewares added what is not to be stored, such as a proxy's password.
        self.first, self.url, self.request = request.copy(), request.url, request
        request.meta[VISIT] = self.first.meta[VISIT] = self
        request.errback = self._failing(request.errback or self._reject)

    def enter(self, result: Response | Failure) -> None:
        """Note that the spider gets the answer, or why there is none."""
        self.entered = True
        error = result.value if isinstance(result, Failure) else None
        self.postponed = self.postponed or isinstance(error, Postponed)
        answer = error.response if isinstance(error, HttpError) else result
        if isinstance(answer, Response):
            self._fetched = Fetched(
                url=answer.url,
                status=answer.status,
                time=fetch_time(answer),
                n_bytes=len(answer.body) if answer.url.startswith("http") else 0,  # a WARC file is not fetched
                etag=(answer.headers.get("ETag") or b"").decode("latin-1"),
                last_modified=(answer.headers.get("Last-Modified") or b"").decode("latin-1"),
                signature=hashlib.blake2b(answer.body, digest_size=SIGNATURE_BYTES).hexdigest(),
                is_stored=self.stored is not None,
            )

    def hand_on(self, output: Any) -> Any:
        """Turn what the spider made of the answer into a `Delivery`; note on requests which page named their address.

        A response or a `Page` is taken for a page that may hold an article; its source is the name of the site.
        """
        if isinstance(output, Request):
            ordered = visit_of(output)
            if ordered.entered:  # copied from the request of an answer
                ordered = output.meta[VISIT] = Visit()
            ordered.found_on = self.serial
        page = make_page(output) if isinstance(output, Response) else output
        page = SourcePage(page, site_key(page.url)) if isinstance(page, Page) else page
        return Delivery(self, page) if isinstance(page, SourcePage | Rejected) else output

    def bring(self, series: Series, line: bytes, outcome: UrlOutcome) -> None:
        """Add a row or a rejection, to be written when the visit ends."""
        self._brought.append((series, line, outcome))

    @property
    def has_article(self) -> bool | None:
        """Whether it brought an article; None while nothing is known of its page."""
        ends = [outcome.reason == "kept" for _, _, outcome in self._brought if outcome.stage != FAILED_STAGE]
        return any(ends) if ends else None

    @property
    def signature(self) -> str:
        """Hash of the body that came; "" where none did."""
        return self._fetched.signature if self._fetched else ""

    def is_about(self, url: str) -> bool:
        """Whether `url` is an address of this visit: the first one, or the last one after redirects."""
        return url in {self.url, self.request.url, self._fetched.url if self._fetched else ""}

    def end(self, ledger: Ledger) -> None:
        """Write what the visit brought, or queue its address again; the caller commits."""
        if self.postponed and self.serial:
            ledger.queue.release(self.serial)
            return
        with ledger.changes.watching(self.serial):
            if self.serial and (self.links_only or (self.unchanged and self._fetched)):
                ledger.leave(self.serial, self._fetched)
                return
            if self.has_article:  # a callback that fails after its article was kept is in the log
                self._brought = [one for one in self._brought if one[2].stage != FAILED_STAGE]
            outcomes = [replace(outcome, line=ledger.append(series, line)) for series, line, outcome in self._brought]
            outcomes.sort(key=lambda outcome: outcome.reason != "kept")
            if outcomes and not (self.is_repeat or self.from_archive):
                url = self._fetched.url if self._fetched else self.url
                note_page(ledger, self.portal, url, outcomes[0], self.url)
            if self.archived[0]:
                ledger.end_capture(*self.archived)
            if self.serial:
                ledger.finish(self.serial, outcomes, self._fetched and replace(self._fetched, archived=self.archived))
            for outcome in () if self.serial else outcomes:
                ledger.counts.tally(self.portal, outcome)

    def _failing(self, errback: Callable[[Failure], Any]) -> Callable[[Failure], AsyncIterator[Any]]:
        @wraps(errback)
        async def called(failure: Failure) -> AsyncIterator[Any]:
            self.enter(failure)
            outputs = await ensure_awaitable(iterate_spider_output(errback(failure)))
            async for output in as_async_generator(outputs):  # which pass no spider middleware
                yield self.hand_on(output)

        return called

    def _reject(self, failure: Failure) -> Iterator[Rejected]:
        """Say why a request brought nothing, for a spider that names no errback."""
        if not isinstance(failure.value, Postponed):
            yield fetch_rejection(failure.value, self.url)


@dataclass(frozen=True, slots=True)
class Delivery:
    """What a visit brought, on its way through the pipelines: a page, then a row or a rejection."""

    visit: Visit | None  # None for what a spider begins with
    item: SourcePage | Row | Rejected


def visit_of(asked: Request | Response) -> Visit:
    """The visit that travels on a request, or on that of a response."""
    visit: Visit | None = asked.meta.get(VISIT)
    if visit is None:
        visit = asked.meta[VISIT] = Visit()
    return visit


def make_page(response: Response, evidence: tuple[Evidence, ...] = ()) -> Page:
    """The page that `response` brought."""
    public = {name: value for name, value in plain_headers(response).items() if name not in PERSONAL}
    return Page(response.url, response.body, public, fetch_time(response), evidence)


def fetch_time(response: Response) -> str:
    """When `response` was fetched, ISO 8601: now, unless it comes from the archive."""
    stored = visit_of(response).stored
    return stored.page.fetched if stored else datetime.now(UTC).isoformat(timespec="seconds")


class Refused(IgnoreRequest):
    """A request that is not sent, or whose answer is not followed.

    Attributes:
        reason: snake_case.
    """

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


class Postponed(Refused):
    """A request that is not sent in this run, and stays queued for the next one."""


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
        answer = error.response
        sign = find_refusal(plain_headers(answer), answer.body)
        return Rejected("fetch", BOT_CHECK if sign else f"http_{answer.status}", sign, url)
    if isinstance(error, Refused):
        return Rejected("fetch", error.reason, detail, url)
    if isinstance(error, IgnoreRequest):
        reason = next((reason for start, reason in MESSAGES.items() if detail.startswith(start)), "download_failed")
        return Rejected("fetch", reason, detail, url)
    reason = next((reason for kind, reason in REASONS.items() if isinstance(error, kind)), "download_failed")
    return Rejected("fetch", reason, f"{type(error).__name__}: {detail}", url)


def plain_headers(response: Response) -> dict[str, str]:
    """The headers of an answer as text, names in lower case, several of one name joined."""
    named = response.headers.items()
    return {name.decode("latin-1").lower(): b", ".join(values).decode("latin-1") for name, values in named}
