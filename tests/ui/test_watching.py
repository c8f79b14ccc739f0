"""A crawl is watched: its counts, its last pages, and the view that renews itself."""

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from newscorpus.crawl.ledger.status import status


def test_a_crawl_stands_as_status_says(client: TestClient, demo_corpus: Path) -> None:
    (portal,) = status(demo_corpus)
    text = client.get("/watch/demo").text
    for number in (portal.kept, portal.done, portal.words):
        assert f"<dd>{number:,}</dd>" in text
    assert all(reason in text for reason in portal.rejected)
    assert "<rect" in text


@pytest.mark.parametrize("width", [1300, 390])
def test_the_view_renews_itself_and_everybody_can_use_it(tab: Any, served: str, width: int) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    tab.set_viewport_size({"width": width, "height": 800})
    tab.goto(f"{served}/watch/demo")
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    violations = axe.Axe().run(tab).response["violations"]
    assert [one["id"] for one in violations if one["impact"] in {"serious", "critical"}] == []
    with tab.expect_response(f"{served}/watch/demo"):
        tab.evaluate("document.querySelector('#watch').dataset.old = 'yes'")
    tab.wait_for_selector("#watch:not([data-old])")
    assert tab.locator("#watch").count() == 1
