"""A corpus is searched in the browser, its documents are read, and what was left out is looked at and taken down."""

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from parsel import Selector
from starlette.testclient import TestClient

from newscorpus.config import SignatureParameters
from newscorpus.corpus.build import build
from newscorpus.corpus.published import open_corpus
from newscorpus.corpus.search_index import index_path, make_index
from newscorpus.corpus.subcorpora import read_subcorpus
from newscorpus.data import Article, Fields, Record, Rejected
from newscorpus.lab.gold.marking import journal_of, read_marks
from newscorpus.lab.gold.pages import read_pages
from newscorpus.page.records import make_record
from newscorpus.page.rows import Row
from newscorpus.page.signature import sign
from newscorpus.store.intake import journal_line, write_segment
from newscorpus.views.ui.app import TOKEN_HEADER, make_app

HOST = "testserver"


@pytest.fixture(scope="module")
def leader(demo_corpus: Path) -> Record:
    """The document of the demo that stands for two others."""
    make_index(demo_corpus)
    return next(one for one in open_corpus(demo_corpus).records() if one.cluster_size > 1)


@pytest.fixture
def revised(tmp_path: Path) -> Iterator[TestClient]:
    """Asks for a corpus with a document that has two texts, and nothing but what was published and left out."""
    parameters, corpus = SignatureParameters(), tmp_path / "small"
    with write_segment(corpus / "intake" / "000001.jsonl", parameters) as append:
        for day, text in enumerate(["The old bridge was closed <b>today</b>.", "The old bridge was opened today."], 1):
            fetched = f"2026-05-0{day}T00:00:00+00:00"
            article = Article("https://a.example/1", text, Fields(title="Bridge"), "x", fetched=fetched)
            append(Row(make_record(article, "a", "en", 1.0), sign(text, parameters)))
    build(corpus)
    lines = [Rejected("quality", "listing", f"detail {n}", f"https://a.example/{n}", "<i>Seen</i>") for n in range(30)]
    lines.append(Rejected("mine", "own_pipeline", "", "https://a.example/x"))
    (corpus / "rejected.jsonl").write_bytes(b"".join(map(journal_line, lines)))
    make_index(corpus)
    with TestClient(make_app([corpus], [HOST]), base_url=f"http://{HOST}") as client:
        yield client


def test_the_index_is_made_on_demand(tab: Any, served: str, demo_corpus: Path) -> None:
    index_path(demo_corpus).unlink(missing_ok=True)
    tab.goto(f"{served}/documents/demo")
    tab.wait_for_selector("form[role=search]", timeout=120_000)
    n = open_corpus(demo_corpus).manifest.documents
    assert f"{n} documents" in tab.text_content("main")
    assert index_path(demo_corpus).is_file()


def test_by_mouse(tab: Any, served: str, leader: Record) -> None:
    tab.goto(f"{served}/documents/demo")
    tab.fill("[name=words]", "seed*")
    tab.click("text=Words in context")
    tab.select_option("[name=sort]", "left")
    tab.click("form[role=search] [type=submit]")
    assert tab.locator(".lines td.left").count() > 3
    tab.wait_for_selector("summary:text-is('By month and portal')")
    tab.click("summary:text-is('By month and portal')")
    tab.wait_for_selector("th:text-is('2026-05')")
    lefts = [line.casefold().split() for line in tab.locator(".lines td.left").all_text_contents()]
    words = ["".join(filter(str.isalnum, line[-1])) for line in lefts if line]
    assert words == sorted(words)
    tab.click(f".lines a[href$='{leader.id}']")
    tab.wait_for_selector("[data-ready]")
    assert tab.text_content("h1") == leader.title
    assert tab.locator("[aria-label='Duplicates'] tr").count() == 3
    tab.click("[aria-label='Duplicates'] a >> nth=0")
    tab.wait_for_selector("[data-ready]")


