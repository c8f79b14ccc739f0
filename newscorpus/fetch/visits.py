"""Track requests in progress, and commit all results of a request in one transaction.

Also turn failed requests into rejections, and serialise requests as JSON for the ledger; nothing is pickled. A request
that was answered before becomes conditional (RFC 9110, section 13).
"""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from enum import Enum, auto
from functools import wraps
from http import HTTPStatus
from typing import Any

from scrapy import Request, Spider
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
from scrapy.utils.misc import load_object
from scrapy.utils.spider import iterate_spider_output
from twisted.python.failure import Failure

from newscorpus.data import Evidence, Page, Rejected
from newscorpus.discover.frontier import note_page
from newscorpus.page.judgement import Judgement
from newscorpus.page.refusals import BOT_CHECK, find_refusal
from newscorpus.page.rows import Row
from newscorpus.page.source_page import SourcePage
from newscorpus.store.archive.values import PERSONAL, Capture, Exchange
from newscorpus.store.ledger import Fetched, Lease, Ledger, LedgerError, Series, UrlOutcome
from newscorpus.store.ledger.portals import Look
from newscorpus.urls import canonical_url, document_id, site_key

VISIT = "newscorpus"
"""Our key of `Request.meta`: the `Visit`."""

FAILED_STAGE = "spider"
"""Stage of the rejection of a page whose callback failed."""

SIGNATURE_BYTES = 8


class Purpose(Enum):
    """Purpose of a request. All but PAGE are sent while a page is in progress, and are not in the ledger."""

    PAGE = auto()
    PART = auto()  # a further page of an article; the first page waits for it
    SCRIPT = auto()  # sent by the scripts of a page while it is rendered
    ROBOTS = auto()  # a robots.txt
    PROBE = auto()  # a page fetched before, to test whether the site still answers


@dataclass(eq=False)
class Visit:
    """One request, from its lease until all its results have passed the pipelines.

    It stays with the request through redirects and retries, and is mutable since it collects the results.
    """

    # The request; `KEPT` lists the parts that the ledger keeps.
    portal: str = ""  # its name; "": the spider's name
    kind: str = ""  # what the page is fetched for
    domains: tuple[str, ...] | None = None  # hosts (with subdomains) that redirects may lead to; None: any
    purpose: Purpose = Purpose.PAGE
    found_on: int = 0  # serial of the page that links to the address; 0: none
    asked_again: int = 0  # how often the request was requeued because the crawl backed off from the site

    # From the ledger.
    serial: int = 0  # of the address; 0: not in the ledger
    from_archive: bool = False  # read the answer from the archive
    stored_at: tuple[str, int] | None = None  # capture in the archive: file relative to the corpus, offset
    links_only: bool = False  # read the answer only for its links; the earlier outcome is kept
    is_repeat: bool = False  # the address has brought a page before

    # Collected during the visit.
    request: Request = field(init=False, repr=False)  # as currently sent
    first: Request = field(init=False, repr=False)  # as leased
    url: str = field(init=False, repr=False)  # address of `first`
    entered: bool = False  # the spider has the answer
    unchanged: bool = False  # nothing changed since the last fetch; the visit brings nothing
    postponed: bool = False  # the address is requeued, and the results are dropped
    may_keep: bool = False  # its page was passed on as an article
    is_unresolved: bool = False  # the host could not be resolved
    n_received: int = 0  # bytes of a robots.txt received so far
    is_one_of_several: bool = False  # other hosts of the site may be crawled without this robots.txt
    last_fetch: str = ""  # time of the last fetch of its address, ISO 8601; "" if there was none
    rights: tuple[Evidence, ...] = ()  # by the robots.txt of the host that answers
    stored: Capture | None = None  # the archive's answer in place of the site's
    held: Exchange | None = None  # the answer, to be archived with the page that the spider makes of it
    archived: tuple[str, int] = ("", 0)  # new capture: file relative to the corpus, offset; file "": none
    judgement: asyncio.Future[Judgement] | None = None  # of its page
    look: Look | None = None  # look of its page, if judged
    _fetched: Fetched | None = None
    _brought: list[tuple[Series, bytes, UrlOutcome]] = field(default_factory=list)

    def begin(self, request: Request) -> None:
        """Attach the visit to a request about to be sent, and wrap its errback to see the failure."""
        # Copied before redirects, and before middlewares add secrets such as a proxy's password.
        self.first, self.url, self.request = request.copy(), request.url, request
        request.meta[VISIT] = self.first.meta[VISIT] = self
        request.errback = self._failing(request.errback or self._reject)

    def enter(self, result: Response | Failure) -> None:
        """Record the answer or the failure that the spider receives."""
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
        """Wrap pages and rejections from the spider as `Delivery`; set `found_on` of requests.

        A response or a `Page` becomes a `SourcePage` with the name of the site as its source.
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
        """Whether it brought an article; None until its page is judged."""
        ends = [outcome.reason == "kept" for _, _, outcome in self._brought if outcome.stage != FAILED_STAGE]
        return any(ends) if ends else None

    @property
    def signature(self) -> str:
        """Hash of the answer's body; "" without an answer."""
        return self._fetched.signature if self._fetched else ""

    def is_about(self, url: str) -> bool:
        """Whether `url` is an address of this visit: the first one, or the last one after redirects."""
        return url in {self.url, self.request.url, self._fetched.url if self._fetched else ""}

    def end(self, ledger: Ledger) -> None:
        """Write the results of the visit, or requeue its address; the caller commits."""
        if self.postponed and self.serial:
            ledger.queue.release(self.serial)
            return
        with ledger.changes.recording(self.serial):
            if self.serial and (self.links_only or (self.unchanged and self._fetched)):
                ledger.mark_unchanged(self.serial, self._fetched)
                return
            if self.has_article:  # a callback that failed after its article was kept is only logged
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
            async for output in as_async_generator(outputs):  # they bypass spider middlewares
                yield self.hand_on(output)

        return called

    def _reject(self, failure: Failure) -> Iterator[Rejected]:
        """Reject a failed request of a spider without an errback."""
        if not isinstance(failure.value, Postponed):
            yield fetch_rejection(failure.value, self.url)


