"""A crawled corpus, a server that shows it, and a browser that looks at it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the extra `ui` is not installed (pip install 'newscorpus[ui]')")

from starlette.testclient import TestClient

from benchmarks.pictures import ARGUMENTS, CHROMIUM, serving
from newscorpus.views.demo.run import run_demo
from newscorpus.views.ui.app import TOKEN_HEADER, make_app

HOST = "testserver"
PATIENCE_MS = 120_000
"""Longest wait for what a page shows: on a busy machine the process that reads pages takes half a minute to start."""


@pytest.fixture(scope="session")
def demo_corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The corpus of a crawl of the demo portal, archive and ledger included."""
    return run_demo(tmp_path_factory.mktemp("ui") / "demo").corpus


@pytest.fixture(scope="session")
def client(demo_corpus: Path) -> Iterator[TestClient]:
    """Asks the application without a network."""
    with TestClient(make_app([demo_corpus], [HOST]), base_url=f"http://{HOST}") as client:
        yield client


@pytest.fixture
def send(client: TestClient) -> Callable[..., Any]:
    """Sends what a page of ours sends."""
    headers = {TOKEN_HEADER: client.app.state.own.token, "hx-request": "true"}  # type: ignore[attr-defined]
    return lambda path, files=None, **fields: client.post(path, data=fields, files=files, headers=headers)


@pytest.fixture(scope="session")
def served(demo_corpus: Path) -> Iterator[str]:
    """The address of a server that shows the demo corpus."""
    with serving(demo_corpus) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A Chromium; the test is skipped where none is installed.

    It is closed after each module, since its event loop is one that tests of other modules would run in.
    """
    if not Path(CHROMIUM).exists():
        pytest.skip("chromium is not installed (Debian: apt-get install chromium)")
    driver = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (requirements-dev.txt)")
    with driver.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture
def tab(browser: Any) -> Iterator[Any]:
    """An empty tab; what its pages ask for stands in `tab.asked`, and nothing that they complain of passes."""
    context = browser.new_context()
    tab = context.new_page()
    tab.set_default_timeout(PATIENCE_MS)
    tab.asked, tab.complaints = [], []
    tab.on("request", lambda request: tab.asked.append(request.url))
    tab.on("pageerror", lambda error: tab.complaints.append(str(error)))
    yield tab
    context.close()
    assert tab.complaints == []


@pytest.fixture
def check_looks(tab: Any) -> Callable[..., None]:
    """Sees that a page fits a telephone and a desk, breaks no rule of WCAG 2 A and AA, and asks only `servers`."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")

    def check(*servers: str) -> None:
        for width in (390, 1300):
            tab.set_viewport_size({"width": width, "height": 800})
            assert tab.evaluate("document.documentElement.scrollWidth") <= width
            rules = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa"]}}
            found = axe.Axe().run(tab, options=rules).response["violations"]
            assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []
        assert [url for url in tab.asked if not url.startswith((*servers, "about:", "data:"))] == []

    return check