def test_a_group_of_near_duplicates_is_listed(tab: Any, served: str, leader: Record) -> None:
    tab.goto(f"{served}/documents/demo?least_group=2")
    for by_keys in (False, True):
        link = tab.locator(f"a[href='?group={leader.id}']")
        if by_keys:
            link.focus()
            tab.keyboard.press("Enter")
        else:
            link.click()
        tab.wait_for_selector("h2:text-is('Left out for it')")
        assert tab.text_content("p[role=status]").split()[:2] == ["1", "document"]
        assert tab.locator("[aria-label='Duplicates'] tr").count() == leader.cluster_size
        tab.click("ol.documents a >> nth=0")
        tab.wait_for_selector("[data-ready]")
        tab.click("text=The group as a list")
        tab.wait_for_selector("h2:text-is('Left out for it')")


def test_by_keys_alone(tab: Any, served: str, leader: Record) -> None:
    tab.goto(f"{served}/documents/demo")
    tab.keyboard.type('"seed bank"')
    tab.keyboard.press("Enter")
    tab.wait_for_selector("input[value='\"seed bank\"']")
    while tab.evaluate("document.activeElement.getAttribute('href') ?? ''") != f"/documents/demo/{leader.id}":
        tab.keyboard.press("Tab")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("[data-ready]")
    assert tab.text_content("h1") == leader.title


def test_lines_are_sent_as_csv(client: TestClient, leader: Record) -> None:
    answer = client.get("/documents/demo/lines.csv?words=seed*&sort=right")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert {row["id"] for row in rows} >= {leader.id}
    assert all(row["match"].lower().startswith("seed") for row in rows)


def test_frequencies_stand_beside_the_documents_and_are_sent_as_csv(client: TestClient, leader: Record) -> None:
    text = client.get("/documents/demo/counts?words=seed*").text
    rows = list(csv.DictReader(io.StringIO(client.get("/documents/demo/months.csv?words=seed*").text)))
    assert f"<strong>{rows[-1]['hits']}</strong> hits in {rows[-1]['documents']} document" in text
    assert sum(int(row["hits"]) for row in rows[:-1]) == int(rows[-1]["hits"]) > 0
    for drawn in ("", "&drawn=true"):
        lines = client.get(f"/documents/demo?words=seed*&shown=lines{drawn}").text
        assert lines.count('<td class="left">') == int(rows[-1]["hits"])


def test_a_search_is_saved_as_a_subcorpus(tab: Any, served: str, leader: Record, demo_corpus: Path) -> None:
    tab.goto(f"{served}/documents/demo?words=seed*")
    tab.fill("[name=name]", "seeds")
    tab.click("text=Save as subcorpus")
    tab.wait_for_selector("text=1 document saved; next:")
    assert read_subcorpus(demo_corpus, "seeds") == {leader.id}


def test_a_list_has_pages(client: TestClient, leader: Record) -> None:
    assert 'rel="next"' in client.get("/documents/demo").text
    second = client.get("/documents/demo?page=2").text
    assert 'start="26"' in second
    assert 'rel="prev"' in second


def test_nothing_found_says_what_finds_more(client: TestClient, leader: Record) -> None:
    for shown in ("list", "lines"):
        text = client.get(f"/documents/demo?words=zzzz&shown={shown}").text
        assert "<strong>0</strong> documents" in text
        assert "finds all forms that begin so" in text
    assert "finds all forms that begin so" not in client.get("/documents/demo").text


