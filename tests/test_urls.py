"""Addresses: canonical form, host, site, id."""

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newscorpus.urls import (
    ID_LENGTH,
    canonical_url,
    document_address,
    document_id,
    host_and_port,
    host_of,
    is_loopback,
    is_public,
    literal_address,
    may_ask,
    site_key,
    web_address,
)

PIECES = st.sampled_from(
    [
        *"http:// https:// ftp: // / . .. : :80 :443 ? & = # ; % %2F %3B /index.html Example .COM".split(),
        *"127.0.0.1 user:pw@ a b sid utm_source jsessionid ;jsessionid= %3Bjsessionid= 0123456789abcdef".split(),
        *("háčky.cz", "[::1]", "/(S(abcdefghijklmnopqrstuvwx))", "+", "\ud800", " ", "\t"),
    ]
)
URLS = st.one_of(st.lists(PIECES, max_size=12).map("".join), st.text(), st.text().map("http://a.cz/".__add__))


@pytest.mark.parametrize(
    ("url", "canonical"),
    [
        ("HTTP://Example.COM.:80/a/../b?b=1&a=2#x", "http://example.com/b?a=2&b=1"),
        ("https://example.com:443", "https://example.com/"),
        ("http://example.com:8080/", "http://example.com:8080/"),
        ("http://[::1]:80/x", "http://[::1]/x"),
        ("http://a.cz/x?utm_source=rss&fbclid=1&GCLID=2&id=7", "http://a.cz/x?id=7"),
        ("http://a.cz/x?utm_source=rss", "http://a.cz/x"),
        ("http://a.cz/x;jsessionid=12AF?y=1", "http://a.cz/x?y=1"),
        ("http://a.cz/(S(lit3py55t21z5v55vlm25s55))/x.aspx", "http://a.cz/x.aspx"),
        ("http://a.cz/x?PHPSESSID=abc&id=1", "http://a.cz/x?id=1"),
        ("http://a.cz/x?sid=0123456789abcdef0", "http://a.cz/x"),
        ("http://a.cz/x?sid=4711", "http://a.cz/x?sid=4711"),
        ("http://name:secret@a.cz/x", "http://a.cz/x"),
        ("http://háčky.cz/š", "http://xn--hky-ela4t.cz/%C5%A1"),
        ("http://a.cz/town/index.html", "http://a.cz/town/"),
        ("http://a.cz/town/index.php?id=7", "http://a.cz/town/?id=7"),
        ("http://a.cz/index.html", "http://a.cz/index.html"),
        ("http://a.cz/town/the-index.html", "http://a.cz/town/the-index.html"),
    ],
)
def test_canonical_form(url: str, canonical: str) -> None:
    assert canonical_url(url) == canonical


@pytest.mark.parametrize(
    "url", ["", "nonsense", "mailto:a@b.cz", "http://[::1", "http://a.cz:port/", "http:///x", "/x"]
)
def test_what_is_no_address_comes_back_unchanged(url: str) -> None:
    assert canonical_url(url) == url
    assert host_of(url) == ""
    assert site_key(url) == ""
    assert len(document_id(url)) == ID_LENGTH


@given(URLS)
def test_canonical_form_is_idempotent_and_nothing_raises(url: str) -> None:
    once = canonical_url(url)
    assert canonical_url(once) == once
    assert document_id(once) == document_id(url)
    assert host_of(once) == host_of(url)
    assert site_key(once) == site_key(url)


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://zpravy.idnes.cz/x", "idnes.cz"),
        ("https://www.bbc.co.uk/news", "bbc.co.uk"),
        ("https://one.blogspot.com/", "one.blogspot.com"),
        ("http://127.0.0.1:8000/x", "127.0.0.1:8000"),
        ("http://localhost:80/x", "localhost"),
        ("http://[::1]:9/x", "[::1]:9"),
    ],
)
def test_site(url: str, site: str) -> None:
    assert site_key(url) == site


@pytest.mark.parametrize(
    ("address", "absolute"),
    [
        ("/b", "https://žito.example/b"),
        (" c\n", "https://žito.example/a/c"),
        ("//a.cz", "https://a.cz"),
        *((one, "") for one in ("mailto:a@b.cz", "http://[", "http://a.cz:port/", "http://", "ftp://a.cz/")),
    ],
)
def test_addresses_are_made_absolute(address: str, absolute: str) -> None:
    assert web_address("https://žito.example/a/", address) == absolute


def test_host_and_id() -> None:
    assert host_of("http://WWW.Example.com.:8080/x") == "www.example.com"
    assert document_id("http://a.cz/x?utm_source=y") == document_id("https://a.cz/x")
    assert document_id("https://a.cz/x") != document_id("https://a.cz/y")
    assert document_id("https://www.example.com/news/1") == "16119e101775d253", "ids never change"


