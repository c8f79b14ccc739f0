"""Run the demo: serve the portal, crawl it as any user would, and compare the corpus with the gold."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from newscorpus.errors import DemoError
from newscorpus.layout import CRAWL_REPORT
from newscorpus.views.demo.report import DemoReport, read_gold, read_report
from newscorpus.views.demo.server import serving

CRAWL_SECONDS = 600.0
"""Longest time a crawl of the demo may take; it takes some ten seconds."""

LOG_FILE = "crawl.log"

DEMO = "demo"
"""The portal that is crawled."""


def run_demo(corpus: Path, port: int = 0, on_request: Callable[[str], object] | None = None) -> DemoReport:
    """Serve the demo portal (on any free port for 0), crawl it into a new or empty folder, and report.

    `on_request` is called with the path of every page fetched, from another thread.

    Raises:
        CorpusError: the corpus was not written as it should be.
        DemoError: the folder is in use, the port is not free, or the crawl failed.
    """
    corpus = make_folder(corpus)
    with serving(port, on_request) as base:
        crawl(corpus, base)
    return read_report(corpus, read_gold(base))


def make_folder(corpus: Path) -> Path:
    """Make the folder of a corpus, and give its full path.

    Raises:
        DemoError: it cannot be made, or is not empty.
    """
    corpus = corpus.resolve()
    try:
        corpus.mkdir(parents=True, exist_ok=True)
        is_empty = not any(corpus.iterdir())
    except OSError as error:
        raise DemoError(f"{corpus}: {error.strerror}") from error
    if not is_empty:
        raise DemoError(f"{corpus}: not empty; remove it or name another folder")
    return corpus


def crawl(corpus: Path, base: str) -> None:
    """Run `scrapy crawl portal -a portal=demo` on the server at `base`; its log goes to `corpus/crawl.log`.

    Raises:
        DemoError: the crawl failed or did not end.
    """
    log = corpus / LOG_FILE
    command = [sys.executable, "-m", "scrapy", "crawl", "portal", "-a", f"portal={DEMO}", "-a", f"base={base}"]
    command += ["-s", f"NEWSCORPUS_CORPUS={corpus}", "-s", f"LOG_FILE={log}"]
    command += ["-s", "NEWSCORPUS_PAUSE_SECONDS=1"]  # a page of our own that fails need not rest for long
    try:
        done = subprocess.run(  # noqa: S603 -- our own interpreter and arguments, no shell
            command,
            env=os.environ | {"SCRAPY_SETTINGS_MODULE": "newscorpus.settings"},
            timeout=CRAWL_SECONDS,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise DemoError(f"the crawl did not end within {CRAWL_SECONDS:.0f} seconds; see {log}") from error
    if done.returncode:
        reason = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise DemoError(f"the crawl failed with status {done.returncode}{reason and f': {reason}'}; see {log}")


def remove_earlier(corpus: Path) -> None:
    """Remove `corpus` if a demo left it there, finished or broken off; keep anything else.

    Raises:
        OSError: it cannot be removed.
    """
    if not (corpus / LOG_FILE).is_file():
        return
    try:
        report = json.loads((corpus / CRAWL_REPORT).read_bytes())
    except FileNotFoundError:  # the crawl was broken off
        shutil.rmtree(corpus)
    except (OSError, ValueError):  # a report that no demo wrote
        return
    else:
        if isinstance(report, dict) and report.get("portals") == [DEMO]:
            shutil.rmtree(corpus)
