"""A page is tried: by address, file or pasted HTML, by mouse and by keys, and as JSON."""

import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from newscorpus.cli import app
from newscorpus.corpus.published import open_corpus
from newscorpus.data import Record
from newscorpus.resources import data_folder


@pytest.fixture(scope="module")
def record(demo_corpus: Path) -> Record:
    """A document of the corpus, in Cyrillic."""
    russian = [one for one in open_corpus(demo_corpus).records() if one.language == "ru"]
    return max(russian, key=lambda one: (one.confidence, one.id))


@pytest.fixture
def tried(send: Any) -> Any:
    """The page that the filled in form gives."""
    return partial(send, "/try")


def test_an_archived_page_stands_beside_its_text(client: TestClient, record: Record) -> None:
    answer = client.get("/try", params={"url": record.url})
    assert answer.status_code == 200
    assert all(line in answer.text for line in record.text.split("\n"))
    assert "srcdoc=" in answer.text


@pytest.mark.parametrize("headers", [{}, {"hx-request": "true"}])
def test_a_page_that_no_archive_has_is_said(client: TestClient, headers: dict[str, str]) -> None:
    text = client.get("/try?url=https://a.example/%3Cb%3E", headers=headers).text
    assert "No archive of the corpora has the page of https://a.example/&lt;b&gt;." in text
    assert "No archive" not in client.get("/try", headers=headers).text


def test_two_extractors_side_by_side(tried: Any, record: Record) -> None:
    answer = tried(url=record.url, extractor="main-text", beside="bte")
    assert answer.text.count("data-shown") == 2
    assert ">bte</strong>" in answer.text
    first, second = (part.partition('class="chosen-block"')[0] for part in answer.text.split("data-shown")[1:])
    assert second.count('<mark class="only">') > first.count('<mark class="only">') > 0
    alone = {line for line in record.text.split("\n") if f">{line}</p>" in first}
    assert alone
    assert all(f">{line}</p>" in second for line in alone)


def test_each_rule_is_on_or_off(tried: Any) -> None:
    prose = "Yesterday the council of the town met and spoke about the bridge and the school. " * 3
    html = f"<title>The bridge</title><article><h1>The bridge</h1><p>{prose}</p><p>{prose}x</p></article>"
    matched = tried(html=html, extractor="paragraph-svm", rules="ignore_after_content").text
    assert "start: changed" not in matched
    assert "start: changed 1 block" in tried(html=html, extractor="texttractor", rules="start").text
    assert "start: changed" not in tried(html=html, extractor="texttractor", rules="none").text
    assert "start: changed 1 block" in tried(html=html, extractor="texttractor", rules="mrozek").text


def test_thresholds_decide_where_they_are_given(client: TestClient, tried: Any) -> None:
    page = {"html": f"<title>The bridge</title><p>{'The council met and spoke about the bridge. ' * 9}</p>"}
    assert "below the lower one" in tried(**page, extractor="texttractor", upper="1", lower="2").text
    assert tried(**page, extractor="texttractor", upper="", lower="").status_code == 200
    found = client.post("/api/extract", json={**page, "extractor": "texttractor", "upper": 9, "lower": 8}).json()
    assert {block["label"] for block in found["page"]["blocks"]} == {"bad"}


