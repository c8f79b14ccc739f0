"""Pages are marked in the browser: by keys alone, by two people, and through a death of the server."""

import json
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from typer.testing import CliRunner

from newscorpus.cli import app
from newscorpus.corpus.published import open_corpus
from newscorpus.lab.gold.marking import MarkedBlock, MarkLine, journal_of, read_marks, save_mark
from newscorpus.lab.gold.pages import read_pages
from newscorpus.portal.schema import load_portal
from newscorpus.store.ledger.addresses import find
from newscorpus.views.explain.page import archived_source
from newscorpus.views.ui.app import TOKEN_HEADER

LISTED = "/mark/demo/demo/measure"


@pytest.fixture
def gold(demo_corpus: Path) -> Any:
    """The folder of the marks, which is empty before and after."""
    folder = demo_corpus / "gold"
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def open_page(tab: Any, address: str) -> None:
    tab.goto(address)
    tab.wait_for_selector("[data-marks=ready]")


def finish(tab: Any) -> None:
    before = tab.text_content("[data-state]")
    tab.keyboard.press("Enter")
    tab.wait_for_function("before => document.querySelector('[data-state]')?.textContent !== before", arg=before)
    tab.wait_for_selector("[data-marks=ready]")


def test_marks_are_shown_taken_back_and_widened(tab: Any, served: str, gold: Path, demo_corpus: Path) -> None:
    open_page(tab, f"{served}{LISTED}?who=ann")
    tab.click("[data-kind=good]")
    assert tab.locator("[data-text] p").count() == 1
    tab.keyboard.press("u")
    assert tab.locator("[data-text] p").count() == 0
    tab.keyboard.press("e")
    tab.keyboard.press("m")
    n = tab.locator("[data-text] p").count()
    assert n > 1
    tab.wait_for_selector(f"text=saved: {n} marks")
    open_page(tab, f"{served}{LISTED}?who=ann")
    assert tab.locator("[data-text] p").count() == n
    assert len(read_marks(journal_of(demo_corpus, "demo"))[0].blocks) == n


def test_a_page_with_nothing_marked_is_asked_about_and_comes_back(tab: Any, served: str, gold: Path) -> None:
    open_page(tab, f"{served}{LISTED}?who=ann")
    url = json.loads(tab.text_content("[data-state]"))["page"]
    tab.keyboard.press("Enter")
    tab.wait_for_selector("text=Nothing is marked")
    assert not (gold / "demo.jsonl").exists()
    finish(tab)
    assert [(page.id, page.text) for page in read_pages(gold / "demo.jsonl")] == [(url, "")]
    tab.keyboard.press("u")
    known = "url => document.querySelector('[data-state]')?.textContent.includes(url)"
    tab.wait_for_function(known, arg=f'"page":"{url}"')
    tab.wait_for_selector("[data-marks=ready]")
    assert list(read_pages(gold / "demo.jsonl")) == []
    assert "0 done" in tab.text_content("main")
    tab.keyboard.press("m")
    finish(tab)
    assert [page.text != "" for page in read_pages(gold / "demo.jsonl")] == [True]


def test_what_is_read_from_dates_and_names_is_shown(tab: Any, served: str, gold: Path, demo_corpus: Path) -> None:
    url = next(one.url for one in open_corpus(demo_corpus).records() if "seed-vault" in one.url)
    address = f"{served}{LISTED}?{urlencode({'who': 'ann', 'page': url})}"
    open_page(tab, address)
    blocks = json.loads(tab.text_content("[data-state]"))["blocks"]
    for text in ("7 May 2026", "Advertisement"):
        at = next(one["position"] for one in blocks if text in one["text"])
        tab.frame_locator(".page").locator(f"[data-block='{at}']").first.click()
        tab.keyboard.press("d")
    tab.wait_for_selector("text=cannot be read, and is left out")
    shown = ["2026-05-07", "cannot be read, and is left out"]
    assert sorted(tab.locator("[data-part=date] p").all_text_contents()) == shown
    open_page(tab, address)
    assert sorted(tab.locator("[data-part=date] p").all_text_contents()) == shown
    assert tab.text_content("[data-part=title]") == "not marked"


def test_what_teaches_is_filled_in_and_kept_apart(tab: Any, served: str, gold: Path) -> None:
    open_page(tab, f"{served}/mark/demo/demo/teach?who=ann")
    filled_in = tab.locator("[data-text] p").all_text_contents()
    assert filled_in
    finish(tab)
    (page,) = read_pages(gold / "demo.jsonl")
    assert (page.list, page.split, page.text) == ("teach", "train", "\n".join(filled_in))


def test_lines_judged_on_other_pages_are_passed_over(tab: Any, served: str, gold: Path, demo_corpus: Path) -> None:
    open_page(tab, f"{served}{LISTED}?who=ann")
    assert tab.get_attribute("[data-shown]", "data-at") == "0"
    line = tab.evaluate("JSON.parse(document.querySelector('[data-state]').textContent).blocks[0].text")
    judged = (MarkedBlock(3, "bad", "html/body/p", line),)
    save_mark(journal_of(demo_corpus, "demo"), MarkLine("https://other.example/", "measure", "ann", "", judged))
    open_page(tab, f"{served}{LISTED}?who=ann")
    assert tab.get_attribute("[data-shown]", "data-at") != "0"


