"""A crawl is watched while it runs: its counts, queue, sites and last pages; when it has ended, what came out of it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from parsel import Selector
from starlette.testclient import TestClient
from typer.testing import CliRunner

from benchmarks.pictures import serving
from newscorpus.cli import app
from newscorpus.corpus.published import open_corpus
from newscorpus.files import is_held
from newscorpus.layout import CRAWL_LOCK, LEDGER
from newscorpus.store.ledger import Fetched, Ledger, Link, UrlOutcome, key_of
from newscorpus.store.ledger.portals import Alarm, SitePace
from newscorpus.store.ledger.status import status
from newscorpus.views.ui.app import make_app

RESTS = SitePace(
    "slow", 2.5, "2999-01-01T00:00:00+00:00", "", "status 429 with Retry-After 60 s, https://slow.example/"
)


@pytest.fixture
def running(tmp_path: Path) -> Iterator[tuple[Path, Ledger]]:
    """A corpus whose crawl is under way, with two addresses in the queue, and its ledger, whose closing ends it."""
    corpus = tmp_path / "run"
    ledger = Ledger.open(corpus)
    for number in range(2):
        url = f"https://slow.example/{number}"
        ledger.add(Link(key_of(url), url, "slow", "article", 1, 0, priority=number))
    ledger.sites.note([RESTS])
    ledger.commit()
    yield corpus, ledger
    if is_held(corpus / CRAWL_LOCK):
        ledger.close()


def test_a_crawl_stands_as_status_says(client: TestClient, demo_corpus: Path) -> None:
    (portal,) = status(demo_corpus)
    text = client.get("/watch/demo").text
    for number in (portal.kept, portal.done, portal.words):
        assert f"<dd>{number:,}</dd>" in text
    assert all(reason in text for reason in portal.rejected)
    assert "<rect" in text


def test_the_page_of_the_statistics_is_that_of_the_crawl_after_its_end(
    client: TestClient, demo_corpus: Path, tmp_path: Path
) -> None:
    done = CliRunner().invoke(app, ["stats", str(demo_corpus), "--output", str(tmp_path)])
    assert done.exit_code == 0, done.output
    written = Selector((tmp_path / "stats.html").read_text("utf-8"))
    watched = Selector(client.get("/watch/demo").text), Selector(client.get("/watch/demo/contents").text)
    headings = [one.xpath("string()").get() for view in watched for one in view.css("h2")]
    assert headings == written.css("h2").xpath("string()").getall()
    charts = [one.attrib["aria-label"] for view in watched for one in view.css("svg")]
    assert charts == [one.attrib["aria-label"] for one in written.css("svg")]
    assert [bool(view.css("a[href^='/try']")) for view in (*watched, written)] == [True, True, False]


def test_a_crawl_under_way_renews_itself_until_its_end(
    tab: Any, running: tuple[Path, Ledger], check_looks: Callable[..., None]
) -> None:
    corpus, ledger = running
    with serving(corpus) as address:
        tab.goto(f"{address}/watch/run")
        check_looks(address)
        said = tab.text_content("main")
        assert "A crawl is under way" in said
        assert RESTS.why in said
        assert tab.locator("[aria-label^='Next in the queue'] td:first-child").all_text_contents() == [
            "https://slow.example/1",
            "https://slow.example/0",
        ]
        assert ledger.queue.lease("slow")
        ledger.commit()
        tab.wait_for_selector("text=Next in the queue: 1 of 1")
        ledger.close()
        tab.wait_for_selector("text=No crawl is under way")
        assert tab.get_attribute("#watch", "hx-trigger") == "every 5s", "until something is published"


def test_after_the_end_the_contents_follow(tab: Any, served: str, demo_corpus: Path) -> None:
    tab.goto(f"{served}/watch/demo")
    tab.wait_for_selector("h2:text-is('Languages')")
    assert tab.get_attribute("#watch", "hx-trigger") is None
    assert f"{open_corpus(demo_corpus).manifest.documents:,} documents" in tab.text_content("main")
    tab.focus("summary:text-is('Table') >> nth=0")
    tab.keyboard.press("Enter")
    assert tab.locator("details[open] td:has-text('demo')").first.is_visible()


def test_a_redesign_is_marked_on_the_chart(tmp_path: Path) -> None:
    url, days = "https://demo.example/", ("2026-11-01", "2026-11-11", "2026-11-21")
    with Ledger.open(tmp_path / "run") as ledger:
        for day in days:
            ledger.add(Link(key_of(url + day), url + day, "demo", "article", 1, 0))
            assert ledger.queue.lease("demo")
            fetched = Fetched(url + day, 200, f"{day}T08:00:00+00:00", 10)
            ledger.finish(ledger.serial(url + day), (UrlOutcome("", "kept", "", "r", 10),), fetched)
        since = f"{days[1]}T08:00:00+00:00"
        alarm = Alarm("demo", url + days[1], since, since, "", "", "class story", (20, 20), (0, 5))
        ledger.looks.add_alarm(alarm)
    with TestClient(make_app([tmp_path / "run"], ["here"]), base_url="http://here") as client:
        assert str(alarm) in Selector(client.get("/").text).css(".card li a::text").getall()
        for view in ("/watch/run", "/portal/run/demo"):
            page = Selector(client.get(view).text)
            assert [one.xpath("string(title)").get() for one in page.css("path.redesign")] == [str(alarm)]
            assert str(alarm) in page.css("p.failed::text").getall()


def test_looking_writes_nothing_into_the_corpus(client: TestClient, demo_corpus: Path) -> None:
    def files() -> dict[Path, tuple[int, int]]:
        paths = (path for path in demo_corpus.rglob("*") if path.is_file() and not path.name.startswith(LEDGER))
        return {path: (path.stat().st_size, path.stat().st_mtime_ns) for path in paths}

    before, ledger = files(), (demo_corpus / LEDGER).read_bytes()
    record = next(open_corpus(demo_corpus).records())
    views = ("documents", "left-out", "mark", "portal", "watch")
    places = [*(f"/{view}/demo" for view in views), "/watch/demo/contents", "/portal/demo/demo"]
    for place in (*places, f"/documents/demo/{record.id}", "/mark/demo/demo/measure?who=ann"):
        assert client.get(place).status_code == 200
    assert (files(), (demo_corpus / LEDGER).read_bytes()) == (before, ledger)


def test_a_folder_that_holds_nothing_says_so(tmp_path: Path) -> None:
    with TestClient(make_app([tmp_path], ["here"]), base_url="http://here") as client:
        assert "Nothing is published here yet" in client.get(f"/watch/{tmp_path.name}").text