def test_own_models_are_chosen_like_systems(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(data_folder("models") / "texttractor", tmp_path / "models" / "mine")
    (tmp_path / "scrapy.cfg").touch()
    monkeypatch.chdir(tmp_path)
    assert ">models/mine</option>" in client.get("/try").text
    page = {"html": f"<p>{'The council met and spoke about the bridge. ' * 9}</p>", "extractor": "models/mine"}
    found = client.post("/api/extract", json=page).json()
    assert [block["text"] for block in found["page"]["blocks"]], "it decides block by block"
    (tmp_path / "models" / "mine" / "metadata.json").write_text("{}")
    assert ">models/mine</option>" not in client.get("/try").text
    assert "unknown extractor" in client.post("/api/extract", json=page).json()["error"]


def test_a_file_is_read_as_it_is(tried: Any) -> None:
    text = "Příliš žluťoučký kůň úpěl ďábelské ódy a město o tom celý týden mluvilo. " * 5
    body = f'<meta charset="windows-1250"><article><p>{text}</p></article>'.encode("windows-1250")
    assert text.strip() in tried(extractor="main-text", files={"file": ("page.html", body)}).text


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({"extractor": "main-text"}, "give an address, a file or the HTML of a page"),
        ({"html": "<p>a", "extractor": "nonsense"}, "unknown extractor"),
        ({"html": "<p>a", "extractor": "bte", "portal": "../x"}, "unknown portal"),
        ({"url": "https://nowhere.example/", "extractor": "bte"}, "start with --contact"),
        ({"url": "file:///etc/passwd", "extractor": "bte"}, "only addresses that begin with http"),
    ],
)
def test_mistakes_are_one_line(tried: Any, fields: dict[str, str], line: str) -> None:
    answer = tried(**fields)
    assert answer.status_code == 422
    assert line in answer.text
    assert "Traceback" not in answer.text


def test_the_api_gives_the_same_as_json(client: TestClient, record: Record) -> None:
    found = client.post("/api/extract", json={"url": record.url}).json()
    assert found["record"]["text"] == record.text
    assert [block["text"] for block in found["page"]["blocks"] if block["label"] == "good"] == found["paragraphs"]
    assert client.post("/api/extract", json={"nonsense": 1}).status_code == 422
    assert "unknown field" in client.post("/api/extract", json={"nonsense": 1}).json()["error"]
    assert client.post("/api/extract", json={"html": "<p>a"}).json()["rejected"]["reason"] == "too_short"


def test_the_same_view_is_saved(tmp_path: Path, tab: Any, demo_corpus: Path, record: Record) -> None:
    saved = tmp_path / "saved.html"
    command = ["explain", record.url, "--corpus", str(demo_corpus), "--format", "html", "--output", str(saved)]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    tab.goto(saved.as_uri())
    tab.wait_for_selector("[data-ready]")
    tab.keyboard.press("n")
    assert "score" in tab.text_content("[data-chosen]")
    assert [url for url in tab.asked if not url.startswith(("file:", "about:"))] == []


def test_by_mouse(tab: Any, served: str, record: Record) -> None:
    tab.goto(f"{served}/try")
    tab.fill("[name=url]", record.url)
    tab.click("form.try [type=submit]")
    tab.wait_for_selector("[data-ready]")
    frame = tab.frame_locator(".page")
    line = record.text.split("\n")[2]
    frame.locator(".good", has_text=line).first.click()
    assert tab.text_content(".text .chosen") == line
    assert "html/body/" in tab.text_content("[data-chosen]")
    tab.click(f".text p:has-text('{record.text.splitlines()[-1]}')")
    chosen = frame.locator(".chosen").all_text_contents()
    assert "".join(chosen).split() == record.text.splitlines()[-1].split()
    tab.click("[data-do=hide]")
    assert frame.locator(".bad:visible").count() == 0
    assert frame.locator(".good:visible").count() > 0


def test_by_keys_alone(tab: Any, served: str, record: Record) -> None:
    tab.goto(f"{served}/try")
    tab.focus("[name=url]")
    tab.keyboard.type(record.url)
    tab.keyboard.press("Enter")
    tab.wait_for_selector("[data-ready]")
    tab.evaluate("document.activeElement.blur()")
    first, last = record.text.split("\n")[0], record.text.split("\n")[-1]
    tab.keyboard.press("n")
    assert tab.text_content(".text .chosen") == first
    for _ in range(50):
        tab.keyboard.press("n")
    assert tab.text_content(".text .chosen") == last
    tab.keyboard.press("h")
    assert tab.get_attribute("[data-do=hide]", "aria-pressed") == "true"