def test_two_people_see_where_they_differ(tab: Any, served: str, gold: Path) -> None:
    for who, keys in (("ann", "mm"), ("bob", "mx")):
        open_page(tab, f"{served}{LISTED}?who={who}")
        for key in keys:
            tab.keyboard.press(key)
        finish(tab)
    tab.goto(f"{served}/mark/demo")
    assert "ann and bob: 1 page, Cohen's kappa" in tab.text_content("main")
    tab.click("text=settle ")
    tab.wait_for_selector("[data-marks=ready]")
    tab.keyboard.press("m")
    tab.keyboard.press("Enter")
    tab.wait_for_url(f"{served}/mark/demo")
    (page,) = read_pages(gold / "demo.jsonl")
    assert "\n" not in page.text


def test_a_server_that_is_killed_loses_no_mark(gold: Path, demo_corpus: Path) -> None:
    import urllib.request  # noqa: PLC0415 -- the only test without a browser or a client

    command = [str(Path(sys.executable).with_name("newscorpus")), "ui", str(demo_corpus), "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = server.stdout.readline().split()[3].rstrip("/")
        page = urllib.request.urlopen(f"{address}{LISTED}?who=ann").read().decode()
        token = re.search(r'Token": "([^"]+)"', page)
        url = re.search(r'"page":"([^"]+)"', page)
        assert token
        assert url
        for at in range(5):
            body = f'{{"page": "{url[1]}", "who": "ann", "blocks": [{{"position": {at}, "kind": "good"}}]}}'
            headers = {TOKEN_HEADER: token[1], "content-type": "application/json"}
            urllib.request.urlopen(urllib.request.Request(f"{address}{LISTED}", body.encode(), headers))
        server.send_signal(signal.SIGKILL)
    assert sorted(read_marks(journal_of(demo_corpus, "demo"))[0].blocks) == [0, 1, 2, 3, 4]


def test_a_page_is_marked_by_mouse_alone(tab: Any, served: str, gold: Path) -> None:
    tab.goto(f"{served}/mark/demo")
    tab.fill("[name=who] >> nth=0", "eva")
    tab.click("button:text-is('Mark: measure')")
    tab.wait_for_selector("[data-marks=ready]")
    assert tab.frame_locator(".page").locator(".good, .bad").count() == 0, "what measures is marked unseen"
    for at, kind in ((3, "Headline"), (5, "Main text")):
        tab.frame_locator(".page").locator(f"[data-block='{at}']").first.click()
        tab.click(f"button:has-text('{kind}')")
    tab.click("button:has-text('Done, next page')")
    tab.wait_for_selector("text=1 done")
    (page,) = read_pages(gold / "demo.jsonl")
    assert (page.list, page.split) == ("measure", "dev")
    assert page.title
    assert page.text
    assert [mark.who for mark in page.marks] == ["eva", "eva"]
    tab.goto(f"{served}/mark/demo")
    assert "1 page done" in tab.text_content("main")


def test_training_is_offered_when_it_can_succeed(tab: Any, served: str, gold: Path) -> None:
    pytest.importorskip("lightgbm")
    open_page(tab, f"{served}/mark/demo/demo/teach?who=ann")
    finish(tab)
    tab.goto(f"{served}/mark/demo")
    assert tab.is_disabled("text=Train on these")
    assert "from 10 pages of teach with main text on; there are 1" in tab.text_content("main")


def test_a_page_marked_in_two_windows_at_once_loses_nothing_silently(
    tab: Any, served: str, gold: Path, demo_corpus: Path
) -> None:
    other = tab.context.new_page()
    for one in (tab, other):
        open_page(one, f"{served}{LISTED}?who=ann")
    tab.keyboard.press("m")
    tab.wait_for_selector("text=saved: 1 mark")
    other.keyboard.press("x")
    other.wait_for_selector("text=not saved: ann marked this page in another window meanwhile")
    tab.keyboard.press("m")
    tab.wait_for_selector("text=saved: 2 marks")
    (marks,) = read_marks(journal_of(demo_corpus, "demo"))
    assert [block.kind for block in marks.blocks.values()] == ["good", "good"]
    open_page(other, f"{served}{LISTED}?who=ann")
    other.keyboard.press("x")
    other.wait_for_selector("text=saved: 2 marks")
    open_page(other, f"{served}{LISTED}?who=bob")  # another person's marks are their own
    other.keyboard.press("x")
    other.wait_for_selector("text=saved: 1 mark")
    kinds = [[block.kind for block in one.blocks.values()] for one in read_marks(journal_of(demo_corpus, "demo"))]
    assert kinds == [["bad", "good"], ["bad"]]


@pytest.mark.timeout(600)
def test_ten_pages_train_a_model_that_the_next_extraction_uses(
    tab: Any, served: str, gold: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, demo_corpus: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    open_page(tab, f"{served}/mark/demo/demo/teach?who=ann")
    for _ in range(10):
        finish(tab)
    tab.goto(f"{served}/mark/demo")
    tab.focus("text=Train on these")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("text=Done:", timeout=400_000)
    assert (tmp_path / "models" / "demo" / "metadata.json").is_file()
    tab.reload()
    tab.focus("text=Use for this portal")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("text=Wrote")
    assert load_portal("demo").extractor == "models/demo"
    record = next(one for one in open_corpus(demo_corpus).records() if one.language == "hr")
    entry = find(demo_corpus, record.url)
    assert entry
    (tmp_path / "page.html").write_bytes(archived_source(demo_corpus, record.url, *entry.archived).page.body)
    done = CliRunner().invoke(app, ["extract", "page.html", "--portal", "demo", "--format", "json"])
    assert json.loads(done.stdout)["extractor"].startswith("model:demo@"), done.output
