import asyncio
from ipaddress import ip_address
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request, exceptions
from scrapy.http import Response
from scrapy.settings import Settings
from scrapy.spidermiddlewares.httperror import HttpError

from newscorpus.fetch.middlewares.guards import CarefulRedirectMiddleware, PrivateAddressMiddleware
from newscorpus.fetch.visits import VISIT, CanonicalFingerprinter, Refused, Visit, fetch_rejection

URL = "http://example.org/a"


CRAWLER: Any = SimpleNamespace(spider=SimpleNamespace(loopback=frozenset({"127.0.0.1:8000"})))


def ask(url: str, answer: str = "") -> None:
    async def resolve(host: str) -> list[str]:
        assert host == "example.org"
        return answer.split()

    asyncio.run(PrivateAddressMiddleware(CRAWLER, resolve).process_request(Request(url)))


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
    assert not isinstance(error, RuntimeError) or rejected.detail == "RuntimeError: two lines"


def test_public_addresses_pass() -> None:
    for answer in ("93.184.216.34", ""):
        ask(URL, answer)
    for url in ("http://127.0.0.1:8000/x", "https://8.8.8.8/"):
        ask(url, "never asked")


@pytest.mark.parametrize(
    ("url", "answer"),
    [
        *((URL, answer) for answer in ("127.0.0.1", "10.0.0.8", "169.254.169.254", "0.0.0.0", "::1", "8.8.8.8 ::1")),
        *(
            (url, "")
            for url in ("http://127.0.0.1:8001/", "http://127.0.0.1/", "http://[::1]:8000/", "http://192.168.1.1/")
        ),
        *((url, "") for url in ("file:///etc/passwd", "ftp://example.org/", "data:,x", "s3://bucket/key")),
    ],
)
def test_private_addresses_are_refused(url: str, answer: str) -> None:
    with pytest.raises(Refused) as refused:
        ask(url, answer)
    assert refused.value.reason == "private_address"


def answered(url: str, address: str | None, **meta: str | None) -> Response:
    request = Request(url, meta=meta)
    response = Response(url, ip_address=ip_address(address) if address else None)
    return PrivateAddressMiddleware(CRAWLER).process_response(request, response)


def test_an_answer_from_a_private_address_is_thrown_away_unless_a_proxy_gave_it() -> None:
    for meta in ({}, {"proxy": None}):  # what is kept from the proxy of the environment
        with pytest.raises(Refused, match=r"answered by 10\.0\.0\.8"):
            answered(URL, "10.0.0.8", **meta)
    assert answered(URL, "10.0.0.8", proxy="http://proxy:3128").url == URL
    for url, address in ((URL, "93.184.216.34"), (URL, None), ("http://127.0.0.1:8000/a", "127.0.0.1")):
        assert answered(url, address).url == url


def test_an_answer_packed_over_and_over_is_thrown_away() -> None:
    def answer(*encodings: str) -> Request | Response:
        packed = Response(URL, headers={"Content-Encoding": list(encodings)})
        middleware = CarefulRedirectMiddleware(Settings())
        middleware.crawler = CRAWLER
        return middleware.process_response(Request(URL), packed)

    assert answer("gzip, br").url == answer().url == URL
    with pytest.raises(Refused, match="5 encodings"):
        answer("gzip, gzip", "gzip, gzip, gzip")


def redirect(location: str | None, request: Request | None = None, met: tuple[str, ...] = ()) -> Request | Response:
    middleware = CarefulRedirectMiddleware(Settings({"REDIRECT_MAX_TIMES": 3}))
    spider = SimpleNamespace(has_met=lambda url, asked: url in met and asked == URL)
    middleware.crawler = SimpleNamespace(spider=spider)  # type: ignore[assignment]
    request = request or Request(URL, meta={VISIT: Visit(domains=("example.org",))})
    headers = {} if location is None else {"Location": location}
    return middleware.process_response(request, Response(request.url, status=302, headers=headers))


@pytest.mark.parametrize(
    ("location", "domains", "end"),
    [
        ("/b", ("example.org",), "http://example.org/b"),
        ("https://žito.example/b", ("xn--ito-b3a.example",), "https://xn--ito-b3a.example/b"),
        ("http://example.com/robots.txt", None, "http://example.com/robots.txt"),
    ],
    ids=["plain", "international", "anywhere"],
)
def test_a_redirect_is_followed(location: str, domains: tuple[str, ...] | None, end: str) -> None:
    followed = redirect(location, Request(URL, meta={VISIT: Visit(domains=domains)}))
    assert isinstance(followed, Request)
    assert followed.url == end
    assert not followed.dont_filter


@pytest.mark.parametrize("location", ["https://example.org/a", "/a?utm_source=x", "/a;jsessionid=1"])
def test_a_redirect_to_the_same_document_passes_the_filter_of_duplicates(location: str) -> None:
    followed = redirect(location, met=(URL, "https://example.org/a"))
    assert isinstance(followed, Request)
    assert followed.dont_filter


@pytest.mark.parametrize(
    ("location", "reason"),
    [
        ("file:///etc/passwd", "private_address"),
        ("ftp://example.org/x", "private_address"),
        ("http://10.0.0.1/", "private_address"),
        ("http://example.com/", "offsite"),
        ("//example.com/", "offsite"),
        ("http://notexample.org/", "offsite"),
        ("http://[broken/", "bad_redirect"),
        ("/a", "redirect_loop"),
        ("/known", "redirect_to_known"),
    ],
)
def test_a_redirect_is_refused_with_a_reason(location: str, reason: str) -> None:
    with pytest.raises(Refused) as refused:
        redirect(location, met=("http://example.org/known",))
    assert refused.value.reason == reason


def test_a_redirect_without_location_is_left_alone() -> None:
    assert isinstance(redirect(None), Response)


def test_requests_for_one_document_have_one_fingerprint() -> None:
    fingerprint = CanonicalFingerprinter().fingerprint
    same = {fingerprint(Request(URL + tail)) for tail in ("", "#top", "?utm_source=x", "?fbclid=1")}
    assert len(same) == 1
    assert fingerprint(Request(URL + "?page=2")) not in same
    assert fingerprint(Request(URL, method="POST")) not in same
