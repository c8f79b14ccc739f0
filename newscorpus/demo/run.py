"""The demo: serve the portal, crawl it as anybody would, and hold the corpus against the gold.

The folder of an earlier demo, which the next one may take.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from newscorpus.demo.report import DemoReport, read_gold, read_report
from newscorpus.demo.server import serving
from newscorpus.errors import DemoError

CRAWL_SECONDS = 600.0
"""Longest time a crawl of the demo may take; it takes some ten seconds."""

LOG_FILE = "crawl.log"


def run_demo(corpus: Path, port: int = 0, on_request: Callable[[str], object] | None = None) -> DemoReport:
    """Serve the demo portal, crawl it into the new folder `corpus`, and report.

    Args:
        corpus: folder that does not exist or is empty.
        port: of the server; 0 for any that is free.
        on_request: called with the path of every page fetched, from another thread.

    Raises:
        CorpusError: the corpus was not written as it should be.
        DemoError: the folder is in use, the port cannot be had, or the crawl failed.
    """
    corpus = _empty_folder(corpus)
    with serving(port, on_request) as base:
        crawl(corpus, base)
    return read_report(corpus, read_gold(base))


def crawl(corpus: Path, base: str) -> None:
    """Run `scrapy crawl portal -a portal=demo` on the server at `base`; its log goes to `corpus/crawl.log`.

    Raises:
        DemoError: the crawl failed or did not end.
    """
    log = corpus / LOG_FILE
    settings = {"NEWSCORPUS_CORPUS": str(corpus), "LOG_FILE": str(log)}
    command = [sys.executable, "-m", "scrapy", "crawl", "portal", "-a", "portal=demo", "-a", f"base={base}"]
    command += [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
    environment = os.environ | {"SCRAPY_SETTINGS_MODULE": "newscorpus.settings"}
    try:
        done = subprocess.run(  # noqa: S603 -- our own interpreter and arguments, no shell
            command,
            env=environment,
            timeout=CRAWL_SECONDS,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise DemoError(f"the crawl did not end within {CRAWL_SECONDS:.0f} seconds; see {log}") from error
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise DemoError(f"the crawl failed with status {done.returncode}{said and f': {said}'}; see {log}")


def _empty_folder(folder: Path) -> Path:
    """The folder, absolute, made if need be."""
    folder = folder.resolve()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise DemoError(f"{folder}: not empty; remove it or name another folder")
    except OSError as error:
        raise DemoError(f"{folder}: {error.strerror}") from error
    return folder


def remove_earlier(corpus: Path) -> None:
    """Remove `corpus` if a demo left it there; anything else is let be.

    Raises:
        OSError: it cannot be removed.
    """
    if (corpus / LOG_FILE).is_file() and _portals(corpus / "crawl-report.json") in (["demo"], None):
        shutil.rmtree(corpus)


def _portals(report: Path) -> object:
    """The portals that a crawl's report names; None where there is none, since the crawl was broken off."""
    try:
        found = json.loads(report.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError):  # no report of ours, so no demo of ours
        return []
    return found.get("portals", []) if isinstance(found, dict) else []
