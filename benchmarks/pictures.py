"""Take the pictures of docs/ui.md from a crawl of the demo, with Chromium: `python -m benchmarks.pictures`."""

import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import uvicorn

from newscorpus.corpus.published import open_corpus
from newscorpus.corpus.search_index import make_index
from newscorpus.data import Record
from newscorpus.views.demo.run import run_demo
from newscorpus.views.ui.app import listening, make_app

DOCS = Path(__file__).parents[1] / "docs"
CHROMIUM = "/usr/bin/chromium"
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


def croatian(corpus: Path) -> Record:
    """A Croatian document."""
    return next(one for one in open_corpus(corpus).records() if one.language == "hr")


def home(tab: Any, address: str, _corpus: Path) -> None:
    """The start page."""
    tab.goto(address)


def compare(tab: Any, address: str, corpus: Path) -> None:
    """Two extractors on a Croatian page, the words that only one finds marked."""
    tab.goto(f"{address}/try?url={croatian(corpus).url}")
    tab.select_option("[name=beside]", "bte")
    tab.click("form.try [type=submit]")
    tab.wait_for_selector(".beside-2 [data-ready]")
    tab.evaluate("document.querySelector('#result').scrollIntoView()")


def try_page(tab: Any, address: str, corpus: Path) -> None:
    """A Croatian page, its second paragraph chosen."""
    tab.goto(f"{address}/try?url={croatian(corpus).url}")
    tab.wait_for_selector("[data-ready]")
    tab.keyboard.press("n")
    tab.keyboard.press("n")
    tab.evaluate("document.querySelector('.outcome').scrollIntoView()")


def mark(tab: Any, address: str, corpus: Path) -> None:
    """A page of the list to measure, its first paragraphs marked."""
    record = croatian(corpus)
    tab.goto(f"{address}/mark/demo/demo/measure?who=ann&page={record.url}")
    tab.wait_for_selector("[data-marks=ready]")
    for paragraph in record.text.split("\n")[:3]:
        tab.frame_locator("iframe").first.locator("[data-block]", has_text=paragraph).first.click()
        tab.keyboard.press("m")
    tab.evaluate("scrollTo(0, 0)")


def systems(tab: Any, address: str, corpus: Path) -> None:
    """The scores of three systems on a marked page."""
    mark(tab, address, corpus)
    tab.keyboard.press("Enter")
    tab.wait_for_selector("text=1 done")
    tab.goto(f"{address}/mark/demo/demo")
    tab.click("button:text-is('Evaluate')")
    tab.wait_for_selector("td:text-is('main-text')")


def watch(tab: Any, address: str, _corpus: Path) -> None:
    """The crawl, which has ended."""
    tab.goto(f"{address}/watch/demo")


def documents(tab: Any, address: str, corpus: Path) -> None:
    """Words in their context, sorted by what stands before them."""
    make_index(corpus)
    tab.goto(f"{address}/documents/demo?words=grad*&shown=lines&sort=left")
    tab.wait_for_selector("text=per million")


def left_out(tab: Any, address: str, _corpus: Path) -> None:
    """The samples of a reason."""
    tab.goto(f"{address}/left-out/demo")
    tab.click("details.reason:has-text('extract/') > summary")


def portal(tab: Any, address: str, _corpus: Path) -> None:
    """The file of the demo portal with a template that is half right."""
    tab.goto(f"{address}/portal/demo/demo")
    tab.wait_for_selector("#tried table")
    tab.fill("#text", f"{tab.input_value('#text')}\n[template]\ntitle = ['h1']\npublished = ['time', 'h1']\n")
    tab.evaluate("document.querySelector('#text').scrollTop = 1000")
    tab.wait_for_selector("#tried :text('template.title')")


PATIENCE_MS = 120_000
"""For a machine that others use, too."""
WIDE, NARROW = (1200, 800), (390, 844)

VIEWS: Mapping[str, tuple[Callable[[Any, str, Path], None], tuple[int, int], Literal["light", "dark"]]] = {
    "ui-home": (home, WIDE, "light"),
    "ui-try": (try_page, WIDE, "light"),
    "ui-compare": (compare, WIDE, "light"),
    "ui-documents": (documents, WIDE, "light"),
    "ui-left-out": (left_out, WIDE, "light"),
    "ui-mark": (mark, WIDE, "light"),
    "ui-systems": (systems, WIDE, "light"),
    "ui-portal": (portal, WIDE, "light"),
    "ui-watch": (watch, WIDE, "light"),
    "ui-documents-narrow": (documents, NARROW, "dark"),
    "ui-portal-narrow": (portal, NARROW, "light"),
    "ui-try-dark": (try_page, WIDE, "dark"),
}
"""The views by the name of their picture, with the size of the window, and whether it is light or dark."""


def main() -> None:
    """Take all pictures."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 -- the tests serve corpora without it

    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        corpus = run_demo(Path(folder) / "demo").corpus
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        with serving(corpus) as address:
            for name in sys.argv[1:] or VIEWS:
                prepare, (width, height), scheme = VIEWS[name]
                tab = chromium.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
                tab.set_default_timeout(PATIENCE_MS)
                prepare(tab, address, corpus)
                tab.wait_for_timeout(500)
                tab.screenshot(path=DOCS / f"{name}.jpg", type="jpeg", quality=60)
                tab.close()
        chromium.close()


if __name__ == "__main__":
    main()
