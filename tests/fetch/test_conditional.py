import pytest
from scrapy import Request

from newscorpus.fetch.stored import ALLOWED, conditional
from newscorpus.store.ledger import Lease

URL = "https://vesti.example/feed.xml"


def lease(status: int = 200, etag: str = "", last_modified: str = "") -> Lease:
    return Lease(1, URL, "vesti", 0, b"{}", status, etag, last_modified)


def test_validators_of_the_last_answer_are_sent() -> None:
    request = conditional(Request(URL, meta={ALLOWED: [404]}), lease(200, '"5"', "Sat, 21 Nov 2026 08:00:00 GMT"))
    assert request.headers["If-None-Match"] == b'"5"'
    assert request.headers["If-Modified-Since"] == b"Sat, 21 Nov 2026 08:00:00 GMT"
    assert request.meta[ALLOWED] == [304, 404]


@pytest.mark.parametrize("last", [lease(), lease(0), lease(500, '"5"')])
def test_nothing_is_sent_where_there_is_nothing_to_compare_with(last: Lease) -> None:
    request = conditional(Request(URL), last)
    assert not request.headers
    assert ALLOWED not in request.meta


def test_validators_of_an_earlier_attempt_do_not_outlive_what_the_ledger_forgot() -> None:
    """A retry stores the request with its headers; a wider period forgets what the last answer was."""
    stored = Request(URL, headers={"If-None-Match": '"5"', "If-Modified-Since": "Sat, 21 Nov 2026 08:00:00 GMT"})
    request = conditional(stored, lease(200, "", ""))
    assert "If-None-Match" not in request.headers
    assert "If-Modified-Since" not in request.headers
