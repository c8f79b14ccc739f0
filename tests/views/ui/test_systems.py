"""A folder of saved pages: it is marked, systems learn from it, extract it and are compared, and it fits the screen."""

import csv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from benchmarks.pictures import serving
from newscorpus.lab.gold.pages import read_pages
from newscorpus.views.ui.app import TOKEN_HEADER, make_app

SITES = {
    "vesti": "<div><a href=/>Home</a> <a href=/s>Sport</a></div><h1>{0}</h1><span class=when>{1} May 2026</span>"
    "<div class=body>{2}</div><ul><li><a href=/a>Read also: {0}</a></li></ul><p class=foot>All rights reserved</p>",
    "novy": "<table><tr><td>Menu</td><td><h2>{0}</h2><em>{1}. 5. 2026</em>{2}"
    "<p class=share>Share this page with your friends on all networks</p></td></tr></table>",
}
SAID = "The council met on day {0} and spoke about bridge {0}, which {1} people cross every week of the year. "


def paragraphs(number: int) -> str:
    return "".join(f"<p>{SAID.format(number, 900 + number * at) * 3}</p>" for at in range(2, 5))


def save_pages(folder: Path, number: int) -> Path:
    """Save pages of two sites in a folder, which is given back."""
    (folder / "html").mkdir(parents=True)
    for site, layout in SITES.items():
        for at in range(number):
            page = layout.format(f"Bridge {at} of {site} is open", at + 1, paragraphs(at + 1))
            (folder / "html" / f"{site}-{at}.html").write_text(f"<title>{site}</title><body>{page}", encoding="utf-8")
    return folder


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "scrapy.cfg").touch()
    monkeypatch.chdir(tmp_path)
    return save_pages(tmp_path / "pages", 3)


@pytest.fixture
def client(folder: Path) -> Iterator[TestClient]:
    with TestClient(make_app([folder], ["here"]), base_url="http://here") as client:
        client.headers[TOKEN_HEADER] = client.app.state.own.token  # type: ignore[attr-defined]
        yield client


def test_a_folder_shows_its_pages_and_nothing_of_a_corpus(client: TestClient) -> None:
    home = client.get("/").text
    assert "Mark pages, train and compare systems" in home
    assert "/documents/pages" not in home
    assert '<option value="novy-0">novy-0</option>' in client.get("/mark/pages").text
    assert "Bridge 0 of novy is open" in client.get("/try?url=novy-0").text


@pytest.mark.parametrize(
    ("action", "fields", "line"),
    [
        ("evaluate", {}, "choose a system"),
        ("extract", {"systems": ["nonsense"]}, "unknown extractor &#39;nonsense&#39;"),
        ("train", {"learners": ["site-review"]}, "site-review: nothing that learns from marked pages"),
    ],
)
def test_mistakes_are_one_line(client: TestClient, action: str, fields: dict[str, list[str]], line: str) -> None:
    answer = client.post(f"/mark/pages/pages/{action}", data=fields)
    assert (answer.status_code, line in answer.text) == (422, True), answer.text


def test_thresholds_go_to_the_systems_that_take_them(client: TestClient) -> None:
    given = {"systems": ["main-text", "justext"], "upper": "0.9", "lower": "-1"}
    client.post("/mark/pages/pages/extract", data=given)
    commands = client.app.state.own.jobs.started[-1].commands  # type: ignore[attr-defined]
    assert [command[-2:] for command in commands] == [("--upper=0.9", "--lower=-1"), ("--extractor", "justext")]


def run(tab: Any, button: str) -> str:
    """Press a button, wait for the end of what it starts, and return the log."""
    tab.click(f"button:text-is('{button}')")
    tab.wait_for_selector(".job :text('Done:'), .job :text('Failed:')", timeout=1_200_000)
    return str(tab.text_content(".job"))


def mark(tab: Any, address: str, page: str, name: str) -> None:
    """Mark headline, date and text of a page."""
    tab.goto(f"{address}/mark/pages/pages/{name}?who=ann&page={page}")
    tab.wait_for_selector("[data-marks=ready]")
    frame = tab.frame_locator(".page")
    for text, key in (("is open", "t"), ("2026", "d"), ("The council met", "m")):
        blocks = frame.locator("[data-block]", has_text=text)
        for at in range(blocks.count() if key == "m" else 1):
            blocks.nth(at).click()
            tab.keyboard.press(key)
    tab.keyboard.press("Enter")
    tab.wait_for_url(f"**/{name}?who=ann")


@pytest.mark.timeout(400)
def test_a_folder_is_marked_extracted_and_evaluated(tab: Any, folder: Path, check_looks: Callable[..., None]) -> None:
    with serving(folder) as address:
        tab.goto(f"{address}/mark/pages")
        tab.fill("[name=who]", "ann")
        tab.select_option("[name=page]", "vesti-1")
        tab.click("text=Mark: measure")
        mark(tab, address, "vesti-1", "measure")
        (page,) = read_pages(folder)
        assert (page.id, page.url, page.date, page.title) == ("vesti-1", "", "2026-05-02", "Bridge 1 of vesti is open")
        assert page.text.count("The council met on day 2") == 9
        tab.goto(f"{address}/mark/pages/pages")
        tab.uncheck("[value=trafilatura-no-comments]")
        run(tab, "Extract")
        assert len(list((folder / "bte").iterdir())) == 6
        tab.click("button:text-is('Evaluate')")
        tab.wait_for_selector("td:text-is('bte')")
        with (folder / "evaluation.csv").open() as file:
            assert {row["system"]: row["edits"] for row in csv.DictReader(file)}["main-text"] == "0"
        check_looks(address)
        tab.emulate_media(color_scheme="dark")
        check_looks(address)


LEARNERS = (
    *("main-text", "texttractor", "shallow-tree", "paragraph-svm", "segment-svm", "hybrid-section", "hybrid-document"),
    *("node-svm", "learned-fields"),
)


@pytest.fixture
def pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a folder of twenty-four pages of two sites."""
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = newscorpus.settings\n")
    monkeypatch.chdir(tmp_path)
    return save_pages(tmp_path / "pages", 12)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_every_system_learns_in_the_browser_and_is_scored_and_tried(tab: Any, pages: Path) -> None:
    with serving(pages) as address:
        for name, numbers in (("teach", range(10)), ("measure", range(10, 12))):
            for site in SITES:
                for at in numbers:
                    mark(tab, address, f"{site}-{at}", name)
        assert [(page.split, page.date != "") for page in read_pages(pages)].count(("train", True)) == 20
        tab.goto(f"{address}/mark/pages/pages")
        for name in LEARNERS:
            tab.check(f"[name=learners][value={name}]")
        log = run(tab, "Train")
        models = {name: f"models/pages{'' if name == 'main-text' else f'-{name}'}" for name in LEARNERS}
        assert {name for name, model in models.items() if not (pages.parent / model / "card.md").is_file()} == set(), (
            log
        )
        systems = {name: model for name, model in models.items() if name != "learned-fields"}
        tab.reload()
        tab.click("button:text-is('Evaluate')")  # the own models are chosen
        tab.wait_for_selector("td:text-is('pages-node-svm')", timeout=600_000)
        rows = csv.DictReader((pages / "evaluation.csv").read_text().splitlines())
        assert {Path(model).name for model in systems.values()} <= {row["system"] for row in rows}
        for model in systems.values():
            tab.goto(f"{address}/try?url=vesti-11")
            tab.select_option("[name=extractor]", model)
            tab.click("form.try [type=submit]")
            tab.wait_for_selector(f".outcome strong:has-text('{Path(model).name}')")