@pytest.mark.parametrize(
    ("wrong", "field"),
    [({"words": "(bridge"}, "words"), ({"since": "2026-06-01"}, "since"), ({"section": "nowhere"}, "section")],
)
def test_a_wrong_query_keeps_the_other_fields(
    client: TestClient, leader: Record, wrong: dict[str, str], field: str
) -> None:
    given = {"words": "seed*", "until": "2026-05-31", "least": "0.5", "shown": "lines", "sort": "left", **wrong}
    answer = client.get("/documents/demo", params=given)
    form = Selector(answer.text).css("form[role=search]")
    (label,) = form.xpath(".//*[@role = 'alert']/parent::label")
    held = {one.attrib["name"]: one.attrib.get("value", "") for one in form.css("input:not([type=radio])")}
    assert (answer.status_code, label.css("input").attrib["name"]) == (422, field)
    assert given.items() <= held.items() | {("shown", "lines"), ("sort", "left")}
    assert form.css("[name=shown][checked]").attrib["value"] == "lines"
    assert form.css("[name=sort] [selected]").attrib["value"] == "left"


def test_other_texts_stand_with_their_differences(revised: TestClient) -> None:
    (name,) = set(re.findall(r'/documents/small/([0-9a-f]+)"', revised.get("/documents/small").text))
    text = revised.get(f"/documents/small/{name}").text
    assert "<del>closed &lt;b&gt;today&lt;/b&gt;.</del><ins>opened today.</ins>" in text
    assert "No archive of the corpora has its page" in text


def test_every_reason_stands_with_its_number_and_samples(revised: TestClient, client: TestClient) -> None:
    advice = client.get("/left-out/demo").text
    assert "<code>[template]</code>" in advice
    assert "`" not in advice
    text = revised.get("/left-out/small").text
    assert '<strong>quality/listing</strong> <span class="number">30</span>' in text
    assert "20 of 30" in text
    assert "&lt;i&gt;Seen&lt;/i&gt;" in text
    assert "mine/own_pipeline" in text  # a reason that only somebody's own pipeline gives
    token = {TOKEN_HEADER: revised.app.state.own.token}  # type: ignore[attr-defined]
    missing = revised.post("/left-out/small", data={"page": "https://a.example/1", "who": "ann"}, headers=token)
    assert missing.status_code == 422
    assert revised.post("/left-out/small", data={"page": "https://a.example/1", "who": "ann"}).status_code == 403


@pytest.fixture
def journal(demo_corpus: Path) -> Iterator[Path]:
    """The journal of the marks, in a folder that is emptied."""
    yield journal_of(demo_corpus, "demo")
    for path in journal_of(demo_corpus, "demo").parent.iterdir():
        path.unlink()


def test_what_should_have_been_kept_goes_to_the_gold_file_by_one_key(tab: Any, served: str, journal: Path) -> None:
    tab.goto(f"{served}/left-out/demo")
    reason = tab.locator("details.reason", has_text="extract/").first
    reason.locator("> summary").focus()
    tab.keyboard.press("Enter")
    tab.keyboard.press("Tab")  # the button of the first sample
    for _ in range(2):  # twice is once
        tab.keyboard.press("s")
        reason.get_by_text("marked: should have been kept").wait_for()
    tab.keyboard.press("Tab")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("[data-ready]")
    (mark,) = read_marks(journal)
    assert len(journal.read_text().splitlines()) == 1
    (page,) = read_pages(journal.with_suffix(".jsonl"))
    assert (page.url, page.page_type, page.text, page.list) == (mark.page, "article", "", "teach")
    tab.goto(f"{served}/mark/demo/demo/teach?who=ann")
    tab.wait_for_selector("[data-marks=ready]")
    assert mark.page in tab.text_content("main .tools")


def test_what_should_have_been_kept_goes_to_the_gold_file_by_mouse(tab: Any, served: str, journal: Path) -> None:
    tab.goto(f"{served}/left-out/demo")
    tab.fill("#who", "eva")
    reason = tab.locator("details.reason", has_text="quality/").first
    reason.locator("> summary").click()
    reason.locator("summary:text-is('Its page')").first.click()
    tab.wait_for_selector("[data-ready]")
    reason.get_by_role("button", name="Should have been kept").first.click()
    reason.get_by_text("marked: should have been kept").wait_for()
    (mark,) = read_marks(journal)
    assert (mark.who, mark.list, bool(mark.kept)) == ("eva", "teach", True)
