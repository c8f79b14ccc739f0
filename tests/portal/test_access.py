"""Cookies and headers of the user's own: where they are read from, and where they go."""

from pathlib import Path

import pytest

from newscorpus.errors import PortalError
from newscorpus.portal.access import read_access
from newscorpus.portal.portal import Portal
from newscorpus.portal.schema import read_portal

SECRET = "geheim-4711"
FILE = """
name = "vesti"
languages = ["sr"]
domains = ["vesti.example"]
start = ["{scheme}://www.vesti.example/"]
{more}
"""


def portal(more: str, scheme: str = "https") -> Portal:
    return read_portal(FILE.format(scheme=scheme, more=more), Path("vesti.toml"))


def test_values_stand_in_the_file_or_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIBRARY_KEY", SECRET)
    access = read_access([portal('cookies = { a = "1", b = "2" }\nheaders = { X-Key = "$LIBRARY_KEY" }')])["vesti"]
    assert access.headers_for("https://www.vesti.example/1") == {"X-Key": SECRET, "Cookie": "a=1; b=2"}
    assert access.names == "cookie a, cookie b, header X-Key"
    assert read_access([portal("")]) == {}


@pytest.mark.parametrize(
    "url",
    [
        "https://vesti.example.elsewhere.example/1",
        "https://elsewhere.example/vesti.example",
        "https://www.vesti.example@elsewhere.example/",
        "http://www.vesti.example/1",
        "https://[",
    ],
)
def test_they_go_to_no_other_host_and_not_unencrypted(url: str) -> None:
    assert read_access([portal(f'cookies = {{ a = "{SECRET}" }}')])["vesti"].headers_for(url) == {}


def test_a_portal_that_begins_unencrypted_gets_them_so() -> None:
    access = read_access([portal(f'cookies = {{ a = "{SECRET}" }}', "http")])["vesti"]
    assert access.headers_for("http://www.vesti.example/1")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ('headers = { User-Agent = "%s" }', "headers.User-Agent: it cannot be set here"),
        ('headers = { cookie = "%s" }', "headers.cookie: it cannot be set here; for Cookie there is `cookies`"),
        ('headers = { X-Key = "%s\\r\\nX-Other: 1" }', "headers.X-Key: holds characters"),
        ('headers = { "X Key" = "%s" }', "headers.X Key: no name"),
        ('cookies = { a = "%s; b=2" }', "cookies.a: holds characters"),
        ("cookies = { a = 4711 }", "cookies"),
    ],
)
def test_what_cannot_be_sent_is_refused_without_being_shown(more: str, message: str) -> None:
    with pytest.raises(PortalError) as error:
        portal(more.replace("%s", SECRET))
    assert message in str(error.value)
    assert SECRET not in str(error.value)


def test_a_variable_that_is_not_set_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    with pytest.raises(PortalError, match=r"portal vesti: headers.X-Key: the environment variable NO_SUCH_KEY is not"):
        read_access([portal('headers = { X-Key = "$NO_SUCH_KEY" }')])
    monkeypatch.setenv("NO_SUCH_KEY", f"{SECRET}\n")
    with pytest.raises(PortalError, match="holds characters that cannot be sent") as error:
        read_access([portal('headers = { X-Key = "$NO_SUCH_KEY" }')])
    assert SECRET not in str(error.value)


def test_no_value_is_shown_with_the_portal() -> None:
    made = portal(f'cookies = {{ a = "{SECRET}" }}\nheaders = {{ X-Key = "{SECRET}" }}')
    assert SECRET not in repr(made) + repr(read_access([made])) + repr(hash(made))
