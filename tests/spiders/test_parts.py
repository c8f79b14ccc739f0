"""Which pages follow the first one of an article, and whether an answer is news."""

import asyncio
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from crawled import answer
from newscorpus.spiders.portal import RevisitClock
from newscorpus.spiders.requests import fetch_parts
from scrapy import Request
from scrapy.exceptions import DownloadTimeoutError
from scrapy.http import HtmlResponse, Response
from scrapy.settings import Settings
from scrapy.statscollectors import MemoryStatsCollector

from newscorpus.data import Page, Rejected
from newscorpus.fetch.plugin import UNCHANGED
from newscorpus.fetch.visits import Postponed, Visit, visit_of
from newscorpus.page.judge import judge
from newscorpus.page.judgement import Judgement, Rules
from newscorpus.page.recipe import Recipe
from newscorpus.page.source_page import SourcePage
from newscorpus.portal.portal import Portal
from newscorpus.store.ledger import Fetched, Ledger, UrlOutcome

STORY = "https://vesti.example/a-long-story"
PORTAL = Portal("vesti", ("en",), ("vesti.example",), ("https://vesti.example/",))


def body(number: int, text: str = "") -> str:
    turns = f'<a href="{STORY}?page={number + 1}">{number + 1}</a>'
    return (
        f"<html><body><p>{text or f'This is what stands on the page {chr(96 + number) * 9}.'}</p>{turns}</body></html>"
    )


def fetch(
    answers: Mapping[str, str | int | Exception], max_bytes: int = 10**6, first: str = body(1)
) -> tuple[list[str], Rejected | None, list[str]]:
    """The addresses of the parts, why there are no more, and what was asked for."""
    asked: list[str] = []

    async def download(request: Request) -> Response:
        asked.append(request.url)
        answer = answers[request.url.removeprefix(STORY)]
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, int):
            return Response(request.url, status=answer, request=request)
        return HtmlResponse(request.url, body=answer.encode(), encoding="utf-8", request=request)

    page = SourcePage(Page.from_html(first, STORY), "vesti")
    found, end = asyncio.run(fetch_parts(download, judge_here, PORTAL, page, judge(page, RULES), max_bytes))
    assert len(found.articles) == 1 + len(found.following)
    return [part.url.removeprefix(STORY) for part in found.following], end, [url.removeprefix(STORY) for url in asked]


RULES = Rules(Recipe("bte"), reads_links=True)


async def judge_here(page: SourcePage) -> Judgement:
    endless = Judgement(Rejected("extract", "timeout", "", page.page.url))
    return endless if b"endless" in page.page.body else judge(page, RULES)


LAST = "<html><body><p>This is what stands on the last page of them.</p></body></html>"
ENDLESS = body(3).replace("<body>", "<link rel=canonical href=/endless><body>")
TITLED = "<html><title>{}</title><body><p>This is what stands on a page of an article.</p></body></html>"


@pytest.mark.parametrize(
    ("answers", "n_parts", "reason"),
    [
        ({2: body(2), 3: LAST}, 2, ""),
        ({2: body(2), 3: ENDLESS}, 1, "extract/timeout"),
        ({2: body(2), 3: 404}, 1, "fetch/http_404"),
        ({2: body(2), 3: DownloadTimeoutError("slow")}, 1, "fetch/timeout"),
        ({2: body(2), 3: body(2, "x")}, 1, "discovery/same_content"),
        ({2: body(1)}, 0, "discovery/same_content"),
        ({number: body(number) for number in range(2, 30)}, 19, ""),
    ],
    ids=["all", "not read in time", "missing", "silent", "same", "comments of the article", "too many"],
)
def test_pages_are_fetched_as_long_as_each_names_the_next(
    answers: dict[int, str | int | Exception], n_parts: int, reason: str
) -> None:
    parts, end, asked = fetch({f"?page={number}": answer for number, answer in answers.items()})
    assert parts == [f"?page={number}" for number in range(2, 2 + n_parts)]
    assert (f"{end.stage}/{end.reason}" if end else "") == reason
    assert end is None or end.url == f"{STORY}{asked[-1]}"


def test_a_page_of_another_name_is_no_further_one() -> None:
    first = body(1).replace("<html>", "<html><title>The bridge</title>")
    assert fetch({"?page=2": TITLED.format("The other bridge")}, first=first) == ([], None, ["?page=2"])


def test_a_site_that_is_given_up_is_asked_another_time() -> None:
    with pytest.raises(Postponed):
        fetch({"?page=2": Postponed("given_up", "refused")})


def test_the_length_of_all_pages_is_bounded() -> None:
    bound = sum(len(body(number)) for number in (1, 2, 3))
    parts, end, asked = fetch({f"?page={number}": body(number) for number in range(2, 30)}, bound)
    assert (len(parts), len(asked)) == (2, 3)
    assert end is not None
    assert end.reason == "too_large"


BASE = "https://vesti.example/"
HOUR = 3_600


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "corpus") as ledger:
        for name in ("feed", "section", "kept"):
            answer(ledger, BASE + name, UrlOutcome(), signature="5")
        yield ledger


@pytest.fixture
def stats() -> Any:
    return MemoryStatsCollector(SimpleNamespace(settings=Settings()))  # type: ignore[arg-type]


@pytest.fixture
def clock(ledger: Ledger, stats: Any) -> RevisitClock:
    return RevisitClock(ledger, stats)


def visit(ledger: Ledger, name: str, status: int = 200, body: bytes = b"") -> Response:
    """Begin to work on the answer of an address."""
    response = Response(BASE + name, status=status, body=body, request=Request(BASE + name))
    begun = Visit("vesti", serial=ledger.serial(BASE + name))
    assert response.request
    begun.begin(response.request)
    begun.enter(response)
    return response


def interval(ledger: Ledger, name: str) -> float:
    last = ledger.revisits.last(BASE + name)
    assert last is not None
    return last.interval


def test_what_is_unchanged_waits_longer(clock: RevisitClock, ledger: Ledger, stats: Any) -> None:
    for expected in (HOUR, 2 * HOUR):
        assert clock.is_unchanged(visit(ledger, "feed", 304))
        assert interval(ledger, "feed") == expected
    assert stats.get_value(UNCHANGED) == 2
    assert not clock.is_unchanged(visit(ledger, "feed"))


def test_an_article_with_the_bytes_of_the_last_visit_is_unchanged(clock: RevisitClock, ledger: Ledger) -> None:
    response = visit(ledger, "kept", body=b"page")
    assert not clock.is_unchanged(response, is_article=True)
    begun = visit_of(response)
    fetched = Fetched(BASE + "kept", 200, "2026-11-21T08:00:00+00:00", signature=begun.signature)
    ledger.finish(begun.serial, [UrlOutcome(reason="kept")], fetched)
    assert clock.is_unchanged(visit(ledger, "kept", body=b"page"), is_article=True)
    assert not clock.is_unchanged(visit(ledger, "kept", body=b"page"))
    assert not clock.is_unchanged(visit(ledger, "kept", body=b"other page"), is_article=True)


def test_news_bring_the_next_visit_nearer(clock: RevisitClock, ledger: Ledger) -> None:
    section = visit_of(visit(ledger, "section"))
    for changed, hours in ((True, 4), (True, 2), (False, 4)):
        clock.set_next(section, changed=changed, depth=1)
        assert interval(ledger, "section") == hours * HOUR