@pytest.mark.parametrize(
    ("url", "canonical"),
    [
        ("https://m.a.cz/1", "https://www.a.cz/1"),
        ("https://a.cz/1", "https://a.cz/?id=1"),
        ("https://a.cz/sport/elections", "https://a.cz/elections"),
        ("https://a.cz/4711/print", "https://a.cz/mayor-opens-bridge"),
        ("https://a.cz/elections?ref=rss", "https://a.cz/elections"),
        ("https://a.cz/?p=4711", "https://a.cz/mayor-opens-bridge"),
        ("https://a.cz/foto/4711", "https://a.cz/clanek/815"),
        ("https://a.cz/4711-mayor-opens-bridge", "https://a.cz/4711-new-crossing-ready"),
        ("https://a.cz/mayor-opens-the-bridge", "https://a.cz/bridge-was-opened"),
        ("https://a.cz/градоначелник-отворио-мост", "https://a.cz/gradonacelnik-otvorio-most"),
        ("", ""),
    ],
)
def test_canonical_addresses_are_believed_on_the_same_site(url: str, canonical: str) -> None:
    assert document_address(url, canonical) == canonical


@pytest.mark.parametrize(
    ("url", "canonical"),
    [
        *(("https://a.cz/1", one) for one in ("", "https://other.cz/1", "https://a.cz/", "/1", "http://[")),
        ("", "nonsense"),
        ("https://a.cz/sport/mayor-opens-bridge", "https://a.cz/sport/"),
        ("https://a.cz/sr/vest/4711", "https://a.cz/index.php"),
        ("https://a.cz/elections-2026-results-live", "https://a.cz/elections"),
        ("https://a.cz/mayor-opens-the-bridge", "https://a.cz/rain-over-the-coast"),
        ("https://a.cz/zprava/starosta-otevrel-most.html", "https://a.cz/zprava/dest-nad-pobrezim.html"),
        ("https://a.cz/2026/11/05/mayor-opens-bridge", "https://a.cz/2026/11/05/rain-over-coast"),
        ("https://a.cz/градоначелник-отворио-мост", f"https://a.cz/{quote('киша-над-обалом')}"),
        ("https://a.cz/mayor-opens-bridge-4711", "https://a.cz/rain-over-coast-4712"),
        ("https://a.cz/vest/4711", "https://a.cz/vest/4712"),
        ("https://a.cz/vest.php?cat=2&id=45", "https://a.cz/vest.php?cat=2&id=7"),
        ("https://a.cz/vest.php?id=45", "https://a.cz/vest.php"),
    ],
)
def test_a_canonical_address_of_another_document_is_not_believed(url: str, canonical: str) -> None:
    assert document_address(url, canonical) == url


def test_public_addresses() -> None:
    public = "8.8.8.8 193.85.2.1 2001:4860:4860::8888 64:ff9b::808:808".split()
    others = (
        "127.0.0.1 127.9.9.9 10.1.2.3 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0 255.255.255.255"
        " 224.0.0.1 198.18.0.1 ::1 :: fe80::1%eth0 fc00::1 ff02::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 64:ff9b::7f00:1"
        " 2002:7f00:1:: 2002:c0a8:101::1 fec0::1 ::127.0.0.1 ::ffff:0:7f00:1 64:ff9b:1::a00:1 4000::1"
    ).split()
    assert [address for address in (*public, *others) if is_public(address)] == public
    with pytest.raises(ValueError, match=r"example\.org"):
        is_public("example.org")


@given(st.ip_addresses(v=4))
def test_an_address_inside_ipv6_is_as_public_as_itself(address: object) -> None:
    assert is_public(f"64:ff9b::{address}") == is_public(str(address))


def test_literal_addresses_and_loopback() -> None:
    hosts = ("127.0.0.1", "[::1]", "::1", "127.1", "example.org", "")
    assert [literal_address(host) for host in hosts] == ["127.0.0.1", "::1", "::1", "", "", ""]
    ours = ["http://127.0.0.1:8000/", "http://localhost/", "https://[::1]/"]
    others = ("http://localhost.example.org/", "http://10.0.0.1/", "file://localhost/x", "")
    assert [url for url in (*ours, *others) if is_loopback(url)] == ours


@pytest.mark.parametrize(
    ("url", "where"),
    [
        ("http://Example.org/x", "example.org:80"),
        ("https://example.org", "example.org:443"),
        ("http://[::1]:8000/", "::1:8000"),
        ("ftp://example.org/", ""),
        ("http://example.org:port/", ""),
        ("http://[broken/", ""),
        ("http:///x", ""),
        ("", ""),
    ],
)
def test_host_and_port(url: str, where: str) -> None:
    assert host_and_port(url) == where


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("http://example.org/", True),
        ("https://8.8.8.8/", True),
        ("http://127.0.0.1:8000/x", True),
        ("http://127.0.0.1:8001/x", False),
        ("http://127.0.0.1/x", False),
        ("http://169.254.169.254/", False),
        ("http://user@10.0.0.1/", False),
        ("file:///etc/passwd", False),
        ("javascript:alert(1)", False),
        ("http://[broken/", False),
    ],
)
def test_may_ask(url: str, allowed: bool) -> None:
    assert may_ask(url, {"127.0.0.1:8000"}) is allowed


@given(st.text())
def test_never_raises(text: str) -> None:
    assert may_ask(text) in {True, False}
    assert is_loopback("http://" + text) in {True, False}
