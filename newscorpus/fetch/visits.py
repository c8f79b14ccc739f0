"""Follow requests under way, and collect what each brings until all of it is written in one transaction."""

import hashlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import wraps
from typing import Any

from scrapy import Request, Spider
from scrapy.http import Response
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.python.failure import Failure

from newscorpus.data import Rejected
from newscorpus.discover.frontier import note_page
from newscorpus.fetch.middlewares.guards import Postponed, fetch_rejection
from newscorpus.store.archive.values import Capture
from newscorpus.store.ledger import Fetched, Ledger, Series, UrlOutcome
from newscorpus.store.ledger.portals import Look

ARCHIVED_AT = "newscorpus_archive"
"""Key of `Request.meta`: [file relative to the corpus, offset, length] of the response in the archive."""

STORED = "newscorpus_stored"
"""Key of `Request.meta`: the `Capture` of the archive that answers in place of the site."""

FAILED_STAGE = "spider"
"""Stage of the rejection of a page whose callback failed."""

SIGNATURE_BYTES = 8

_CURRENT: ContextVar["Visit | None"] = ContextVar("newscorpus_visit", default=None)


def current_visit() -> "Visit | None":
    """The visit whose answer is being worked on: in callbacks, errbacks and pipelines. None for start items."""
    return _CURRENT.get()


@dataclass(eq=False)
class Visit:
    """One request under way, from its lease until all that its answer brought has passed the pipelines.

    It survives redirects. It is the one value here that changes, since it collects.
    """

    portal: str  # its name
    request: Request  # as it is being sent
    serial: int = 0  # of the address in the ledger; 0 for a request that is not there
    entered: bool = False  # the spider has the answer
    unchanged: bool = False  # the answer says that the address is as it was; it brings nothing then
    postponed: bool = False  # it is asked for again, and what the answer brought is dropped
    may_keep: bool = False  # its page was handed on as an article
    from_archive: bool = False  # the archive is to answer
    links_only: bool = False  # what became of the address stands: the answer is read for its links alone
    is_repeat: bool = False  # the address has brought a page before
    look: Look | None = None  # what its page looked like, if it was judged
    _fetched: Fetched | None = None
    _brought: list[tuple[Series, bytes, UrlOutcome]] = field(default_factory=list)

    def __post_init__(self) -> None:
        # As it was before redirects, and before middlewares added what is not to be stored, such as a proxy's password.
        self.first = self.request.copy()
        self.url = self.request.url

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

    def watch(self, spider: Spider) -> None:
        """Wrap callback and errback of the request, to learn when they are called."""
        parse = self.request.callback or getattr(spider, "_parse")  # noqa: B009 -- what Scrapy takes for None
        self.request.callback = self._entering(parse)
        self.request.errback = self._entering(self.request.errback or self._reject)

    def end(self, ledger: Ledger) -> None:
        """Write what the visit brought, or queue its address again."""
        if self.postponed and self.serial:
            ledger.queue.release(self.serial)
        else:
            with ledger.changes.watching(self.serial):
                self._write_down(ledger)

    def _write_down(self, ledger: Ledger) -> None:
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
        file, offset, *_ = self.request.meta.get(ARCHIVED_AT) or ("", 0)
        if file:
            ledger.end_capture(file, offset)
        if self.serial:
            ledger.finish(self.serial, outcomes, self._fetched and replace(self._fetched, archived=(file, offset)))
        for outcome in () if self.serial else outcomes:
            ledger.counts.tally(self.portal, outcome)

    def _entering(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def called(result: Response | Failure, *args: Any, **kwargs: Any) -> Any:
            self._enter(result)
            return function(result, *args, **kwargs)

        return called

    def _reject(self, failure: Failure) -> Iterator[Rejected]:
        """Say why a request brought nothing, for a spider that names no errback."""
        if not isinstance(failure.value, Postponed):
            yield fetch_rejection(failure.value, self.url)

    def _enter(self, result: Response | Failure) -> None:
        _CURRENT.set(self)
        self.entered = True
        error = result.value if isinstance(result, Failure) else None
        self.postponed = self.postponed or isinstance(error, Postponed)
        answer = error.response if isinstance(error, HttpError) else result
        if isinstance(answer, Response):
            self._fetched = _fetched(answer)


def stored_answer(response: Response) -> Capture | None:
    """What the archive holds of `response`, where it answered in place of the site."""
    return response.request.meta.get(STORED) if response.request else None


def fetch_time(response: Response) -> str:
    """When `response` was fetched, ISO 8601: now, unless it comes from the archive."""
    stored = stored_answer(response)
    return stored.page.fetched if stored else datetime.now(UTC).isoformat(timespec="seconds")


def _fetched(response: Response) -> Fetched:
    headers = response.headers
    return Fetched(
        url=response.url,
        status=response.status,
        time=fetch_time(response),
        n_bytes=len(response.body) if response.url.startswith("http") else 0,  # a part of a WARC file is not fetched
        etag=(headers.get("ETag") or b"").decode("latin-1"),
        last_modified=(headers.get("Last-Modified") or b"").decode("latin-1"),
        signature=hashlib.blake2b(response.body, digest_size=SIGNATURE_BYTES).hexdigest(),
        is_stored=stored_answer(response) is not None,
    )