@dataclass(frozen=True, slots=True)
class Delivery:
    """The result of a visit in the pipelines: first a page, then a row or a rejection."""

    visit: Visit | None  # None for items from the spider's `start`
    item: SourcePage | Row | Rejected


def visit_of(asked: Request | Response) -> Visit:
    """Return the visit of a request or of a response's request; create it if there is none."""
    visit: Visit | None = asked.meta.get(VISIT)
    if visit is None:
        visit = asked.meta[VISIT] = Visit()
    return visit


def make_page(response: Response, evidence: tuple[Evidence, ...] = ()) -> Page:
    """Make a `Page` of `response`, with the statements of its robots.txt as evidence."""
    public = {name: value for name, value in plain_headers(response).items() if name not in PERSONAL}
    return Page(response.url, response.body, public, fetch_time(response), (*evidence, *visit_of(response).rights))


def fetch_time(response: Response) -> str:
    """Return the time when `response` was fetched, ISO 8601: now, unless it comes from the archive.

    If the clock was set back since the last fetch of its address, the time is a second after that fetch: the build
    publishes the text fetched last.
    """
    visit = visit_of(response)
    if visit.stored:
        return visit.stored.page.fetched
    now = datetime.now(UTC)
    if visit.last_fetch:
        now = max(now, datetime.fromisoformat(visit.last_fetch) + timedelta(seconds=1))
    return now.isoformat(timespec="seconds")


class Refused(IgnoreRequest):
    """A request that is not sent, or whose answer is not followed; `reason` is in snake_case."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


class Postponed(Refused):
    """A request that is not sent in this run and stays queued for the next."""


REASONS: dict[type[BaseException], str] = {
    CannotResolveHostError: "dns",
    DownloadCancelledError: "too_large",
    DownloadConnectionRefusedError: "connection_refused",
    DownloadFailedError: "connection_failed",
    DownloadTimeoutError: "timeout",
    ResponseDataLossError: "truncated",
}

FAILURES: tuple[type[BaseException], ...] = (*REASONS, IgnoreRequest)
"""Exceptions that a download may raise."""

MESSAGES = {
    "Ignored response": "too_large",
    "max redirections reached": "redirect_loop",
}
"""Beginnings of the messages of Scrapy's own `IgnoreRequest`, which alone tell them apart, and our reasons."""


def fetch_rejection(error: BaseException | None, url: str) -> Rejected:
    """Turn an exception of the download into a rejection of stage "fetch".

    Unknown exceptions get the reason "download_failed", with the exception in the detail.
    """
    detail, reason = " ".join(str(error).split())[:300], "download_failed"
    if isinstance(error, HttpError):
        answer = error.response
        detail = find_refusal(plain_headers(answer), answer.body)
        reason = BOT_CHECK if detail else f"http_{answer.status}"
    elif isinstance(error, Refused):
        reason = error.reason
    elif isinstance(error, IgnoreRequest):
        reason = next((reason for start, reason in MESSAGES.items() if detail.startswith(start)), reason)
    else:
        reason = next((reason for kind, reason in REASONS.items() if isinstance(error, kind)), reason)
        detail = "" if reason == "connection_refused" else f"{type(error).__name__}: {detail}"
    return Rejected("fetch", reason, detail, url)


def plain_headers(response: Response) -> dict[str, str]:
    """Return the headers of an answer as text: names in lower case, repeated headers joined."""
    named = response.headers.items()
    return {name.decode("latin-1").lower(): b", ".join(values).decode("latin-1") for name, values in named}


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
