import pytest
from newscorpus.spiders.responses import fetch_rejection
from scrapy import exceptions
from scrapy.http import Headers, Response
from scrapy.spidermiddlewares.httperror import HttpError

from newscorpus.addon.guards import Refused
from newscorpus.addon.pages import make_page
from newscorpus.data import Evidence

URL = "http://example.org/a"


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (HttpError(Response(URL, status=404)), "http_404"),
        (HttpError(Response(URL, status=503)), "http_503"),
        (Refused("private_address", "10.0.0.1"), "private_address"),
        (Refused("robots_disallowed", "robots.txt forbids it"), "robots_disallowed"),
        (exceptions.IgnoreRequest("max redirections reached"), "redirect_loop"),
        (exceptions.IgnoreRequest("Ignored response <200> because its body (1 B ...)"), "too_large"),
        (exceptions.IgnoreRequest("something new"), "download_failed"),
        (exceptions.DownloadTimeoutError("slow"), "timeout"),
        (exceptions.CannotResolveHostError("example.org"), "dns"),
        (exceptions.DownloadConnectionRefusedError("x"), "connection_refused"),
        (exceptions.DownloadCancelledError("x"), "too_large"),
        (exceptions.ResponseDataLossError(), "truncated"),
        (exceptions.DownloadFailedError("x"), "connection_failed"),
        (RuntimeError("two\nlines"), "download_failed"),
        (None, "download_failed"),
    ],
)
def test_every_failure_has_a_reason(error: BaseException | None, reason: str) -> None:
    rejected = fetch_rejection(error, URL)
    assert (rejected.stage, rejected.reason, rejected.url) == ("fetch", reason, URL)
    assert "\n" not in rejected.detail


def test_what_is_not_known_is_named() -> None:
    assert fetch_rejection(RuntimeError("two\nlines"), URL).detail == "RuntimeError: two lines"


def test_page_of_a_response() -> None:
    headers = Headers(
        {"Content-Type": "text/html; charset=utf-8", "X-Robots-Tag": ["noai", "noimageai"], "Set-Cookie": "a"}
    )
    evidence = (Evidence("title", "T", "feed"),)
    page = make_page(Response(URL, headers=headers, body=b"<p>x"), evidence)
    assert (page.url, page.body, page.evidence) == (URL, b"<p>x", evidence)
    assert page.headers == {"content-type": "text/html; charset=utf-8", "x-robots-tag": "noai, noimageai"}
    assert page.fetched.endswith("+00:00")
