"""A crawl goes on while somebody sets the clock back."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from serving import ask

from benchmarks.newspapers import started

SERVER = Path(__file__).parents[1] / "mockserver" / "dead_pages.py"
ARTICLES = 40

PORTAL = """
name = "mock"
languages = ["en"]
domains = ["127.0.0.1"]
start = ["{base}/"]
articles = ['^/story/']
delay_seconds = 0.05
"""

CRAWL = """
import os, sys, time
clock = time.time
time.time = lambda: clock() - 3600 * os.path.exists("set-back")
from scrapy.cmdline import execute
execute(["scrapy", "crawl", "portal", "-a", "portal=mock", "-s", "NEWSCORPUS_CORPUS=corpus"])
"""


@pytest.fixture
def base() -> Iterator[str]:
    with started(SERVER, ARTICLES, 0) as base:
        yield base


def stories(base: str) -> int:
    """How many articles were asked for."""
    return sum("/story/" in path for path in ask(base))


def test_a_clock_set_back_by_an_hour_holds_nothing_up(base: str, tmp_path: Path) -> None:
    (tmp_path / "portals").mkdir()
    (tmp_path / "portals" / "mock.toml").write_text(PORTAL.format(base=base))
    environment = os.environ | {"SCRAPY_SETTINGS_MODULE": "newscorpus.settings"}
    with (
        (tmp_path / "log").open("w") as log,
        subprocess.Popen([sys.executable, "-c", CRAWL], cwd=tmp_path, env=environment, stdout=log, stderr=log) as crawl,
    ):
        while crawl.poll() is None and stories(base) < 10:
            time.sleep(0.05)
        (tmp_path / "set-back").touch()
        assert stories(base) < ARTICLES
        try:
            code = crawl.wait(60)
        finally:
            crawl.kill()
    assert code == 0, (tmp_path / "log").read_text()
    assert stories(base) == ARTICLES
