"""The journey of somebody new, in one browser window: a crawl, a search, an export, marks, training, comparing.

Playwright's record of it is kept in `build/journey.zip` (`playwright show-trace build/journey.zip`).
"""

import re
import shlex
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from benchmarks.pictures import serving
from newscorpus.cli import app
from newscorpus.corpus.published import open_corpus
from newscorpus.views.demo.run import run_demo

pytestmark = pytest.mark.slow

RECORD = Path(__file__).parents[3] / "build" / "journey.zip"


@pytest.fixture
def recorded(tab: Any) -> Iterator[Any]:
    """A tab that is recorded."""
    tab.context.tracing.start(screenshots=True, snapshots=True)
    yield tab
    RECORD.parent.mkdir(exist_ok=True)
    tab.context.tracing.stop(path=RECORD)


@pytest.mark.timeout(1200)
def test_from_a_crawl_to_a_model_of_ones_own(recorded: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("lightgbm", reason="needs 'newscorpus[train]'")
    monkeypatch.chdir(tmp_path)
    tab, corpus = recorded, tmp_path / "corpora" / "demo"
    corpus.mkdir(parents=True)
    with serving(corpus) as served, ThreadPoolExecutor(1) as thread:
        tab.goto(served)
        assert "Nothing is published here yet" in tab.text_content("main")
        watch_a_crawl(tab, thread, corpus)
        search_and_export(tab, served, corpus)
        mark_train_and_compare(tab, served, corpus)


def watch_a_crawl(tab: Any, thread: ThreadPoolExecutor, corpus: Path) -> None:
    crawl = thread.submit(run_demo, corpus)
    while not (corpus / "ledger.sqlite").exists():
        assert not crawl.done(), crawl.exception()
    tab.click("text=Watch the crawl")
    tab.wait_for_selector("text=A crawl is under way")
    tab.wait_for_selector("text=No crawl is under way")
    assert crawl.result().corpus == corpus
    tab.wait_for_selector("h2:text-is('Languages')")


def search_and_export(tab: Any, served: str, corpus: Path) -> None:
    tab.goto(served)
    articles = open_corpus(corpus).manifest.documents
    assert f"Articles{articles}" in re.sub(r"\s", "", tab.text_content("dl.figures"))
    tab.click("text=Search documents")
    tab.fill("form[role=search] [name=words]", "grad*")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("text=per million")
    tab.fill("[name=name]", "towns")
    tab.click("text=Save as subcorpus")
    tab.wait_for_selector("text=saved; next:")
    command = shlex.split(tab.text_content("code:has-text('newscorpus export')"))
    done = CliRunner().invoke(app, command[1:])
    assert done.exit_code == 0, done.output
    exported = int(re.findall(r"all: (\d+) document", done.output)[0])
    assert f"{exported} document" in tab.text_content("main")
    assert 0 < exported < articles


def mark_train_and_compare(tab: Any, served: str, corpus: Path) -> None:
    for kind in ("teach", "measure"):
        tab.goto(f"{served}/mark/demo/demo/{kind}?who=ann")
        for _ in range(10):
            tab.wait_for_selector("[data-marks=ready]")
            for key in "xjjjjmm" if kind == "measure" else "":
                tab.keyboard.press(key)
            before = tab.text_content("[data-state]")
            tab.keyboard.press("Enter")
            changed = "before => document.querySelector('[data-state]')?.textContent !== before"
            tab.wait_for_function(changed, arg=before)
    tab.goto(f"{served}/mark/demo")
    assert tab.text_content("main").count("10 pages done") == 2
    tab.click("text=Train on these")
    tab.wait_for_selector("text=Done:", timeout=400_000)
    tab.click("text=Systems: train")
    tab.click("button:text-is('Evaluate')")
    tab.wait_for_selector("td:text-is('main-text')", timeout=400_000)
    assert "F1 low" in tab.text_content("table")
    url = next(one.url for one in open_corpus(corpus).records() if one.language == "hr")
    tab.goto(f"{served}/try?url={url}")
    tab.select_option("[name=beside]", "models/demo")
    tab.click("form.try [type=submit]")
    tab.wait_for_selector(".beside-2 [data-ready]")
