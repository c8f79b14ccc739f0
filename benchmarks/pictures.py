"""Take the pictures of docs/ui.md: `python -m benchmarks.pictures`, with Chromium, from a crawl of the demo portal."""

import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import uvicorn

from newscorpus.corpus.published import open_corpus
from newscorpus.demo.run import run_demo
from newscorpus.ui.app import make_app
from newscorpus.ui.server import listening

DOCS = Path(__file__).parents[1] / "docs"
CHROMIUM = "/usr/bin/chromium"
PARAGRAPH = re.compile(".{100,}")
"""A block that is longer than any entry of a menu."""
ARGUMENTS = (
    "--no-sandbox --headless --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync"
).split()


@contextmanager
def serving(*corpora: Path) -> Iterator[str]:
    """Serve corpora on a free port of this machine; gives the address."""
    with listening("127.0.0.1", 0) as listener:
        host = f"127.0.0.1:{listener.getsockname()[1]}"
        server = uvicorn.Server(uvicorn.Config(make_app(corpora, [host]), log_level="error"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            yield f"http://{host}"
        finally:
            server.should_exit = True
            thread.join()


def try_page(tab: Any, address: str, corpus: Path) -> None:
    """A Croatian page, its second paragraph chosen."""
    record = next(one for one in open_corpus(corpus).records() if one.language == "hr")
    tab.goto(f"{address}/try?url={record.url}")
    tab.wait_for_selector("[data-ready]")
    tab.keyboard.press("n")
    tab.keyboard.press("n")
    tab.evaluate("document.querySelector('.outcome').scrollIntoView()")


def mark(tab: Any, address: str, _corpus: Path) -> None:
    """A page of the list to measure, its first paragraphs marked."""
    tab.goto(f"{address}/mark/demo/demo/measure?who=ann")
    tab.wait_for_selector("[data-marks=ready]")
    paragraphs = tab.frame_locator("iframe").first.locator("[data-block]", has_text=PARAGRAPH)
    for number in range(3):
        paragraphs.nth(number).click()
        tab.keyboard.press("m")


def watch(tab: Any, address: str, _corpus: Path) -> None:
    """The crawl, which has ended."""
    tab.goto(f"{address}/watch/demo")


VIEWS: Mapping[str, Callable[[Any, str, Path], None]] = {"ui-try": try_page, "ui-mark": mark, "ui-watch": watch}
"""The views by the name of their picture."""


def main() -> None:
    """Take all pictures."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 -- the tests serve corpora without it

    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        corpus = run_demo(Path(folder) / "demo").corpus
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        with serving(corpus) as address:
            for name, prepare in VIEWS.items():
                tab = chromium.new_page(viewport={"width": 1100, "height": 760})
                prepare(tab, address, corpus)
                tab.wait_for_timeout(500)
                tab.screenshot(path=DOCS / f"{name}.jpg", type="jpeg", quality=60)
                tab.close()
        chromium.close()


if __name__ == "__main__":
    main()
