"""A crawl that is told to end does not wait for what is under way, and loses nothing; a clock that is set ends none."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from scrapies import portal_file
from serving import ask

from benchmarks.newspapers import started
from newscorpus.errors import STOPPED
from newscorpus.lines import complete_lines
from newscorpus.store.ledger import UrlState
from newscorpus.store.ledger.addresses import states

SERVER = Path(__file__).parents[1] / "mockserver" / "dead_pages.py"
ARTICLES = 120
AT_ONCE = 30
"""Seconds within which a crawl of a busy machine ends that waits for nothing; what it could wait for takes 600."""

PORTAL = portal_file("articles = ['^/story/']", delay="{delay}")

BLOCKING = """
import time
from scrapy.logformatter import LogFormatter
class Blocking(LogFormatter):
    def crawled(self, request, response, spider):
        if "/story/" in request.url:
            time.sleep(600)
        return super().crawled(request, response, spider)
"""


EARLY = """
import asyncio, os, signal
from scrapy.logformatter import LogFormatter
class Early(LogFormatter):
    def __init__(self):
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
        loop = asyncio.get_event_loop()
        loop.call_soon(lambda: loop.call_soon(os.kill, os.getpid(), signal.SIGINT))
"""


def serving(share: float) -> AbstractContextManager[str]:
    """Serve a site of which a share is dead, and silent for ten minutes."""
    return started(SERVER, ARTICLES, share, 600)


def asked(base: str, part: str) -> int:
    return sum(n for path, n in ask(base).items() if part in path)


@contextmanager
def crawling(folder: Path, base: str, *settings: str, delay: float = 0) -> Iterator["subprocess.Popen[bytes]"]:
    """A crawl in a group of processes of its own."""
    (folder / "portals").mkdir(exist_ok=True)
    (folder / "portals" / "mock.toml").write_text(PORTAL.format(base=base, delay=delay))
    command = [sys.executable, "-m", "scrapy", "crawl", "portal", "-a", "portal=mock", "-s", "NEWSCORPUS_CORPUS=corpus"]
    given = [part for setting in ("NEWSCORPUS_PROFILE=off", *settings) for part in ("-s", setting)]
    environment = os.environ | {"SCRAPY_SETTINGS_MODULE": "newscorpus.settings", "PYTHONPATH": str(folder)}
    with (
        (folder / "log").open("ab") as log,
        subprocess.Popen(
            command + given, cwd=folder, env=environment, stdout=log, stderr=log, start_new_session=True
        ) as process,
    ):
        try:
            yield process
        finally:
            process.kill()


def wait_for(base: str, part: str, process: "subprocess.Popen[bytes]", at_least: int = 1) -> None:
    while asked(base, part) < at_least:
        assert process.poll() is None
        time.sleep(0.02)


def test_sigterm_to_the_whole_group_leaves_what_is_under_way_queued(tmp_path: Path) -> None:
    with serving(0.0) as base:
        with crawling(tmp_path, base) as process:
            wait_for(base, "/story/", process, 40)
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(AT_ONCE)
        log = (tmp_path / "log").read_text()
        assert process.returncode == STOPPED, log
        at = states(tmp_path / "corpus")
        queued, _ = at["mock", UrlState.QUEUED]
        assert UrlState.LEASED not in {state for _, state in at}
        assert f"mock was cut short: it was stopped, addresses still queued: {queued}" in log
        assert "Stopped at once by SIGTERM" in log
        with crawling(tmp_path, base) as process:
            assert process.wait(120) == 0
    assert len(rows(tmp_path)) == ARTICLES
    assert "worker_failed" not in (tmp_path / "corpus" / "rejected.jsonl").read_text()


def rows(folder: Path) -> list[bytes]:
    """The rows of all segments of the intake, without their headers."""
    segments = sorted((folder / "corpus" / "intake").glob("*.jsonl"))
    return [line for segment in segments for offset, line in complete_lines(segment) if offset]


def test_a_second_ctrl_c_does_not_wait_for_a_silent_page(tmp_path: Path) -> None:
    with serving(0.2) as base, crawling(tmp_path, base) as process:
        wait_for(base, "/story/000006", process)  # which is silent
        process.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(1)
        process.send_signal(signal.SIGINT)
        process.wait(AT_ONCE)
    assert process.returncode == STOPPED, (tmp_path / "log").read_text()


def test_a_busy_event_loop_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "blocking.py").write_text(BLOCKING)
    with serving(0.0) as base, crawling(tmp_path, base, "LOG_FORMATTER=blocking.Blocking") as process:
        wait_for(base, "/story/", process)
        time.sleep(1)
        process.send_signal(signal.SIGTERM)
        process.wait(AT_ONCE)
    assert process.returncode == STOPPED, (tmp_path / "log").read_text()


def test_a_ctrl_c_before_the_first_request_ends_the_crawl_at_once(tmp_path: Path) -> None:
    (tmp_path / "early.py").write_text(EARLY)
    with crawling(tmp_path, "http://127.0.0.1:9", "LOG_FORMATTER=early.Early") as process:
        process.wait(AT_ONCE)
    assert process.returncode == STOPPED, (tmp_path / "log").read_text()


CLOCK = """
import os, time
clock = time.time
time.time = lambda: clock() - 3600 * os.path.exists("set-back")
"""


def test_a_clock_set_back_by_an_hour_holds_nothing_up(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(CLOCK)
    with serving(0.0) as base:
        with crawling(tmp_path, base, delay=0.05) as process:
            wait_for(base, "/story/", process, 10)
            (tmp_path / "set-back").touch()
            assert asked(base, "/story/") < ARTICLES
            assert process.wait(120) == 0, (tmp_path / "log").read_text()
        assert asked(base, "/story/") == ARTICLES
