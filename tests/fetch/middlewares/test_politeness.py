"""The middleware on its own, with a clock that only moves when somebody waits."""

import asyncio
from datetime import UTC, datetime
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request
from scrapy.exceptions import DownloadFailedError, DownloadTimeoutError, IgnoreRequest
from scrapy.http import Response
from scrapy.settings import Settings
from scrapy.statscollectors import MemoryStatsCollector

from newscorpus.config import PolitenessConfig
from newscorpus.fetch.middlewares.pauses import PolitenessPolicy
from newscorpus.fetch.middlewares.politeness import PolitenessMiddleware
from newscorpus.fetch.visits import VISIT, Postponed, Purpose, Visit
from newscorpus.store.ledger.portals import SitePace

CONFIG = PolitenessConfig(max_refusals=2, recent_answers=2, first_pause_seconds=100, max_pauses=2)
POLITE = PolitenessPolicy(2.0)
START = 1_000.0
DATE = 1_795_280_400.0
"""Seconds since the epoch at the start."""


class Crawl:
    """A crawl of one site, without the network."""

    def __init__(self, policy: PolitenessPolicy = POLITE, jitter: float = 0.0) -> None:
        self.now = START
        self.starts: list[float] = []
        self.engine_slot = SimpleNamespace(closing=None)
        downloader = SimpleNamespace(get_slot_key=lambda request: request.meta["download_slot"])
        self.engine = SimpleNamespace(downloader=downloader, _slot=self.engine_slot)
        crawler: Any = SimpleNamespace(spider=SimpleNamespace(policies={"site": policy}), engine=self.engine)
        crawler.stats = self.stats = MemoryStatsCollector(SimpleNamespace(settings=Settings()))  # type: ignore[arg-type]
        self.middleware = PolitenessMiddleware(
            crawler, PolitenessPolicy(7.0), CONFIG, jitter, lambda: self.now, self.date, self.sleep
        )

    def date(self) -> float:
        return self.now + DATE - START

    async def sleep(self, seconds: float) -> None:
        assert seconds > 0
        self.now += seconds

    def ask(self, request: Request, answer: Response | Exception | int) -> Request | Response | None:
        """Send `request`, and let the site answer."""
        asyncio.run(self.middleware.process_request(request))
        self.starts.append(self.now)
        if isinstance(answer, Exception):
            return self.middleware.process_exception(request, answer)
        response = Response(request.url, status=answer) if isinstance(answer, int) else answer
        return self.middleware.process_response(request, response)

    def stat(self, name: str) -> Any:
        return self.stats.get_value(f"newscorpus/politeness/site/{name}")


def request(number: int = 0, **visit: Any) -> Request:
    return Request(f"http://example.org/{number}", meta={"download_slot": "site", VISIT: Visit(**visit)})


def test_the_delay_lies_between_the_starts_and_is_noted() -> None:
    crawl = Crawl()
    for number in range(4):
        assert isinstance(crawl.ask(request(number), 200), Response)
    assert crawl.starts == [START, START + 2, START + 4, START + 6]
    assert crawl.stat("least_gap_seconds") == 2
    assert crawl.stat("delay_seconds") == 2


def test_jitter_only_lengthens_the_delay() -> None:
    crawl = Crawl(jitter=0.25)
    for number in range(50):
        crawl.ask(request(number), 200)
    gaps = [later - earlier for earlier, later in pairwise(crawl.starts)]
    assert 2 <= min(gaps) < 2.2
    assert 2.8 < max(gaps) <= 3


def test_a_site_that_the_spider_does_not_name_has_the_default_delay() -> None:
    crawl = Crawl()
    for _ in range(2):
        crawl.ask(Request("http://example.com/", meta={"download_slot": "example.com"}), 200)
    assert crawl.starts == [START, START + 7]


def test_one_request_at_a_time() -> None:
    crawl = Crawl(PolitenessPolicy(0.0))

    async def both() -> bool:
        first, second = request(1), request(2)
        await crawl.middleware.process_request(first)
        waiting = asyncio.ensure_future(crawl.middleware.process_request(second))
        await asyncio.sleep(0)
        early = waiting.done()
        crawl.middleware.process_response(first, Response(first.url))
        await waiting
        return early

    assert not asyncio.run(both())


def test_retry_after_is_waited_for_and_the_page_asked_again() -> None:
    crawl = Crawl()
    again = crawl.ask(request(), Response("http://example.org/0", 429, {"Retry-After": "300"}))
    assert isinstance(again, Request)
    assert again.dont_filter
    assert crawl.middleware.rests("site")
    assert isinstance(crawl.ask(again, 200), Response)
    assert crawl.starts == [START, START + 300]
    assert not crawl.middleware.rests("site")
    assert (crawl.stat("pauses"), crawl.stat("paused_seconds"), crawl.stat("asked_again")) == (1, 300, 1)


def test_who_watches_sees_why_a_site_rests_and_until_when() -> None:
    crawl = Crawl()
    crawl.ask(request(), 200)
    assert list(crawl.middleware.paces()) == [SitePace("site", 2.0, "", "", "")]
    crawl.ask(request(1), Response("http://example.org/1", 429, {"Retry-After": "300"}))
    (pace,) = crawl.middleware.paces()
    assert pace.rests_until == datetime.fromtimestamp(DATE + 302, UTC).isoformat()
    assert pace.why == "status 429 with Retry-After 300 s, http://example.org/1"
    crawl.middleware.keep_crawl_delay("site", 5.0)
    (pace,) = crawl.middleware.paces()
    assert pace.delay_seconds == 5.0
    crawl.middleware.keep_crawl_delay("site", 301.0)
    (pace,) = crawl.middleware.paces()
    assert (pace.rests_until, pace.given_up, pace.why) == ("", "crawl_delay", "Crawl-delay 301 s")


