"""Requests as the ledger keeps them."""

from typing import Any

import pytest
from scrapy import FormRequest, Request, Selector, Spider
from scrapy.downloadermiddlewares.httpproxy import HttpProxyMiddleware

from newscorpus.fetch.visits import ALLOWED, VISIT, Visit, conditional, pack, unpack, visit_of
from newscorpus.store.ledger import Lease, LedgerError

URL = "https://news.example/1"


class NewsSpider(Spider):
    """A spider with a callback."""

    name = "news"

    def parse_article(self, *_: object) -> None:
        """Do nothing."""


SPIDER = NewsSpider()


def again(request: Request) -> Request:
    packed = pack(request, SPIDER)
    assert packed is not None
    return unpack(packed, request.url, request.priority, SPIDER)


def test_a_request_comes_back_as_it_was() -> None:
    request = Request(
        URL,
        SPIDER.parse_article,
        headers={"Referer": "a"},
        meta={"a": [1], VISIT: Visit("news", domains=("news.example",), serial=7, asked_again=1)},
        cb_kwargs={"b": None},
        priority=3,
    )
    found = again(request)
    assert (found.callback, found.headers, found.cb_kwargs) == (SPIDER.parse_article, request.headers, {"b": None})
    visit = visit_of(found)
    assert (found.meta, found.priority) == ({"a": [1], VISIT: visit}, 3)
    assert (visit.domains, visit.asked_again, visit.serial) == (("news.example",), 1, 0)
    form = again(FormRequest(URL, formdata={"q": "\u017e"}))
    assert (type(form), form.body) == (FormRequest, b"q=%C5%BE")


def test_texts_of_selectors_are_stored() -> None:
    (text,) = Selector(text="<a>N\u00e1zev</a>").root.xpath("//a/text()")
    assert type(text) is not str
    assert again(Request(URL, meta={"link_text": text, "half": "\ud800"})).meta == {"link_text": text, "half": "\ud800"}


def test_a_request_is_stored_again_without_the_password_of_the_proxy_that_it_went_through(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("https_proxy", "http://ann:sesame@127.0.0.1:3128")
    visit = Visit("news")
    visit.begin(Request(URL))
    HttpProxyMiddleware().process_request(visit.request)
    assert "Proxy-Authorization" in visit.request.headers
    assert pack(visit.first, SPIDER) == pack(Request(URL), SPIDER)


@pytest.mark.parametrize("value", [object(), {1: 2}, b"bytes", {1, 2}])
def test_what_json_cannot_say_is_not_stored(value: Any) -> None:
    assert pack(Request(URL, meta={"a": value}), SPIDER) is None
    assert pack(Request(URL, print), SPIDER) is None


@pytest.mark.parametrize(
    ("stored", "message"),
    [
        (b'{"_class": "subprocess.Popen"}', "the class subprocess.Popen, which is none of requests"),
        (b'{"_class": "os.system"}', "the class os.system"),
        (b'{"callback": "no_more"}', "names no_more, which the spider news has not"),
    ],
)
def test_a_ledger_names_nothing_but_requests_and_callbacks(stored: bytes, message: str) -> None:
    with pytest.raises(LedgerError, match=message):
        unpack(stored, URL, 0, SPIDER)


def lease(status: int = 200, etag: str = "", last_modified: str = "") -> Lease:
    return Lease(1, URL, "vesti", 0, b"{}", status, etag, last_modified)


OLDER = {"If-None-Match": '"5"', "If-Modified-Since": "Sat, 21 Nov 2026 08:00:00 GMT"}


def test_validators_of_the_last_answer_are_sent() -> None:
    request = conditional(Request(URL, meta={ALLOWED: [404]}), lease(200, *OLDER.values()))
    assert request.headers.to_unicode_dict() == OLDER
    assert request.meta[ALLOWED] == [304, 404]


@pytest.mark.parametrize(
    ("last", "headers"),
    [
        (lease(), {}),
        (lease(0), {}),
        (lease(500, '"5"'), {}),
        (lease(), OLDER),  # a retry is stored with its headers, and a wider period forgets the last answer
    ],
)
def test_nothing_is_sent_where_there_is_nothing_to_compare_with(last: Lease, headers: dict[str, str]) -> None:
    request = conditional(Request(URL, headers=headers), last)
    assert not request.headers
    assert ALLOWED not in request.meta
