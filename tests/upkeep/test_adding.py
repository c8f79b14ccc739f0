"""A portal file from the address of a site, and what a crawl would do with each link."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from urllib.parse import urljoin

import pytest
from prose import article
from typer.testing import CliRunner

from newscorpus.cli import app
from newscorpus.data import Page
from newscorpus.errors import PortalError
from newscorpus.portal.portal import Portal
from newscorpus.portal.schema import load_portal
from newscorpus.upkeep.adding import NO_CRAWL, draft_portal, judge_address, propose_patterns, read_front_page
from tests.mockserver.hosts import serving_host

HEADLINES = {f"/2026/05/0{n}/story-{n}/": f"The council keeps bridge number {n}" for n in range(1, 8)}
MENU = {"/politics/": "Politics", "/sport/": "Sport", "/about/": "About"}
URL = "https://www.news.example/"
HEAD = "<title>News</title><meta property='og:site_name' content='The \\n News'><meta name=tdm-reservation content=1>"


def front(head: str = "", lang: str = "en") -> bytes:
    links = "".join(f"<li><a href='{url}'>{text}</a>" for url, text in (HEADLINES | MENU).items())
    return f"<html lang={lang}><head>{HEAD}{head}</head><body><ul>{links}</ul></body></html>".encode()


def drafted(page: Page, folder: Path) -> tuple[Portal, str]:
    found = read_front_page(page)
    text = draft_portal(found, found.name, NO_CRAWL, propose_patterns(found, NO_CRAWL))
    path = folder / f"{found.name}.toml"
    path.write_text(text, "utf-8")
    return load_portal(path), text


def test_a_front_page_becomes_a_portal_file(tmp_path: Path) -> None:
    portal, text = drafted(Page(URL, front(), {"content-type": "text/html; charset=windows-1250"}), tmp_path)
    assert (portal.name, portal.languages, portal.domains, portal.start) == ("news", ("en",), ("news.example",), (URL,))
    assert portal.is_article("https://www.news.example/2019/01/02/another-one/")
    assert portal.is_section("https://www.news.example/sport/?page=2")
    assert not portal.is_article("https://www.news.example/sport/")
    assert "# charset: cp1250\n" in text
    assert "tdm-reservation=1" in text
    assert "# 7 articles, such as /2026/05/01/story-1/" in text


@pytest.mark.parametrize("name", ["'", '"', "\\n", "\u2028", "]"])
def test_what_a_page_says_cannot_break_the_file(name: str, tmp_path: Path) -> None:
    odd = front().replace(b"The \\n News", f"x{name}y".encode()).replace(b"/2026/", f"/20{name}26/".encode())
    portal, _ = drafted(Page(URL, odd), tmp_path)
    assert portal.name == "news"


def test_the_words_go_before_what_the_page_states_of_its_language(tmp_path: Path) -> None:
    portal, text = drafted(Page(URL, front(lang="cs")), tmp_path)
    assert portal.languages == ("en",)
    assert "# the page states 'cs'; its words are of 'en'" in text


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (
            "<p>We and our partners store cookies on your device to show you adverts.</p><button>Accept all</button>",
            "a wall that asks for consent",
        ),
        (
            "<p>This site uses cookies.</p>" + "<p>The river rose again and the bridge was closed for a day.</p>" * 9,
            "hardly",
        ),
        ("<div id=root></div><script src=app.js></script>", "scripts seem to build the pages"),
        ("<p>Moved.</p>", "hardly any page"),
    ],
)
def test_what_stands_before_the_pages_is_named(body: str, why: str) -> None:
    found = read_front_page(Page(URL, f"<html><body>{body}</body></html>".encode()))
    assert why in found.barrier
    assert read_front_page(Page(URL, front())).barrier == ""


def test_a_saved_page_says_its_address_or_is_told_it() -> None:
    assert read_front_page(Page("", front(f"<link rel=canonical href={URL}>"))).url == URL
    with pytest.raises(PortalError, match="--url"):
        read_front_page(Page("", front()))


TRIED = Portal("news", ("en",), ("news.example",), (URL,), articles=("^/a/",), sections=("^/s/",), ignore=("^/a/x",))


@pytest.mark.parametrize(
    ("path", "verdict", "why"),
    [
        ("/a/1", "article", "by '^/a/'"),
        ("/a/x", "ignored", "by '^/a/x'"),
        ("/s/1234567", "section", "by '^/s/'"),
        ("/x/1234567", "article", "looks like an article's"),
        ("/x/", "section", "does not look like"),
        ("/tag/x", "section", "names a list"),
        ("/forum/x", "section", "a list, a forum or a shop"),
        ("/x/2099/01/", "trap", "a date to come"),
        ("/", "section", "front page"),
        ("https://other.example/a/1", "elsewhere", "no host of the portal's domains"),
    ],
)
def test_each_address_has_a_verdict_with_its_reason(path: str, verdict: str, why: str) -> None:
    found, because = judge_address(urljoin("https://news.example", path), TRIED, date(2026, 11, 22))
    assert (found, why in because) == (verdict, True), because


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "250")
    monkeypatch.delenv("NEWSCORPUS_CONTACT", raising=False)
    return tmp_path


def test_a_saved_front_page_is_enough_and_nothing_is_fetched(here: Path) -> None:
    (here / "front.html").write_bytes(front())
    done = CliRunner().invoke(app, ["portal", "add", "front.html", "--url", URL])
    assert done.exit_code == 0, done.output
    assert load_portal("news").is_article(f"{URL}2019/01/02/another-one/")
    tried = CliRunner().invoke(app, ["portal", "try", "news", "--page", "front.html"])
    assert tried.exit_code == 0, tried.output
    assert [line.split()[0] for line in tried.output.splitlines()] == ["verdict", "article", "section"]
    assert not (here / "corpora").exists()


def test_a_file_that_is_there_is_kept(here: Path) -> None:
    (here / "front.html").write_bytes(front())
    (here / "portals").mkdir()
    (here / "portals" / "news.toml").write_text("mine")
    done = CliRunner().invoke(app, ["portal", "add", "front.html", "--url", URL])
    assert isinstance(done.exception, PortalError)
    assert "there already" in str(done.exception)
    assert (here / "portals" / "news.toml").read_text() == "mine"


def test_an_address_of_the_web_needs_a_contact(here: Path) -> None:
    done = CliRunner().invoke(app, ["portal", "add", "https://news.example/"])
    assert done.exit_code == 2
    assert "--contact" in done.output


@pytest.fixture(scope="module")
def added(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, subprocess.CompletedProcess[str]]]:
    """A site that was added as users do it, from its address."""
    folder = tmp_path_factory.mktemp("added")
    base = "http://host.example"
    pages = {base + url: article(text, "") for url, text in HEADLINES.items()}
    links = {base + url: text for url, text in (HEADLINES | MENU).items()}
    with serving_host(pages, links, [base + url for url in MENU]) as address:
        command = [sys.executable, "-c", "from newscorpus.cli import main; main()", "portal", "add", address]
        clean = {name: value for name, value in os.environ.items() if name != "NEWSCORPUS_CONTACT"}
        done = subprocess.run(
            [*command, "--name", "paper"], cwd=folder, env=clean, capture_output=True, text=True, check=False
        )
        yield folder, done


@pytest.mark.timeout(600)
def test_an_address_becomes_a_file_and_a_small_corpus(added: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    folder, done = added
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    portal = load_portal(folder / "portals" / "paper.toml")
    assert all(portal.is_article(f"http://127.0.0.1{url}") for url in HEADLINES)
    assert not any(portal.is_article(f"http://127.0.0.1{url}") for url in MENU)
    report = json.loads((folder / "corpora" / "paper" / "crawl-report.json").read_bytes())
    assert report["build"]["kept"] == len(HEADLINES)
    assert done.stdout.count("published ") == len(HEADLINES)


@pytest.mark.timeout(600)
def test_what_the_crawl_met_is_tried(
    added: tuple[Path, subprocess.CompletedProcess[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(added[0])
    monkeypatch.setenv("COLUMNS", "250")
    tried = CliRunner().invoke(app, ["portal", "try", "paper"])
    assert tried.exit_code == 0, tried.output
    assert "no-such-page" not in tried.output  # the probe for missing pages
    articles = next(line for line in tried.output.splitlines() if line.startswith("article"))
    assert f"  {len(HEADLINES)}  " in articles