def test_quiet_hours_are_waited_for_and_seen_by_who_watches() -> None:
    night: Any = SimpleNamespace(until=lambda now: max(now, DATE + 500))
    crawl = Crawl(PolitenessPolicy(2.0, quiet=night))
    assert crawl.middleware.rests("site")
    (pace,) = crawl.middleware.paces()
    assert (pace.rests_until, pace.why) == (datetime.fromtimestamp(DATE + 500, UTC).isoformat(), "quiet hours")
    crawl.ask(request(), 200)
    assert crawl.starts == [START + 500]


def test_a_page_is_not_asked_again_without_end() -> None:
    crawl = Crawl()
    assert isinstance(crawl.ask(request(asked_again=CONFIG.max_pauses), 429), Response)


def test_refusals_in_a_row_end_in_giving_up_and_what_is_queued_stays_so() -> None:
    crawl = Crawl()
    outcomes = [crawl.ask(request(number), 403) for number in range(4)]
    assert [type(outcome) for outcome in outcomes] == [Response, Request, Request, Request]
    assert crawl.starts == [START, START + 2, START + 102, START + 302]
    assert crawl.middleware.given_up("site") == crawl.stat("given_up") == "refused"
    with pytest.raises(Postponed, match="site is given up for this run: refused"):
        crawl.ask(request(9), 200)


def test_silence_counts_as_refusal_and_other_failures_do_not() -> None:
    crawl = Crawl()
    assert crawl.ask(request(1), DownloadTimeoutError()) is None
    assert crawl.ask(request(2), IgnoreRequest()) is None
    assert crawl.ask(request(3), 404) is not None
    assert crawl.ask(request(4), DownloadTimeoutError()) is None
    assert isinstance(crawl.ask(request(5), DownloadTimeoutError()), Request)


def test_a_robots_txt_out_of_reach_is_asked_again_after_a_pause() -> None:
    crawl = Crawl()
    again = crawl.ask(request(purpose=Purpose.ROBOTS), 503)
    assert isinstance(again, Request)
    assert crawl.middleware.rests("site")


def test_a_robots_txt_of_one_host_of_several_says_nothing_of_the_site() -> None:
    crawl = Crawl()
    for answer in (503, DownloadTimeoutError(), DownloadFailedError()):
        crawl.ask(request(purpose=Purpose.ROBOTS, is_one_of_several=True), answer)
    assert not crawl.middleware.rests("site")


def test_the_byte_budget_ends_the_crawl_of_a_site() -> None:
    crawl = Crawl(PolitenessPolicy(0.0, max_bytes=10))
    for end in ("", "byte_budget"):
        crawl.ask(request(), Response("http://example.org/0", body=b"01234"))
        assert crawl.middleware.given_up("site") == end
    assert crawl.stat("bytes") == 10


def test_a_crawl_that_ends_waits_for_nobody_but_the_parts_of_a_page() -> None:
    crawl = Crawl()
    crawl.ask(request(1), 200)
    crawl.engine_slot.closing = object()
    with pytest.raises(Postponed, match="the crawl ended"):
        crawl.ask(request(2), 200)
    assert isinstance(crawl.ask(request(3, purpose=Purpose.PART), 200), Response)
    crawl.ask(request(4, purpose=Purpose.PART), 429)
    with pytest.raises(Postponed, match="the crawl ended"):
        crawl.ask(request(5, purpose=Purpose.PART), 200)


def test_an_answer_from_elsewhere_says_nothing_of_the_site() -> None:
    crawl = Crawl()
    stranger = request(1)
    assert isinstance(crawl.middleware.process_response(stranger, Response(stranger.url, 503)), Response)
    assert crawl.stat("delay_seconds") is None


@pytest.mark.parametrize("answer", [200, 404, IgnoreRequest()])
def test_a_page_that_was_there_before_tells_dead_pages_from_a_site_that_refuses(answer: int | Exception) -> None:
    crawl = Crawl(PolitenessPolicy(0.0))
    proofs: list[str] = []

    async def download(asked: Request) -> Response:
        proofs.append(asked.url)
        await crawl.middleware.process_request(asked)
        if isinstance(answer, Exception):
            crawl.middleware.process_exception(asked, answer)
            raise answer
        response = Response(asked.url, status=answer)
        assert crawl.middleware.process_response(asked, response) is response
        return response

    crawl.engine.download_async = download
    crawl.middleware.trust("site", "http://example.org/there")
    for number in range(2):
        assert isinstance(crawl.ask(request(number), 500), Response)
    assert crawl.middleware.in_doubt("site")
    crawl.ask(request(3), 200)
    assert proofs == ["http://example.org/there"]
    assert (crawl.stat("proofs"), crawl.stat("pauses")) == (1, None)
    crawl.ask(request(4), 500)
    again = crawl.ask(request(5), 500)
    assert isinstance(again, Request) is isinstance(answer, Exception)  # nothing is left that could speak for the site
