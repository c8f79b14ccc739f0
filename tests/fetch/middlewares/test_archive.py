"""Which answers are archived when, and with what."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse, Response
from scrapy.http.request import NO_CALLBACK

from newscorpus.fetch.middlewares.archive import ArchiveMiddleware
from newscorpus.fetch.visits import Visit, make_page, visit_of
from newscorpus.page.source_page import SourcePage
from newscorpus.store.archive.values import Capture, Exchange

URL = "https://news.example/1"


class KeptArchive:
    """Remembers what it is to write."""

    def __init__(self) -> None:
        self.written: list[tuple[Exchange, Capture | None]] = []

    async def write(self, visit: Visit, exchange: Exchange, capture: Capture | None = None) -> None:
        """Remember, and give a place."""
        self.written.append((exchange, capture))
        visit.archived = ("archive/000001.warc.gz", 0)


@pytest.fixture
def archive() -> Any:
    return KeptArchive()


def answer(archive: Any, status: int = 200, **request: Any) -> Response:
    """An answer that has passed the downloader middleware."""
    asked = Request(URL, **request)
    response = HtmlResponse(URL, status=status, body=b"<p>a</p>", request=asked, headers={"X": ["1", "2"]})
    return asyncio.run(ArchiveMiddleware(archive).process_response(asked, response))


def parse(archive: Any, response: Response, callback: Callable[[Response], AsyncIterator[Any]]) -> list[Any]:
    """What passes the spider middleware."""

    async def collect() -> list[Any]:
        middleware = ArchiveMiddleware(archive)
        return [output async for output in middleware.process_spider_output(response, callback(response))]

    return asyncio.run(collect())


async def article(response: Response) -> AsyncIterator[Any]:
    yield "something else"
    yield visit_of(response).hand_on(SourcePage(make_page(response), "news", ("en",)))


async def links(_response: Response) -> AsyncIterator[Any]:
    yield Request(URL + "2")


async def failing(_response: Response) -> AsyncIterator[Any]:
    yield Request(URL + "2")
    raise RuntimeError


def test_a_page_is_written_with_its_answer(archive: Any) -> None:
    headers = {"Referer": "https://news.example/"}
    response = answer(archive, headers=headers, meta={"depth": 2, "redirect_urls": [URL + "0"]})
    assert archive.written == []
    assert len(parse(archive, response, article)) == 2
    ((exchange, capture),) = archive.written
    assert (exchange.url, exchange.headers) == (URL, (("X", "1"), ("X", "2")))
    assert capture.origin.via == "https://news.example/"
    assert (capture.origin.depth, capture.origin.redirects) == (2, (URL + "0",))
    assert visit_of(response).archived == ("archive/000001.warc.gz", 0)


def test_an_answer_without_a_page_is_written_alone(archive: Any) -> None:
    assert len(parse(archive, answer(archive), links)) == 1
    assert [capture for _, capture in archive.written] == [None]


def test_an_answer_whose_callback_fails_is_written_too(archive: Any) -> None:
    with pytest.raises(RuntimeError):
        parse(archive, answer(archive), failing)
    assert [capture for _, capture in archive.written] == [None]


@pytest.mark.parametrize("how", [{"status": 404}, {"status": 302}, {"callback": NO_CALLBACK}])
def test_what_the_spider_never_sees_is_written_at_once(archive: Any, how: dict[str, Any]) -> None:
    answer(archive, **how)
    assert [capture for _, capture in archive.written] == [None]


def test_what_is_not_asked_of_the_web_is_not_archived(archive: Any) -> None:
    response = HtmlResponse("data:,x", request=Request("data:,x"))
    asyncio.run(ArchiveMiddleware(archive).process_response(Request("data:,x"), response))
    assert (visit_of(response).held, archive.written) == (None, [])
