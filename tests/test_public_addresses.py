import pytest
from hypothesis import given
from hypothesis import strategies as st

from newscorpus.public_addresses import host_and_port, is_loopback, is_public, literal_address, may_ask


@pytest.mark.parametrize("address", ["8.8.8.8", "193.85.2.1", "2001:4860:4860::8888", "64:ff9b::808:808"])
def test_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.9.9.9", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1"),
        *("0.0.0.0", "255.255.255.255", "224.0.0.1", "198.18.0.1", "::1", "::", "fe80::1%eth0", "fc00::1", "ff02::1"),
        *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2002:c0a8:101::1"),
        *("fec0::1", "::127.0.0.1", "::ffff:0:7f00:1", "64:ff9b:1::a00:1", "4000::1"),
    ],
)
def test_not_public(address: str) -> None:
    assert not is_public(address)


def test_no_address_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"example\.org"):
        is_public("example.org")


@given(st.ip_addresses(v=4))
def test_an_address_inside_ipv6_is_as_public_as_itself(address: object) -> None:
    assert is_public(f"64:ff9b::{address}") == is_public(str(address))


@pytest.mark.parametrize(
    ("host", "literal"),
    [("127.0.0.1", "127.0.0.1"), ("[::1]", "::1"), ("::1", "::1"), ("127.1", ""), ("example.org", ""), ("", "")],
)
def test_literal_address(host: str, literal: str) -> None:
    assert literal_address(host) == literal


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


@pytest.mark.parametrize("url", ["http://127.0.0.1:8000/", "http://localhost/", "https://[::1]/"])
def test_loopback(url: str) -> None:
    assert is_loopback(url)


@pytest.mark.parametrize("url", ["http://localhost.example.org/", "http://10.0.0.1/", "file://localhost/x", ""])
def test_not_loopback(url: str) -> None:
    assert not is_loopback(url)


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
