"""Fetching the further pages of an article."""

import asyncio
from collections.abc import Mapping

import pytest
from lxml import html
from newscorpus.spiders.responses import fetch_parts
from scrapy import Request
from scrapy.exceptions import DownloadTimeoutError
from scrapy.http import HtmlResponse, Response

from newscorpus.addon.guards import Postponed
from newscorpus.data import Page, Rejected
from newscorpus.discovery.page import read_tree
from newscorpus.portals.portal import Portal

STORY = "https://vesti.example/a-long-story"
PORTAL = Portal("vesti", ("en",), ("vesti.example",), ("https://vesti.example/",))


def body(number: int, text: str = "") -> str:
    turns = f'<a href="{STORY}?page={number + 1}">{number + 1}</a>'
    return (
        f"<html><body><p>{text or f'This is what stands on the page {chr(96 + number) * 9}.'}</p>{turns}</body></html>"
    )


def fetch(
    answers: Mapping[str, str | int | Exception], max_bytes: int = 10**6
) -> tuple[list[str], Rejected | None, list[str]]:
    """The addresses of the parts, why there are no more, and what was asked for."""
    asked: list[str] = []

    async def download(request: Request) -> Response:
        asked.append(request.url)
        answer = answers[request.url.removeprefix(STORY)]
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, int):
            return Response(request.url, status=answer)
        return HtmlResponse(request.url, body=answer.encode(), encoding="utf-8")

    page = Page.from_html(body(1), STORY)
    reading = read_tree(html.document_fromstring(body(1)), STORY)
    parts, end = asyncio.run(fetch_parts(download, PORTAL, page, reading, max_bytes))
    return [part.url.removeprefix(STORY) for part in parts], end, [url.removeprefix(STORY) for url in asked]


def test_pages_are_fetched_as_long_as_each_names_the_next() -> None:
    last = "<html><body><p>This is what stands on the last page of them.</p></body></html>"
    parts, end, _ = fetch({"?page=2": body(2), "?page=3": last})
    assert (parts, end) == (["?page=2", "?page=3"], None)


@pytest.mark.parametrize(
    ("answer", "reason"), [(404, "http_404"), (DownloadTimeoutError("slow"), "timeout"), (body(2, "x"), "")]
)
def test_a_page_that_is_promised_and_missing_is_told(answer: str | int | Exception, reason: str) -> None:
    parts, end, asked = fetch({"?page=2": body(2), "?page=3": answer})
    assert (parts, asked) == (["?page=2"], ["?page=2", "?page=3"])
    assert end is not None
    assert end.url == f"{STORY}?page=3"
    assert end.reason == (reason or "same_content")


def test_the_comments_of_an_article_are_no_further_page() -> None:
    parts, end, _ = fetch({"?page=2": body(1)})
    assert parts == []
    assert end is not None
    assert (end.stage, end.reason) == ("discovery", "same_content")


def test_a_site_that_is_given_up_is_asked_another_time() -> None:
    with pytest.raises(Postponed):
        fetch({"?page=2": Postponed("given_up", "refused")})


def test_the_number_of_pages_is_bounded() -> None:
    parts, end, _ = fetch({f"?page={number}": body(number) for number in range(2, 30)})
    assert (len(parts), end) == (19, None)


def test_the_length_of_all_pages_is_bounded() -> None:
    bound = sum(len(body(number)) for number in (1, 2, 3))
    parts, end, asked = fetch({f"?page={number}": body(number) for number in range(2, 30)}, bound)
    assert (len(parts), len(asked)) == (2, 3)
    assert end is not None
    assert end.reason == "too_large"
