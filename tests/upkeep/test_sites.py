"""The catalogue of news sites: what is found in it, by what words, and what is said where there is nothing."""

from importlib.resources import files
from pathlib import Path

import pytest
from typer.testing import CliRunner

from newscorpus.cli import app
from newscorpus.errors import ArgumentError
from newscorpus.portal.schema import language_codes
from newscorpus.upkeep.sites import address_of, find_sites, news_sites
from newscorpus.urls import host_of, is_web


def test_the_file_holds_addresses_by_language() -> None:
    lines = (files("newscorpus.portal") / "sites.tsv").read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    assert rows == sorted(rows)
    assert len({url for _, url in rows}) > 1_800
    assert all(is_web(url) and host_of(url) for _, url in rows)
    assert {language for language, _ in rows} - language_codes() == {"mali"}, "the list's own name, which is ambiguous"


@pytest.mark.parametrize(
    ("word", "address", "is_first"),
    [
        ("cs", "https://www.idnes.cz/", False),
        ("Czech", "https://www.aktualne.cz/", False),
        ("ces", "https://www.aktualne.cz/", False),
        ("Cestina", "https://www.aktualne.cz/", False),
        ("srpski", "https://www.b92.net/", True),
        ("hrvatski", "https://www.24sata.hr/", False),
        ("Slovakia", "https://www.sme.sk/", True),  # a portal here is first
        ("united kingdom", "https://www.bbc.co.uk/programmes/b007313q", False),
        ("Türkiye", "https://www.hurriyet.com.tr", False),
        ("cz", "https://www.aktualne.cz/", False),
        ("mali", "https://malizine.com/", False),
        ("aftenpost", "https://www.aftenposten.no/", True),
    ],
)
def test_sites_are_found_by_language_country_or_host(word: str, address: str, is_first: bool) -> None:
    found = [site.url for site in find_sites(word)]
    assert address in found
    assert (found[0] == address) == is_first


def test_a_site_is_listed_once_and_a_portal_here_is_known() -> None:
    sites = list(news_sites())
    assert len({site.url for site in sites}) == len(sites)
    known = {site.url: site.known for site in sites}
    assert known["https://www.novinky.cz/"] == "portal novinky"
    assert known["https://www.aktualne.cz/"] == "never checked"


@pytest.mark.parametrize(
    ("word", "said"),
    [("croatan", r"languages like it: croatian \(hr\)"), ("zzqzz", "such as cs or Czech"), ("", "such as cs or Czech")],
)
def test_what_is_not_there_is_one_line(word: str, said: str) -> None:
    with pytest.raises(ArgumentError, match=said):
        find_sites(word)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("novinkz", "like it: novinky"),
        ("bbc", r"several sites.*bbc\.com/hausa"),
        ("x.html", "no file, address or known site; `"),
        ("vesti.hr", "did you mean https://vesti.hr/"),
    ],
)
def test_a_name_of_none_or_several_is_refused(name: str, said: str) -> None:
    with pytest.raises(ArgumentError, match=said):
        address_of(name)


def test_the_commands_show_and_take_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["portal", "find", "norwegian"])
    assert done.exit_code == 0
    assert "https://www.aftenposten.no/" in done.output
    done = CliRunner().invoke(app, ["portal", "add", "aftenposten"])
    assert done.exit_code == 2
    assert "needs --contact" in done.output, "its address is known, and nothing is fetched"
